"""The two-second rule: a call that waits longer for an agent counts as abandoned.

Source: 47 CFR 64.1200(a)(7), which lets two seconds pass after the callee's greeting.
"""

from collections import deque
from typing import Final

from dialer.domain.calls.call_effects import KeepTransfer
from dialer.domain.calls.plans import Call
from dialer.domain.engine.state import EngineState
from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS
from dialer.domain.queueing.call_distributor import CallDistributor


class Abandonment:
    """The counter of calls that have waited too long for an agent."""

    def __init__(self, engine_state: EngineState, distributor: CallDistributor) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self._overdue: deque[tuple[int, int]] = deque()
        """The time at which each waiting call counts as abandoned, and its id, in order of time."""

    @property
    def next_ms(self) -> int | None:
        """The next time at which a waiting call counts as abandoned; None while no call waits."""
        return self._overdue[0][0] if self._overdue else None

    def joined(self, call: Call, joined_ms: int) -> None:
        """Watch a call that starts to wait now, as the last one."""
        self._overdue.append((joined_ms + ABANDONED_AFTER_MS + 1, call.id))

    def restored(self, call: Call, joined_ms: int) -> None:
        """Watch a call that already waited before a restart."""
        self.joined(call, joined_ms)
        self._overdue = deque(sorted(self._overdue))

    def count(self, now_ms: int) -> None:
        """Mark every call as abandoned that has waited longer than the rule allows, even if an agent takes the call."""
        while self._overdue and self._overdue[0][0] <= now_ms:
            _, call_id = self._overdue.popleft()
            call, waiting = self._state.calls.get(call_id), self._distributor.waiting_of(call_id)
            if call is not None and waiting is not None and now_ms > waiting.joined_ms + ABANDONED_AFTER_MS:
                self._abandon(call)

    def _abandon(self, call: Call) -> None:
        transfer = call.transfers[-1]
        if transfer.is_abandoned:
            return
        transfer.is_abandoned = True
        campaign = self._state.campaigns[call.plan.id]
        is_measured = call.attempt > 0 and not call.has_agent and call.id not in campaign.machines
        if campaign.is_paced and is_measured:
            campaign.measured.abandoned(call.started_ms)
            self._state.keep_figures(campaign)
        self._state.emit(KeepTransfer(call, transfer))
