"""`dialer erase`: removal of all data about one person, or about the subscribers of old campaigns."""

from typing import Final

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs

DAYS_MAX: Final = 36_500


@click.command()
@click.argument("number", metavar="[NUMBER]", required=False)
@click.option(
    "--older-than",
    "days",
    metavar="DAYS",
    type=click.IntRange(1, DAYS_MAX),
    help="Erase the subscribers of campaigns that ended, or were last changed, more than DAYS days ago.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option("the numbers of erased records")
@examples(
    "dialer erase +12025550100",
    'dialer erase "+1 (202) 555-0100" --yes',
    "dialer erase --older-than 90 --yes",
)
@runs("dialer.commands.erase")
def erase() -> None:
    """Erase all data about NUMBER, in any spelling, or about the subscribers of old campaigns.

    Contacts, names, variables, free-text answers, recordings, text messages, and the numbers in call detail records are
    erased. Charges stay, and so do the counts of chosen answers. On do-not-call lists a hash replaces the number, which
    is still never called. --older-than does not erase contacts and lists, as they outlive their campaigns.

    The database is then compacted, so that its files hold none of the data. Earlier backups still do: erase again after
    restoring one. The command can run beside a server, which waits meanwhile.
    """
