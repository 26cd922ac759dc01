"""The usual week of a queue: the calls of each half hour of each weekday, from those of the last weeks."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.queueing.typed_volumes import DAY_HALF_HOURS
from dialer.store.queries.queue_loads import QUARTER_MS, QuarterLoad, mean_wrap_up_ms, quarters_of_queue
from dialer.store.queries.statistics import Hours

WEEK_HALF_HOURS: Final = 7 * DAY_HALF_HOURS
HISTORY_CALLS_MAX: Final = 500_000
"""Calls of a queue that are read for a plan."""
OWN_TALKS_MIN: Final = 20
"""Calls of a half hour from which on its own talks count, and not those of the whole queue."""
_S: Final = 1_000
_MINUTES: Final = 30


class PlanSource(StrEnum):
    """The origin of the calls that a plan expects."""

    PAST = "past"
    VOLUMES = "volumes"
    FORECAST = "forecast"


class TooManyCallsError(Exception):
    """Raised for a time in which a queue had more than `HISTORY_CALLS_MAX` calls."""


class UsualLoad(NamedTuple):
    """The calls that usually come in a half hour of the week, and the means of what each needs."""

    calls: float
    ring_ms: float
    talk_ms: float


class QueueHistory(NamedTuple):
    """The calls of a queue in the last weeks, without today."""

    first: date
    last: date
    calls: int
    taken: int
    ring_ms: float
    """The means over all calls that agents took."""
    talk_ms: float
    wrap_up_ms: float
    usual: Mapping[int, UsualLoad]
    """By the place of the half hour in the week, from Monday 00:00. Half hours without calls are left out."""
    rests_on: PlanSource = PlanSource.PAST
    """Where the calls of `usual` come from."""


def read_history(connection: Connection, queue_id: int, zone: ZoneInfo, weeks: int, now_ms: int) -> QueueHistory:
    """Return what has happened in a queue in the weeks before today, in a time zone.

    Raises:
        TooManyCallsError: there are too many calls.
    """
    today = datetime.fromtimestamp(now_ms / _S, UTC).astimezone(zone).date()
    first = today - timedelta(weeks=weeks)
    since_ms, until_ms = (int(datetime.combine(day, time(), zone).timestamp()) * _S for day in (first, today))
    quarters = quarters_of_queue(connection, queue_id, since_ms, until_ms, HISTORY_CALLS_MAX)
    if quarters is None:
        raise TooManyCallsError
    hours = Hours(since_ms // HOUR_MS, -(-until_ms // HOUR_MS))
    wrap_up_ms = mean_wrap_up_ms(connection, queue_id, hours)
    return usual_week(quarters, zone, first, today - timedelta(days=1), wrap_up_ms)


def usual_week(
    quarters: Iterable[QuarterLoad], zone: ZoneInfo, first: date, last: date, wrap_up_ms: float
) -> QueueHistory:
    """Return the means of each half hour, over the days of its weekday on which the queue had calls."""
    of_half_hour: defaultdict[int, list[QuarterLoad]] = defaultdict(list)
    days: defaultdict[int, set[date]] = defaultdict(set)
    for quarter in quarters:
        local = datetime.fromtimestamp(quarter.quarter * QUARTER_MS / _S, UTC).astimezone(zone)
        days[local.weekday()].add(local.date())
        of_day = local.hour * 2 + local.minute // _MINUTES
        of_half_hour[local.weekday() * DAY_HALF_HOURS + of_day].append(quarter)
    every = [quarter for several in of_half_hour.values() for quarter in several]
    ring_ms, talk_ms = _means(every)
    usual = {}
    for place, several in sorted(of_half_hour.items()):
        is_enough = sum(one.taken for one in several) >= OWN_TALKS_MIN
        calls = sum(one.calls for one in several) / len(days[place // DAY_HALF_HOURS])
        usual[place] = UsualLoad(calls, *(_means(several) if is_enough else (ring_ms, talk_ms)))
    came, taken = sum(one.calls for one in every), sum(one.taken for one in every)
    return QueueHistory(first, last, came, taken, ring_ms, talk_ms, wrap_up_ms, usual)


def _means(quarters: Iterable[QuarterLoad]) -> tuple[float, float]:
    """Return the mean ringing and the mean talk of the calls that agents took."""
    found = list(quarters)
    taken = sum(one.taken for one in found) or 1
    return sum(one.ring_ms for one in found) / taken, sum(one.talk_ms for one in found) / taken
