"""The reasons that agents may give for a break: those of the queues to which they are assigned."""

from typing import Final

from sqlalchemy import Connection, bindparam, select

from dialer.app.work.errors import InvalidFieldsError
from dialer.domain.words.phrases import read_phrases
from dialer.domain.words.sentences import Sentence
from dialer.store.tables import Queue, Tier

_REASONS: Final = (
    select(Queue.break_reasons)
    .join(Tier, Tier.queue_id == Queue.id)
    .where(Tier.agent_id == bindparam("agent"))
    .order_by(Queue.id)
)


def break_reasons_of(connection: Connection, agent_id: int) -> list[str]:
    """Return the reasons that an agent may give for a break, each once. None: the agent writes any reason, or none."""
    return read_phrases(",".join(connection.scalars(_REASONS, {"agent": agent_id})))


def check_break_reason(connection: Connection, agent_id: int, reason: str) -> None:
    """Check that the queues of an agent allow a reason for a break. A break without a reason is always allowed.

    Raises:
        InvalidFieldsError: the queues of the agent have other reasons.
    """
    reasons = break_reasons_of(connection, agent_id)
    if reason and reasons and reason not in reasons:
        message = Sentence(
            "%(reason)r is no reason of the agent's queues. Give one of these: %(reasons)s.",
            reason=reason,
            reasons=", ".join(reasons),
        )
        raise InvalidFieldsError({"break_reason": [message]})
