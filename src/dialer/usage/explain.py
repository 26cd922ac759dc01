"""`dialer explain`: the history of one number in one campaign."""

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("number", metavar="NUMBER")
@click.option("--json", "as_json", is_flag=True, help="Print the history as JSON.")
@examples("dialer explain 1 +12025550100", 'dialer explain KQWZD "+1 (202) 555-0100" --json')
@runs("dialer.commands.explain")
def explain() -> None:
    """Show the history of one number in one campaign.

    CAMPAIGN is its id or its code. NUMBER may be spelled in any way. The history has the contact, the calling window,
    every attempt with its outcome, why there is another attempt or none, and what the number waits for. The command
    changes nothing. It can run beside a server.
    """
