"""Use cases of webhooks: creation, changes, secrets, and events that are sent once more."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Row, func, insert, select, update

from dialer.app.telling.account_events import switch_events
from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.events import WebhookSecretRotated
from dialer.app.work.unit import UnitOfWork
from dialer.domain.credentials.webhook_secrets import OLD_SECRET_MS, OLD_SECRETS_MAX, OldSecret, read_old, written
from dialer.domain.words.sentences import Moment, Sentence
from dialer.store.database.touched import NOTHING
from dialer.store.rows.account_events import last_event_id
from dialer.store.rows.webhooks import WAITING
from dialer.store.tables import Webhook, WebhookDelivery

WEBHOOKS_MAX: Final = 10
"""Webhooks of one account."""
_AT_ONCE: Final = 1
"""A moment that is over on any clock."""


def create_webhook(unit: UnitOfWork, columns: Mapping[str, Any]) -> Row[Any]:
    """Create a webhook, which gets all later events. The account keeps its events from now on.

    Raises:
        RefusedError: the account has `WEBHOOKS_MAX` already.
    """
    user_id = columns["user_id"]
    count = select(func.count()).where(Webhook.user_id == user_id)
    if unit.connection.execute(count).scalar_one() >= WEBHOOKS_MAX:
        raise RefusedError(
            Sentence("An account has at most %(most)s webhooks. Delete one first.", most=WEBHOOKS_MAX),
            code=ErrorCode.LIMIT_REACHED,
        )
    switch_events(unit, user_id, keep=True)
    values = {
        **columns,
        "after_event_id": last_event_id(unit.connection, user_id),
        "created_date": unit.now_ms,
        "updated_date": unit.now_ms,
    }
    return unit.connection.execute(insert(Webhook).values(values).returning(*Webhook.__table__.c)).one()


def change_webhook(unit: UnitOfWork, webhook_id: int, columns: Mapping[str, Any]) -> None:
    """Change columns of a webhook. A webhook that is switched on continues after its last event, at once."""
    before = unit.connection.execute(select(Webhook.enabled, Webhook.user_id).where(Webhook.id == webhook_id)).one()
    values = {**columns, "updated_date": unit.now_ms}
    if columns.get("enabled") and not before.enabled:
        values |= {"problem": "", "failures": 0, "failing_since_ms": None}
        switch_events(unit, before.user_id, keep=True)
        waiting = update(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id)
        waiting = waiting.where(WebhookDelivery.next_ms.is_not(None))
        unit.connection.execute(waiting.values(first_ms=0, next_ms=_AT_ONCE))
    if columns.keys() & {"enabled", "target_url"}:
        values["next_attempt_ms"] = 0
    unit.connection.execute(update(Webhook).where(Webhook.id == webhook_id).values(values))
    unit.note(NOTHING)


def rotate_secret(unit: UnitOfWork, webhook_id: int, secret: str, machine_ms: int) -> int:
    """Replace the secret of a webhook, and return until when the old one signs, too, by the machine's clock.

    Secrets of earlier rotations sign to the end of their time.

    Raises:
        RefusedError: `OLD_SECRETS_MAX` older secrets still sign.
        UnknownRecordError: there is no such webhook.
    """
    columns = (Webhook.secret, Webhook.old_secrets, Webhook.user_id)
    row = unit.connection.execute(select(*columns).where(Webhook.id == webhook_id)).one_or_none()
    if row is None:
        raise UnknownRecordError(f"there is no webhook {webhook_id}")
    old = read_old(row.old_secrets, machine_ms)
    if len(old) >= OLD_SECRETS_MAX:
        raise RefusedError(
            Sentence(
                "%(most)s older secrets still sign, the first until %(when)s. Change the secret again after that.",
                most=OLD_SECRETS_MAX,
                when=Moment(f"{datetime.fromtimestamp(old[0].until_ms // 1_000, UTC):%Y-%m-%dT%H:%M:%SZ}"),
            ),
            code=ErrorCode.LIMIT_REACHED,
        )
    until_ms = machine_ms + OLD_SECRET_MS
    kept = written([*old, OldSecret(row.secret, until_ms)])
    values = {"secret": secret, "old_secrets": kept, "updated_date": unit.now_ms}
    unit.connection.execute(update(Webhook).where(Webhook.id == webhook_id).values(values))
    unit.note(NOTHING, WebhookSecretRotated(webhook_id, row.user_id))
    return until_ms


def send_again(unit: UnitOfWork, webhook_id: int, delivery_id: int) -> None:
    """Send an event of a webhook once more, even if it was delivered.

    Raises:
        UnknownRecordError: the webhook has no such delivery.
        RefusedError: the webhook is off.
    """
    if not unit.connection.scalar(select(Webhook.enabled).where(Webhook.id == webhook_id)):
        raise RefusedError(Sentence("The webhook is off. Switch it on first."))
    found = update(WebhookDelivery).where(WebhookDelivery.id == delivery_id, WebhookDelivery.webhook_id == webhook_id)
    again = {"status": WAITING, "first_ms": 0, "next_ms": _AT_ONCE}
    if not unit.connection.execute(found.values(again)).rowcount:
        raise UnknownRecordError(f"there is no delivery {delivery_id} of webhook {webhook_id}")
    unit.connection.execute(update(Webhook).where(Webhook.id == webhook_id).values(next_attempt_ms=0))
    unit.note(NOTHING)
