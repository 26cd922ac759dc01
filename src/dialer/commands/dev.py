"""`dialer dev`: a service for whoever builds on it."""

import sys
from collections.abc import Sequence
from pathlib import Path

import rich_click as click

from dialer.dev.run import run
from dialer.local_service.errors import DemoError
from dialer.server import ending_on_signals


def dev(files: Sequence[Path], folder: Path, port: int, *, fresh: bool) -> None:
    """Run a simulated service with example data, and move its clock by hand."""
    try:
        with ending_on_signals():
            run(folder, files, port=port, fresh=fresh, lines=sys.stdin, say=click.echo)
    except DemoError as error:
        raise click.ClickException(str(error)) from error
