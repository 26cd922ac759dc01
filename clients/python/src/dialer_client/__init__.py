"""A client of dialer: its API, typed, with events and their signatures."""

from dialer_client.async_events import AsyncEventStream, follow_async
from dialer_client.client import AuthenticatedClient, Client
from dialer_client.connection import RefusedError, connect, done
from dialer_client.event_types import Event
from dialer_client.events import EventStream, follow
from dialer_client.openings import event_of
from dialer_client.webhooks import WebhookVerificationError, verify

__all__ = [
    "AsyncEventStream",
    "AuthenticatedClient",
    "Client",
    "Event",
    "EventStream",
    "RefusedError",
    "WebhookVerificationError",
    "connect",
    "done",
    "event_of",
    "follow",
    "follow_async",
    "verify",
]
