"""CalleeTextLine: a text message to one simulated number."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from dialer.carriers.engine_port import Milestone
from dialer.domain.calls import call_events
from dialer.domain.calls.plans import Call, CallOutcome
from dialer.domain.messages.understanding import Understood, understand
from dialer.domain.sessions.leg_protocol import Accepted, Receipt
from dialer.domain.sessions.message_session import MessageSession
from dialer.domain.words.enums import MessageStatus
from dialer.domain.words.proof import said_in
from dialer.sim.callee_line import Reply
from dialer.sim.callee_profile import TEXTED_ALWAYS_THE_SAME, Behaviour
from dialer.sim.chance import Chance

FAILURE_MS: Final = 1_000
"""Time until the carrier of a text message reports a failure."""
DELIVERY_MS: Final = 3_000
"""Time until the carrier of a text message reports the delivery."""
REPLY_MS: Final = 13_000
"""Time until a reply to a text message arrives."""
_STOP: Final = "STOP"


class CalleeTextLine:
    """A text message to one simulated number, in progress until its outcome and a possible reply are known."""

    __slots__ = ("_message", "_reply", "_session", "_status", "_walker")

    def __init__(self, message: Call, behaviour: Behaviour, chance: Chance) -> None:
        self._message = message
        self._session = MessageSession(message)
        self._status, self._reply = _fate(behaviour, message.subscriber.number, chance)
        self._walker = self._walk()

    def dial(self) -> Milestone | None:
        """Send the message, and return the first milestone."""
        return next(self._walker, None)

    def next(self, _reply: Reply = None) -> Milestone | None:
        """Return the next milestone of the message; None after the last."""
        return next(self._walker, None)

    def hang_up(self, now_ms: int) -> tuple[None, CallOutcome]:
        """Return the outcome of a message that is given up at `now_ms`. A message that was sent cannot be recalled."""
        if now_ms < self._message.started_ms:
            return None, self._session.never_sent(now_ms)
        if self._status is MessageStatus.DELIVERED and now_ms >= self._message.started_ms + DELIVERY_MS:
            return None, self._delivered(now_ms)
        return None, self._session.give_up(now_ms)

    def _walk(self) -> Iterator[Milestone]:
        call_id, sent_ms = self._message.id, self._message.started_ms
        if self._status is not MessageStatus.DELIVERED:
            ended_ms = sent_ms + FAILURE_MS
            yield Milestone(ended_ms, call_events.CallEnded(call_id, self._received(ended_ms), seq=2))
            return
        ended_ms = sent_ms + (REPLY_MS if self._reply else DELIVERY_MS)
        if understand(self._reply) is Understood.STOP:
            yield Milestone(ended_ms, call_events.DncReached(call_id, seq=1, said=said_in(self._reply)))
        yield Milestone(ended_ms, call_events.CallEnded(call_id, self._delivered(ended_ms), seq=2))

    def _delivered(self, ended_ms: int) -> CallOutcome:
        """Return the outcome of a delivered message, which was in progress until `ended_ms`."""
        outcome = self._received(self._message.started_ms + DELIVERY_MS)
        return outcome if outcome.ended_ms == ended_ms else replace(outcome, ended_ms=ended_ms)

    def _received(self, at_ms: int) -> CallOutcome:
        """Return the outcome that follows from the final receipt."""
        self._session.hear(self._message.started_ms, Accepted(()))
        (ended,) = self._session.hear(at_ms, Receipt("", self._status)).engine_events
        if not isinstance(ended, call_events.CallEnded):
            raise TypeError(self._message.callid)
        return ended.outcome


def _fate(behaviour: Behaviour, number: str, chance: Chance) -> tuple[MessageStatus, str]:
    """Return the status of a message to a number, and the reply ("" for none)."""
    always = TEXTED_ALWAYS_THE_SAME.get(number.lstrip("+"))
    if always is not None:
        return always
    if chance.draw() >= behaviour.sms_delivered:
        return MessageStatus.FAILED, ""
    return MessageStatus.DELIVERED, _STOP if chance.draw() < behaviour.sms_reply_stop else ""
