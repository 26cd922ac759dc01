"""People of a campaign whom no agent can serve, because a queue needs a skill that none of its agents has."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection, Select, select

from dialer.app.campaigns.line_check import named_queue
from dialer.domain.messages.templates import variable
from dialer.domain.queueing.skills import SkillSet, needed_by, skills_of
from dialer.domain.rules.unserved_skills import UnservedSkills
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Survey
from dialer.store.tables import Agent, Contact, Queue, Subscriber, Tier

PEOPLE_READ_MAX: Final = 10_000
"""People whose skills are looked at, of the contacts first."""
NEEDS_NAMED_MAX: Final = 3
"""Skills that are named for a queue: those of the most people."""


def unserved_skills(
    connection: Connection, campaign_id: int, phonebooks: list[int], survey: Survey
) -> Iterator[UnservedSkills]:
    """Yield what queues need that none of their agents can do. Queues without agents are left out."""
    sections = {
        section.queue_id: section.id
        for section in reversed(survey.sections)
        if definition_of(section).transfers and section.queue_id is not None
    }
    if not sections:
        return
    query = select(Queue.id, Queue.skills, Queue.skill_field).where(Queue.id.in_(sections))
    picky = query.where((Queue.skills != "") | (Queue.skill_field != ""))
    for queue_id, skills, skill_field in connection.execute(picky.order_by(Queue.id)):
        agents = _skills_of_agents(connection, queue_id)
        able = [known for known in agents if skills_of(skills) <= known]
        place = sections[queue_id], named_queue(connection, queue_id)
        if agents and not able:
            yield UnservedSkills(*place, skills)
        elif agents and skill_field:
            people = _needs(connection, campaign_id, phonebooks, skill_field)
            unserved = {
                text: count for text, count in people.items() if not any(skills_of(text) <= one for one in able)
            }
            for text, count in Counter(unserved).most_common(NEEDS_NAMED_MAX):
                yield UnservedSkills(*place, text, count)


def _skills_of_agents(connection: Connection, queue_id: int) -> list[SkillSet]:
    query = select(Agent.skills).join(Tier, Tier.agent_id == Agent.id).where(Tier.queue_id == queue_id)
    return list(map(skills_of, connection.scalars(query)))


def _needs(connection: Connection, campaign_id: int, phonebooks: list[int], skill_field: str) -> dict[str, int]:
    """Return how many people need which skills, each written as somebody has written them."""
    queries: tuple[Select[str], ...] = (
        select(Contact.additional_vars).where(Contact.phonebook_id.in_(phonebooks)).order_by(Contact.id),
        select(Subscriber.additional_vars).where(Subscriber.campaign_id == campaign_id).order_by(Subscriber.id),
    )
    for query in queries:
        spellings: dict[SkillSet, str] = {}
        people: defaultdict[str, int] = defaultdict(int)
        for document in connection.scalars(query.limit(PEOPLE_READ_MAX)):
            if needed := needed_by(document, skill_field):
                people[spellings.setdefault(needed, variable(document, skill_field))] += 1
        if people:
            return people
    return {}
