"""The sending of events to webhooks, put together for one process: the task, and test events."""

import random
import secrets
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from dialer.api.crud.urls import Links
from dialer.api.records.events import event_read
from dialer.runtime.clock import Clock, RealClock
from dialer.store.database import Database
from dialer.webhooks.addresses import AddressGuard
from dialer.webhooks.deliverer import Deliverer
from dialer.webhooks.posting import Poster
from dialer.webhooks.retries import SECOND_MS, PostOutcome
from dialer.webhooks.signing import signed_headers

TEST_TYPE: Final = "webhook.test"


class WebhookSender:
    """The part of a process that sends to webhooks."""

    def __init__(self, database: Database, clock: Clock, guard: AddressGuard) -> None:
        self._clock: Final = clock
        self._machine: Final = RealClock()
        self._poster: Final = Poster(guard, self._machine.now_ms)
        self._deliverer: Final = Deliverer(
            database,
            self._poster,
            encoded_event,
            now_ms=self._machine.now_ms,
            event_ms=clock.now_ms,
            chance=random.SystemRandom().random,
        )

    def machine_ms(self) -> int:
        """Return the time of the machine's clock."""
        return self._machine.now_ms()

    def delivering(self) -> AbstractAsyncContextManager[None]:
        """Return a context in which events are sent."""
        return self._deliverer.delivering()

    async def send_test(self, webhook: Any, links: Links) -> PostOutcome:  # noqa: ANN401 - a row
        """Send an event that did not happen, once, and return what the receiver answered."""
        now_ms = self._machine.now_ms()
        event_id = f"evt_test_{secrets.token_hex(8)}"
        body = _test_event(event_id, webhook.id, links, datetime.fromtimestamp(now_ms / SECOND_MS, UTC))
        now = datetime.fromtimestamp(now_ms / SECOND_MS, UTC)
        headers = signed_headers([webhook.secret], event_id, body, now)
        return await self._poster.post(webhook.target_url, headers, body.encode())


def encoded_event(row: Any, base: str) -> str:  # noqa: ANN401 - a row of the driver
    """Return an event as the JSON that receivers get; `base` is the address of the service."""
    return msgspec.json.encode(event_read(row, Links(base, frozenset()))).decode()


def _test_event(event_id: str, webhook_id: int, links: Links, now: datetime) -> str:
    event = {
        "specversion": "1.0",
        "id": event_id,
        "source": links.collection("").rstrip("/") + "/",
        "type": TEST_TYPE,
        "subject": f"webhook/{webhook_id}",
        "time": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "datacontenttype": "application/json",
        "data": {"links": {"self": links.record("webhook", webhook_id)}},
    }
    return msgspec.json.encode(event).decode()
