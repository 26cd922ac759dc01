"""`dialer trigger`: an event that did not happen."""

from datetime import UTC, datetime
from typing import Final

import msgspec
import rich_click as click

from dialer.commands.forwarding import Forwarder
from dialer.commands.output import say
from dialer.webhooks.examples import EXAMPLES, example_event

SOURCE: Final = "https://dialer.example/rest-api/"


def trigger(kind: str, *, forward_to: str, secret: str | None) -> None:
    """Post an event of a type."""
    if kind not in EXAMPLES:
        raise click.ClickException(f"{kind[:40]!r} is not a type of events: {', '.join(EXAMPLES)}")
    forwarder = Forwarder(forward_to, secret, lambda: datetime.now(UTC))
    if secret is None:
        say(f"Signing secret: {forwarder.secret}")
    now = datetime.now(UTC)
    event_id = f"evt_test_{int(now.timestamp() * 1_000)}"
    body = msgspec.json.encode(example_event(kind, event_id, SOURCE, now)).decode()
    answered = forwarder.post(event_id, body)
    click.echo(f"{kind} {event_id} -> {answered}")
    if not answered.startswith("2"):
        raise click.ClickException("the program did not take the event")
