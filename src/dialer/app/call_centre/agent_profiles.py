"""Profiles of agents: what their last weeks say about how they answer, talk and rest, as parameters of a simulation."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean, quantiles
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, func, select

from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.work.unit import UnitOfWork
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.words.enums import AgentActivity, TransferStatus
from dialer.store.backends.expressions import in_order
from dialer.store.tables import Agent, AgentHour, CallRequest, Campaign, Transfer

CALLS_MIN: Final = 20
"""Calls from which on an agent is measured: with fewer, deciles tell little."""
CALLS_MAX: Final = 2_000
"""Calls of an agent that are read, the latest ones."""
AGENTS_MAX: Final = 1_000
"""Agents who are measured at once, by id."""
LENGTH_S_MAX: Final = 86_400
"""The longest time that parameters may have."""
_S: Final = 1_000
_PLACES: Final = 1
_CHANCE_PLACES: Final = 3


class Deciles(msgspec.Struct, frozen=True):
    """Measured lengths in seconds: the least, the nine deciles, and the most."""

    deciles: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean length in seconds."""
        return fmean((earlier + later) / 2 for earlier, later in pairwise(self.deciles))


class Mean(msgspec.Struct, frozen=True):
    """A mean duration in seconds, without a distribution."""

    mean: float


class MeasuredParameters(msgspec.Struct, frozen=True, omit_defaults=True):
    """The parameters of a simulated agent who behaves as measured; `dialer.sim.agent_profile` reads them."""

    answer: Deciles
    talk: Deciles
    missed: float = 0.0
    wrap_up: float | None = None
    breaks: float = 0.0
    break_length: Mean | None = None


class AgentProfile(msgspec.Struct, frozen=True):
    """The profile of an agent, and the number of calls that were measured."""

    agent: int
    name: str
    calls: int
    parameters: MeasuredParameters | None
    """None: the agent took too few calls."""


def measure_agents(connection: Connection, since_ms: int) -> list[AgentProfile]:
    """Return the profiles of all agents, from their calls and activities since a moment.

    Calls of tests of campaigns are left out: colleagues who try a campaign talk as no customer does.
    """
    rows = connection.execute(select(Agent.id, Agent.name, Agent.wrap_up_time).order_by(Agent.id).limit(AGENTS_MAX))
    activities = _activities(connection, since_ms)
    profiles = []
    for agent_id, name, wrap_up_s in rows:
        calls = _calls(connection, agent_id, since_ms)
        parameters = _parameters(calls, activities[agent_id], wrap_up_s) if len(calls) >= CALLS_MIN else None
        profiles.append(AgentProfile(agent_id, name, len(calls), parameters))
    return profiles


def save_profiles(unit: UnitOfWork, profiles: Sequence[AgentProfile]) -> int:
    """Let simulated calls find agents as they were measured, and return how many were. Real calls do not change."""
    measured = [one for one in profiles if one.parameters is not None]
    for one in measured:
        change_agent(unit, one.agent, {"parameters": msgspec.json.encode(one.parameters).decode()})
    return len(measured)


class _Taken(NamedTuple):
    """A call that an agent took: the time until the answer, and that of the talk."""

    answer_ms: int
    talk_ms: int


class _Spent(msgspec.Struct):
    """The time of an agent in one activity, and how often it began."""

    spent_ms: int = 0
    begun: int = 0
    missed: int = 0

    @property
    def mean_s(self) -> float:
        """The mean length in seconds."""
        return round(min(self.spent_ms / (self.begun or 1) / _S, LENGTH_S_MAX), _PLACES)


_Activities = Mapping[AgentActivity, _Spent]


def _activities(connection: Connection, since_ms: int) -> Mapping[int, _Activities]:
    found: defaultdict[int, defaultdict[AgentActivity, _Spent]] = defaultdict(lambda: defaultdict(_Spent))
    counted = (func.sum(AgentHour.spent_ms), func.sum(AgentHour.begun), func.sum(AgentHour.missed))
    query = select(AgentHour.agent_id, AgentHour.activity, *counted).where(AgentHour.hour >= since_ms // HOUR_MS)
    for agent_id, activity, *sums in connection.execute(query.group_by(AgentHour.agent_id, AgentHour.activity)):
        found[agent_id][AgentActivity(activity)] = _Spent(*map(int, sums))
    return found


def _calls(connection: Connection, agent_id: int, since_ms: int) -> list[_Taken]:
    tests = select(CallRequest.id).join(Campaign, Campaign.id == CallRequest.campaign_id)
    query = (
        select(
            Transfer.answered_ms - Transfer.started_ms,
            Transfer.ended_ms - Transfer.answered_ms,
        )
        .where(Transfer.agent_id == agent_id, Transfer.status == TransferStatus.OVER)
        .where(Transfer.answered_ms.is_not(None), Transfer.started_ms.is_not(None), Transfer.joined_ms >= since_ms)
        .where(Transfer.callrequest_id.not_in(tests.where(Campaign.trial_of_id.is_not(None))))
        .order_by(in_order(Transfer.id, is_descending=True))
        .limit(CALLS_MAX)
    )
    return [_Taken(answer_ms or 0, talk_ms or 0) for answer_ms, talk_ms in connection.execute(query)]


def _parameters(calls: Sequence[_Taken], activities: _Activities, wrap_up_s: int) -> MeasuredParameters:
    taken = len(calls)
    wrap_ups, breaks = activities[AgentActivity.WRAPPING_UP], activities[AgentActivity.ON_BREAK]
    missed = sum(spent.missed for spent in activities.values())
    wrap_up = wrap_ups.mean_s
    return MeasuredParameters(
        answer=Deciles(_deciles([call.answer_ms for call in calls])),
        talk=Deciles(_deciles([call.talk_ms for call in calls])),
        missed=round(missed / (missed + taken), _CHANCE_PLACES),
        wrap_up=wrap_up if wrap_ups.begun and abs(wrap_up - wrap_up_s) > 1 else None,
        breaks=round(min(1.0, breaks.begun / taken), _CHANCE_PLACES),
        break_length=Mean(breaks.mean_s) if breaks.begun else None,
    )


def _deciles(values_ms: Sequence[int]) -> tuple[float, ...]:
    kept = [min(max(0, value), LENGTH_S_MAX * _S) for value in values_ms]
    middle = quantiles(kept, n=10, method="inclusive")
    return tuple(round(value / _S, _PLACES) for value in (min(kept), *middle, max(kept)))
