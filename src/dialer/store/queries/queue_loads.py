"""The calls of a queue in the past: how many joined it in each quarter of an hour, and for how long agents had them."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, case, func, literal_column, select

from dialer.domain.words.enums import AgentActivity, DialMethod
from dialer.store.queries.able_agents import able_agents
from dialer.store.queries.statistics import Hours
from dialer.store.tables import AgentHour, CallRequest, Campaign, Transfer

QUARTER_MS: Final = 900_000
"""Every time zone begins its half hours at one of these."""


class QuarterLoad(NamedTuple):
    """The calls that joined a queue in a quarter of an hour, and have left it."""

    quarter: int
    """Its number since the epoch."""
    calls: int
    taken: int
    """Those that an agent took. The next two are sums over them."""
    ring_ms: int
    """The ringing of the agents' telephones."""
    talk_ms: int


def quarters_of_queue(
    connection: Connection, queue_id: int, since_ms: int, until_ms: int, calls_max: int
) -> list[QuarterLoad] | None:
    """Return the calls that joined a queue in a time, by quarters; None if there are more than `calls_max`.

    Quarters without calls are left out, and so are tests of campaigns, which bring no agent any work to come.
    """
    tests = select(CallRequest.id).join(Campaign, Campaign.id == CallRequest.campaign_id)
    found = (
        select(Transfer.joined_ms, Transfer.started_ms, Transfer.answered_ms, Transfer.ended_ms)
        .where(Transfer.queue_id == queue_id, Transfer.ended_ms >= since_ms, Transfer.score_from_ms > 0)
        .where(Transfer.joined_ms >= since_ms, Transfer.joined_ms < until_ms)
        .where(Transfer.callrequest_id.not_in(tests.where(Campaign.trial_of_id.is_not(None))))
        .limit(calls_max + 1)
        .subquery()
    )
    one, is_taken = found.c, found.c.answered_ms.is_not(None)
    quarter = one.joined_ms // literal_column(str(QUARTER_MS))
    sums = (
        func.sum(case((is_taken, one.answered_ms - func.coalesce(one.started_ms, one.answered_ms)), else_=0)),
        func.sum(case((is_taken, one.ended_ms - one.answered_ms), else_=0)),
    )
    query = select(quarter, func.count(), func.count(one.answered_ms), *sums).group_by(quarter).order_by(quarter)
    rows = [QuarterLoad(*map(int, row)) for row in connection.execute(query)]
    return rows if sum(row.calls for row in rows) <= calls_max else None


def mean_wrap_up_ms(connection: Connection, queue_id: int, hours: Hours) -> float:
    """Return the mean wrap-up time after a call of the agents of a queue in some hours; 0 if they took no call."""
    is_talk, is_wrap_up = (
        AgentHour.activity == activity for activity in (AgentActivity.TALKING, AgentActivity.WRAPPING_UP)
    )
    sums = (
        func.coalesce(func.sum(case((is_talk, AgentHour.begun), else_=0)), 0),
        func.coalesce(func.sum(case((is_wrap_up, AgentHour.spent_ms), else_=0)), 0),
    )
    agents = able_agents(connection, [queue_id])
    query = select(*sums).where(
        AgentHour.agent_id.in_(agents), AgentHour.hour >= hours.first, AgentHour.hour < hours.end
    )
    talks, spent_ms = map(int, connection.execute(query).one())
    return spent_ms / talks if talks else 0.0


def was_dialled_for_agents(connection: Connection, queue_id: int, since_ms: int, until_ms: int) -> bool:
    """Return whether a campaign that dials for agents placed calls that joined a queue in a time, and have left it."""
    query = (
        select(Transfer.id)
        .join(CallRequest, CallRequest.id == Transfer.callrequest_id)
        .join(Campaign, Campaign.id == CallRequest.campaign_id)
        .where(Transfer.queue_id == queue_id, Transfer.ended_ms >= since_ms, Transfer.score_from_ms > 0)
        .where(Transfer.joined_ms >= since_ms, Transfer.joined_ms < until_ms)
        .where(CallRequest.attempt > 0, Campaign.dial_method != DialMethod.FIXED_RATE)
    )
    return connection.scalar(query.limit(1)) is not None
