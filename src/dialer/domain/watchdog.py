"""The watchdog: a call whose end nobody reports does not stay in progress for ever."""

from typing import Final

from dialer.domain.board import Board
from dialer.domain.effects import GiveUpCall, WakeWatchdog
from dialer.domain.enums import Cause, MessageStatus, TransferStatus
from dialer.domain.events import WatchdogWoken
from dialer.domain.plans import Call, CallOutcome, LegOutcome

GRACE_MS: Final = 60_000
"""How much longer than it may ring and talk a call is waited for: reports take a while, too."""
REPORT_MS_MAX: Final = 86_400_000
"""How long what became of a text message is waited for."""
LOOKS_EVERY_MS: Final = 60_000


class Watchdog:
    """Looks at the calls in progress on every full minute, for as long as there are any."""

    def __init__(self, board: Board) -> None:
        self._board: Final = board
        self.is_awake = False
        """Whether it is going to look already."""

    def wake(self, now_ms: int) -> None:
        """Something is in progress: have it looked at on the next full minute."""
        self.is_awake = True
        self._board.emit(WakeWatchdog(_next_look_ms(now_ms)))

    def restored(self, now_ms: int, call: Call) -> None:
        """A call was taken up: if it would have been given up while nobody was there to do so, have it done now."""
        if _next_look_ms(overdue_ms(call) - 1) <= now_ms:
            self.is_awake = True
            self._board.emit(WakeWatchdog(now_ms))

    def woken(self, now_ms: int, _event: WatchdogWoken) -> None:
        """Give up every call that must have been over for a minute, and every message that nothing was heard of.

        What the carrier does not say is taken to be as harmless as can be: the call has failed and costs nothing, and
        may be tried again (cause 41); the message, which cannot be taken back, was sent, and is not sent again.
        """
        self.is_awake = False
        for call in self._board.calls.values():
            if now_ms >= overdue_ms(call):
                self._board.emit(GiveUpCall(call.id, _leg(call, now_ms), _outcome(call, now_ms)))


def _next_look_ms(now_ms: int) -> int:
    """The full minute that comes after a moment."""
    return now_ms - now_ms % LOOKS_EVERY_MS + LOOKS_EVERY_MS


def overdue_ms(call: Call) -> int:
    """From when on a call or a message is not waited for any longer."""
    if call.parts:
        return call.started_ms + REPORT_MS_MAX
    return call.started_ms + call.ring_limit_ms + call.talk_limit_ms + GRACE_MS


def _leg(call: Call, now_ms: int) -> LegOutcome | None:
    """How its B-leg is taken to have come out, if one is in progress."""
    last = call.transfers[-1] if call.transfers else None
    if last is None or last.status is TransferStatus.OVER or last.started_ms is None:
        return None
    return LegOutcome(now_ms, Cause.TEMPORARY_FAILURE)


def _outcome(call: Call, now_ms: int) -> CallOutcome:
    if call.parts:
        return CallOutcome(now_ms, Cause.TEMPORARY_FAILURE, message_status=MessageStatus.SENT)
    return CallOutcome(now_ms, Cause.TEMPORARY_FAILURE)
