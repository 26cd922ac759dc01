"""The rule about people who are called again: nobody who is done, refused, or wished not to be called (I16)."""

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection

from tests.vopr.snapshot import Person, Snapshot, ask

_SENT, _IN_PROCESS, _COMPLETED = 5, 6, 8
_LOST: Final = frozenset({"contact_deleted", "number_corrected", "erased", "dnc", "emergency"})
_UNREACHED: Final = """
    SELECT EXISTS (SELECT 1 FROM sealed_survey WHERE id = ? AND document LIKE '%"completed":true%')
        OR EXISTS (SELECT 1 FROM cdr WHERE subscriber_id = ? AND leg_type = 1 AND (amd_status = 2 OR is_abandoned))"""
"""True if an answer to the campaign may have come from a machine, or have ended too early."""


def newcomers(connection: Connection, before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield people who have joined a campaign that calls people again, and must not be in it."""
    sources = {one["id"]: one["source_campaign_id"] for one in after.campaigns.values() if one["source_campaign_id"]}
    if not sources:
        return
    known = {(one.campaign_id, one.number): one for one in before.people.values()}
    for person_id, person in after.people.items():
        if person.campaign_id not in sources or person_id in before.people:
            continue
        source_id = sources[person.campaign_id]
        once = known.get((source_id, person.number))
        if once is not None:
            problem = _problem(connection, before, once)
        else:
            problem = "was in an earlier one" if _was_earlier(sources, known, source_id, person) else ""
        if problem:
            yield f"I16: {person.number} is in campaign {person.campaign_id} of people to call again, and {problem}"


def _was_earlier(sources: dict[int, int], known: dict[tuple[int, str], Person], source_id: int, person: Person) -> bool:
    """Return whether a campaign before the one whose people are called again had this number: it was not chosen."""
    earlier = sources.get(source_id)
    while earlier is not None:
        if (earlier, person.number) in known:
            return True
        earlier = sources.get(earlier)
    return False


def _problem(connection: Connection, before: Snapshot, once: Person) -> str:
    """Return why somebody must not be called again, by what the other campaign knew of them; empty if nothing."""
    listed = any((dnc_id, once.number) in before.entries for dnc_id in before.lists.get(once.campaign_id, ()))
    problems = {
        "has completed the survey": once.status == _COMPLETED,
        "is in a call": once.status == _IN_PROCESS,
        "has a message on their machine, which is enough": (once.status, once.reason) == (_SENT, "message_left"),
        f"must not be called ({once.reason})": once.reason in _LOST,
        "is on a do-not-call list": listed,
        "wished not to be called": (once.campaign_id, once.number) in before.wishes,
        "was reached": once.status == _SENT and not ask(connection, _UNREACHED, once.campaign_id, once.id)[0][0],
    }
    return next((problem for problem, is_so in problems.items() if is_so), "")
