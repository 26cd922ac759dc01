"""The agents of queues in files: each by name, with the level and the position in the queue."""

from typing import Final, NamedTuple

from sqlalchemy import select

from dialer.files.kinds import TIER, Wanted, file_fields, refuse_unknown
from dialer.files.nodes import FileError, FilePlace, Members, Node
from dialer.files.writing import RecordWriter
from dialer.store.tables import Tier

AGENTS_MAX: Final = 1_000
"""Agents of one queue in one file."""


class _TierWanted(NamedTuple):
    agent_id: int
    name: str
    given: Members
    place: FilePlace


def write_agents(writer: RecordWriter, queue_id: int, wanted: Wanted) -> list[str]:
    """Give a queue the agents of a file, take the others out of it, and return the changes as lines.

    Raises:
        FileError: an agent does not exist, is in the list twice, or has a wrong level or position.
    """
    if wanted.parts is None:
        return []
    tiers = [_read(writer, node) for node in wanted.parts.items(AGENTS_MAX)]
    rows = writer.unit.connection.execute(select(Tier.agent_id, Tier.id).where(Tier.queue_id == queue_id))
    stored = {row.agent_id: row.id for row in rows}
    lines: list[str] = []
    for place, one in enumerate(tiers):
        if one.agent_id in {other.agent_id for other in tiers[:place]}:
            raise FileError.at(one.place, f"the agent {one.name!r} is in the queue twice")
        known = stored.pop(one.agent_id, None)
        if known is None:
            writer.create(TIER, one.given, one.place, {"queue": queue_id, "agent": one.agent_id})
            lines.append(f"agent {one.name}: joins")
        else:
            changed = writer.change(TIER, one.given, one.place, known)
            lines += [f"agent {one.name}: {line}" for line in changed.lines]
    for agent_id, tier_id in stored.items():
        writer.delete(TIER, wanted.place, tier_id)
        lines.append(f"agent {writer.names.name_of('agent', agent_id)}: leaves")
    return lines


def _read(writer: RecordWriter, node: Node) -> _TierWanted:
    """Read the name of an agent, or an object with the name, the level and the position."""
    if isinstance(node.value, dict):
        members = dict(node.value)
        refuse_unknown(members, ("name", *file_fields(TIER)), "an agent of a queue")
        if "name" not in members:
            raise FileError.at(node.place, "an agent of a queue needs the field name")
        name = members.pop("name")
        return _TierWanted(writer.names.id_of("agent", name.text(), name.place), name.text(), members, node.place)
    return _TierWanted(writer.names.id_of("agent", node.text(), node.place), node.text(), {}, node.place)
