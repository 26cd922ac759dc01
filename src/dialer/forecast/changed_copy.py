"""Trying settings on the copy of a campaign: each is changed, read, and taken back."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, insert, select, update

from dialer.app.campaigns.change import change_campaign
from dialer.app.campaigns.readiness import survey_of
from dialer.app.work.unit import UnitOfWork
from dialer.domain.survey.sections.table import queue_ids_of
from dialer.domain.words.enums import AgentStatus
from dialer.forecast.parameters import Order, TriedSetting
from dialer.forecast.stage import ForecastStage, read_stage_again
from dialer.store.queries.able_agents import able_agents
from dialer.store.tables import SMS, Agent, Campaign, Gateway, Queue, RateCardLine, Tier, User

_AVAILABLE = (AgentStatus.AVAILABLE, AgentStatus.AVAILABLE_ON_DEMAND)


def stage_of_setting(
    connection: Connection, order: Order, stage: ForecastStage, setting: TriedSetting
) -> ForecastStage:
    """Return the start of a forecast under a changed setting. The database is afterwards as before.

    Raises:
        InvalidFieldsError: the campaign may not have the setting.
    """
    with connection.begin_nested() as trial:
        _change(connection, order, setting)
        changed = read_stage_again(connection, order, stage, obey_calling_hours=setting.obey_calling_hours)
        trial.rollback()
    return changed


def _serving_agents(connection: Connection, queue_ids: Sequence[int]) -> list[RowMapping]:
    """Return the agents who may take calls of queues, in id order."""
    agents = select(Agent.__table__).where(Agent.id.in_(able_agents(connection, queue_ids))).order_by(Agent.id)
    return list(connection.execute(agents).mappings())


def _change(connection: Connection, order: Order, setting: TriedSetting) -> None:
    unit = UnitOfWork(connection=connection, now_ms=order.now_ms)
    change_campaign(unit, order.campaign_id, setting.columns)
    campaign = connection.execute(select(Campaign.__table__)).mappings().one()
    is_sms = campaign["medium"] == SMS
    gateway_id = campaign["sms_gateway_id"] if is_sms else campaign["aleg_gateway_id"]
    limits = {"max_channels": setting.channels, "max_cps": setting.calls_a_second}
    for name, limit in limits.items():
        if limit is not None:
            is_it = (Gateway.id == gateway_id, Gateway.medium == campaign["medium"])
            connection.execute(update(Gateway).where(*is_it).values({name: limit}))
    if setting.rate is not None:
        connection.execute(update(User).values({"sms_rate" if is_sms else "call_rate": setting.rate}))
        if not is_sms:
            connection.execute(update(RateCardLine).values(rate=setting.rate))
    if setting.agents is not None:
        _set_agents(connection, campaign, setting.agents, order.now_ms)


def _set_agents(connection: Connection, campaign: RowMapping, count: int, now_ms: int) -> None:
    """Make a number of agents available: the last ones leave, or copies of the first one come.

    A survey without queues has no use for them.
    """
    queue_ids = sorted(queue_ids_of(survey_of(connection, dict(campaign))[0]))
    serving = _serving_agents(connection, queue_ids)
    available = [agent for agent in serving if agent["status"] in _AVAILABLE]
    leaving = [agent["id"] for agent in available[count:]]
    connection.execute(update(Agent).where(Agent.id.in_(leaving)).values(status=AgentStatus.LOGGED_OUT))
    needed = ",".join(connection.scalars(select(Queue.skills).where(Queue.id.in_(queue_ids), Queue.skills != "")))
    agent = {"user_id": campaign["user_id"], "name": "", "parameters": "{}", "wrap_up_time": 0, "skills": needed}
    tiers: list[dict[str, Any]] = [{"queue_id": queue_id} for queue_id in queue_ids]
    for model in (*available, *serving)[:1]:
        agent = {name: model[name] for name in agent}
        of_model = select(Tier.queue_id, Tier.level, Tier.position).where(Tier.agent_id == model["id"])
        tiers = [dict(row) for row in connection.execute(of_model.order_by(Tier.id)).mappings()]
    stamps = {"created_date": now_ms, "updated_date": now_ms}
    for _ in range(count - len(available) if tiers else 0):
        row = {**agent, **stamps, "status": AgentStatus.AVAILABLE, "figures": ""}
        agent_id = connection.scalar(insert(Agent).values(row).returning(Agent.id))
        connection.execute(insert(Tier), [{**tier, **stamps, "agent_id": agent_id} for tier in tiers])
