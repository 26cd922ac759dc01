"""`dialer forecast`: the likely outcome of a campaign, before it is started or while it runs."""

import rich_click as click

from dialer.commands.output import examples
from dialer.forecast.parameters import FIRST_SEED_MAX, SEEDS, SEEDS_MAX
from dialer.usage.running import runs


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "--seeds",
    metavar="N",
    type=click.IntRange(1, SEEDS_MAX),
    default=SEEDS,
    show_default=True,
    help="The number of seeds.",
)
@click.option(
    "--first-seed",
    metavar="K",
    type=click.IntRange(0, FIRST_SEED_MAX),
    default=0,
    show_default=True,
    help="The first seed; the others follow it.",
)
@click.option(
    "--what-if",
    "what_ifs",
    metavar="NAME=VALUE[,NAME=VALUE]...",
    multiple=True,
    help="Compare another setting with the present one, under the same seeds. Each is a setting of its own, up to 20:"
    " fields of the campaign, or channels, calls_a_second, agents and rate.",
)
@click.option(
    "--agents",
    metavar="FROM-TO",
    help="How many agents are enough: compare these numbers of available agents, up to 20, in waits, abandoned calls"
    " and cost, beside Erlang C.",
)
@click.option(
    "--obey-calling-hours/--ignore-calling-hours",
    default=None,
    help="Whether the calling hours of the service and of countries hold for a simulated gateway. Without either: as in"
    " the service.",
)
@click.option(
    "--obey-contact-rules/--ignore-contact-rules",
    default=None,
    help="Whether rows of law about how often people are contacted hold for a simulated gateway. Without either: as in"
    " the service.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the forecast as JSON.")
@examples(
    "dialer forecast 1",
    "dialer forecast KQWZD --seeds 100 --first-seed 1000",
    "dialer forecast 1 --obey-calling-hours --json",
    "dialer forecast 1 --what-if channels=40 --what-if daily_start=10:00,agents=12",
    "dialer forecast 1 --agents 4-12",
)
@runs("dialer.commands.forecast")
def forecast() -> None:
    """Forecast the outcome of a campaign from now on. The campaign itself does not change.

    CAMPAIGN is its id or its code. A copy of it is run to its end under N seeds, without other campaigns. A service
    that runs with one of these seeds (DIALER_SEED), and changes nothing meanwhile, has exactly that seed's outcome.
    """
