"""Rules that the rows and the notes of a service must keep, whatever its processes went through."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from sqlalchemy import Connection, text

from tests.end_to_end.killed import BROKEN
from tests.fleet.storm.notes import Note, notes_of, touched_by
from tests.fleet.storm.people import Deed
from tests.fleet.storm.troubles import DATABASE, IN_COPY, Suffered

SECOND_MS: Final = 1_000
CLOCKS_MS: Final = 250
"""Maximum time by which a dial's row is ahead of the database's clock."""
LATE_MS: Final = 5_000
"""Time after the end of its lease within which a worker is replaced."""
WRITE_MS: Final = 5_000
"""Time for which a request waits for others that write."""
SLOW_MS: Final = 10_000
"""Time that a request may take on a machine with much to do, beyond its waits."""
_NOT_NOW: Final = {
    "nothing was charged",
    # An entry is dated before its transaction waits for the lock of a step that dials.
    "a number was dialled after it was put on a do-not-call list",
}
_CALLS: Final = "SELECT gateway_id, started_ms, ended_ms FROM callrequest WHERE attempt > 0"
_LEGS: Final = "SELECT gateway_id, started_ms, ended_ms FROM transfer WHERE gateway_id > 0 AND started_ms IS NOT NULL"
_OVERLAPS: Final = """SELECT one.id, other.id FROM callrequest one JOIN callrequest other
    ON other.subscriber_id = one.subscriber_id AND other.attempt = one.attempt + 1
    WHERE one.attempt > 0 AND other.started_ms < one.ended_ms"""
_UNOWNED: Final = """SELECT shard.id FROM shard LEFT JOIN fleet_worker ON fleet_worker.id = worker_id
    WHERE coalesce(lease_until_ms, 0) <= :now_ms"""


class Load(NamedTuple):
    """The most that a gateway has carried."""

    gateway_id: int
    channels: int
    """Calls and B-legs at the same time."""
    cps: int
    """Calls and B-legs that began within a second."""


def loads(connection: Connection) -> list[Load]:
    """Return what each gateway has carried."""
    rows = defaultdict(list)
    for query in (_CALLS, _LEGS):
        for gateway_id, started_ms, ended_ms in connection.execute(text(query)):
            # A leg that was never placed began and ended at once.
            if ended_ms is None or ended_ms > started_ms or query is _CALLS:
                rows[gateway_id].append((started_ms, ended_ms))
    return [Load(one, _most_at_once(found), densest([row[0] for row in found])) for one, found in sorted(rows.items())]


def densest(moments: Iterable[int]) -> int:
    """Return the largest number of moments within any second."""
    ordered = sorted(moments)
    return max((place - bisect_right(ordered, at_ms - SECOND_MS) for place, at_ms in enumerate(ordered, 1)), default=0)


def _most_at_once(spans: Sequence[tuple[int, int | None]]) -> int:
    # A call that ends at a moment frees its channel for one that begins then.
    changes = sorted([(began, 1) for began, _ in spans] + [(ended, -1) for _, ended in spans if ended is not None])
    carried = most = 0
    for _, change in changes:
        carried += change
        most = max(most, carried)
    return most


def broken_rows(connection: Connection, limits: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield the rules that the rows break after all calls have ended. `limits` are channels and cps by gateway."""
    for name, query in BROKEN.items():
        if name not in _NOT_NOW and (rows := connection.execute(text(query)).all()):
            yield f"{name}: {rows[:3]}"
    if overlaps := connection.execute(text(_OVERLAPS)).all():
        yield f"attempts overlap: {overlaps[:3]}"
    for load, (channels, cps) in zip(loads(connection), limits, strict=False):
        if load.channels > channels:
            yield f"{load.channels} calls at once on gateway {load.gateway_id}, {channels} allowed"
        if load.cps > cps:
            yield f"{load.cps} dials in a second on gateway {load.gateway_id}, {cps} allowed"


def unowned(connection: Connection, now_ms: int) -> int:
    """Return the number of shards without a worker that is alive."""
    return len(connection.execute(text(_UNOWNED), {"now_ms": now_ms}).all())


def broken_promises(connection: Connection, deeds: Sequence[Deed]) -> Iterator[str]:
    """Yield answers of the API that were not kept."""
    dials = notes_of(connection, "dial")
    yield from _dials_after_pauses(dials, deeds)
    yield from _dials_after_entries(dials, deeds)
    yield from _payments(connection, deeds)
    yield from _unseen(connection, deeds)
    started = {row[0]: row[1] for row in connection.execute(text("SELECT id, started_ms FROM callrequest"))}
    early = [one for one in dials if started[one.id] > one.noted_ms + CLOCKS_MS]
    if early:
        yield f"a dial ahead of the database's clock: {early[0]}, {started[early[0].id]}"
    yield from (f"an answer of {one.status}: {one}" for one in deeds if one.status >= 500 and one.status != 503)


def _dials_after_pauses(dials: Sequence[Note], deeds: Sequence[Deed]) -> Iterator[str]:
    of_campaign = defaultdict(list)
    for one in dials:
        of_campaign[one.other].append(one.noted_ms)
    for pause, until_ms in _until_asked(deeds):
        moments = of_campaign[pause.campaign_id]
        first = bisect_right(moments, pause.answered_ms)
        if first < bisect_left(moments, until_ms):
            yield f"a dial at {moments[first]} after the answer to a pause: {pause}"


def _until_asked(deeds: Sequence[Deed]) -> Iterator[tuple[Deed, int]]:
    """Yield each pause that was answered, and the time at which the next start was asked for."""
    never_ms = max((one.answered_ms for one in deeds), default=0) + 1
    for campaign_id in {one.campaign_id for one in deeds}:
        turns = [one for one in deeds if one.campaign_id == campaign_id and one.kind in {"pause", "start"}]
        for place, one in enumerate(turns):
            if one.kind == "pause" and one.is_done:
                yield one, next((later.asked_ms for later in turns[place:] if later.kind == "start"), never_ms)


def _dials_after_entries(dials: Sequence[Note], deeds: Sequence[Deed]) -> Iterator[str]:
    listed = {one.what: one for one in deeds if one.kind == "list" and one.is_done}
    for dial in dials:
        entry = listed.get(dial.what)
        if entry is not None and dial.noted_ms > entry.answered_ms:
            yield f"a dial at {dial.noted_ms} after the answer to an entry: {entry}"


def _payments(connection: Connection, deeds: Sequence[Deed]) -> Iterator[str]:
    paid = Counter(row[0] for row in connection.execute(text("SELECT description FROM payment")))
    for what in {one.what for one in deeds if one.kind == "pay"}:
        is_done = any(one.what == what and one.is_done for one in deeds)
        if paid[what] > 1 or paid[what] < is_done:
            yield f"a payment is there {paid[what]} times: {what}"


def _unseen(connection: Connection, deeds: Sequence[Deed]) -> Iterator[str]:
    """Yield answers that came before a worker knew the change, although its lease was not over.

    A worker whose lease is over may come back before it is replaced. Its next step then begins with the change.
    """
    joined = {one.id: one.noted_ms for one in notes_of(connection, "joined")}
    leases = [*notes_of(connection, "joined"), *notes_of(connection, "renewed")]
    seen = defaultdict(list)
    for one in notes_of(connection, "seen"):
        seen[one.id].append(one)
    changes = defaultdict(list)
    for one in notes_of(connection, "change"):
        for campaign_id in touched_by(one).campaigns:
            changes[campaign_id].append(one)
    for deed in deeds:
        if deed.kind not in {"pause", "start"} or not deed.is_done:
            continue
        change = next((c for c in changes[deed.campaign_id] if deed.asked_ms <= c.noted_ms <= deed.answered_ms), None)
        for worker_id, steps in seen.items():
            if change is None or joined.get(worker_id, 0) >= change.noted_ms:
                continue
            first = next((step for step in steps if step.other >= change.id), None)
            until_ms = [one.other for one in leases if one.id == worker_id and one.noted_ms <= deed.answered_ms]
            if max(until_ms, default=0) <= deed.answered_ms:
                continue
            if first is not None and first.noted_ms > deed.answered_ms:
                late_ms = first.noted_ms - deed.answered_ms
                yield f"worker {worker_id} knew a change {late_ms} ms after its answer: {deed}"


def replaced_well(connection: Connection, suffered: Sequence[Suffered], lease_ms: int) -> Iterator[str]:
    """Yield workers that were replaced although nothing had happened to them.

    A process that has ended may be replaced late: those that are left may be in trouble themselves.
    """
    for one in notes_of(connection, "replaced"):
        reasons = [
            trouble
            for trouble in suffered
            if trouble.name in {one.what, DATABASE}
            and trouble.began_ms - CLOCKS_MS <= one.noted_ms <= trouble.ended_ms + lease_ms + LATE_MS
        ]
        if not reasons:
            yield f"worker {one.id} ({one.what}) was replaced at {one.noted_ms}, although it was well"


def silences(connection: Connection, suffered: Sequence[Suffered], lease_ms: int) -> Iterator[str]:
    """Yield freezes of a process in a COPY during which nobody wrote anything for longer than a lease."""
    rows = connection.execute(text("SELECT noted_ms FROM storm_note WHERE kind IN ('dial', 'seen') ORDER BY noted_ms"))
    moments = [row[0] for row in rows]
    restarts = [one for one in suffered if one.name == DATABASE]
    for one in suffered:
        if one.kind != IN_COPY or any(r.began_ms < one.ended_ms and r.ended_ms > one.began_ms for r in restarts):
            continue
        within = [one.began_ms, *(at for at in moments if one.began_ms < at < one.ended_ms), one.ended_ms]
        silent_ms = max(later - earlier for earlier, later in pairwise(within))
        if silent_ms > lease_ms:
            yield f"nobody wrote for {silent_ms} ms while {one.name} was frozen in a COPY"


def waits(deeds: Sequence[Deed], suffered: Sequence[Suffered], lease_ms: int) -> Iterator[str]:
    """Yield answers that took longer than the wait for those who write, and for two workers that freeze in turn.

    A process that is frozen, and a database that restarts, answer nothing. That time does not count.
    """
    allowed_ms = WRITE_MS + 2 * lease_ms + SLOW_MS
    for one in deeds:
        if one.took_ms - silent_ms(one, suffered) > allowed_ms:
            yield f"an answer took {one.took_ms} ms: {one}"


def silent_ms(deed: Deed, suffered: Sequence[Suffered]) -> int:
    """Return the part of a wait in which the process that was asked was frozen, or the database was away."""
    return sum(_beside(deed, one) for one in suffered if one.name in {deed.api, DATABASE})


def slowest(deeds: Sequence[Deed], suffered: Sequence[Suffered]) -> str:
    """Return the pause or start that took longest, and the troubles meanwhile."""
    answered = [one for one in deeds if one.kind in {"pause", "start"} and one.is_done]
    if not answered:
        return ""
    found = max(answered, key=lambda one: one.took_ms)
    troubles = [f"{one.kind} {one.name} {_beside(found, one)} ms" for one in suffered if _beside(found, one) > 0]
    return f"{found.kind} by {found.api}, {found.took_ms} ms; {'; '.join(troubles)}"


def _beside(deed: Deed, trouble: Suffered) -> int:
    return max(0, min(deed.answered_ms, trouble.ended_ms) - max(deed.asked_ms, trouble.began_ms))
