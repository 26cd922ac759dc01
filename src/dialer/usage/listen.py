"""`dialer listen`: the events of an account on this machine."""

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.event_types import EVENT_TYPES_TABLE
from dialer.usage.running import runs
from dialer.usage.service_options import service_options


@click.command()
@service_options
@click.option("--types", metavar="TYPES", default="", help="Only events of these types, with commas between them.")
@click.option("--campaign", metavar="ID", type=click.IntRange(min=1), help="Only events of this campaign.")
@click.option("--after", metavar="EVENT", default="", help="Begin after this event, such as evt_42, and not now.")
@click.option("--forward-to", metavar="URL", help="Post each event to this address, signed.")
@click.option("--secret", metavar="SECRET", help="The signing secret; a new one unless given.")
@examples(
    "dialer listen --key-file ~/dialer.key",
    "dialer listen --types call.ended,campaign.ended --forward-to http://localhost:3000/events",
    table=EVENT_TYPES_TABLE,
)
@runs("dialer.commands.listen")
def listen() -> None:
    """Show the events of the account of an API key as they come, and post them to a program on this machine.

    The signature is that of Standard Webhooks, so the program verifies it as it will verify webhooks. After a lost
    connection, the events since then come. An event that the program refuses is not sent again.
    """
