"""Rules about the status changes of campaigns and subscribers, attempts, and the lists (I1, I9, I11)."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from tests.vopr.memory import Memory
from tests.vopr.snapshot import Attempt, Snapshot

_NEW, _START, _PAUSE, _ABORTED, _END = range(5)
_CAMPAIGN_MOVES: Final = {
    (_START, _PAUSE): frozenset({"no_credit"}),
    (_PAUSE, _PAUSE): frozenset({"no_credit"}),
    (_START, _END): frozenset({"completed", "expired"}),
    (_PAUSE, _END): frozenset({"expired"}),
}
"""The status changes that the engine may make by itself, and the reasons it may give."""
_PENDING, _SUBSCRIBER_PAUSE, _ABORT, _FAIL, _SENT, _IN_PROCESS, _NOT_AUTHORIZED, _COMPLETED = range(1, 9)
_OPEN: Final = frozenset({_PENDING, _IN_PROCESS})
_CARRIER_CAUSES: Final = frozenset({2, 25, 34, 38, 41, 42, 44, 47, 102})
"""The Q.850 causes of calls that the carrier could not place."""


def moves(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield status changes that the engine may not make by itself."""
    for campaign_id, then in before.campaigns.items():
        now = after.campaigns.get(campaign_id)
        if now is None:
            yield f"I9: campaign {campaign_id} has gone"
        elif (then["status"], then["status_reason"]) != (now["status"], now["status_reason"]) and now[
            "status_reason"
        ] not in _CAMPAIGN_MOVES.get((then["status"], now["status"]), frozenset()):
            yield f"I9: campaign {campaign_id} went from {then['status']} to {now['status']} ({now['status_reason']})"
    for person_id, person in before.people.items():
        later = after.people.get(person_id)
        if later is None:
            yield f"I9: subscriber {person_id} has gone"
        elif later.status != person.status and person.status not in _OPEN:
            yield f"I9: subscriber {person_id} went from {person.status} to {later.status}"


def ends(after: Snapshot, memory: Memory) -> Iterator[str]:
    """I9: yield finished attempts that have changed."""
    for kind, known, seen in (("call", memory.calls, after.calls), ("message", memory.texts, after.texts)):
        for one in seen:
            past = known.get(one.id)
            if past is not None and past.ended_ms is not None and past[:9] != one[:9]:
                yield f"I9: {kind} {one.id} was over and has changed: {past} to {one}"


def attempts(after: Snapshot, memory: Memory) -> Iterator[str]:
    """I1: yield subscribers with more attempts than the campaign has ever allowed and clients have asked for."""
    made: Counter[int] = Counter()
    for known in (memory.calls, memory.texts):
        made.update(one.subscriber_id for one in known.values() if one.attempt > 0 and one.parent_id is None)
    for person_id, count in made.items():
        person = after.people.get(person_id)
        if person is None:
            continue
        retries = memory.retries[person.campaign_id] + memory.completions[person.campaign_id]
        retries += memory.abandoned[person.campaign_id] + memory.carrier[person.campaign_id]
        if count > 1 + retries + memory.again[person_id]:
            yield f"I1: {count} attempts of subscriber {person_id}"


def used_up(before: Snapshot, after: Snapshot, memory: Memory) -> Iterator[str]:
    """I1: yield those who have just failed for good because the carrier failed, within the limit of such attempts."""
    calls: defaultdict[int, list[Attempt]] = defaultdict(list)
    for person_id, person in after.people.items():
        once = before.people.get(person_id)
        if once is None or once.status == _FAIL or (person.status, person.reason) != (_FAIL, "carrier_failure"):
            continue
        if not calls:
            for one in memory.calls.values():
                calls[one.subscriber_id].append(one)
        made = [one for one in calls[person_id] if one.attempt > 0]
        last = max(made, key=lambda one: one.id, default=None)
        is_carriers_own = last is not None and last.cause in _CARRIER_CAUSES and last.is_signalled_at_its_end
        if is_carriers_own and len(made) <= memory.carrier_least[person.campaign_id]:
            yield f"I1: subscriber {person_id} is used up by {len(made)} attempts that the carrier could not place"


def entries(after: Snapshot, memory: Memory) -> Iterator[str]:
    """I11: yield entries that have gone from a do-not-call list."""
    gone = sorted(memory.entries - after.entries.keys())
    if gone:
        yield f"I11: {gone[0][1]} has gone from list {gone[0][0]}"
