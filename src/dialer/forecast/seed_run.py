"""A run of a campaign to its end under one seed, and its outcome.

The engine, the kernel and the simulated carrier are those of the service. Only the store differs: nothing is written,
as nobody reads the calls of a run.
"""

import traceback
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from typing import Final, NamedTuple

import msgspec

from dialer.domain.calls import agent_events, call_events, campaign_events, events, text_events
from dialer.domain.calls.plans import GatewayPlan
from dialer.domain.engine.engine import Engine
from dialer.domain.forecast.rehearsed_rules import RuleCost
from dialer.forecast.queue_figures import QueueCounters
from dialer.forecast.run_store import Counters, RunStore, Stop
from dialer.forecast.stage import ForecastStage, Opening
from dialer.runtime.lines.line_reports import STARTING, LineSettings
from dialer.runtime.steps.kernel import Kernel
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.queries.readable_rows import UNREADABLE as UNREADABLE_ERRORS
from dialer.store.queries.survey_results import ANSWERS_MAX

LAST_CALLS_MS: Final = 2 * 86_400_000
"""Time after the end of a campaign in which its last calls end: a call lasts a day at most."""
HOURS_MAX: Final = 168
"""Hours with calls of which a run is told: those of a week of dialling around the clock."""
UNREADABLE: Final = "unreadable"
"""The stop reason of a campaign whose rows the engine cannot read: it does not dial, and it does not stop."""
FAILURE_CHARACTERS_MAX: Final = 4_000


class HourCounters(NamedTuple):
    """Calls, or text messages, that were dialled in one hour, and their price in integers of 1e-5."""

    hour: int
    """Number of the hour since the epoch."""
    calls: int
    cost: int


class SeedRun(NamedTuple):
    """The outcome of a campaign under one seed, from the moment of the forecast on."""

    seed: int
    stop: Stop
    subscribers: int
    counters: Counters
    calls_in_progress_peak: int
    digest: str
    answers: Counter[tuple[int, str]]
    """The number of times each answer was given, by section and answer. Only the most frequent answers are counted."""
    answered_sections: Counter[int]
    """The number of answers, by section."""
    hours: Sequence[HourCounters]
    """The counters of each hour with calls, the first ones only if there are more than `HOURS_MAX`."""
    queues: QueueCounters = QueueCounters()
    held: tuple[RuleCost, ...] = ()
    """The costs of contact rules, of each that has held somebody back."""
    failure: str = ""
    """The error of an engine that could not go on, with its origin."""


def run_seed(stage: ForecastStage, seed: int) -> SeedRun:
    """Run a campaign under a seed to its end, and return the outcome. The stage does not change."""
    store, failure = RunStore(stage), ""
    try:
        stop = _run(stage, store, seed)
    except Exception:  # noqa: BLE001 - as in the service, a campaign that the engine cannot handle makes no more calls
        stop, failure = Stop(stage.expires_ms, UNREADABLE), traceback.format_exc()[-FAILURE_CHARACTERS_MAX:]
    totals: Counter[int] = Counter()
    for (section_id, _), count in store.answers.items():
        totals[section_id] += count
    peak, dialled_ms = _peak(store.starts, store.ends, stage.now_ms)
    return SeedRun(
        seed=seed,
        stop=stop,
        subscribers=stage.subscribers,
        counters=store.counters,
        calls_in_progress_peak=peak,
        digest=store.digest.hexdigest(),
        answers=_most_frequent(store.answers),
        answered_sections=totals,
        hours=[HourCounters(hour, *store.hours[hour]) for hour in sorted(store.hours)[:HOURS_MAX]],
        queues=store.queues.counters(dialled_ms),
        held=store.held,
        failure=failure,
    )


def _run(stage: ForecastStage, store: RunStore, seed: int) -> Stop:
    """Run the campaign until its last call is over, and return its first stop.

    A campaign that stops for want of money also expires later, so later stops do not count.
    """
    kernel = _opened(stage, store, seed)
    stop: Stop | None = None
    expires_ms = stage.expires_ms
    for until_ms in (stage.now_ms, expires_ms - 1, expires_ms, expires_ms + LAST_CALLS_MS):
        kernel.run(max(until_ms, stage.now_ms))
        stop = stop or store.stop
    return stop or Stop(expires_ms, UNREADABLE)


def _as_rehearsed(opened: agent_events.AgentOpened) -> agent_events.AgentOpened:
    """Return an agent who sees nobody, and owes no outcome: the agents of a forecast look at persons anew."""
    plan = msgspec.structs.replace(opened.plan, preview="", preview_order="")
    figures = opened.figures and msgspec.structs.replace(opened.figures, outcome_call_id=0)
    return msgspec.structs.replace(opened, plan=plan, figures=figures)


def _without_outcome(opened: agent_events.QueueOpened) -> agent_events.QueueOpened:
    """Return a queue whose agents say no outcomes: nobody does in a forecast."""
    return msgspec.structs.replace(opened, plan=msgspec.structs.replace(opened.plan, outcome_required=False))


def _opened(stage: ForecastStage, store: RunStore, seed: int) -> Kernel:
    """Return a kernel at the moment of the forecast. It is told what a worker tells its own at a start."""
    engine = Engine(seed=seed, first_call_id=stage.first_call_id)
    carrier = SimulatedCarrier(seed, stage.past_seed(seed), is_rehearsal=True)
    kernel = Kernel(engine, carrier, store, now_ms=stage.now_ms)
    world = stage.world
    for account in world.accounts:
        kernel.apply(account)
    lost = _open_gateways(stage, kernel, carrier)
    agents, queues = map(_as_rehearsed, world.agents), map(_without_outcome, world.queues)
    on_floor: list[events.Event] = [*agents, *queues, *world.dids]
    for event in on_floor:
        kernel.apply(event)
    _take_up(stage, kernel, carrier, seed)
    for campaign in world.campaigns:
        figures = deepcopy(campaign.figures)  # The engine changes it.
        kernel.apply(msgspec.structs.replace(campaign, figures=figures, zones=stage.openings[0].zones))
    for plan in world.over:
        kernel.apply(campaign_events.CampaignRenewed(plan))
    for line in lost:
        kernel.apply(line)
    for opening in stage.openings[1:]:
        kernel.run(stage.now_ms)
        _open_again(stage, kernel, engine, store, opening)
    return kernel


def _open_gateways(stage: ForecastStage, kernel: Kernel, carrier: SimulatedCarrier) -> list[call_events.LineLost]:
    """Open the gateways; return that those are lost whose callees cannot be read."""
    lost = []
    for opened in stage.world.gateways:
        settings = LineSettings(opened.plan.protocol, stage.world.parameters[opened.plan.id])
        try:
            carrier.open_gateway(opened.plan.id, settings.simulated())
        except UNREADABLE_ERRORS:
            lost.append(call_events.LineLost(opened.plan.id, STARTING))
        kernel.apply(opened)
    return lost


def _take_up(stage: ForecastStage, kernel: Kernel, carrier: SimulatedCarrier, seed: int) -> None:
    """Restore what is in progress, and what is expected."""
    for due_ms, arrived in stage.call_backs:
        caller = msgspec.structs.replace(arrived.subscriber)
        kernel.expect_call_back(due_ms, msgspec.structs.replace(arrived, subscriber=caller))
    opened = set(stage.world.parameters)
    for call in stage.attempts_of_seed(seed):
        if call.plan.gateway_id not in opened:
            # The call was placed over a gateway that was deleted since. It still needs a gateway to end.
            opened.add(call.plan.gateway_id)
            carrier.open_gateway(call.plan.gateway_id, "{}")
            kernel.apply(campaign_events.GatewayOpened(GatewayPlan(call.plan.gateway_id)))
        kernel.restore(call, stage.done_until_ms)
    for message in stage.waiting:
        own = msgspec.structs.replace(message, subscriber=msgspec.structs.replace(message.subscriber))
        kernel.apply(text_events.TextRestored(own))


def _open_again(stage: ForecastStage, kernel: Kernel, engine: Engine, store: RunStore, opening: Opening) -> None:
    """Open the campaign once more, as the worker does after it has collected another portion of contacts."""
    store.open_until(opening)
    state = engine.engine_state
    for opened in stage.world.accounts:
        account = state.accounts[opened.user_id]
        kernel.apply(msgspec.structs.replace(opened, balance=account.balance, held=account.held))
    for did in stage.world.dids:
        if did.plan is not None:
            kernel.apply(did)
    for campaign in stage.world.campaigns:
        now = state.campaigns[campaign.plan.id]
        kernel.apply(
            campaign_events.CampaignOpened(
                campaign.plan, now.status, now.next_dial_us, opening.zones, now.callerid_turns, figures=None
            )
        )


def _peak(starts: Sequence[int], ends: Sequence[int], now_ms: int) -> tuple[int, int]:
    """Return the most calls, or messages, in progress at once, and the time with at least one, in milliseconds.

    One that ends frees its place in that millisecond. A call that began before `now_ms` counts from then on.
    """
    ends = sorted(ends)
    peak = spent_ms = over = 0
    begun_ms = now_ms
    for before, start in enumerate(sorted(starts)):
        while over < len(ends) and ends[over] <= start:
            over += 1
        if over >= before:  # Nothing else is in progress.
            spent_ms += ends[before - 1] - begun_ms if before else 0
            begun_ms = max(start, now_ms)
        peak = max(peak, before + 1 - over)
    return peak, spent_ms + (ends[-1] - begun_ms if ends else 0)


def _most_frequent(answers: Counter[tuple[int, str]]) -> Counter[tuple[int, str]]:
    """Return the counts of the most frequent answers to each section, at most `ANSWERS_MAX` of each."""
    kept: Counter[tuple[int, str]] = Counter()
    listed: Counter[int] = Counter()
    for key, count in sorted(answers.items(), key=lambda answer: (-answer[1], answer[0])):
        if listed[key[0]] < ANSWERS_MAX:
            listed[key[0]] += 1
            kept[key] = count
    return kept
