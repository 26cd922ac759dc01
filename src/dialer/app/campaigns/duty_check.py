"""The check of a campaign that leads to queues: whether their agents are on duty."""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, func, select

from dialer.app.campaigns.line_check import named_queue
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.rules.nobody_on_duty import nobody_on_duty
from dialer.domain.survey.findings import Finding
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Survey
from dialer.domain.words.enums import DialMethod
from dialer.store.tables import Agent, Tier


def check_duty(connection: Connection, campaign: Mapping[str, Any], survey: Survey, now_ms: int) -> Iterator[Finding]:
    """Yield a warning for each queue that has agents, none of whom is on duty. None yet for a later start."""
    sections = {
        section.queue_id: section.id
        for section in reversed(survey.sections)
        if definition_of(section).transfers and section.queue_id is not None
    }
    if not sections or campaign["startingdate"] > now_ms:
        return
    on_duty = func.count().filter(Agent.status.in_(TAKES_CALLS)).label("agents")
    query = select(Tier.queue_id, on_duty).join(Agent, Agent.id == Tier.agent_id).where(Tier.queue_id.in_(sections))
    counts = {row.queue_id: row.agents for row in connection.execute(query.group_by(Tier.queue_id))}
    is_for_agents = campaign["dial_method"] != DialMethod.FIXED_RATE
    for queue_id in sorted(queue_id for queue_id, count in counts.items() if not count):
        queue = named_queue(connection, queue_id)
        yield nobody_on_duty(sections[queue_id], queue, is_nobody_dialled=is_for_agents and not any(counts.values()))
