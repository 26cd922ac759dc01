"""`dialer simulate`: a campaign without a server and without a database."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples
from dialer.sim.limits import SEED_MAX, SEEDS_MAX
from dialer.usage.running import runs


@click.command()
@click.argument("path", metavar="SCENARIO.json", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--seed", metavar="N", type=click.IntRange(0, SEED_MAX), help="The seed; the scenario's own unless given."
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write cdr.csv, cdr.ndjson, report.json and digest.txt into this directory.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option(
    "--compare", "comparing", is_flag=True, help="Run the scenario under every pacing strategy, and print a table."
)
@click.option(
    "--seeds",
    metavar="N",
    type=click.IntRange(1, SEEDS_MAX),
    help="With --compare: the number of seeds, for 95 % confidence intervals; 1 unless given.",
)
@examples(
    "dialer simulate examples/reminder.json",
    "dialer simulate examples/reminder.json --seed 7 --json",
    "dialer simulate examples/reminder.json --out results",
    "dialer simulate examples/call_centre.json --compare --seeds 10",
)
@runs("dialer.commands.simulate")
def simulate() -> None:
    """Simulate one campaign in a virtual time of its own.

    The simulation does not wait, and needs neither a server nor a database. A seed always gives the same calls.
    """
