"""Skills: what agents can do, and what calls need, such as a language.

A call needs the skills of its queue, and those that a value of its contact names. An agent needs all of them.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from dialer.domain.messages.templates import variable
from dialer.domain.queueing.plans import QueuePlan
from dialer.domain.queueing.queue_state import QueueState
from dialer.domain.words.phrases import read_phrases

TEXTS_MAX: Final = 4_096
"""Texts with skills whose reading is kept."""
SkillSet: TypeAlias = frozenset[str]
NO_SKILLS: Final[SkillSet] = frozenset()


@lru_cache(maxsize=TEXTS_MAX)
def skills_of(text: str) -> SkillSet:
    """Return the skills of a text with commas between them. Large and small letters are the same."""
    return frozenset(skill.casefold() for skill in read_phrases(text))


def needed_by(additional_vars: str, skill_field: str) -> SkillSet:
    """Return the skills that the contact's value named `skill_field` asks for; none if there is no such name."""
    return skills_of(variable(additional_vars, skill_field)) if skill_field and additional_vars else NO_SKILLS


class Skills:
    """The skills of the agents on one floor."""

    def __init__(self, lines: Mapping[int, QueueState]) -> None:
        self._lines: Final = lines
        self.fields: Final[dict[int, str]] = {}
        """The name of the contact's value with skills, of the queues that have one."""
        self._of: Final[dict[int, SkillSet]] = {}
        """The skills of the agents who have any."""

    def read(self, plan: QueuePlan) -> Callable[[int], bool] | None:
        """Note what a queue needs, and return whether an agent has its skills; None if it needs none."""
        self.fields.pop(plan.id, None)
        if plan.skill_field:
            self.fields[plan.id] = plan.skill_field
        needed = skills_of(plan.skills) if plan.skills else NO_SKILLS
        return (lambda agent_id: self.has(agent_id, needed)) if needed else None

    def learn(self, agent_id: int, text: str) -> bool:
        """Note the skills of an agent, and return whether they are others than before."""
        skills = skills_of(text) if text else NO_SKILLS
        before = self._of.pop(agent_id, NO_SKILLS)
        if skills:
            self._of[agent_id] = skills
        return skills != before

    def has(self, agent_id: int, needed: SkillSet) -> bool:
        """Return whether an agent has all these skills."""
        return not needed or needed <= self._of.get(agent_id, NO_SKILLS)

    def needed(self, queue_id: int, additional_vars: str) -> SkillSet:
        """Return the skills that the call of a contact needs in a queue, beside those that all its calls need."""
        return needed_by(additional_vars, self.fields[queue_id]) if queue_id in self.fields else NO_SKILLS

    def needed_in(self, queue_ids: Iterable[int], additional_vars: str) -> dict[int, SkillSet]:
        """Return the skills that the call of a contact needs in each of these queues; empty if it needs none."""
        found = {queue_id: self.needed(queue_id, additional_vars) for queue_id in queue_ids}
        return found if any(found.values()) else {}

    def able(self, needed: Mapping[int, SkillSet], agent_ids: Iterable[int]) -> list[int]:
        """Return those agents who may take the call in one of the queues for which `needed` has the skills."""
        places = [(self._lines[queue_id].places, skills) for queue_id, skills in needed.items()]
        return [
            agent_id
            for agent_id in agent_ids
            if any(agent_id in of_queue and self.has(agent_id, skills) for of_queue, skills in places)
        ]
