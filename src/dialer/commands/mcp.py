"""`dialer mcp`: a server for assistants."""

import logging
from pathlib import Path
from typing import Final

import rich_click as click

from dialer import __version__
from dialer.commands.service_access import checked_url, read_key

WHEEL: Final = f"dist/dialer-{__version__}-py3-none-any.whl"


def mcp(url: str, *, key_file: Path | None, allow_writes: bool) -> None:
    """Serve an assistant until it closes standard input."""
    key, address = read_key(key_file), checked_url("--url", url)
    try:
        from dialer.mcp.api import Api  # noqa: PLC0415 - an extra that may be missing
        from dialer.mcp.server import create_server  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"{error.name} is missing: install the extra mcp, as in pip install '{WHEEL}[mcp]'"
        ) from None
    # An address of a request may have a phone number, and assistants keep what is logged here.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    create_server(Api(address, key), allow_writes=allow_writes).run()
