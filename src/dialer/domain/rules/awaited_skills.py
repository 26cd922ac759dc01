"""Skills for which people wait: those of the agents on duty, beside those that calls need."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from dialer.domain.queueing.skills import NO_SKILLS, SkillSet, needed_by
from dialer.domain.words.reasons import WaitsFor

AwaitedSkills: TypeAlias = Literal[WaitsFor.NO_SKILL, WaitsFor.NO_AGENT]


class QueueSkills(NamedTuple):
    """The skills that the calls of a queue need, and those of its agents."""

    needed: SkillSet = NO_SKILLS
    """The skills that all its calls need."""
    skill_field: str = ""
    """The name of the contact's value with further skills; empty for none."""
    on_duty: tuple[SkillSet, ...] = ()
    """The skills of each agent on duty, whether they have those of the queue or not."""
    idle: tuple[SkillSet, ...] = ()
    """The skills of those of them who are free."""

    def needed_by(self, additional_vars: str) -> SkillSet:
        """Return all skills that the call of a contact needs."""
        return self.needed | needed_by(additional_vars, self.skill_field)


def needs_skills(queue: QueueSkills) -> bool:
    """Return whether any call of a queue may need a skill."""
    return bool(queue.needed or queue.skill_field)


def has_idle(queue: QueueSkills) -> bool:
    """Return whether an agent is free who has the skills of a queue."""
    return has_any(queue.idle, queue.needed)


def lack_skills(queues: Iterable[QueueSkills]) -> bool:
    """Return whether agents of some queues are on duty, and none of them has the skills of a queue."""
    served = [queue for queue in queues if queue.on_duty]
    return bool(served) and not any(has_any(queue.on_duty, queue.needed) for queue in served)


def awaited_by(queues: Iterable[QueueSkills], additional_vars: str) -> AwaitedSkills | None:
    """Return what a person waits for: skills that nobody on duty has, or that nobody has who is free; None for nothing.

    The call of somebody who needs no skill waits for agents as the campaign does, and not for skills.
    """
    needs = [(queue, queue.needed_by(additional_vars)) for queue in queues]
    if not all(needed for _, needed in needs) or any(has_any(queue.idle, needed) for queue, needed in needs):
        return None
    is_served = any(has_any(queue.on_duty, needed) for queue, needed in needs)
    return WaitsFor.NO_AGENT if is_served else WaitsFor.NO_SKILL


def has_any(agents: Iterable[SkillSet], needed: SkillSet) -> bool:
    """Return whether one of some agents has all these skills."""
    return any(needed <= skills for skills in agents)
