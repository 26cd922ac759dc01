"""The rows of previews: whom each agent sees before a call; and the subscribers who were not called at their turn."""

from typing import Final

import msgspec
from sqlalchemy import Connection, bindparam, literal_column, update

from dialer.domain.calls import agent_effects, campaign_effects
from dialer.domain.words.enums import SubscriberStatus
from dialer.store.database.bulk import KeyedBulk
from dialer.store.journal import rows
from dialer.store.rows.invariants import misplaced_subscriber
from dialer.store.tables import Agent, Subscriber

_KEEP: Final = KeyedBulk(
    update(Agent)
    .where(Agent.id == bindparam("agent_id"))
    .values(preview=bindparam("new_preview"), preview_order=literal_column("''")),
    ("new_preview", "agent_id"),
)
_PLACE: Final = KeyedBulk(
    update(Agent).where(Agent.id == bindparam("agent_id")).values(placed_call_id=bindparam("new_call")),
    ("new_call", "agent_id"),
)


class PreviewRows:
    """The previews of agents that wait to be written, each in its latest state."""

    def __init__(self) -> None:
        self._agents: dict[int, str] = {}
        self._placed: dict[int, int] = {}
        """The last call that each agent has placed."""

    def keep(self, effect: agent_effects.KeepPreview) -> None:
        """Record the person that an agent sees before a call, or that the agent sees nobody."""
        document = "" if effect.preview is None else msgspec.json.encode(effect.preview).decode()
        self._agents[effect.agent_id] = document
        if effect.preview is not None and effect.preview.call_id is not None:
            self._placed[effect.agent_id] = effect.preview.call_id

    def write(self, connection: Connection) -> None:
        """Write the recorded previews."""
        _KEEP.run(connection, [(document, agent_id) for agent_id, document in self._agents.items()])
        _PLACE.run(connection, [(call_id, agent_id) for agent_id, call_id in self._placed.items()])
        self._agents, self._placed = {}, {}


def put_back(connection: Connection, effect: campaign_effects.PutBack, now_ms: int) -> None:
    """Write the state of a subscriber who was not called at their turn.

    Raises:
        BrokenInvariantError: the subscriber did not wait for a call.
    """
    callee = effect.subscriber
    waits = (Subscriber.id == callee.id, Subscriber.status == SubscriberStatus.PENDING)
    values = {"status": effect.status, "status_reason": effect.reason, "due_ms": effect.at_ms}
    statement = update(Subscriber).where(*waits).values(**values, skip_count=callee.skips, updated_date=now_ms)
    if not connection.execute(statement).rowcount:
        row = rows.RefusalRow(int(effect.status), effect.reason, effect.at_ms, now_ms, callee.id)
        raise misplaced_subscriber(connection, [rows.refused(row)])
