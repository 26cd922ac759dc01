"""`dialer trigger`: an event that did not happen."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
import rich_click as click

from dialer.commands.event_types import check_event_type
from dialer.commands.forwarding import Forwarder
from dialer.commands.output import say
from dialer.webhooks.event_data import EVENT_DATA
from dialer.webhooks.examples import EXAMPLES, example_event

SOURCE: Final = "https://dialer.example/rest-api/"


def trigger(kind: str, *, forward_to: str, data: str | None, secret: str | None) -> None:
    """Post an event of a type."""
    given = {} if data is None else _given(check_event_type(kind), data)
    forwarder = Forwarder(forward_to, secret, lambda: datetime.now(UTC))
    now = datetime.now(UTC)
    event_id = f"evt_test_{int(now.timestamp() * 1_000)}"
    event = example_event(check_event_type(kind), event_id, SOURCE, now, given)
    if secret is None:
        say(f"Signing secret: {forwarder.secret}")
    answered = forwarder.post(event_id, msgspec.json.encode(event).decode())
    click.echo(f"{kind} {event_id} -> {answered}")
    if answered.startswith("4") and secret is None:
        say("A program that checks signatures takes the event only with its own secret: give --secret whsec_…")
    if not answered.startswith("2"):
        raise click.ClickException("the program did not take the event")


def _given(kind: str, data: str) -> Mapping[str, Any]:
    """Return the members that somebody gave for the data of an event.

    Raises:
        ClickException: events of this type have no such data.
    """
    try:
        members = msgspec.json.decode(data, type=dict[str, Any])
        msgspec.convert({**EXAMPLES[kind].data, **members, "links": {}}, EVENT_DATA[kind])
    except msgspec.MsgspecError as error:
        known = ", ".join(name for name in EVENT_DATA[kind].__struct_fields__ if name != "links")
        raise click.ClickException(f"--data: {error}. Give JSON with members of {kind}: {known}") from None
    if "links" in members:
        raise click.ClickException("--data: links follow from the ids, so leave them out")
    return members
