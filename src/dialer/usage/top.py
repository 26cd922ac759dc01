"""`dialer top`: the situation of a running service, again and again."""

from typing import Final

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs

INTERVAL_S: Final = 2.0
INTERVAL_MIN_S: Final = 0.5
INTERVAL_MAX_S: Final = 3_600.0


@click.command()
@click.option(
    "--interval",
    "interval_s",
    metavar="SECONDS",
    type=click.FloatRange(INTERVAL_MIN_S, INTERVAL_MAX_S),
    default=INTERVAL_S,
    show_default=True,
    help="Seconds between two readings.",
)
@click.option("--once", is_flag=True, help="Print the situation once, and end.")
@json_option("the situation once")
@examples("dialer top", "dialer top --interval 10", "dialer top --once --json")
@runs("dialer.commands.top")
def top() -> None:
    """Show the situation of a running service until Ctrl+C.

    It has the campaigns in progress, the agents, the gateways, and the balances that run low. Without a terminal, it
    prints plain text. The command reads the database of the service and changes nothing.
    """
