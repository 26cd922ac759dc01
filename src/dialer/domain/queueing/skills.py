"""Skills: what agents can do, and what calls need, such as a language.

A call needs the skills of its queue, and those that a value of its contact names. An agent needs all of them.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias
from unicodedata import normalize

from dialer.domain.messages.templates import variable
from dialer.domain.queueing.plans import QueuePlan
from dialer.domain.queueing.queue_state import QueueState
from dialer.domain.words.phrases import read_phrases

TEXTS_MAX: Final = 4_096
"""Texts with skills whose reading is kept."""
SkillSet: TypeAlias = frozenset[str]
NO_SKILLS: Final[SkillSet] = frozenset()
Needs: TypeAlias = tuple[tuple[int, SkillSet], ...]
"""The skills that a call needs in each of the queues to which it may come; empty if it needs none in any."""
CrewKey: TypeAlias = tuple[frozenset[int], SkillSet]
"""The queues that some agents serve, and the skills that they have."""


@lru_cache(maxsize=TEXTS_MAX)
def skills_of(text: str) -> SkillSet:
    """Return the skills of a text with commas between them.

    Large and small letters are the same, and so are two ways to write a letter in Unicode.
    """
    return frozenset(normalize("NFKC", normalize("NFKC", skill).casefold()) for skill in read_phrases(text))


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
        self.version = 0
        """The number of changes to `fields`."""
        self._needs: Final = lru_cache(maxsize=TEXTS_MAX)(self._read_needs)

    def read(self, plan: QueuePlan) -> Callable[[int], bool] | None:
        """Note what a queue needs, and return whether an agent has its skills; None if it needs none."""
        if plan.skill_field != self.fields.get(plan.id, ""):
            self.version += 1
            self._needs.cache_clear()
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
        return not needed or needed <= self.of(agent_id)

    def of(self, agent_id: int) -> SkillSet:
        """Return the skills of an agent."""
        return self._of.get(agent_id, NO_SKILLS)

    def needed(self, queue_id: int, additional_vars: str) -> SkillSet:
        """Return the skills that the call of a contact needs in a queue, beside those that all its calls need."""
        return needed_by(additional_vars, self.fields[queue_id]) if queue_id in self.fields else NO_SKILLS

    def needs_in(self, queue_ids: frozenset[int], additional_vars: str) -> Needs:
        """Return the skills that the call of a contact needs in each of these queues; empty if it needs none."""
        return self._needs(queue_ids, additional_vars) if self.fields and additional_vars else ()

    def _read_needs(self, queue_ids: frozenset[int], additional_vars: str) -> Needs:
        found = tuple((queue_id, self.needed(queue_id, additional_vars)) for queue_id in sorted(queue_ids))
        return found if any(needed for _, needed in found) else ()

    def able(self, needs: Needs, agent_ids: Iterable[int]) -> list[int]:
        """Return those agents who may take a call in one of the queues for which `needs` has the skills."""
        places = [(self._lines[queue_id].places, needed) for queue_id, needed in needs if queue_id in self._lines]
        return [
            agent_id
            for agent_id in agent_ids
            if any(agent_id in of_queue and self.has(agent_id, needed) for of_queue, needed in places)
        ]

    @staticmethod
    def able_crews(needs: Needs, crews: Iterable[CrewKey]) -> list[CrewKey]:
        """Return those crews whose agents may take a call in one of the queues for which `needs` has the skills."""
        return [crew for crew in crews if any(queue_id in crew[0] and needed <= crew[1] for queue_id, needed in needs)]
