"""MessageSession: a text message, from the order to send it to its final status."""

from typing import Final

import msgspec

from dialer.domain.calls import call_events
from dialer.domain.calls.plans import Call, CallOutcome
from dialer.domain.messages.carrier_names import name_meant
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Done,
    Ended,
    LegReport,
    Receipt,
    Ringing,
    TextReceived,
)
from dialer.domain.sessions.session_state import Reaction
from dialer.domain.words.enums import Cause, MessageStatus

_FINAL: Final = frozenset(
    {MessageStatus.DELIVERED, MessageStatus.FAILED, MessageStatus.NO_ROUTE, MessageStatus.UNAUTHORIZED}
)
_NOTHING: Final = Reaction((), ())


class MessageSessionState(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that is known of a message, as it is stored."""

    is_accepted: bool = False
    names: tuple[str, ...] = ()
    """The carrier's names of the parts without a receipt."""


UNHEARD_OF: Final = MessageSessionState()


class MessageSession:
    """One text message. It is delivered when all its parts are."""

    __slots__ = ("message", "state")

    def __init__(self, message: Call, state: MessageSessionState = UNHEARD_OF) -> None:
        self.message: Final = message
        self.state = state

    def hear(self, now_ms: int, heard: LegReport) -> Reaction:
        """Return the reaction to a report of the message."""
        match heard:
            case Accepted(names):
                self.state = MessageSessionState(is_accepted=True, names=names)
            case Receipt(name, status) if status in _FINAL:
                return self._receive(now_ms, name, status)
            case Ended():
                return self._end(now_ms, MessageStatus.SENT if self._has_left(heard.cause) else MessageStatus.FAILED)
            case Receipt() | Arrived() | Ringing() | Answered() | Done() | TextReceived():
                pass
        return _NOTHING

    def give_up(self, now_ms: int) -> CallOutcome:
        """Return the outcome of a message without a known fate: it counts as sent, and is not sent again."""
        return self._outcome(now_ms, MessageStatus.SENT)

    def never_sent(self, now_ms: int) -> CallOutcome:
        """Return the outcome of a message that certainly was not sent."""
        return self._outcome(now_ms, MessageStatus.UNSENT)

    def _has_left(self, cause: Cause) -> bool:
        return self.state.is_accepted or cause is Cause.NORMAL_CLEARING

    def _receive(self, now_ms: int, name: str, status: MessageStatus) -> Reaction:
        if status is not MessageStatus.DELIVERED:
            return self._end(now_ms, status)
        names = self.state.names
        meant = name_meant(name, names)
        if meant is None and name:
            return _NOTHING  # A second receipt of the same part.
        left = tuple(other for other in names if other != meant and name)
        self.state = MessageSessionState(self.state.is_accepted, left)
        return _NOTHING if left else self._end(now_ms, status)

    def _end(self, now_ms: int, status: MessageStatus) -> Reaction:
        return Reaction((), (call_events.CallEnded(self.message.id, self._outcome(now_ms, status)),))

    def _outcome(self, now_ms: int, status: MessageStatus) -> CallOutcome:
        delivered_ms = now_ms if status is MessageStatus.DELIVERED else None
        return CallOutcome(now_ms, Cause.NORMAL_CLEARING, message_status=status, delivered_ms=delivered_ms)
