"""A client of dialer: its API, typed, with events and their signatures."""

from dialer_client.client import AuthenticatedClient, Client
from dialer_client.connection import RefusedError, connect, done
from dialer_client.event_types import Event
from dialer_client.events import EventStream, event_of, follow
from dialer_client.webhooks import WebhookVerificationError, verify

__all__ = [
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
    "verify",
]
