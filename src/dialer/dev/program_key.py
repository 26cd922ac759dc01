"""The API key of programs that are tried beside `dialer dev`. It is kept in the folder, as the password is."""

from pathlib import Path
from typing import Final

from dialer.domain.words.roles import Scope
from dialer.local_service.client import Client

FILE: Final = "api.key"
"""The file of the folder that has the key, so that `--key-file` can name it."""
_NAME: Final = "dialer dev"
_NOT_SHOWN: Final = 0o600


def program_key(admin: Client, folder: Path) -> str:
    """Return the API key kept in the folder. A missing, revoked or disabled key is replaced by a new one."""
    path = folder / FILE
    kept = path.read_text(encoding="utf-8").strip() if path.exists() else ""
    prefixes = [str(record["prefix"]) for record in admin.every_page("api-key") if record["enabled"]]
    if kept and any(kept.startswith(prefix) for prefix in prefixes):
        return kept
    made = str(admin.create("api-key", name=_NAME, scopes=[scope.value for scope in Scope])["key"])
    path.touch(mode=_NOT_SHOWN)
    path.write_text(f"{made}\n", encoding="utf-8")
    return made
