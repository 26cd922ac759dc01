"""`dialer rules`: the rows of law that are built in, and the contact rules of accounts."""

from datetime import datetime

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.command()
@click.option("--country", metavar="CODE", help="Those for numbers of one country, an ISO 3166 code such as US.")
@click.option(
    "--on",
    "day",
    metavar="DATE",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Those that are in force on a day, such as 2027-01-31. By default all.",
)
@json_option("the rows and rules")
@examples("dialer rules", "dialer rules --country US --on 2027-01-31", "dialer rules --json")
@runs("dialer.commands.rules")
def rules(country: str | None, day: datetime | None, *, as_json: bool) -> None:
    """Show the rows of law about how often people may be contacted, with their sources, and the rules of accounts.

    A row that is off is shown with what is missing. Rules of accounts are read from the database, which must be there.
    Nothing here is legal advice.
    """
