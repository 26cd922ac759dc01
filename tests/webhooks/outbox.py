"""An account with webhooks and a hand that moves the machine's clock, for tests of deliveries."""

import json
import ssl
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from sqlalchemy import select

from dialer.api.actions.webhook_sender import encoded_event
from dialer.app.telling.webhooks import change_webhook, create_webhook, rotate_secret, send_again
from dialer.store.database.database import Database
from dialer.store.rows.account_events import event_row, write_events
from dialer.store.tables import AccountEvent, User, Webhook, WebhookDelivery
from dialer.webhooks.addresses import AddressGuard
from dialer.webhooks.deliverer import Deliverer
from dialer.webhooks.posting import Poster
from dialer.webhooks.signing import new_secret
from tests.runtime.house import House

BASE: Final = "https://dialer.example"


class Outbox:
    """The events and webhooks of an account, and processes that deliver them."""

    def __init__(self, folder: Path) -> None:
        self.house = House(folder)
        # Receivers verify that the time of a signature is near theirs.
        self.now_ms = time.time_ns() // 1_000_000
        self.posters: list[Poster] = []
        self.processes: list[Deliverer] = []
        self.secrets: dict[int, str] = {}

    def rival(self) -> int:
        """Create another account and return its id."""
        like = {name: value for name, value in self.house.row(User, self.house.user_id).items() if name != "id"}
        return self.house.add(User, **{**like, "username": "rival", "username_key": "rival"})

    def webhook(self, url: str, types: str = "", user_id: int | None = None) -> int:
        """Create a webhook of the account, or of another one, and return its id."""
        secret = new_secret()
        columns = {
            "user_id": user_id or self.house.user_id,
            "name": "CRM",
            "target_url": url,
            "types": types,
            "enabled": True,
        }
        row = self.house.perform(lambda unit: create_webhook(unit, {**columns, "secret": secret, "base": BASE}))
        self.secrets[row.id] = secret
        return int(row.id)

    def write(
        self, count: int, kind: str = "call.ended", campaign_id: int | None = 1, user_id: int | None = None
    ) -> list[str]:
        """Write events, each about a call of its own, and return their ids."""
        at_ms = self.now_ms
        rows = [
            event_row(user_id or self.house.user_id, kind, at_ms, f"callrequest/{call}", campaign_id, call=call)
            for call in range(1, count + 1)
        ]
        self.house.perform(lambda unit: write_events(unit.connection, rows))
        newest = self.house.database.read_now(
            lambda connection: list(connection.scalars(select(AccountEvent.id).order_by(AccountEvent.id)))
        )
        return [f"evt_{event_id}" for event_id in newest[-count:]]

    def process(
        self,
        guard: AddressGuard | None = None,
        timeout_s: float = 5.0,
        database: Database | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> Deliverer:
        """Return the deliverer of a process, which may have a connection of its own to the database."""
        guard = guard or AddressGuard(("127.0.0.0/8",))
        self.posters.append(Poster(guard, lambda: self.now_ms, timeout_s=timeout_s, ssl_context=tls))
        process = Deliverer(
            database or self.house.database,
            self.posters[-1],
            encoded_event,
            now_ms=lambda: self.now_ms,
            event_ms=lambda: self.now_ms,
            chance=lambda: 1.0,
        )
        self.processes.append(process)
        return process

    def state(self, webhook_id: int) -> tuple[bool, str, int, int]:
        """Return whether a webhook is on, its problem, its failures in a row, and the wait until its next attempt."""
        (row,) = [row for row in self.house.rows(Webhook) if row["id"] == webhook_id]
        return row["enabled"], row["problem"], row["failures"], max(0, row["next_attempt_ms"] - self.now_ms)

    def deliveries(self, webhook_id: int) -> list[tuple[str, str, int, int | None]]:
        """Return event, status, attempts and last answer of the deliveries of a webhook, in the order of the events."""
        rows = [row for row in self.house.rows(WebhookDelivery) if row["webhook_id"] == webhook_id]
        return [
            (f"evt_{row['event_id']}", row["status"], row["attempts"], row["answer_status"])
            for row in sorted(rows, key=lambda row: row["event_id"])
        ]

    def rotate(self, webhook_id: int) -> str:
        """Replace the secret of a webhook, and return the new one."""
        secret = new_secret()
        self.house.perform(lambda unit: rotate_secret(unit, webhook_id, secret, self.now_ms))
        return secret

    def change(self, webhook_id: int, **columns: Any) -> None:  # noqa: ANN401 - columns
        """Change columns of a webhook."""
        self.house.perform(lambda unit: change_webhook(unit, webhook_id, columns))

    def resend(self, webhook_id: int, event_id: str) -> None:
        """Send an event of a webhook once more."""
        (delivery_id,) = [
            row["id"]
            for row in self.house.rows(WebhookDelivery)
            if row["webhook_id"] == webhook_id and f"evt_{row['event_id']}" == event_id
        ]
        self.house.perform(lambda unit: send_again(unit, webhook_id, delivery_id))

    def events(self, kind: str) -> Sequence[dict[str, Any]]:
        """Return the data of the events of a type."""
        return [json.loads(row["data"]) for row in self.house.rows(AccountEvent) if row["type"] == kind]
