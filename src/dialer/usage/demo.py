"""`dialer demo`: a whole campaign day in one command."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples
from dialer.settings_values import SEED_MAX
from dialer.usage.addresses import PORT_MAX
from dialer.usage.running import runs


@click.command()
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0, SEED_MAX),
    default=0,
    show_default=True,
    help="The seed decides who answers, and what they say.",
)
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the database, the recordings and the call detail records in this empty directory.",
)
@click.option(
    "--watch", "is_watched", is_flag=True, help="Run the day at 60 times real time, to watch it in a browser."
)
@click.option(
    "--port",
    type=click.IntRange(0, PORT_MAX),
    default=0,
    show_default=True,
    help="The port of the server; 0 chooses a free one.",
)
@examples(
    "dialer demo",
    "dialer demo --seed 7",
    "dialer demo --keep demo-day",
    "dialer demo --watch",
)
@runs("dialer.commands.demo")
def demo() -> None:
    """Run a whole campaign day in seconds, and check every figure of its report.

    The command starts a server on a temporary database, and does everything over the REST API: a payment, a gateway,
    recordings, a phonebook, a do-not-call list, a survey and a campaign. The exit code is 1 if any figure is wrong.

    With --watch it prints the address of the console and a password, and runs until Ctrl+C. It checks nothing then.
    """
