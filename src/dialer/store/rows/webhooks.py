"""The webhooks of accounts: which have events to send, who sends them, and what came of it.

Several processes may look; the one that holds the lease of a webhook sends. All times are those of the machine's clock.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, false, func, insert, select, true, update

from dialer.store.backends.backend import backend_of
from dialer.store.database.touched import NOTHING, touch
from dialer.store.rows.account_events import CURRENCY_OF_EVENT, event_row, write_events
from dialer.store.tables import AccountEvent, Webhook, WebhookDelivery

WEBHOOKS_READ_MAX: Final = 1_000
"""Webhooks that are read at once."""
RECEIVED: Final = "received"
WAITING: Final = "waiting"
FAILED: Final = "failed"
DISABLED: Final = "webhook.disabled"
_AT_ONCE: Final = 1
"""A moment that is over on any clock, as `dialer.app.telling.webhooks` writes it, too."""
CLOCKS_DIFFER_MS: Final = 60_000
"""The difference between the clocks of two machines that says nothing. A clock that was turned back differs by more."""
_SIGNED: Final = "sign:"
"""The beginning of the holder of a lease that can be seen to live."""


def holder_of(mark: str) -> str:
    """Return the name under which a process holds leases, from the mark of its `Presence`."""
    return f"{_SIGNED}{mark}"


def gone_holders(connection: Connection, holders: Collection[str]) -> frozenset[str]:
    """Return the lease holders whose processes have ended, as far as the database can tell."""
    marks = {holder.removeprefix(_SIGNED) for holder in holders if holder.startswith(_SIGNED)}
    ended = marks - backend_of(connection).present(connection, marks) if marks else marks
    return frozenset(map(holder_of, ended))


class WaitingWebhook(NamedTuple):
    """A webhook that is on, and the events that there are for it."""

    id: int
    types: tuple[str, ...]
    after_event_id: int
    newest_event_id: int
    """The newest event of the account, of any type."""
    next_attempt_ms: int
    next_delivery_ms: int | None
    """The next moment at which an event is to be sent again."""
    clock_went_back: bool
    """True if an attempt lies in the future of the machine's clock, so waits mean nothing."""
    lease_holder: str
    lease_until_ms: int


class EventSending(NamedTuple):
    """An event to send: its row, and its earlier attempts."""

    event: Any
    attempts: int = 0
    first_ms: int = 0
    """The first attempt, later if for a time nothing was tried; 0 before that."""
    due_ms: int = 0
    """The moment from which this attempt was due; 0 for the first one."""
    is_new: bool = True
    """True if it has no row of `webhook_delivery` yet."""


class WebhookJob(NamedTuple):
    """The events that a webhook gets now, with the lease of the process that sends them."""

    webhook: Any
    events: Sequence[EventSending]
    up_to_event_id: int
    """The event up to which all are sent, have a row, or are of other types, once this job is done."""


class EventDelivery(NamedTuple):
    """The outcome of sending an event."""

    event_id: int
    status: str
    attempts: int
    first_ms: int
    last_ms: int
    next_ms: int | None
    answer_status: int | None
    duration_ms: int
    problem: str
    is_new: bool


class WebhookStanding(NamedTuple):
    """The standing of a webhook after a job."""

    failures: int
    failing_since_ms: int | None
    next_attempt_ms: int
    disabled: str = ""
    """Why it is switched off: `gone` or `failing`; empty if it stays on."""


def read_waiting(connection: Connection, now_ms: int, after_id: int = 0) -> tuple[list[WaitingWebhook], int | None]:
    """Return the first webhooks after an id that are on, and the id after which there may be more; None if not."""
    newest = select(func.max(AccountEvent.id)).where(AccountEvent.user_id == Webhook.user_id).scalar_subquery()
    waits = (WebhookDelivery.webhook_id == Webhook.id) & WebhookDelivery.next_ms.is_not(None)
    due = select(func.min(WebhookDelivery.next_ms)).where(waits)
    newest_attempt = select(func.max(WebhookDelivery.last_ms)).where(waits)
    columns = (
        Webhook.id,
        Webhook.types,
        Webhook.after_event_id,
        newest,
        Webhook.next_attempt_ms,
        due.scalar_subquery(),
        newest_attempt.scalar_subquery(),
    )
    query = select(*columns, Webhook.lease_holder, Webhook.lease_until_ms)
    query = query.where(Webhook.enabled == true(), Webhook.id > after_id)
    found = connection.execute(query.order_by(Webhook.id).limit(WEBHOOKS_READ_MAX)).all()
    waiting = [_waiting(row, now_ms) for row in found]
    return waiting, waiting[-1].id if len(waiting) == WEBHOOKS_READ_MAX else None


def _waiting(row: Any, now_ms: int) -> WaitingWebhook:  # noqa: ANN401 - a row
    identity, types, after_event_id, newest, next_attempt_ms, due_ms, newest_attempt_ms, *lease = row
    went_back = newest_attempt_ms is not None and newest_attempt_ms > now_ms + CLOCKS_DIFFER_MS
    next_ms = _AT_ONCE if went_back else due_ms
    of_events = (tuple(types.split()), after_event_id, newest or 0)
    return WaitingWebhook(identity, *of_events, next_attempt_ms, next_ms, went_back, *lease)


def _in_future(now_ms: int) -> ColumnElement[bool]:
    """Return whether the last attempt of a delivery lies in the future: the machine's clock was turned back since."""
    return WebhookDelivery.last_ms > now_ms + CLOCKS_DIFFER_MS


class StoppedWebhook(NamedTuple):
    """A webhook that the service has switched off, and whose account has not switched it on again."""

    id: int
    name: str


def stopped_webhooks(connection: Connection, most: int, user_id: int | None = None) -> list[StoppedWebhook]:
    """Return the webhooks of an account, or of all, that the service has switched off, the oldest first."""
    query = select(Webhook.id, Webhook.name).where(Webhook.enabled == false(), Webhook.problem != "")
    if user_id is not None:
        query = query.where(Webhook.user_id == user_id)
    return [StoppedWebhook(row.id, row.name) for row in connection.execute(query.order_by(Webhook.id).limit(most))]


def feeds_webhook(connection: Connection, user_id: int) -> bool:
    """Return whether an account has a webhook that is on."""
    found = select(Webhook.id).where(Webhook.user_id == user_id, Webhook.enabled == true()).limit(1)
    return connection.execute(found).first() is not None


def has_events(connection: Connection, webhook: WaitingWebhook, after_event_id: int) -> bool:
    """Return whether there is a new event of the types that a webhook gets."""
    query = _new_events(webhook.id, webhook.types, after_event_id).limit(1)
    return connection.execute(query).first() is not None


def _new_events(webhook_id: int, types: Sequence[str], after_event_id: int) -> Any:  # noqa: ANN401 - a query
    """Return the query of new events for a webhook. An event has a row already if a lease ran out meanwhile."""
    owner = select(Webhook.user_id).where(Webhook.id == webhook_id).scalar_subquery()
    query = select(AccountEvent.__table__, CURRENCY_OF_EVENT)
    query = query.where(AccountEvent.user_id == owner, AccountEvent.id > after_event_id)
    known = select(WebhookDelivery.id).where(WebhookDelivery.event_id == AccountEvent.id)
    query = query.where(~known.where(WebhookDelivery.webhook_id == webhook_id).exists())
    return (query.where(AccountEvent.type.in_(types)) if types else query).order_by(AccountEvent.id)


def take_job(
    connection: Connection, webhook_id: int, holder: str, now_ms: int, lease_ms: int, most: int
) -> WebhookJob | None:
    """Take the lease of a webhook, and return at most `most` events to send: those to send again come first.

    None: there are none, or another process sends, or the webhook is off, or its receiver asked to wait. The lease of a
    process that has ended counts as over.
    """
    touch(connection, NOTHING)
    others = select(Webhook.lease_holder).where(Webhook.id == webhook_id, Webhook.lease_until_ms > now_ms)
    gone = gone_holders(connection, connection.scalars(others.where(Webhook.lease_holder != holder)).all())
    taken = update(Webhook).where(Webhook.id == webhook_id, Webhook.enabled == true())
    taken = taken.where((Webhook.lease_until_ms <= now_ms) | Webhook.lease_holder.in_([holder, *gone]))
    future = select(WebhookDelivery.id).where(WebhookDelivery.webhook_id == webhook_id, _in_future(now_ms))
    future = future.where(WebhookDelivery.next_ms.is_not(None))
    taken = taken.where((Webhook.next_attempt_ms <= now_ms) | future.exists())
    row = connection.execute(
        taken.values(lease_holder=holder, lease_until_ms=now_ms + lease_ms).returning(*Webhook.__table__.c)
    ).one_or_none()
    if row is None:
        return None
    newest = connection.scalar(select(func.max(AccountEvent.id)).where(AccountEvent.user_id == row.user_id)) or 0
    again = _to_send_again(connection, webhook_id, now_ms, most)
    wanted = _new_events(webhook_id, row.types.split(), row.after_event_id).where(AccountEvent.id <= newest)
    new = connection.execute(wanted.limit(most - len(again))).all() if len(again) < most else []
    is_all = len(again) + len(new) < most
    up_to = max([row.after_event_id, *(event.id for event in new), newest if is_all else 0])
    if not again and not new:
        release_lease(connection, webhook_id, holder)
        return None
    return WebhookJob(row, [*again, *(EventSending(event) for event in new)], up_to)


def _to_send_again(connection: Connection, webhook_id: int, now_ms: int, most: int) -> list[EventSending]:
    attempts = (WebhookDelivery.attempts, WebhookDelivery.first_ms.label("began_ms"), WebhookDelivery.next_ms)
    query = select(AccountEvent.__table__, CURRENCY_OF_EVENT, *attempts)
    query = query.join(WebhookDelivery, WebhookDelivery.event_id == AccountEvent.id)
    is_due = (WebhookDelivery.next_ms <= now_ms) | (WebhookDelivery.next_ms.is_not(None) & _in_future(now_ms))
    query = query.where(WebhookDelivery.webhook_id == webhook_id, is_due)
    found = connection.execute(query.order_by(AccountEvent.id).limit(most)).all()
    return [EventSending(row, row.attempts, row.began_ms, row.next_ms, is_new=False) for row in found]


def release_lease(connection: Connection, webhook_id: int, holder: str) -> None:
    """Give up the lease of a webhook, so that any process may take it at once."""
    touch(connection, NOTHING)
    mine = update(Webhook).where(Webhook.id == webhook_id, Webhook.lease_holder == holder)
    connection.execute(mine.values(lease_until_ms=0))


def keep_job(
    connection: Connection,
    job: WebhookJob,
    deliveries: Sequence[EventDelivery],
    standing: WebhookStanding,
    *,
    lease_until_ms: int,
    event_ms: int,
) -> bool:
    """Write the results of a delivery job, unless another process took the lease. Return whether they are written.

    `event_ms` is the time of the service's clock, for the event that a webhook was switched off.
    """
    touch(connection, NOTHING)
    mine = update(Webhook).where(Webhook.id == job.webhook.id, Webhook.lease_holder == job.webhook.lease_holder)
    values = {
        "after_event_id": job.up_to_event_id,
        "failures": standing.failures,
        "failing_since_ms": standing.failing_since_ms,
        "next_attempt_ms": standing.next_attempt_ms,
        "lease_until_ms": lease_until_ms,
        **({"enabled": False, "problem": standing.disabled} if standing.disabled else {}),
    }
    if not connection.execute(mine.values(values)).rowcount:
        return False
    _keep_deliveries(connection, job.webhook.id, deliveries)
    if standing.disabled:
        row = event_row(
            job.webhook.user_id, DISABLED, event_ms, f"webhook/{job.webhook.id}", reason=standing.disabled, state="off"
        )
        write_events(connection, [row])
    return True


_CHANGE: Final = (
    update(WebhookDelivery)
    .where(WebhookDelivery.webhook_id == bindparam("of_webhook"), WebhookDelivery.event_id == bindparam("of_event"))
    .values({name: bindparam(name) for name in EventDelivery._fields if name not in {"event_id", "is_new"}})
)


def _keep_deliveries(connection: Connection, webhook_id: int, deliveries: Sequence[EventDelivery]) -> None:
    """Write the deliveries. The event of one can be removed meanwhile as too old; it is left out."""
    ids = [one.event_id for one in deliveries]
    kept = set(connection.scalars(select(AccountEvent.id).where(AccountEvent.id.in_(ids))))
    rows: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
    for one in deliveries:
        if one.event_id in kept:
            rows[one.is_new].append(one._asdict())
    if rows[True]:
        new = [{**_without(row, "is_new"), "webhook_id": webhook_id} for row in rows[True]]
        connection.execute(insert(WebhookDelivery.__table__), new)
    if rows[False]:
        changed = [
            {**_without(row, "is_new", "event_id"), "of_webhook": webhook_id, "of_event": row["event_id"]}
            for row in rows[False]
        ]
        connection.execute(_CHANGE, changed)


def _without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}
