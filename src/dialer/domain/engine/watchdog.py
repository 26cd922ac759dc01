"""The watchdog: ends calls whose end was never reported."""

from typing import Final

from dialer.domain.calls.call_effects import GiveUpCall
from dialer.domain.calls.effects import WakeWatchdog
from dialer.domain.calls.events import WatchdogWoken
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, CallOutcome
from dialer.domain.engine.state import EngineState
from dialer.domain.engine.transfer_ends import open_transfer
from dialer.domain.words.enums import Cause, MessageStatus

GRACE_MS: Final = 60_000
"""The time for late reports, in milliseconds, after the longest time that a call may ring and talk."""
REPORT_MS_MAX: Final = 86_400_000
"""The longest wait for the outcome of a text message, in milliseconds."""
LOOKS_EVERY_MS: Final = 60_000


class Watchdog:
    """A check of the calls in progress at every full minute, while there are any."""

    def __init__(self, engine_state: EngineState) -> None:
        self._state: Final = engine_state
        self.is_awake = False
        """True if the next check is scheduled."""

    def wake(self, now_ms: int) -> None:
        """Schedule a check at the next full minute."""
        self.is_awake = True
        self._state.emit(WakeWatchdog(_next_look_ms(now_ms)))

    def restored(self, now_ms: int, call: Call) -> None:
        """Schedule a check now if a restored call should have been given up before the restart."""
        if _next_look_ms(overdue_ms(call) - 1) <= now_ms:
            self.is_awake = True
            self._state.emit(WakeWatchdog(now_ms))

    def woken(self, now_ms: int, _event: WatchdogWoken) -> None:
        """Give up every call that should have ended a minute ago, and every message without an outcome for a day.

        In place of the carrier's report, the most harmless outcome is assumed. A call has failed, costs nothing, and
        may be tried again (cause 41). A message cannot be taken back: it counts as sent, and is not sent again.
        """
        self.is_awake = False
        for call in self._state.calls.values():
            if now_ms >= overdue_ms(call):
                self._state.emit(GiveUpCall(call.id, _leg(call, now_ms), _outcome(call, now_ms)))


def _next_look_ms(now_ms: int) -> int:
    """Return the next full minute after a time."""
    return now_ms - now_ms % LOOKS_EVERY_MS + LOOKS_EVERY_MS


def overdue_ms(call: Call) -> int:
    """Return the time from which a call or a message is given up."""
    if call.parts:
        return call.started_ms + REPORT_MS_MAX
    return call.started_ms + call.ring_limit_ms + call.talk_limit_ms + GRACE_MS


def _leg(call: Call, now_ms: int) -> LegOutcome | None:
    """Return the assumed outcome of the call's B-leg; None if no B-leg is in progress."""
    last = open_transfer(call)
    if last is None or last.started_ms is None:
        return None
    return LegOutcome(now_ms, Cause.TEMPORARY_FAILURE)


def _outcome(call: Call, now_ms: int) -> CallOutcome:
    if call.parts:
        return CallOutcome(now_ms, Cause.TEMPORARY_FAILURE, message_status=MessageStatus.SENT)
    return CallOutcome(now_ms, Cause.TEMPORARY_FAILURE)
