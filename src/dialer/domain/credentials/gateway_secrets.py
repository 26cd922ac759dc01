"""Secrets of a gateway: passwords, which no answer shows, and the way to its carrier, which only admins see."""

import ipaddress
import json
from typing import Any, Final

SECRETS: Final = frozenset({"password", "secret"})
"""Parameters that no answer shows."""
OTHER_SIDE: Final = (
    *("server", "host", "port", "url", "username", "domain", "system_id", "callback_url"),
    *("tls", "transport", "ca_file", "server_name", "method", "headers", "query", "body", "encoding"),
)
"""Parameters that say who gets to know a secret: the other side, those who can listen, and the fields that carry it."""


def fields_for_users(*, is_simulated: bool) -> dict[str, str]:
    """Return the fields of a gateway that only admins see, with the values that all other users get.

    Any part of the way to a real carrier may be a secret. Simulated callees are none.
    """
    return {} if is_simulated else {"parameters": "{}"}


def without_secrets(parameters: str) -> str:
    """Return a JSON object as text without its secrets."""
    found = _read(parameters)
    if not SECRETS & found.keys():
        return parameters
    return _write({name: value for name, value in found.items() if name not in SECRETS})


def with_kept_secrets(before: str, after: str) -> str:
    """Return new parameters with the secrets of the old ones that they do not mention.

    So a client can write back what it has read. If the other side is another one, nothing is kept: it is not to hear
    of a secret that was meant for the old one.
    """
    old, new = _read(before), _read(after)
    kept = {name: old[name] for name in SECRETS if name in old and name not in new}
    if not kept or any((old.get(name) or None) != (new.get(name) or None) for name in OTHER_SIDE):
        return after
    return _write(new | kept)


def shows_secrets(parameters: str) -> bool:
    """Return whether a gateway over HTTP sends its secrets, or has them sent back, through the internet in clear.

    Addresses of private networks, and names without a dot, are taken for the service's own network.
    """
    found = _read(parameters)
    if not (SECRETS | {"username", "headers"}) & found.keys():
        return False
    return any(_is_in_clear(str(found.get(name) or "")) for name in ("url", "callback_url"))


def _is_in_clear(address: str) -> bool:
    scheme, _, rest = address.partition("://")
    host = rest.partition("/")[0].rpartition("@")[2].rpartition("]")[0].lstrip("[") or rest.partition("/")[0]
    bare = host if host.count(":") > 1 else host.partition(":")[0]
    if scheme.lower() != "http":
        return False
    try:
        return ipaddress.ip_address(bare).is_global
    except ValueError:
        return "." in bare


def _read(parameters: str) -> dict[str, Any]:
    try:
        found = json.loads(parameters or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _write(parameters: dict[str, Any]) -> str:
    return json.dumps(parameters, ensure_ascii=False, separators=(",", ":"))
