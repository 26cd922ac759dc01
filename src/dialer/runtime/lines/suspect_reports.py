"""Suspects: the reports of a step that has failed, of which nobody knows which one it has failed for."""

from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from dialer.domain.calls.plans import GatewayKey
from dialer.runtime.lines.line_reports import LineReport
from dialer.runtime.lines.report_checks import Report


class Allowance(NamedTuple):
    """The reports and events that one step may handle."""

    reports: int | None = None
    """Reports of lines, oldest first; None for all."""
    stored: AbstractSet[int] | None = None
    """Callbacks, by id; None for all."""
    events: int | None = None
    """Limit of events; None for the usual one."""
    resting: AbstractSet[GatewayKey] = frozenset()
    """Gateways whose lines rest: of their reports, only those of legs in progress are told."""


EVERYTHING_AT_ONCE: Final = Allowance()
_NO_REPORT: Final = Allowance(0, frozenset())


class Suspects:
    """The search for the report that a step has failed for.

    The next step is told none of them. If that fails, too, the reports are innocent. Otherwise each following step is
    told one. So a guilty report fails no third step, and the work that does not need it goes on at once.

    After each guilty report, too, a step is told no report. So a step in two is committed, however many are guilty.
    """

    def __init__(self) -> None:
        self._left: Final[deque[Report]] = deque()
        self._is_without = False
        """True while the next step is told no report."""
        self._is_one_by_one = False
        """True while a step handles as few events as possible."""
        self._is_pausing = False
        """True while the next step is told no report, because the last one has failed for one."""

    @property
    def allowance(self) -> Allowance:
        """The allowance of the next step."""
        if self._is_one_by_one:
            return _NO_REPORT._replace(events=1)
        if self._is_pausing or (self._left and self._is_without):
            return _NO_REPORT
        if not self._left:
            return EVERYTHING_AT_ONCE
        first = self._left[0]
        return Allowance(1, frozenset()) if isinstance(first, LineReport) else Allowance(0, frozenset({first.id}))

    def begin(self, reports: Sequence[Report]) -> None:
        """Begin the search for the cause among the reports of a failed step."""
        self._left.extend(reports)
        self._is_without = True

    def pause(self) -> None:
        """Give no report to the next step."""
        self._is_pausing = True

    def forget(self, gateway_id: GatewayKey) -> None:
        """End the search among the reports of a line that rests."""
        others = [report for report in self._left if report.gateway_id != gateway_id]
        self._left.clear()
        self._left.extend(others)

    def failed(self, reports: Sequence[Report]) -> Report | None:
        """Return the only report of a failed step, which is the cause; None if several reports may be."""
        if not self._is_without and self._left and len(reports) == 1:
            self._left.popleft()
            return reports[0]
        self._left.clear()
        return None

    def go_one_by_one(self) -> bool:
        """Handle events one by one to find the cause. Return False if that is in progress."""
        was_one_by_one, self._is_one_by_one = self._is_one_by_one, not self._is_one_by_one
        return not was_one_by_one

    def committed(self, *, is_done: bool) -> Report | None:
        """Note a committed step. Return the report without which the step succeeded, because it is the cause."""
        if not is_done:
            return None
        was_pausing, self._is_pausing = self._is_pausing, False
        self._is_one_by_one = False
        if not self._left or was_pausing:
            return None
        if self._is_without:
            self._is_without = False
            return self._left.popleft() if len(self._left) == 1 else None
        self._left.popleft()
        return None
