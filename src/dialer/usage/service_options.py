"""The options of commands that use the REST API of a service."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import rich_click as click

_Command = TypeVar("_Command", bound=Callable[..., Any])
_URL: Final = click.option(
    "--url",
    metavar="URL",
    envvar="DIALER_URL",
    default="http://127.0.0.1:8000",
    show_default=True,
    help="The service. Without it: DIALER_URL, if it is set.",
)
key_file_option: Final = click.option(
    "--key-file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with the API key. Without it: DIALER_API_KEY.",
)


def service_options(command: _Command) -> _Command:
    """Add the options that say which service, and with which key."""
    return _URL(key_file_option(command))
