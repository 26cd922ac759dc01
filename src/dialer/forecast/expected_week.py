"""The week that somebody expects at a queue: typed, or from the forecast of a campaign, in place of the past."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.forecast.kept_forecast import KeptForecast
from dialer.domain.queueing.staffing import HALF_HOUR_MS
from dialer.domain.queueing.typed_volumes import DAY_HALF_HOURS
from dialer.forecast.queue_history import PlanSource, QueueHistory, UsualLoad

_S: Final = 1_000
_HALF_HOUR_MINUTES: Final = 30


class ExpectedTimes(NamedTuple):
    """The mean times of a call in seconds, in place of those of the past; None where the past counts."""

    talk_s: int | None = None
    ring_s: int | None = None
    wrap_up_s: int | None = None


def volumes_of(forecast: KeptForecast, zone: ZoneInfo) -> dict[int, float]:
    """Return the calls of a forecast that reach a queue, by half hours of the week in a time zone.

    The calls to come that are dialled in an hour reach it at the rate of the whole campaign, of which a forecast keeps
    the first hours only. Of two such hours in a forecast, the larger counts.
    """
    share = (forecast.queued_per_call or 0) / 2
    present = forecast.made_ms // HOUR_MS
    found: dict[int, float] = {}
    for hour in forecast.hours:
        to_come = hour.calls.p50 - forecast.calls_in_hour * (hour.hour == present)
        for start_ms in (hour.hour * HOUR_MS, hour.hour * HOUR_MS + HALF_HOUR_MS):
            local = datetime.fromtimestamp(start_ms / _S, UTC).astimezone(zone)
            place = local.weekday() * DAY_HALF_HOURS + local.hour * 2 + local.minute // _HALF_HOUR_MINUTES
            found[place] = max(found.get(place, 0), to_come * share)
    return {place: calls for place, calls in sorted(found.items()) if calls}


def expected_week(past: QueueHistory, volumes: Mapping[int, float], rests_on: PlanSource) -> QueueHistory:
    """Return a history with these calls in place of those of the past, which has the times of a call still."""
    usual = {place: UsualLoad(calls, past.ring_ms, past.talk_ms) for place, calls in volumes.items()}
    return past._replace(usual=usual, rests_on=rests_on)


def with_times(history: QueueHistory, times: ExpectedTimes) -> QueueHistory:
    """Return a history with the times of a call that are given."""
    talk_ms, ring_ms = (None if one is None else float(one * _S) for one in (times.talk_s, times.ring_s))
    wrap_up_ms = history.wrap_up_ms if times.wrap_up_s is None else float(times.wrap_up_s * _S)
    usual = {
        place: UsualLoad(
            one.calls, one.ring_ms if ring_ms is None else ring_ms, one.talk_ms if talk_ms is None else talk_ms
        )
        for place, one in history.usual.items()
    }
    return history._replace(
        ring_ms=history.ring_ms if ring_ms is None else ring_ms,
        talk_ms=history.talk_ms if talk_ms is None else talk_ms,
        wrap_up_ms=wrap_up_ms,
        usual=usual,
    )
