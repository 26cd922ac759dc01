"""`dialer dev`: a service for whoever builds on it."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples
from dialer.dev import FOLDER
from dialer.usage.addresses import PORT_MAX
from dialer.usage.running import runs


@click.command()
@click.argument("files", metavar="[FILE...]", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--folder",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    default=FOLDER,
    show_default=True,
    help="The folder of the database and the recordings.",
)
@click.option(
    "--port",
    type=click.IntRange(0, PORT_MAX),
    default=8000,
    show_default=True,
    help="The port of the server, on this machine only; 0 chooses a free one.",
)
@click.option("--fresh", is_flag=True, help="Empty the folder first.")
@examples(
    "dialer dev",
    "dialer dev --fresh",
    "dialer dev reminder.yaml",
    "dialer dev --folder /tmp/trial --port 0",
)
@runs("dialer.commands.dev")
def dev() -> None:
    """Run a simulated service with example data, and move its clock by hand.

    The command prints a link that signs a browser in, once, and reads letters: n for the next event, m, h and d for a
    minute, an hour and a day, 1 and 6 for real time and 60 times that, s to stand still, q to end. Nobody is called.

    FILEs of records are applied at the beginning and whenever they are saved (dialer apply). Gateways that they name
    and that do not exist are made, and simulated.
    """
