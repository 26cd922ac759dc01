"""`dialer mcp`: a server for assistants."""

from pathlib import Path

import rich_click as click

from dialer.commands.service_access import checked_url, read_key


def mcp(url: str, *, key_file: Path | None, allow_writes: bool) -> None:
    """Serve an assistant until it closes standard input."""
    key, address = read_key(key_file), checked_url("--url", url)
    try:
        from dialer.mcp.api import Api  # noqa: PLC0415 - an extra that may be missing
        from dialer.mcp.server import create_server  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        raise click.ClickException(f'{error.name} is missing: pip install "dialer[mcp]"') from None
    create_server(Api(address, key), allow_writes=allow_writes).run()
