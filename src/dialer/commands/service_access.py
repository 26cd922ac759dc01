"""The address of a service, and the API key, of commands that use the REST API."""

import os
from pathlib import Path
from typing import Final

import rich_click as click

KEY_VARIABLE: Final = "DIALER_API_KEY"
KEY_MAX: Final = 1_000
"""Characters of a file that are read as a key."""


def read_key(key_file: Path | None) -> str:
    """Return the key of a file, or of the environment.

    Raises:
        ClickException: there is none.
    """
    text = os.environ.get(KEY_VARIABLE, "") if key_file is None else key_file.read_text("utf-8", "replace")[:KEY_MAX]
    if not text.strip().isascii() or not text.strip():
        raise click.ClickException(f"there is no API key: set {KEY_VARIABLE}, or give --key-file")
    return text.strip()


def checked_url(option: str, url: str) -> str:
    """Return an address without a slash at its end.

    Raises:
        ClickException: it is no address of HTTP; `option` is the name with which it was given.
    """
    if not url.startswith(("http://", "https://")):
        raise click.ClickException(f"{option} {url[:80]}: give an address that begins with http:// or https://")
    return url.rstrip("/")
