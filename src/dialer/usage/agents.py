"""`dialer agents`: how the agents of the last weeks behaved, and how many are needed."""

from typing import Final

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs

DAYS: Final = 28
DAYS_MAX: Final = 366


@click.group()
@examples("dialer agents profile", "dialer agents profile --days 14 --save", "dialer agents plan Sales")
def agents() -> None:
    """Measure agents, so that simulated ones behave alike, and plan how many are needed."""


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


@agents.command()
@click.argument("queue", metavar="QUEUE")
@click.option("--weeks", metavar="N", help="The weeks of the past whose calls are looked at, 1 to 12. By default 4.")
@click.option("--service-level", metavar="PERCENT", help="The calls that are taken in time. By default 80.")
@click.option("--within", metavar="SECONDS", help="The wait up to which a call is taken in time. By default 20.")
@click.option("--abandoned", metavar="PERCENT", help="The most calls that may wait over two seconds. By default any.")
@click.option("--busy", metavar="PERCENT", help="The most of their time with a call or wrap-up time. By default 85.")
@click.option("--shrinkage", metavar="PERCENT", help="The paid time in which people are not at work. By default 30.")
@click.option("--change", metavar="PERCENT", help="How many more calls are expected; negative: fewer. By default 0.")
@click.option("--volumes", metavar="TEXT", help="The calls to expect: mon-fri 09:00-17:00 30; sat 10:00-14:00 96/day.")
@click.option("--campaign", metavar="ID", help="Expect the calls of this campaign's forecast, as its page keeps it.")
@click.option("--talk-time", metavar="SECONDS", help="Mean length of a talk. By default that of the past.")
@click.option("--ring-time", metavar="SECONDS", help="Mean ringing of agents' telephones. By default that of the past.")
@click.option("--wrap-up-time", metavar="SECONDS", help="Mean wrap-up time. By default that of the past.")
@click.option("--timezone", metavar="ZONE", help="Zone of days, an IANA name. By default that of the service.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the half hours as CSV.")
@json_option("the plan")
@examples(
    "dialer agents plan 1",
    "dialer agents plan Sales --service-level 90 --within 10 --shrinkage 25",
    'dialer agents plan Sales --volumes "mon-fri 09:00-17:00 30" --talk-time 180 --wrap-up-time 20',
    "dialer agents plan Sales --weeks 8 --change 20 --csv > plan.csv",
)
@runs("dialer.commands.agents")
def plan() -> None:
    """Show the agents that a queue needs in each half hour of a usual week.

    QUEUE is its id or its name. The plan rests on the calls of the last weeks, on --volumes or on the forecast of a
    --campaign, and is simulated call by call. The
    command changes nothing. It can run beside a server.
    """
