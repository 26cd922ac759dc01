"""The journal's rows of text messages that wait for room on their gateway."""

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import Connection, delete, exists, select

from dialer.domain.calls.plans import Call
from dialer.domain.calls.text_effects import DropText, SendText
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.store.database.bulk import ASKED_AT_ONCE, bulk_insert
from dialer.store.tables import WaitingText

_INSERT: Final = bulk_insert(
    WaitingText.__table__,
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
        self._sent: Final[dict[int, Call]] = {}
        self._dropped: Final[list[int]] = []

    def waits(self, message: Call) -> None:
        """Record a message that waits for room on its gateway."""
        self._new[message.id] = message

    def sent(self, effect: SendText) -> None:
        """Record that a waiting message was sent. A message that never waited is ignored."""
        message = effect.message
        if effect.is_recorded and self._new.pop(message.id, None) is None:
            self._sent[message.id] = message

    def dropped(self, effect: DropText) -> None:
        """Record that a waiting message will not be sent. Its row may be gone, with the person or the campaign."""
        message_id = effect.call.id
        if effect.is_recorded and self._new.pop(message_id, None) is None:
            self._dropped.append(message_id)

    def is_recorded(self, connection: Connection, message_id: int) -> bool:
        """Return whether a message waits."""
        if message_id in self._new:
            return True
        return bool(connection.scalar(select(exists().where(WaitingText.message_id == message_id))))

    def write(self, connection: Connection) -> None:
        """Write and delete the rows of waiting messages, as recorded.

        Raises:
            BrokenInvariantError: a message was to be sent that does not wait.
        """
        _INSERT.run(connection, [_row(message) for message in self._new.values()])
        if _delete(connection, list(self._sent)) != len(self._sent):
            raise _twice(self._sent.values())
        _delete(connection, self._dropped)


def _delete(connection: Connection, message_ids: Sequence[int]) -> int:
    """Delete the rows of messages, and return how many there were."""
    count = 0
    for start in range(0, len(message_ids), ASKED_AT_ONCE):
        some = message_ids[start : start + ASKED_AT_ONCE]
        count += connection.execute(delete(WaitingText).where(WaitingText.message_id.in_(some))).rowcount
    return count


def _row(message: Call) -> tuple[object, ...]:
    plan, subscriber = message.plan, message.subscriber
    whose = (message.id, plan.id, message.parent_id, subscriber.id or None, subscriber.contact_id, plan.user_id)
    return (
        *whose,
        plan.gateway_id.id,
        message.attempt,
        message.callid,
        message.callerid,
        subscriber.number,
        message.text,
    )


def _twice(messages: Collection[Call]) -> BrokenInvariantError:
    first = next(iter(messages))
    what = f"one of {len(messages)} messages from {first.id} on waits no longer: it was sent or dropped before"
    plan = first.plan
    return BrokenInvariantError(Rule.ENDED_ONCE, what, user_id=plan.user_id, campaign_id=plan.id, call_id=first.id)
