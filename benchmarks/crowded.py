"""Benchmark of an agent's event in call centres of several sizes: `python -m benchmarks.crowded [--quick]`.

In each size one queue with ten agents works, and four predictive campaigns dial for it. All other campaigns and
agents have queues of their own. The cost of an event is its processor time, and its number
of calls of Python functions.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from benchmarks.measure import Figure, print_row
from dialer.carriers.engine_port import Milestone, NoHandOver, Taken
from dialer.domain.billing.charge import Rate
from dialer.domain.calls import agent_events, call_events, campaign_events
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import (
    VOICE,
    Call,
    CallOutcome,
    CampaignPlan,
    GatewayKey,
    GatewayPlan,
    Subscriber,
    Transfer,
)
from dialer.domain.engine.engine import Engine
from dialer.domain.queueing.plans import AgentPlan, Preview, QueuePlan, Supervision, TierPlan
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import AgentStatus, CampaignStatus, Cause, ConsultationMode, DialMethod, SectionType
from dialer.runtime.steps.kernel import Kernel
from dialer.sim.simulation_store import SimulationStore

START_MS: Final = 1_795_168_800_000
DAY_MS: Final = 86_400_000
GATEWAY: Final = GatewayKey(VOICE, 1)
AGENTS_OF_A_QUEUE: Final = 10
CAMPAIGNS_OF_A_QUEUE: Final = 4
GROWTH_WANTED: Final = 1.2
SUBSCRIBERS: Final = 30
BUSY_SUBSCRIBERS: Final = 5_000
"""Subscribers of each campaign of the queue that works."""
BUSY: Final = 1
"""The queue that works."""
WARM_UP: Final = 15
ROUNDS: Final = 40
RUNS: Final = 7


class Size(NamedTuple):
    """Size of a call centre."""

    campaigns: int = 10
    agents: int = 10
    waiting: int = 0
    """Callers who wait in the queue that works."""


SIZES: Final = (
    *(Size(campaigns) for campaigns in (10, 100, 200, 1_000)),
    *(Size(agents=agents) for agents in (100, 500)),
    *(Size(waiting=waiting) for waiting in (10, 100, 1_000)),
    Size(200, 500, 1_000),
)


class SilentLine:
    """A carrier that places calls, of which only the benchmark knows what becomes."""

    def __init__(self) -> None:
        self.offers: dict[int, tuple[int, int]] = {}
        """The agent and the moment of the last offer of each call."""

    def open_gateway(self, gateway_id: GatewayKey, parameters: str) -> None:
        """Take any gateway."""

    def dial(self, call: Call) -> None:
        """Place a call."""

    def take_up(self, call: Call, done_until_ms: int) -> Taken:  # noqa: ARG002 - the port's
        """Take up a call."""
        return Taken(call_events.CallRestored(call), None)

    def proceed(self, call_id: int) -> Milestone | None:
        """Return that nothing is known."""

    def wait(self, call_id: int) -> Milestone | None:
        """Return that nothing is known."""

    def offer(self, call: Call, agent: AgentPlan, offered_ms: int, dialled: str) -> None:  # noqa: ARG002 - the port's
        """Note the offer."""
        self.offers[call.id] = (agent.id, offered_ms)

    def preview(self, gateway_id: GatewayKey, agent: AgentPlan, preview: Preview) -> None:
        """Wait for an order."""

    def withdraw(self, call_id: int, agent_id: int) -> None:
        """Stop an offer."""

    def connect(self, call_id: int, transfer: Transfer, dialled: str = "") -> Milestone | None:
        """Connect a call."""

    def dial_leg(self, call_id: int, place: int) -> None:
        """Dial a leg."""

    def tape(self, call_id: int) -> None:
        """Do nothing."""

    def resume(self, call_id: int, now_ms: int) -> Milestone | None:
        """Go on with a call."""

    def hold(self, call_id: int, *, is_held: bool) -> None:
        """Hold a call."""

    def supervise(self, call_id: int, agent_id: int, wanted: Supervision | None, dialled: str, now_ms: int) -> bool:  # noqa: ARG002 - the port's
        """Supervise no call."""
        return False

    def consult(self, call: Call, transfer: Transfer, dialled: str) -> list[Milestone]:  # noqa: ARG002 - the port's
        """Call nobody."""
        return []

    def talk_with(self, call_id: int, place: int, mode: ConsultationMode) -> None:
        """Let nobody talk."""

    def end_consultation(self, call_id: int, place: int, now_ms: int) -> LegOutcome | None:
        """End no consultation."""

    def hand_over(self, call_id: int, place: int, now_ms: int) -> tuple[LegOutcome, Milestone | None] | NoHandOver:  # noqa: ARG002 - the port's
        """Hand nobody over."""
        return NoHandOver.REFUSED

    def part(self, call_id: int, now_ms: int) -> LegOutcome:  # noqa: ARG002 - the port's
        """Part a call from its agent."""
        return LegOutcome(now_ms, Cause.NORMAL_CLEARING)

    def hang_up(self, call_id: int, now_ms: int) -> tuple[LegOutcome | None, CallOutcome] | None:
        """End a call."""

    def turn_away(self, gateway_id: GatewayKey, key: str, cause: Cause) -> None:
        """Refuse a call."""

    def forget(self, call_id: int) -> None:
        """Forget a call."""


def flow_to(queue_id: int) -> CallFlow:
    """Return a survey that transfers to a queue."""
    section = Section(1, SectionType.CALL_TRANSFER, "One moment", Prompt(audio_ms=1_000), queue_id=queue_id)
    return CallFlow(Survey((section,)))


class Centre:
    """An engine with many campaigns, agents and waiting calls. The agents of one queue take calls."""

    def __init__(self, size: Size) -> None:
        self._line: Final = SilentLine()
        self._engine: Final = Engine(seed=1, first_call_id=1_000_000)
        self._store: Final = SimulationStore()
        self._kernel: Final = Kernel(self._engine, self._line, self._store, now_ms=START_MS)
        self._talks: list[int] = []
        self._callers = 0
        queues = max(-(-size.agents // AGENTS_OF_A_QUEUE), -(-size.campaigns // CAMPAIGNS_OF_A_QUEUE))
        self._plans: Final = [
            CampaignPlan(
                place + 1,
                1,
                GATEWAY,
                flow_to(place // CAMPAIGNS_OF_A_QUEUE + 1),
                START_MS,
                START_MS + DAY_MS,
                dial_method=DialMethod.PREDICTIVE,
            )
            for place in range(size.campaigns)
        ]
        self._kernel.apply(campaign_events.AccountOpened(1, 10**12, 0, Rate(0)))
        self._kernel.apply(campaign_events.GatewayOpened(GatewayPlan(GATEWAY)))
        self._open_floor(size.agents, queues)
        self._open_campaigns()
        self._kernel.run(START_MS + 1)
        self.serve: Final = self._serve_one_of_many if size.waiting else self._serve_one
        """Function that lets an agent serve one more call, and returns the number of events."""
        if size.waiting:
            self._fill(size.waiting)

    def _open_floor(self, agents: int, queues: int) -> None:
        for agent_id in range(1, agents + 1):
            plan = AgentPlan(agent_id, 1, AgentStatus.AVAILABLE, wrap_up_ms=1_000)
            self._kernel.apply(agent_events.AgentOpened(plan))
        for queue_id in range(1, queues + 1):
            first = (queue_id - 1) * AGENTS_OF_A_QUEUE + 1
            tiers = tuple(map(TierPlan, range(first, min(first + AGENTS_OF_A_QUEUE, agents + 1))))
            self._kernel.apply(agent_events.QueueOpened(QueuePlan(queue_id, tiers=tiers)))

    def _open_campaigns(self) -> None:
        first_id = 1
        for plan in self._plans:
            last_id = first_id + (BUSY_SUBSCRIBERS if plan.id <= CAMPAIGNS_OF_A_QUEUE else SUBSCRIBERS)
            people = [Subscriber(number, f"+1202555{number:07d}", "UTC") for number in range(first_id, last_id)]
            first_id = last_id
            self._store.add_campaign(plan.id, people, ())
        for plan in self._plans:
            opened = campaign_events.CampaignOpened(plan, CampaignStatus.START, 0, self._store.zones(plan.id))
            self._kernel.apply(opened)

    def _after(self, milliseconds: int) -> int:
        now_ms = self._kernel.now_ms + milliseconds
        self._kernel.run(now_ms)
        return now_ms

    def _fill(self, waiting: int) -> None:
        """Let all agents of the queue talk, and others wait."""
        for _ in range(AGENTS_OF_A_QUEUE + waiting):
            self._caller_joins()
        for call_id in list(self._line.offers):
            self._agent_answers(call_id)

    def _caller_joins(self) -> None:
        self._callers += 1
        now_ms, plan = self._kernel.now_ms, self._plans[0]
        person = Subscriber(10**9 + self._callers, f"+1202666{self._callers:07d}", "UTC", attempts=1)
        call = Call(self._callers, f"call {self._callers}", plan, person, 1, now_ms, 45_000, 10**8, 0, Rate(0))
        self._kernel.apply(call_events.CallRestored(call, now_ms))
        self._kernel.apply(call_events.TransferReached(call.id, 1, BUSY, "", now_ms))

    def _agent_answers(self, call_id: int) -> None:
        self._kernel.apply(agent_events.AgentAnswered(call_id, *self._line.offers.pop(call_id)))
        self._talks.append(call_id)

    def _talk_ends(self) -> None:
        call_id, now_ms = self._talks.pop(0), self._after(700)
        leg = LegOutcome(now_ms, Cause.NORMAL_CLEARING, now_ms - 500, is_connected=True)
        self._kernel.apply(call_events.LegEnded(call_id, leg))
        outcome = CallOutcome(now_ms, Cause.NORMAL_CLEARING, now_ms - 500, is_completed=True)
        self._kernel.apply(call_events.CallEnded(call_id, outcome))

    def _serve_one_of_many(self) -> int:
        """Let one more call wait, and an agent finish a talk and take the first call of the queue."""
        self._caller_joins()
        self._talk_ends()
        self._after(1_000)  # The agent's wrap-up time ends.
        for call_id in list(self._line.offers):
            self._agent_answers(call_id)
        return 5

    def _serve_one(self) -> int:
        """Let a callee answer, reach the queue and talk to an agent, until the next one is dialled."""
        campaigns = [self._engine.engine_state.campaigns[plan.id] for plan in self._plans[:CAMPAIGNS_OF_A_QUEUE]]
        call_id, now_ms = next(call_id for campaign in campaigns for call_id in campaign.dialling), self._after(1_000)
        self._kernel.apply(call_events.CallAnswered(call_id, now_ms, is_live=True))
        self._kernel.apply(call_events.TransferReached(call_id, 1, BUSY, "", now_ms))
        self._after(1_000)
        self._agent_answers(call_id)
        self._talk_ends()
        self._after(1_000)  # The agent's wrap-up time ends.
        return 6


class Cost(NamedTuple):
    """The cost of an event."""

    functions: float
    """Calls of Python functions."""
    microseconds: float
    """The least processor time of several runs."""


def functions_of(work: Callable[[], int]) -> float:
    """Return the calls of Python functions for an event, without the first rounds, which build caches."""
    calls = 0

    def count(_frame: object, what: str, _argument: object) -> None:
        nonlocal calls
        calls += what == "call"

    for _ in range(WARM_UP):
        work()
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        happened = sum([work() for _ in range(ROUNDS)])
    finally:
        sys.setprofile(before)
    return calls / happened


def cost(size: Size) -> Cost:
    """Measure the cost of an event in a call centre of a size."""
    serve = Centre(size).serve
    functions = functions_of(serve)
    times_us = []
    for _ in range(RUNS):
        began_ns = time.process_time_ns()
        happened = sum([serve() for _ in range(ROUNDS)])
        times_us.append((time.process_time_ns() - began_ns) / 1_000 / happened)
    return Cost(functions, min(times_us))


def main() -> None:
    """Measure and print the results."""
    sizes = SIZES[:1] if "--quick" in sys.argv else SIZES
    costs = {size: cost(size) for size in sizes}
    sys.stderr.write("An event of an agent (campaigns, agents, waiting calls: Python calls, µs)\n")
    for size, found in costs.items():
        named = f"{size.campaigns:>7,} {size.agents:>7,} {size.waiting:>7,}"
        sys.stderr.write(f"  {named}  {found.functions:>8,.0f} {found.microseconds:>8,.0f}\n")
    rows = [size._asdict() | found._asdict() for size, found in costs.items()]
    sys.stdout.write(json.dumps({"title": "crowded", "events": rows}) + "\n")
    title, smallest = "calls of an agent's event", costs[sizes[0]]
    names = {size: f"{size.campaigns:,} campaigns, {size.agents:,} agents, {size.waiting:,} waiting" for size in sizes}
    print_row(Figure(title, names[sizes[0]], "", smallest.functions, unit="Python calls"))
    for size in sizes[1:]:
        ratio = costs[size].functions / smallest.functions
        print_row(Figure(title, names[size], "the first row", ratio, GROWTH_WANTED, at_most=True))


if __name__ == "__main__":
    main()
