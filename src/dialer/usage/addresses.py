"""The options of the commands that serve the API."""

from collections.abc import Callable
from typing import Final, TypeVar

import rich_click as click

Function = TypeVar("Function", bound=Callable[..., object])

PORT_MAX: Final = 65_535


def address_options(command: Function) -> Function:
    """Add the options `--host` and `--port` to a command that serves the API."""
    port = click.option(
        "--port",
        type=click.IntRange(0, PORT_MAX),
        default=8000,
        show_default=True,
        help="The port; 0 chooses a free one.",
    )
    host = click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve on.")
    return host(port(command))
