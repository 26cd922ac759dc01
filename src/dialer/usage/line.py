"""`dialer line`: the process that holds the calls of SIP gateways. Workers start it by themselves."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples
from dialer.domain.forecast.process_limits import PROCESSES_MAX
from dialer.usage.running import runs


@click.command(hidden=True)
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), required=True, help="Place of its socket.")
@click.option("--media", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder of recordings.")
@click.option("--helpers", type=click.IntRange(0, PROCESSES_MAX), default=0, help="Processes that may share its sound.")
@examples("dialer line --folder /run/dialer --media /var/lib/dialer/media")
@runs("dialer.commands.line")
def line() -> None:
    """Hold the calls of SIP gateways, until nobody needs them any more.

    A worker starts it, and finds it again by its socket after a restart: calls and their sound go on meanwhile. A
    second process in a folder ends at once.
    """
