"""The past of a queue: calls that agents took on the days before today."""

from dialer.domain.words.enums import AgentActivity, TransferStatus
from dialer.store.database.database import Database
from dialer.store.tables import AgentHour, Transfer
from tests.api.builders import stored
from tests.api.harness import NOW_MS

DAY_MS = 86_400_000
HOUR_MS = 3_600_000
NINE_MS = NOW_MS - NOW_MS % DAY_MS + 9 * HOUR_MS
"""09:00 of today, in UTC, which is a Wednesday."""


def called(
    database: Database,
    call_id: int,
    queue_id: int,
    agent_id: int | None,
    joined_ms: int,
    place: int,
    *,
    ring_s: int = 1,
    talk_s: int = 100,
) -> None:
    """Store a call of a queue that an agent took, or that its caller left."""
    answered_ms = None if agent_id is None else joined_ms + 1_000 * ring_s
    stored(
        database,
        Transfer,
        callrequest_id=call_id,
        place=place,
        section_id=1,
        queue_id=queue_id,
        agent_id=agent_id,
        status=TransferStatus.OVER,
        joined_ms=joined_ms,
        score_from_ms=joined_ms,
        started_ms=joined_ms,
        answered_ms=answered_ms,
        ended_ms=joined_ms + 1_000 * (ring_s + talk_s),
        parameters="",
    )


def busy_morning(database: Database, call_id: int, queue_id: int, agent_id: int) -> None:
    """Store 30 calls of yesterday from 09:00, which an agent took, and one at 09:30 that nobody took."""
    yesterday_ms = NINE_MS - DAY_MS
    for minute in range(30):
        called(database, call_id, queue_id, agent_id, yesterday_ms + 60_000 * minute, 100 + minute)
    called(database, call_id, queue_id, None, yesterday_ms + 30 * 60_000, 99)
    hour = {"agent_id": agent_id, "hour": yesterday_ms // HOUR_MS, "reason": ""}
    stored(database, AgentHour, **hour, activity=AgentActivity.TALKING, spent_ms=3_000_000, begun=30)
    stored(database, AgentHour, **hour, activity=AgentActivity.WRAPPING_UP, spent_ms=300_000, begun=30)
