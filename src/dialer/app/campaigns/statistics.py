"""Statistics of campaigns: the figures of calls over time and by group, subscribers, outcomes, and the present."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, tzinfo
from operator import add
from typing import Final, NamedTuple

from msgspec.structs import astuple
from sqlalchemy import Connection, select

from dialer.app.overview.abandoned_counts import AbandonedShares, read_abandoned
from dialer.domain.engine.call_results import CallResult, results_by_cause
from dialer.domain.figures.statistics import (
    DISPOSED,
    GROUPS,
    HOUR_MS,
    NO_FIGURES,
    Figures,
    Grouping,
    Interval,
    SubscriberState,
    add_figures,
    agent_and_outcome,
    agent_member,
    subtract_figures,
)
from dialer.domain.rules.doubtful_entries import DoubtfulEntries
from dialer.domain.words.sentences import Grouped, Sentence
from dialer.store.queries.doubtful_entries import doubtful_for_campaign
from dialer.store.queries.statistics import (
    Counted,
    Hours,
    Present,
    WhoseCalls,
    count_calls,
    count_tests,
    present,
)
from dialer.store.rows.subscriber_counts import subscribers_by_state
from dialer.store.tables import Campaign

ROWS_MAX: Final = 2_000
"""Rows of one answer. A longer time has to be asked for in parts."""
_HOUR_ROWS_MAX: Final = 100_000
"""Rows of hours that are added up to days."""


class TooManyRowsError(Exception):
    """Raised if a question has more than `ROWS_MAX` rows as its answer."""

    def __init__(self) -> None:
        super().__init__(
            Sentence(
                "The answer has more than %(most)s rows. Ask for a shorter time, or for days.", most=Grouped(ROWS_MAX)
            )
        )


class RowsAsked(NamedTuple):
    """The rows that statistics are asked for. Without an interval and a group there are none."""

    interval: Interval | None = None
    group_by: str | None = None
    zone: tzinfo = UTC
    """The time zone of days."""
    hours: Hours | None = None


class StatisticsRow(NamedTuple):
    """The figures of one interval and one group."""

    from_ms: int | None
    member: str | None
    figures: Figures


class Statistics(NamedTuple):
    """The statistics of a campaign, of a user, or of all users."""

    present: Present
    totals: Figures
    outcomes: list[Counted]
    subscribers: list[SubscriberState]
    rows: list[StatisticsRow]
    abandoned: AbandonedShares | None = None
    """The abandoned calls over the periods of rules, whatever time was asked for; None for several campaigns."""
    tests: Figures | None = None
    """The figures of tests of campaigns, which are in none of the others; None for one campaign."""
    doubtful_entries: DoubtfulEntries | None = None
    """The entries on its do-not-call lists that may stop no calls, as they are now; None for several campaigns."""


def read_statistics(connection: Connection, scope: WhoseCalls, question: RowsAsked, now_ms: int) -> Statistics:
    """Return the statistics of calls by interval and group.

    Raises:
        TooManyRowsError: the rows asked for are too many.
    """
    hours = question.hours
    campaign_id = scope.campaign_id
    outcomes = count_calls(connection, scope, Grouping.OUTCOME, hours, ROWS_MAX, by_hour=False)
    return Statistics(
        present=present(connection, scope, now_ms),
        totals=add_figures(outcome.figures for outcome in outcomes),
        outcomes=outcomes,
        subscribers=subscribers_by_state(connection, campaign_id, scope.user_id, scope.purpose),
        rows=read_rows(connection, scope, question),
        tests=count_tests(connection, scope, hours) if campaign_id is None else None,
        abandoned=None if campaign_id is None else read_abandoned(connection, campaign_id, now_ms),
        doubtful_entries=None if campaign_id is None else _doubtful_entries(connection, campaign_id),
    )


def _doubtful_entries(connection: Connection, campaign_id: int) -> DoubtfulEntries:
    dnc_id = connection.scalar(select(Campaign.dnc_id).where(Campaign.id == campaign_id))
    return doubtful_for_campaign(connection, campaign_id, dnc_id)


def results_of(outcomes: Iterable[Counted]) -> Mapping[CallResult, int]:
    """Return the number of calls with each result, the most frequent first, from the figures of each outcome."""
    return results_by_cause((int(one.member), one.figures) for one in outcomes if one.member.isdecimal())


def read_rows(connection: Connection, scope: WhoseCalls, question: RowsAsked) -> list[StatisticsRow]:
    """Return the rows that a question asks for, in the order of their time.

    Raises:
        TooManyRowsError: they are too many.
    """
    interval, group_by = question.interval, question.group_by
    if interval is None and group_by is None:
        return []
    grouping = Grouping.TOTAL if group_by is None else GROUPS[group_by]
    most = ROWS_MAX if interval is not Interval.DAY else _HOUR_ROWS_MAX
    counted_groups = count_groups(connection, scope, grouping, question.hours, most + 1, by_hour=interval is not None)
    rows = _of_days(counted_groups, question.zone) if interval is Interval.DAY else list(map(_row, counted_groups))
    if len(counted_groups) > most or len(rows) > ROWS_MAX:
        raise TooManyRowsError
    return rows if group_by is not None else [row._replace(member=None) for row in rows]


def count_groups(
    connection: Connection,
    scope: WhoseCalls,
    grouping: Grouping,
    hours: Hours | None,
    rows_max: int,
    *,
    by_hour: bool,
) -> list[Counted]:
    """Return the figures by member, and by hour if wanted, at most `rows_max` of them, in order.

    Calls without a disposition are a member of their own, with an empty outcome; one of each agent, by agent.
    """
    found = count_calls(connection, scope, grouping, hours, rows_max, by_hour=by_hour)
    if grouping not in DISPOSED:
        return found
    by_agent = grouping is Grouping.AGENT_DISPOSITION_WORD
    disposed: defaultdict[tuple[int | None, str], list[Figures]] = defaultdict(list)
    for one in found:
        disposed[one.hour, agent_and_outcome(one.member)[0] if by_agent else ""].append(one.figures)
    whole = Grouping.AGENT if by_agent else Grouping.TOTAL
    totals = count_calls(connection, scope, whole, hours, rows_max, by_hour=by_hour)
    others = [
        Counted(
            one.hour,
            agent_member(one.member, "") if by_agent else "",
            subtract_figures(one.figures, add_figures(disposed[one.hour, one.member])),
        )
        for one in totals
    ]
    kept = [one for one in others if one.figures != NO_FIGURES]
    return sorted([*found, *kept], key=lambda one: (one.hour or 0, one.member))[:rows_max]


def _row(counted: Counted) -> StatisticsRow:
    from_ms = None if counted.hour is None else counted.hour * HOUR_MS
    return StatisticsRow(from_ms, counted.member, counted.figures)


def _of_days(counted_groups: Iterable[Counted], zone: tzinfo) -> list[StatisticsRow]:
    """Add hours up to days. An hour belongs to the day in which it begins."""
    midnights: dict[int, int] = {}
    days: dict[tuple[int, str], tuple[int, ...]] = {}
    for counted in counted_groups:
        hour = counted.hour or 0
        if hour not in midnights:
            midnights[hour] = _midnight_ms(hour, zone)
        key, values = (midnights[hour], counted.member), astuple(counted.figures)
        days[key] = tuple(map(add, days[key], values)) if key in days else values
    return [StatisticsRow(from_ms, member, Figures(*sums)) for (from_ms, member), sums in sorted(days.items())]


def _midnight_ms(hour: int, zone: tzinfo) -> int:
    began = datetime.fromtimestamp(hour * HOUR_MS // 1_000, UTC).astimezone(zone)
    return int(began.replace(hour=0, minute=0, second=0, fold=0).timestamp()) * 1_000
