"""`dialer mcp`: a server for assistants."""

import os
from pathlib import Path
from typing import Final

import rich_click as click

KEY_VARIABLE: Final = "DIALER_API_KEY"
KEY_MAX: Final = 1_000
"""Characters of a file that are read as a key."""


def mcp(url: str, *, key_file: Path | None, allow_writes: bool) -> None:
    """Serve an assistant until it closes standard input."""
    key = _key(key_file)
    if not url.startswith(("http://", "https://")):
        raise click.ClickException(f"--url {url[:80]}: give an address that begins with http:// or https://")
    try:
        from dialer.mcp.api import Api  # noqa: PLC0415 - an extra that may be missing
        from dialer.mcp.server import create_server  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        raise click.ClickException(f'{error.name} is missing: pip install "dialer[mcp]"') from None
    create_server(Api(url, key), allow_writes=allow_writes).run()


def _key(key_file: Path | None) -> str:
    text = os.environ.get(KEY_VARIABLE, "") if key_file is None else key_file.read_text("utf-8", "replace")[:KEY_MAX]
    if not text.strip().isascii() or not text.strip():
        raise click.ClickException(f"there is no API key: set {KEY_VARIABLE}, or give --key-file")
    return text.strip()
