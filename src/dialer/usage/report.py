"""`dialer report`: the statistics of one campaign."""

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.domain.figures.statistics import GROUPS, Interval
from dialer.usage.running import runs


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "--interval", type=click.Choice([str(interval) for interval in Interval]), help="Add a row for each hour or day."
)
@click.option("--group-by", type=click.Choice(list(GROUPS)), help="Add a row for each group.")
@click.option("--from", "since", metavar="MOMENT", help="Count calls dialled in the hour of this moment or later.")
@click.option("--to", "until", metavar="MOMENT", help="Count calls dialled in the hour of this moment or before.")
@click.option("--timezone", metavar="ZONE", help="Zone of days, an IANA name. By default that of the service.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the rows as CSV, by day unless other rows are asked for.")
@json_option("the statistics")
@examples(
    "dialer report 1",
    "dialer report KQWZD --interval day --group-by gateway",
    "dialer report 1 --from 2026-11-20T08:00 --to 2026-11-20T17:00 --json",
    "dialer report 1 --interval hour --csv > hours.csv",
)
@runs("dialer.commands.report")
def report() -> None:
    """Show the statistics of a campaign.

    CAMPAIGN is its id or its code. The figures are those of the API, and docs/reference/statistics.md defines them.
    A MOMENT without an offset is in the time zone of the service. The command changes nothing. It can run beside a
    server.
    """
