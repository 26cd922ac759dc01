"""Figures by group, for people: those of statistics, and besides by hour of the day, by outcome and by break.

They are read from counters, so they cost the same for a thousand and for a million calls.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import Connection

from dialer.app.campaigns.statistics import (
    ROWS_MAX,
    RowsAsked,
    TooManyRowsError,
    count_groups,
    read_rows,
)
from dialer.domain.calling_times.offset_changes import offset_changes
from dialer.domain.calling_times.zones import fixed_offset_minutes, is_zone_key, zones_of_key
from dialer.domain.figures.statistics import HOUR_MS, Figures, Grouping, Interval, add_figures, agent_member
from dialer.domain.words.enums import AgentActivity
from dialer.store.queries.call_centre import TimeSpent, count_time_of_agents
from dialer.store.queries.statistics import Hours, WhoseCalls, count_hours_of_day, group_names, hours_of_members
from dialer.store.queries.wall_board import agents_on_board

AGENTS_MAX: Final = ROWS_MAX
TIMES_MAX: Final = 20_000
"""Agents times activities times reasons of breaks that are read."""
HOURS_READ_MAX: Final = 100_000
"""Hours of the day of a zone or an agent, between two changes of the clocks, that are added up."""
CHANGES_MAX: Final = 500
"""Changes of the clocks in all zones over the time that is asked for."""


class By(StrEnum):
    """The groups by which figures are shown."""

    DAY = "day"
    HOUR = "hour"
    HOUR_OF_DAY = "hour_of_day"
    DISPOSITION = "disposition"
    DISPOSITION_WORD = "disposition_word"
    OUTCOME = "outcome"
    AGENT = "agent"
    AGENT_DISPOSITION = "agent_disposition"
    AGENT_HOUR = "agent_hour"
    PHONEBOOK = "phonebook"
    ATTEMPT = "attempt"
    GATEWAY = "gateway"
    ZONE = "zone"
    BREAK = "break"


OF_ACCOUNTS: Final = frozenset({By.BREAK})
"""Groups that no campaign has: an agent serves several."""
CROSSED: Final = frozenset({By.AGENT_DISPOSITION, By.AGENT_HOUR})
"""Groups of an agent and a second thing. Their keys are an id, a space, and an outcome or an hour of the day."""
_GROUPINGS: Final = {
    By.DISPOSITION: Grouping.DISPOSITION,
    By.DISPOSITION_WORD: Grouping.DISPOSITION_WORD,
    By.AGENT_DISPOSITION: Grouping.AGENT_DISPOSITION_WORD,
    By.OUTCOME: Grouping.OUTCOME,
    By.AGENT: Grouping.AGENT,
    By.PHONEBOOK: Grouping.PHONEBOOK,
    By.ATTEMPT: Grouping.ATTEMPT,
    By.GATEWAY: Grouping.GATEWAY,
    By.ZONE: Grouping.ZONE,
}
_NO_TIME: Final = TimeSpent(0, 0, 0)


class AgentTime(NamedTuple):
    """The time of an agent in milliseconds, and the calls that came to them."""

    available: int = 0
    talking: int = 0
    wrapping_up: int = 0
    on_break: int = 0
    taken: int = 0
    missed: int = 0


class FigureGroup(NamedTuple):
    """The figures of one hour, day, agent, queue or campaign, as the grouping asks."""

    key: str | int
    """A moment in milliseconds, an hour of the day, an id, or a name."""
    name: str
    """The name of its record; empty if it was deleted, or is none."""
    figures: Figures
    time: AgentTime = AgentTime()


class BreakTime(NamedTuple):
    """The breaks of all agents with one reason."""

    reason: str
    begun: int
    spent_ms: int


class GroupedFigures(NamedTuple):
    """The figures of all groups, and their sum. Breaks have times instead."""

    groups: list[FigureGroup]
    totals: Figures
    breaks: list[BreakTime]


def read_figures(
    connection: Connection, scope: WhoseCalls, by: By, zone: tzinfo, hours: Hours, now_ms: int
) -> GroupedFigures:
    """Return the figures of each group in some hours. `zone` is that of days and of the hours of agents.

    Hours of the day are those at the place of the callee, which say when people answer; where it is unknown, of `zone`.

    Raises:
        TooManyRowsError: the groups are too many.
    """
    if by is By.BREAK:
        return GroupedFigures([], Figures(), _breaks(connection, scope, hours, now_ms))
    groups = _groups(connection, scope, by, zone, hours)
    if by is By.AGENT and scope.campaign_id is None:
        groups = _with_times(connection, scope, groups, hours, now_ms)
    if len(groups) > ROWS_MAX:
        raise TooManyRowsError
    return GroupedFigures(groups, add_figures(group.figures for group in groups), [])


def _groups(connection: Connection, scope: WhoseCalls, by: By, zone: tzinfo, hours: Hours) -> list[FigureGroup]:
    if by in {By.DAY, By.HOUR}:
        asked = RowsAsked(Interval(by.value), None, zone, hours)
        return [FigureGroup(row.from_ms or 0, "", row.figures) for row in read_rows(connection, scope, asked)]
    if by is By.HOUR_OF_DAY:
        return _hours_of_day(connection, scope, zone, hours)
    if by is By.AGENT_HOUR:
        return _hours_of_agents(connection, scope, zone, hours)
    grouping = _GROUPINGS[by]
    counted = count_groups(connection, scope, grouping, hours, ROWS_MAX + 1, by_hour=False)
    names = group_names(connection, grouping, [one.member for one in counted])
    groups = [FigureGroup(one.member, names.get(one.member, ""), one.figures) for one in counted]
    if by is By.ATTEMPT:
        return sorted(groups, key=lambda group: int(group.key))
    return sorted(groups, key=_most_first)


def _most_first(group: FigureGroup) -> tuple[int, int, int, str]:
    figures = group.figures
    return (-figures.calls, -figures.legs - figures.inbound, -figures.messages, str(group.key))


def _hours_of_day(connection: Connection, scope: WhoseCalls, zone: tzinfo, hours: Hours) -> list[FigureGroup]:
    found: defaultdict[int, list[Figures]] = defaultdict(list)
    of_zones = _by_local_hour(connection, scope, Grouping.ZONE, lambda key: zone_of_callee(key) or zone, hours)
    for (_, hour), figures in of_zones.items():
        found[hour] += figures
    return [FigureGroup(hour, "", add_figures(found[hour])) for hour in sorted(found)]


def _hours_of_agents(connection: Connection, scope: WhoseCalls, zone: tzinfo, hours: Hours) -> list[FigureGroup]:
    found = _by_local_hour(connection, scope, Grouping.AGENT, lambda _: zone, hours)
    names = group_names(connection, Grouping.AGENT, {agent_id for agent_id, _ in found})
    return [
        FigureGroup(agent_member(agent_id, f"{hour:02}"), names.get(agent_id, ""), add_figures(found[agent_id, hour]))
        for agent_id, hour in sorted(found)
    ]


def _by_local_hour(
    connection: Connection, scope: WhoseCalls, grouping: Grouping, zone_of: Callable[[str], tzinfo], hours: Hours
) -> defaultdict[tuple[str, int], list[Figures]]:
    """Return the figures of all hours by their member and their hour of the day in the zone of the member."""
    members = hours_of_members(connection, scope, grouping, hours, HOURS_READ_MAX + 1)
    if not members:
        return defaultdict(list)
    first, last = min(one.first for one in members), max(one.last for one in members)
    changes = offset_changes({zone_of(one.member) for one in members}, first, last)
    if len(changes) > CHANGES_MAX:
        raise TooManyRowsError
    counted = count_hours_of_day(connection, scope, grouping, hours, changes, HOURS_READ_MAX + 1)
    if len(counted) > HOURS_READ_MAX:
        raise TooManyRowsError
    found: defaultdict[tuple[str, int], list[Figures]] = defaultdict(list)
    for one in counted:
        local = datetime.fromtimestamp((one.hour or 0) * HOUR_MS // 1_000, UTC).astimezone(zone_of(one.member))
        found[one.member, local.hour].append(one.figures)
    return found


@lru_cache(maxsize=1_024)
def zone_of_callee(key: str) -> tzinfo | None:
    """Return the zone of a zone key, the first of several; None if it is not known."""
    if not key or not is_zone_key(key):
        return None
    name = zones_of_key(key)[0]
    minutes = fixed_offset_minutes(name)
    try:
        return ZoneInfo(name) if minutes is None else timezone(timedelta(minutes=minutes))
    except (ZoneInfoNotFoundError, ValueError):
        return None


def _times(
    connection: Connection, scope: WhoseCalls, hours: Hours, now_ms: int
) -> tuple[dict[tuple[int, AgentActivity, str], TimeSpent], dict[int, str]]:
    """Return the time of all agents until now, by agent, activity and reason of a break, and the agents' names."""
    counted = count_time_of_agents(connection, scope.user_id, hours, TIMES_MAX)
    agents = agents_on_board(connection, scope.user_id, now_ms, AGENTS_MAX)
    for agent in agents:
        for span in agent.clock.spans(now_ms):
            key = (agent.id, span.activity, span.reason)
            goes_on = span.within_ms(hours.first * HOUR_MS, hours.end * HOUR_MS)
            before = counted.get(key, _NO_TIME)
            if goes_on:
                counted[key] = before._replace(spent_ms=before.spent_ms + goes_on)
    return counted, {agent.id: agent.name for agent in agents}


def _breaks(connection: Connection, scope: WhoseCalls, hours: Hours, now_ms: int) -> list[BreakTime]:
    found: defaultdict[str, list[TimeSpent]] = defaultdict(list)
    times, _ = _times(connection, scope, hours, now_ms)
    for (_, activity, reason), spent in times.items():
        if activity is AgentActivity.ON_BREAK:
            found[reason].append(spent)
    breaks = [
        BreakTime(reason, sum(one.begun for one in spent), sum(one.spent_ms for one in spent))
        for reason, spent in found.items()
    ]
    return sorted(breaks, key=lambda one: (-one.spent_ms, one.reason))[:ROWS_MAX]


def _with_times(
    connection: Connection, scope: WhoseCalls, groups: list[FigureGroup], hours: Hours, now_ms: int
) -> list[FigureGroup]:
    """Return the groups of agents with their times, and those of agents who had no call."""
    times, names = _times(connection, scope, hours, now_ms)
    found: defaultdict[int, list[tuple[AgentActivity, TimeSpent]]] = defaultdict(list)
    for (agent_id, activity, _), spent in times.items():
        found[agent_id].append((activity, spent))
    calling = {group.key for group in groups}
    idle = [FigureGroup(str(agent_id), names.get(agent_id, ""), Figures()) for agent_id in sorted(found)]
    groups += [group for group in idle if group.key not in calling]
    return [group._replace(time=_time_of(found[int(group.key)])) for group in groups]


def _time_of(spent: Iterable[tuple[AgentActivity, TimeSpent]]) -> AgentTime:
    sums: defaultdict[AgentActivity, int] = defaultdict(int)
    taken = missed = 0
    for activity, one in spent:
        sums[activity] += one.spent_ms
        missed += one.missed
        taken += one.begun if activity is AgentActivity.TALKING else 0
    return AgentTime(
        sums[AgentActivity.AVAILABLE],
        sums[AgentActivity.TALKING],
        sums[AgentActivity.WRAPPING_UP],
        sums[AgentActivity.ON_BREAK],
        taken,
        missed,
    )
