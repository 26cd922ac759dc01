"""`dialer consent`: consents in files."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs


@click.group()
@examples(
    "dialer consent import agreed.csv --user anna",
    "dialer consent export --user anna > consents.csv",
)
def consent() -> None:
    """Read and write what people have agreed to."""


@consent.command("import")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--user", "username", metavar="NAME", required=True, help="The user whose consents they are.")
@examples("dialer consent import agreed.csv --user anna")
@runs("dialer.commands.consent")
def import_consents() -> None:
    """Add the consents of the CSV file FILE, whose first line names fields of the API, such as phone_number and kind.

    Purposes have blanks between them. Dates are kept, and so is how a consent was given: import, if it is not said.
    Lines that are wrong are named and left out, and the exit code is 1 then.
    """


@consent.command("export")
@click.option("--user", "username", metavar="NAME", required=True, help="The user whose consents they are.")
@examples("dialer consent export --user anna > consents.csv")
@runs("dialer.commands.consent")
def export_consents() -> None:
    """Print all consents as CSV. Such a file can be imported again."""
