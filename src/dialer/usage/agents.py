"""`dialer agents`: how the agents of the last weeks behaved."""

from typing import Final

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs

DAYS: Final = 28
DAYS_MAX: Final = 366


@click.group()
@examples("dialer agents profile", "dialer agents profile --days 14 --save")
def agents() -> None:
    """Measure agents, so that simulated ones behave alike."""


@agents.command()
@click.option(
    "--days",
    metavar="N",
    type=click.IntRange(1, DAYS_MAX),
    default=DAYS,
    show_default=True,
    help="The days whose calls are measured, up to now.",
)
@click.option("--save", is_flag=True, help="Write each profile into the agent's parameters, for simulations.")
@json_option("the profiles")
@examples("dialer agents profile", "dialer agents profile --days 14 --save", "dialer agents profile --json")
@runs("dialer.commands.agents")
def profile() -> None:
    """Show how fast agents answer, how long they talk and wrap up, and when they take breaks.

    An agent is measured from 20 calls on. With --save, forecasts and simulated campaigns have agents who behave alike:
    then ask `dialer forecast 1 --agents 4-12` how many are enough.
    """
