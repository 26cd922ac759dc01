"""Simulated text message: sent, delivered or not, and possibly answered."""

from collections.abc import Iterator
from typing import Final

from dialer.carriers.engine_port import Milestone
from dialer.domain import events
from dialer.domain.enums import Cause, MessageStatus
from dialer.domain.messages.opt_out import is_opt_out
from dialer.domain.plans import Call, CallOutcome
from dialer.sim.callee_profile import TEXTED_ALWAYS_THE_SAME, Behaviour
from dialer.sim.chance import Chance

FAILURE_MS: Final = 1_000
"""Time until the carrier reports a failure."""
DELIVERY_MS: Final = 3_000
"""Time until the carrier reports the delivery."""
REPLY_MS: Final = 13_000
"""Time until a reply arrives."""
_STOP: Final = "STOP"


class SimulatedMessage:
    """Message to one number. It is in progress until its outcome is known and any reply has arrived."""

    __slots__ = ("_call", "_reply", "_status", "_walker")

    def __init__(self, call: Call, behaviour: Behaviour, chance: Chance) -> None:
        self._call = call
        self._status, self._reply = _fate(behaviour, call.subscriber.number, chance)
        self._walker = self._walk()

    def next(self) -> Milestone:
        """Return the next milestone."""
        return next(self._walker)

    def hang_up(self, now_ms: int) -> CallOutcome:
        """Return the outcome of a message that is given up at `now_ms`. A message that was sent cannot be recalled."""
        if now_ms < self._call.started_ms:
            return self._outcome(now_ms, MessageStatus.UNSENT)
        is_delivered = self._status is MessageStatus.DELIVERED and now_ms >= self._call.started_ms + DELIVERY_MS
        return self._outcome(now_ms, MessageStatus.DELIVERED if is_delivered else MessageStatus.SENT)

    def _walk(self) -> Iterator[Milestone]:
        sent_ms = self._call.started_ms
        if self._status is not MessageStatus.DELIVERED:
            yield self._end(sent_ms + FAILURE_MS, self._status)
            return
        ended_ms = sent_ms + (REPLY_MS if self._reply else DELIVERY_MS)
        if is_opt_out(self._reply):
            yield Milestone(ended_ms, events.DncReached(self._call.id, seq=1))
        yield self._end(ended_ms, MessageStatus.DELIVERED)

    def _end(self, at_ms: int, status: MessageStatus) -> Milestone:
        return Milestone(at_ms, events.CallEnded(self._call.id, self._outcome(at_ms, status), seq=2))

    def _outcome(self, at_ms: int, status: MessageStatus) -> CallOutcome:
        is_delivered = status is MessageStatus.DELIVERED
        return CallOutcome(
            ended_ms=at_ms,
            cause=Cause.NORMAL_CLEARING,
            message_status=status,
            delivered_ms=self._call.started_ms + DELIVERY_MS if is_delivered else None,
        )


def _fate(behaviour: Behaviour, number: str, chance: Chance) -> tuple[MessageStatus, str]:
    """Return the status of a message to a number, and the reply ("" for none)."""
    always = TEXTED_ALWAYS_THE_SAME.get(number.lstrip("+"))
    if always is not None:
        return always
    if chance.draw() >= behaviour.sms_delivered:
        return MessageStatus.FAILED, ""
    return MessageStatus.DELIVERED, _STOP if chance.draw() < behaviour.sms_reply_stop else ""
