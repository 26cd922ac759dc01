"""Skills in made-up services, in some seeds: agents have some, queues and people need some. Rule I22 is about them."""

import json
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection

from dialer.domain.queueing.skills import needed_by, skills_of
from dialer.domain.words.enums import TransferStatus
from tests.vopr.dice import Dice
from tests.vopr.snapshot import ask

Values = dict[str, Any]
SEEDS_WITH: Final = 20
"""Percentage of the seeds from `FIRST_SEED` on in which calls need skills. All other seeds are as they were before."""
FIRST_SEED: Final = 100
"""The worlds of most planted bugs, which are before, stay as they were."""
_OF_AGENTS: Final = ("", "French", "French, Loans", "Loans")
_OF_QUEUES: Final = ("", "", "loans")
_OF_PEOPLE: Final = ("", "", "French", "Basque")
"""The languages of people. No agent speaks Basque."""
_ASKED: Final = """
    SELECT t.id, t.agent_id, t.offers, a.id, a.skills, q.skills, q.skill_field, s.additional_vars FROM transfer t
    JOIN queue q ON q.id = t.queue_id JOIN agent a ON a.user_id = q.user_id
    JOIN callrequest r ON r.id = t.callrequest_id LEFT JOIN subscriber s ON s.id = r.subscriber_id
    WHERE t.status <> ? AND t.ended_ms IS NULL AND t.for_agent_id IS NULL AND s.promised_agent_id IS NULL
    AND (q.skills <> '' OR q.skill_field <> '') AND (t.agent_id IS NOT NULL OR t.offers <> '{}')"""
"""Calls that somebody takes or is asked to take, whom nobody has named, with all agents of the account."""


def has_skills(seed: int) -> bool:
    """Return whether calls need skills in a seed."""
    return seed >= FIRST_SEED and Dice(seed, "is there a need of skills").happens(SEEDS_WITH)


def draw_skills(seed: int, rows: dict[str, list[Values]]) -> None:
    """Let queues and people need skills that some agents have, in a seed that has skills."""
    if not has_skills(seed):
        return
    dice = Dice(seed, "skills")
    for agent in rows["agent"]:
        agent["skills"] = dice.pick(_OF_AGENTS)
    for queue in rows["queue"]:
        queue |= {"skills": dice.pick(_OF_QUEUES), "skill_field": dice.pick(("language", "language", ""))}
    for contact in rows["contact"]:
        language = dice.pick(_OF_PEOPLE)
        contact["additional_vars"] = json.dumps({"language": language}) if language else ""


def unskilled(connection: Connection) -> Iterator[str]:
    """Yield the agents who have a call, or are asked to take it, without the skills that it needs."""
    for transfer_id, taker_id, offers, agent_id, *skills in ask(connection, _ASKED, int(TransferStatus.OVER)):
        has_call = taker_id == agent_id or str(agent_id) in json.loads(offers)
        if has_call and not is_able(*skills):
            yield f"I22: agent {agent_id} has transfer {transfer_id} without the skills that it needs"


def is_able(of_agent: str, of_queue: str, skill_field: str, additional_vars: str | None) -> bool:
    """Return whether an agent has the skills that a call needs in a queue."""
    return skills_of(of_queue) | needed_by(additional_vars or "", skill_field) <= skills_of(of_agent)
