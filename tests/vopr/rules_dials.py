"""Rules about dials: the do-not-call list, windows, statuses, and every limit (I5 to I8, I15)."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tests.vopr.memory import Memory
from tests.vopr.snapshot import Attempt, Leg, Snapshot

_START: Final = 1
_SECOND_MS: Final = 1_000
_MINUTE_MS: Final = 60_000
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WHOLE_DAY: Final = ("00:00:00", "23:59:59")
_REFUSED: Final = frozenset(
    {"max_xfer", "no_credit", "gateway_full", "resting", "line_down", "no_queue", "no_number", "invalid_number"}
)
"""Reasons of transfers that never began."""


def fresh(seen: Snapshot, memory: Memory) -> list[Attempt]:
    """Return the attempts since the last snapshot, without inbound calls and messages sent in calls."""
    calls = [one for one in seen.calls if one.id not in memory.calls and one.attempt > 0]
    return calls + [one for one in seen.texts if one.id not in memory.texts and one.parent_id is None]


def dials(before: Snapshot, after: Snapshot, new: Collection[Attempt], service_zone: str) -> Iterator[str]:
    """Yield new attempts that break a rule by the rows at the beginning of their unit of work."""
    for one in new:
        campaign, person = before.campaigns.get(one.campaign_id), before.people.get(one.subscriber_id)
        if campaign is None or person is None:
            yield f"I7: attempt {one.id} of a campaign or subscriber that was not there"
            continue
        if (one.campaign_id, person.number) in before.wishes:
            yield f"I15: attempt {one.id} to {person.number}, who wished not to be called by user {campaign['user_id']}"
        if campaign["status"] != _START:
            yield f"I7: attempt {one.id}, but campaign {one.campaign_id} was in {campaign['status']}"
        for dnc_id in sorted(before.lists.get(one.campaign_id, ())):
            since_ms = after.entries.get((dnc_id, person.number))
            if (dnc_id, person.number) in before.entries or (since_ms or one.started_ms) < one.started_ms:
                yield f"I5: attempt {one.id} to {person.number}, which is on list {dnc_id}"
        if not campaign["startingdate"] <= one.started_ms < campaign["expirationdate"]:
            yield f"I6: attempt {one.id} outside the dates of campaign {one.campaign_id}"
        if not is_open(campaign, person.zone, one.started_ms, service_zone):
            yield f"I6: attempt {one.id} at {one.started_ms} in {person.zone!r} outside the window"


def texts(before: Snapshot, after: Snapshot, memory: Memory) -> Iterator[str]:
    """Yield messages sent in calls to a number on the campaign's do-not-call list."""
    for one in after.texts:
        if one.parent_id is not None and one.id not in memory.texts and one.campaign_id in before.campaigns:
            for dnc_id in sorted(before.lists.get(one.campaign_id, ())):
                if (dnc_id, one.number) in before.entries:
                    yield f"I5: message {one.id} to {one.number}, which is on list {dnc_id}"


def is_open(campaign: Mapping[str, Any], zone_key: str, at_ms: int, service_zone: str) -> bool:
    """Return whether a campaign may call a zone key at a moment, computed apart from the product's code."""
    start, stop = campaign["daily_start_time"], campaign["daily_stop_time"]
    try:
        zones = zones_of(zone_key or service_zone)
    except (ZoneInfoNotFoundError, ValueError):
        return False
    if (start, stop) == _WHOLE_DAY and all(campaign[day] for day in _DAYS):
        return True
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)
    return all(_is_open_at(campaign, moment.astimezone(zone), start, stop) for zone in zones)


def zones_of(zone_key: str) -> list[timezone | ZoneInfo]:
    """Return the zones of a key; raises ValueError or ZoneInfoNotFoundError if one is unknown."""
    return [_zone(name) for name in zone_key.partition("@")[0].split("&")]


def _zone(name: str) -> timezone | ZoneInfo:
    if name.startswith("UTC") and len(name) > len("UTC"):
        hours, minutes = name[4:].split(":")
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-offset if name[3] == "-" else offset)
    return ZoneInfo(name)


def _is_open_at(campaign: Mapping[str, Any], local: datetime, start: str, stop: str) -> bool:
    if local.fold or not campaign[_DAYS[local.weekday()]]:
        return False
    wall = local.strftime("%H:%M:%S")
    ends_late = stop == _WHOLE_DAY[1]
    if start <= stop:
        return start <= wall and (ends_late or wall < stop)
    return wall >= start or wall < stop


def limits(before: Snapshot, after: Snapshot, new: Collection[Attempt], memory: Memory) -> Iterator[str]:
    """Yield limits that a new attempt or a new leg exceeds; `memory` already holds both."""
    for one in new:
        if one.campaign_id in before.campaigns:
            yield from _frequency(one, memory)
            yield from _at_once(before, one, memory)
    known = {leg.id for leg in before.legs}
    legs = [leg for leg in after.legs if leg.id not in known]
    for leg in legs:
        yield from _transfers_at_once(before, leg, memory)
    for line_id in {one.gateway for one in new} | {leg.gateway for leg in legs if leg.gateway}:
        yield from _a_second(line_id, memory)


def _frequency(one: Attempt, memory: Memory) -> Iterator[str]:
    if one.campaign_id in memory.is_paced:
        return
    most = memory.frequency[one.campaign_id].most(one.started_ms - _MINUTE_MS)
    dialled = sum(
        other.campaign_id == one.campaign_id and one.started_ms - _MINUTE_MS < other.started_ms <= one.started_ms
        for other in memory.attempts()
    )
    if dialled > most:
        yield f"I8: {dialled} dials of campaign {one.campaign_id} in the minute before {one.id}, {most} allowed"


def _at_once(before: Snapshot, one: Attempt, memory: Memory) -> Iterator[str]:
    at_ms = one.started_ms
    live = [other for other in memory.attempts() if other.started_ms <= at_ms < other.end_ms and other.id <= one.id]
    campaign, line = before.campaigns[one.campaign_id], before.lines[one.gateway]
    theirs = sum(other.campaign_id == one.campaign_id for other in live)
    if campaign["max_aleg"] and theirs > campaign["max_aleg"]:
        yield f"I8: {theirs} calls of campaign {one.campaign_id} at once, {campaign['max_aleg']} allowed"
    legs = sum(_was_out(leg, one.gateway, at_ms) for leg in memory.transfers())
    carried = legs + sum(other.gateway == one.gateway for other in live)
    if line.max_channels and carried > line.max_channels:
        yield f"I8: {carried} calls on gateway {line.key} at once, {line.max_channels} allowed"


def _was_out(leg: Leg, gateway: str, at_ms: int) -> bool:
    """Return whether a gateway carried a leg that had begun before this moment and was not over."""
    return leg.gateway == gateway and leg.started_ms is not None and leg.started_ms < at_ms < leg.end_ms


def _transfers_at_once(before: Snapshot, leg: Leg, memory: Memory) -> Iterator[str]:
    campaign = before.campaigns.get(leg.campaign_id)
    if campaign is None or not campaign["max_xfer"] or leg.reason in _REFUSED:
        return
    live = sum(
        other.campaign_id == leg.campaign_id
        and other.id <= leg.id
        and other.joined_ms <= leg.joined_ms < other.end_ms
        and other.reason not in _REFUSED
        for other in memory.transfers()
    )
    if live > campaign["max_xfer"]:
        yield f"I8: {live} transfers of campaign {leg.campaign_id} at once, {campaign['max_xfer']} allowed"


def _a_second(line_id: str, memory: Memory) -> Iterator[str]:
    """Yield seconds with more new calls than the gateway may place. Legs that were never placed do not count."""
    starts = [one.started_ms for one in memory.attempts() if one.gateway == line_id]
    starts += [
        leg.started_ms
        for leg in memory.transfers()
        if leg.gateway == line_id and leg.started_ms is not None and leg.started_ms < leg.end_ms
    ]
    starts.sort()
    yield from _too_dense(starts, memory.cps[line_id].most, line_id)


def _too_dense(starts: list[int], most: Callable[[int], int], line_id: str) -> Iterator[str]:
    for place, at_ms in enumerate(starts):
        allowed = most(at_ms - _SECOND_MS)
        if allowed and place >= allowed and at_ms - starts[place - allowed] < _SECOND_MS:
            yield f"I8: more than {allowed} new calls on gateway {line_id} in the second before {at_ms}"
            return
