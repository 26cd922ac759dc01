"""The counters of agents: the time spent in each activity, by the hour; and the periods of their days."""

from collections import defaultdict
from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.queueing.activity import AgentClock
from dialer.domain.queueing.agent_periods import NO_END, AgentPeriod, PeriodEnd, closed_period
from dialer.domain.words.enums import AgentActivity
from dialer.store.backends.expressions import insert_or
from dialer.store.database.bulk import Bulk, bulk_insert
from dialer.store.tables import Agent, AgentHour
from dialer.store.tables import AgentPeriod as AgentPeriodRow

_KEY: Final = ("agent_id", "hour", "activity", "reason")
_SUMS: Final = ("spent_ms", "begun", "missed")
_added = insert_or(AgentHour.__table__)
_COUNT: Final = Bulk(
    _added.on_conflict_do_update(
        index_elements=_KEY, set_={name: AgentHour.__table__.c[name] + _added.excluded[name] for name in _SUMS}
    ),
    (*_KEY, *_SUMS),
)
_KEEP_PERIOD: Final = bulk_insert(AgentPeriodRow.__table__, "agent_id", *AgentPeriod._fields)
_CLOCK: Final = select(
    *(Agent.status, Agent.break_reason, Agent.is_talking, Agent.counted_ms, Agent.wraps_until_ms), Agent.began_ms
).where(Agent.id == bindparam("agent"))
_KEEP_CLOCK: Final = Bulk(
    update(Agent)
    .where(Agent.id == bindparam("agent"))
    .values(
        break_reason=bindparam("new_reason"),
        is_talking=bindparam("talks"),
        counted_ms=bindparam("until_ms"),
        wraps_until_ms=bindparam("wraps_ms"),
        began_ms=bindparam("begins_ms"),
    ),
    ("new_reason", "talks", "until_ms", "wraps_ms", "begins_ms", "agent"),
)


def read_clock(connection: Connection, agent_id: int) -> AgentClock | None:
    """Return the state of an agent since the last count; None if there is no such agent."""
    row = connection.execute(_CLOCK, {"agent": agent_id}).one_or_none()
    return None if row is None else AgentClock(*row)


class Activities:
    """Activities of agents that wait to be counted, and the states that follow them."""

    def __init__(self) -> None:
        self._clocks: dict[int, AgentClock] = {}
        self._periods: list[tuple[object, ...]] = []
        self._found: defaultdict[tuple[int, int, int, str], list[int]] = defaultdict(lambda: [0, 0, 0])

    def clock(self, connection: Connection, agent_id: int) -> AgentClock | None:
        """Return the latest state of an agent; None if there is no such agent."""
        if agent_id in self._clocks:
            return self._clocks[agent_id]
        return read_clock(connection, agent_id)

    def change(
        self, agent_id: int, before: AgentClock, after: AgentClock, now_ms: int, end: PeriodEnd = NO_END
    ) -> None:
        """Count an agent's time until now in their former state, and let the new one begin."""
        period = closed_period(before, now_ms, end)
        if period is not None:
            self._periods.append((agent_id, *period))
        for span in before.spans(now_ms):
            for hour, spent_ms in span.hours():
                self._found[agent_id, hour, int(span.activity), span.reason][0] += spent_ms
        activity = after.activity(now_ms)
        is_same = activity is before.activity(now_ms)
        self._clocks[agent_id] = after.goes_on_from(before, now_ms, is_same=is_same)
        begins = not is_same and activity is not AgentActivity.LOGGED_OUT
        if end.is_taken or (
            begins and activity is not AgentActivity.TALKING
        ):  # As many talks begin as calls are taken.
            reason = after.break_reason if activity is AgentActivity.ON_BREAK else ""
            self._found[agent_id, now_ms // HOUR_MS, int(activity), reason][1] += 1

    def missed(self, agent_id: int, now_ms: int) -> None:
        """Count a call that an agent was offered and did not take."""
        self._found[agent_id, now_ms // HOUR_MS, int(AgentActivity.AVAILABLE), ""][2] += 1

    def write(self, connection: Connection) -> None:
        """Add the activities to their counters, and store the periods and the states."""
        _KEEP_PERIOD.run(connection, self._periods)
        _COUNT.run(connection, [(*key, *row) for key, row in self._found.items()])
        states = [
            (one.break_reason, one.is_talking, one.counted_ms, one.wraps_until_ms, one.began_ms, agent_id)
            for agent_id, one in self._clocks.items()
        ]
        _KEEP_CLOCK.run(connection, states)
        self._periods.clear()
        self._found.clear()
        self._clocks.clear()
