"""The agents in a forecast: how long callers wait, and how busy agents are, beside what Erlang C says of the load."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final, NamedTuple

import msgspec

from dialer.domain.calls import agent_events
from dialer.domain.calls.call_effects import FinishLeg
from dialer.domain.calls.plans import Transfer
from dialer.domain.figures.statistics import percent
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.queueing.erlang_c import mean_wait_ms, share_within
from dialer.domain.queueing.plans import QueuePlan
from dialer.domain.queueing.skills import skills_of
from dialer.domain.words.described import described
from dialer.domain.words.enums import TransferStatus
from dialer.forecast.spreads import CountSpread, PercentSpread, SecondsSpread, counts, percents, seconds

IN_TIME_MS: Final = 20_000
"""The wait up to which a call counts as taken in time. Call centres promise "80 % within 20 seconds"."""
_PLACES: Final = 2
_S: Final = 1_000


class QueueCounters(NamedTuple):
    """The calls of a run that reached a queue, and the work of its agents."""

    agents: int = 0
    """Agents of the campaign's queues on duty when the run began."""
    queued: int = 0
    served: int = 0
    in_time: int = 0
    """Calls that an agent took within `IN_TIME_MS`."""
    waited_ms: int = 0
    """The waits of the calls that were served."""
    busy_ms: int = 0
    """Talks and wrap-up times."""
    dialled_ms: int = 0
    """Time with a call in progress."""


class QueueTally:
    """The counters of a run that grows, for the agents on duty."""

    def __init__(self, agents: Iterable[agent_events.AgentOpened], queues: Iterable[QueuePlan]) -> None:
        """Take all agents, and the queues that the campaign's calls can reach."""
        on_duty = {agent.plan.id: agent.plan for agent in agents if agent.plan.status in TAKES_CALLS}
        self._wrap_ups_ms: Final = {agent_id: plan.wrap_up_ms for agent_id, plan in on_duty.items()}
        serving = {
            tier.agent_id
            for queue in queues
            for tier in queue.tiers
            if tier.agent_id in on_duty and skills_of(queue.skills) <= skills_of(on_duty[tier.agent_id].skills)
        }
        self._agents: Final = len(serving)
        self._queued = self._served = self._in_time = self._waited_ms = self._busy_ms = 0

    def transfer_kept(self, transfer: Transfer) -> None:
        """Count a transfer to a queue once it is over."""
        if transfer.status is not TransferStatus.OVER or not transfer.has_queued:
            return
        self._queued += 1
        if transfer.answered_ms is not None:
            wait_ms = transfer.answered_ms - transfer.joined_ms
            self._served += 1
            self._waited_ms += wait_ms
            self._in_time += wait_ms <= IN_TIME_MS

    def leg_finished(self, effect: FinishLeg) -> None:
        """Count the talk of an agent, with the wrap-up time that follows it."""
        transfer, outcome = effect.transfer, effect.outcome
        if transfer.has_queued and outcome.answered_ms is not None:
            talk_ms = outcome.ended_ms - outcome.answered_ms
            wrap_up_ms = outcome.wrap_up_ms
            self._busy_ms += talk_ms
            self._busy_ms += self._wrap_ups_ms.get(transfer.agent_id or 0, 0) if wrap_up_ms is None else wrap_up_ms

    def counters(self, dialled_ms: int) -> QueueCounters:
        """Return the counters, with the time in which calls were in progress."""
        return QueueCounters(
            self._agents,
            self._queued,
            self._served,
            self._in_time,
            self._waited_ms,
            self._busy_ms,
            dialled_ms,
        )


class ErlangForecast(msgspec.Struct, frozen=True):
    """Waits by the formula Erlang C, from the mean load of the runs."""

    erlangs: Annotated[float, described("The load: the calls that arrive while one is handled.", 6.4)]
    mean_wait: Annotated[
        float | None,
        described("The mean wait in seconds. Null if the load is too much for the agents: the line would grow.", 4.1),
    ]
    taken_in_time_percent: Annotated[float, described("Percentage of the calls taken within 20 seconds.", 91.5)]


_PERCENTS: Final = {"p10": 81.0, "p50": 88.5, "p90": 93.0}
_ERLANG_C: Final = {"erlangs": 6.4, "mean_wait": 4.1, "taken_in_time_percent": 91.5}
QUEUES_EXAMPLE: Final = {
    "agents": 12,
    "queued": {"p10": 590, "p50": 640, "p90": 700},
    "mean_wait": {"p10": 1.2, "p50": 2.9, "p90": 7.3},
    "taken_in_time_percent": _PERCENTS,
    "busy_percent": _PERCENTS,
    "erlang_c": _ERLANG_C,
}
"""An example for the API document."""


class QueueForecast(msgspec.Struct, frozen=True):
    """The likely waits of callers for an agent, and the likely work of the agents."""

    agents: Annotated[int, described("Agents of the campaign's queues who take calls when the forecast begins.", 12)]
    queued: Annotated[CountSpread, described("Calls that reach a queue, those that come in included.")]
    mean_wait: Annotated[SecondsSpread, described("The mean wait of the calls that an agent takes, in seconds.")]
    taken_in_time_percent: Annotated[
        PercentSpread, described("Percentage of the queued calls that an agent takes within 20 seconds.")
    ]
    busy_percent: Annotated[
        PercentSpread,
        described("Percentage of the agents' time with a call or wrap-up time, while the campaign has calls."),
    ]
    erlang_c: Annotated[
        ErlangForecast | None,
        described(
            "The waits by the formula Erlang C under the same load. Null if no call is served.",
            _ERLANG_C,
        ),
    ]


def queue_forecast(runs: Sequence[QueueCounters]) -> QueueForecast | None:
    """Return the figures of agents and queues; None if no run led a call to a queue, and there are no agents."""
    if not any(run.queued or run.agents for run in runs):
        return None
    return QueueForecast(
        agents=runs[0].agents,
        queued=counts([run.queued for run in runs]),
        mean_wait=seconds([round(run.waited_ms / (run.served or 1) / _S, _PLACES) for run in runs]),
        taken_in_time_percent=percents([_percent(run.in_time, run.queued) for run in runs]),
        busy_percent=percents([_busy(run) for run in runs]),
        erlang_c=_erlang(runs),
    )


def _percent(part: int, whole: int) -> float:
    return percent(part, whole, _PLACES) or 0.0


def _busy(run: QueueCounters) -> float:
    """Return the share of the agents' time in which they were busy, which may go on after the last dial."""
    whole = run.agents * run.dialled_ms
    return _percent(min(run.busy_ms, whole), whole)


def _erlang(runs: Sequence[QueueCounters]) -> ErlangForecast | None:
    served, queued = sum(run.served for run in runs), sum(run.queued for run in runs)
    dialled_ms = sum(run.dialled_ms for run in runs)
    if not served or not dialled_ms:
        return None
    agents, handling_ms = runs[0].agents, sum(run.busy_ms for run in runs) / served
    erlangs = queued * handling_ms / dialled_ms
    wait_ms = mean_wait_ms(agents, erlangs, handling_ms)
    return ErlangForecast(
        erlangs=round(erlangs, _PLACES),
        mean_wait=None if wait_ms is None else round(wait_ms / _S, _PLACES),
        taken_in_time_percent=round(100 * share_within(agents, erlangs, handling_ms, IN_TIME_MS), _PLACES),
    )
