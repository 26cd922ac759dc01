"""`dialer check`: the errors and probable mistakes of a campaign, before it is started."""

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--forecast/--no-forecast", default=True, help="Also check date and balance by a short forecast.")
@json_option("the findings")
@examples("dialer check 1", "dialer check KQWZD --no-forecast --json")
@runs("dialer.commands.check")
def check() -> None:
    """Check a campaign before it is started. The campaign itself does not change.

    CAMPAIGN is its id or its code. The exit code is 1 if an error keeps the campaign from starting, and 0 if there are
    only warnings or nothing.
    """
