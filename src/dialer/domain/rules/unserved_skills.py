"""Skills that calls of a queue need, and that none of its agents has."""

from typing import NamedTuple

from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.words.sentences import RecordName, Sentence


class UnservedSkills(NamedTuple):
    """Skills that calls of a queue need, and that no agent of the queue has."""

    section_id: int
    queue: RecordName
    skills: str
    people: int = 0
    """The people whose calls need them; 0 if all calls of the queue do."""


def without_skill(unserved: UnservedSkills) -> Finding:
    """Return the warning about skills that nobody has."""
    if unserved.people:
        message = Sentence(
            "%(people)s of the people need an agent with the skill %(skills)s, and no agent of queue %(queue)s has it."
            " A campaign that dials for agents does not call them. Give an agent the skill, or change the contacts.",
            people=unserved.people,
            skills=unserved.skills,
            queue=unserved.queue,
        )
    else:
        message = Sentence(
            "No agent of queue %(queue)s has the skills that its calls need: %(skills)s. Give them to an agent.",
            queue=unserved.queue,
            skills=unserved.skills,
        )
    return Finding(FindingLevel.WARNING, FindingCode.NO_SKILL, unserved.section_id, message)
