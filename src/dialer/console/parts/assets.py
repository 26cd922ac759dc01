"""The style sheets, the scripts and the icon of the console. Their URLs contain a hash of their content."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

HASH_LENGTH: Final = 12
FOLDER: Final = "/console/static"
_TYPES: Final[Mapping[str, str]] = {
    "board.css": "text/css",
    "console.css": "text/css",
    "console.js": "text/javascript",
    "crm.js": "text/javascript",
    "desk.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "lists.css": "text/css",
    "player.css": "text/css",
    "player.js": "text/javascript",
    "print.css": "text/css",
    "prompts.css": "text/css",
    "prompts.js": "text/javascript",
    "recorder.js": "text/javascript",
    "survey.css": "text/css",
    "survey.js": "text/javascript",
    "telephone.js": "text/javascript",
}


class Asset(NamedTuple):
    """A file with its media type and its URL."""

    content: bytes
    media_type: str
    url: str


@cache
def _assets() -> Mapping[str, Asset]:
    """Return the assets by the name of their file."""
    folder = files("dialer.console") / "static"
    return {name: _asset(name, (folder / name).read_bytes()) for name in _TYPES}


def _asset(name: str, content: bytes) -> Asset:
    stem, _, suffix = name.partition(".")
    digest = hashlib.sha256(content).hexdigest()[:HASH_LENGTH]
    return Asset(content, _TYPES[name], f"{FOLDER}/{stem}.{digest}.{suffix}")


def asset_url(name: str) -> str:
    """Return the URL of an asset by the name of its file."""
    return _assets()[name].url


def find_asset(hashed_name: str) -> Asset | None:
    """Return the asset with a hashed name, or None. A name with an old hash is unknown."""
    return next((asset for asset in _assets().values() if asset.url == f"{FOLDER}/{hashed_name}"), None)
