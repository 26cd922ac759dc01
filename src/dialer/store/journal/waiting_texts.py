"""The journal's rows of text messages that wait for room on their gateway."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, delete, exists, select

from dialer.domain.invariants import BrokenInvariantError, Rule
from dialer.domain.plans import Call
from dialer.store.bulk import ASKED_AT_ONCE, bulk_insert
from dialer.store.tables import WaitingText

_waiting = WaitingText.__table__
_INSERT: Final = bulk_insert(
    _waiting,
    "message_id",
    "campaign_id",
    "callrequest_id",
    "subscriber_id",
    "contact_id",
    "user_id",
    "gateway_id",
    "attempt",
    "callid",
    "callerid",
    "phone_number",
    "text_message",
)


class WaitingTextRows:
    """Messages that wait, until their rows are written, and messages whose rows are to be deleted."""

    def __init__(self) -> None:
        self._new: Final[dict[int, Call]] = {}
        self._gone: Final[dict[int, Call]] = {}

    def waits(self, message: Call) -> None:
        """Record a message that waits."""
        self._new[message.id] = message

    def left(self, message: Call, *, is_recorded: bool) -> None:
        """Record that a message waits no longer, if it has waited."""
        if is_recorded and self._new.pop(message.id, None) is None:
            self._gone[message.id] = message

    def is_recorded(self, connection: Connection, message_id: int) -> bool:
        """Return whether a message waits."""
        if message_id in self._new:
            return True
        return bool(connection.scalar(select(exists().where(_waiting.c.message_id == message_id))))

    def write(self, connection: Connection) -> None:
        """Write the recorded messages.

        Raises:
            BrokenInvariantError: a message was to be sent or dropped that does not wait.
        """
        _INSERT.run(connection, [_row(message) for message in self._new.values()])
        gone = list(self._gone)
        for start in range(0, len(gone), ASKED_AT_ONCE):
            some = gone[start : start + ASKED_AT_ONCE]
            if connection.execute(delete(_waiting).where(_waiting.c.message_id.in_(some))).rowcount != len(some):
                raise _twice([self._gone[message_id] for message_id in some])


def _row(message: Call) -> tuple[object, ...]:
    plan, subscriber = message.plan, message.subscriber
    whose = (message.id, plan.id, message.parent_id, subscriber.id or None, subscriber.contact_id, plan.user_id)
    return (*whose, plan.gateway_id, message.attempt, message.callid, message.callerid, subscriber.number, message.text)


def _twice(messages: Collection[Call]) -> BrokenInvariantError:
    first = next(iter(messages))
    what = f"one of {len(messages)} messages from {first.id} on waits no longer: it was sent or dropped before"
    plan = first.plan
    return BrokenInvariantError(Rule.ENDED_ONCE, what, user_id=plan.user_id, campaign_id=plan.id, call_id=first.id)
