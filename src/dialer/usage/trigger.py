"""`dialer trigger`: an event that did not happen."""

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.event_types import EVENT_TYPES_TABLE
from dialer.usage.running import runs


@click.command()
@click.argument("kind", metavar="TYPE")
@click.option("--forward-to", metavar="URL", required=True, help="The address to which the event is posted.")
@click.option("--data", metavar="JSON", help="Members of the event's data, instead of those of the example.")
@click.option("--secret", metavar="SECRET", help="The signing secret of the program; a new one unless given.")
@examples(
    "dialer trigger call.ended --forward-to http://localhost:3000/events",
    "dialer trigger call.ended --data '{\"cause\": 17}' --forward-to http://localhost:3000/",
    table=EVENT_TYPES_TABLE,
)
@runs("dialer.commands.trigger")
def trigger() -> None:
    """Post an event of a TYPE, with made-up ids and a real signature, to a program that is to receive events."""
