"""The sending of events to webhooks, put together for one process: the task, and test events."""

import random
import secrets
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import msgspec

from dialer.api.http.account_turns import AccountTurns
from dialer.domain.credentials.webhook_secrets import signing_secrets
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.urls import Links
from dialer.resources.records.events import event_read
from dialer.runtime.steps.clock import Clock, RealClock
from dialer.store.database.database import Database
from dialer.webhooks.addresses import AddressGuard
from dialer.webhooks.deliverer import Deliverer
from dialer.webhooks.posting import Poster
from dialer.webhooks.retries import SECOND_MS, PostOutcome
from dialer.webhooks.signing import signed_headers

TEST_TYPE: Final = "webhook.test"
REPORT_READY: Final = "report.ready"
TESTS_AT_ONCE: Final = 16
"""Test events that are sent at a time, apart from all others."""
TESTS_OF_ACCOUNT_MAX: Final = 2
TESTS_WAITING_MAX: Final = 32


class WebhookSender:
    """The part of a process that sends to webhooks."""

    def __init__(self, database: Database, clock: Clock, guard: AddressGuard, currency: str) -> None:
        self._clock: Final = clock
        self._machine: Final = RealClock()
        self._tests: Final = AccountTurns(
            TESTS_AT_ONCE,
            TESTS_OF_ACCOUNT_MAX,
            TESTS_WAITING_MAX,
            refusal=Sentence("Other tests of your webhooks are under way. Try again when one has ended."),
            others=Sentence("Too many webhooks are being tested. Try again later."),
        )
        self._poster: Final = Poster(guard, self._machine.now_ms)
        self._deliverer: Final = Deliverer(
            database,
            self._poster,
            partial(encoded_event, currency=currency),
            now_ms=self._machine.now_ms,
            event_ms=clock.now_ms,
            chance=random.SystemRandom().random,
        )

    def machine_ms(self) -> int:
        """Return the time of the machine's clock."""
        return self._machine.now_ms()

    @asynccontextmanager
    async def running(self, *, delivers: bool) -> AsyncIterator[None]:
        """Send events while the context is entered, or else only tests, whose connections are closed at its end."""
        async with self._deliverer.delivering() if delivers else aclosing(self._poster):
            yield

    async def send_test(self, webhook: Any, links: Links, account_id: int) -> PostOutcome:  # noqa: ANN401 - a row
        """Send an event that did not happen, once, and return what the receiver answered.

        Raises:
            AnsweredError: the account that asks has `TESTS_OF_ACCOUNT_MAX` tests under way, or too many wait.
        """
        async with self._tests.turn(account_id):
            return await self._post_test(webhook, links)

    async def _post_test(self, webhook: Any, links: Links) -> PostOutcome:  # noqa: ANN401 - a row
        now_ms = self._machine.now_ms()
        event_id = f"evt_test_{secrets.token_hex(8)}"
        body = _test_event(event_id, webhook.id, links, datetime.fromtimestamp(now_ms / SECOND_MS, UTC))
        now = datetime.fromtimestamp(now_ms / SECOND_MS, UTC)
        headers = signed_headers(signing_secrets(webhook.secret, webhook.old_secrets, now_ms), event_id, body, now)
        return await self._poster.post(webhook.target_url, headers, body.encode(), webhook.user_id)


def encoded_event(row: Any, base: str, *, currency: str = "") -> str:  # noqa: ANN401 - a row of the driver
    """Return an event as the JSON that receivers get; `base` and `currency` are those of the service."""
    event = event_read(row, Links(base, frozenset()), row.currency or currency)
    if row.type == REPORT_READY:
        event.data["url"] = row.secret_url
    return msgspec.json.encode(event).decode()


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
