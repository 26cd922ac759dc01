"""Call centre of any size, of which only one queue has something to do: what does an event of its agents cost?"""

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from dialer.carriers.engine_port import Milestone, Taken
from dialer.domain import events
from dialer.domain.billing.charge import Rate
from dialer.domain.engine.engine import Engine
from dialer.domain.enums import AgentStatus, CampaignStatus, Cause, DialMethod, SectionType
from dialer.domain.plans import (
    SIMULATED,
    VOICE,
    Call,
    CallOutcome,
    CampaignPlan,
    GatewayKey,
    GatewayPlan,
    LegOutcome,
    Subscriber,
    Transfer,
)
from dialer.domain.queueing.plans import AgentPlan, QueuePlan, TierPlan
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.runtime.kernel import Kernel
from dialer.sim.memory_store import MemoryStore

START_MS: Final = 1_795_168_800_000
DAY_MS: Final = 86_400_000
GATEWAY: Final = GatewayKey(VOICE, 1)
AGENTS_OF_A_QUEUE: Final = 10
CAMPAIGNS_OF_A_QUEUE: Final = 4
SUBSCRIBERS: Final = 30
BUSY_SUBSCRIBERS: Final = 5_000
"""Subscribers of each campaign of the queue that works."""
BUSY: Final = 1
"""The queue that works."""


class Size(NamedTuple):
    """Size of a call centre."""

    campaigns: int = 10
    agents: int = 10
    waiting: int = 0
    """Callers who wait in the queue that works."""


class SilentLine:
    """A carrier that places calls, of which only the benchmark knows what becomes."""

    def __init__(self) -> None:
        self.offers: dict[int, tuple[int, int]] = {}
        """The agent and the moment of the last offer of each call."""

    def open_gateway(self, gateway_id: GatewayKey, parameters: str) -> None:
        """Take any gateway."""

    def dial(self, call: Call) -> Milestone | None:
        """Place a call."""

    def take_up(self, call: Call, done_until_ms: int) -> Taken:
        """Take up a call."""
        return Taken(events.CallRestored(call), None)

    def proceed(self, call_id: int) -> Milestone | None:
        """Return that nothing is known."""

    def wait(self, call_id: int) -> Milestone | None:
        """Return that nothing is known."""

    def offer(self, call: Call, agent: AgentPlan, offered_ms: int, dialled: str) -> int | None:  # noqa: ARG002 - the port's
        """Note the offer."""
        self.offers[call.id] = (agent.id, offered_ms)

    def withdraw(self, call_id: int, agent_id: int) -> None:
        """Stop an offer."""

    def connect(self, call_id: int, transfer: Transfer, dialled: str = "") -> Milestone | None:
        """Connect a call."""

    def dial_leg(self, call_id: int, place: int) -> None:
        """Dial a leg."""

    def resume(self, call_id: int, now_ms: int) -> Milestone | None:
        """Go on with a call."""

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
        store = MemoryStore()
        self._kernel: Final = Kernel(self._engine, self._line, store, now_ms=START_MS)
        self._talks: list[int] = []
        self._callers = 0
        tell = self._kernel.apply
        tell(events.AccountOpened(1, 10**12, 0, Rate(0)))
        tell(events.GatewayOpened(GatewayPlan(GATEWAY, protocol=SIMULATED)))
        for agent_id in range(1, size.agents + 1):
            tell(events.AgentOpened(AgentPlan(agent_id, 1, AgentStatus.AVAILABLE, wrap_up_ms=1_000)))
        queues = max(-(-size.agents // AGENTS_OF_A_QUEUE), -(-size.campaigns // CAMPAIGNS_OF_A_QUEUE))
        for queue_id in range(1, queues + 1):
            first = (queue_id - 1) * AGENTS_OF_A_QUEUE + 1
            last = min(first + AGENTS_OF_A_QUEUE, size.agents + 1)
            tell(events.QueueOpened(QueuePlan(queue_id, tiers=tuple(map(TierPlan, range(first, last))))))
        flows = [flow_to(queue_id) for queue_id in range(1, queues + 1)]
        self._plans: Final = []
        first_id = 1
        for place in range(size.campaigns):
            flow = flows[place // CAMPAIGNS_OF_A_QUEUE % queues]
            plan = CampaignPlan(
                place + 1, 1, GATEWAY, flow, START_MS, START_MS + DAY_MS, dial_method=DialMethod.PREDICTIVE
            )
            many = BUSY_SUBSCRIBERS if flow is flows[0] else SUBSCRIBERS
            people = [Subscriber(number, f"+1202555{number:07d}", "UTC") for number in range(first_id, first_id + many)]
            first_id += many
            store.add_campaign(plan.id, people, ())
            self._plans.append(plan)
        for plan in self._plans:
            tell(events.CampaignOpened(plan, CampaignStatus.START, 0, store.zones(plan.id)))
        self._kernel.run(START_MS + 1)
        self._wait_for_agents(size.waiting)

    def _after(self, milliseconds: int) -> int:
        now_ms = self._kernel.now_ms + milliseconds
        self._kernel.run(now_ms)
        return now_ms

    def _wait_for_agents(self, waiting: int) -> None:
        """Let all agents of the queue talk, and others wait."""
        if waiting:
            for _ in range(AGENTS_OF_A_QUEUE + waiting):
                self.caller_joins()
            for call_id in list(self._line.offers):
                self._agent_answers(call_id)

    def caller_joins(self) -> None:
        """Let one more call reach the queue."""
        self._callers += 1
        now_ms, plan = self._kernel.now_ms, self._plans[0]
        person = Subscriber(10**9 + self._callers, f"+1202666{self._callers:07d}", "UTC", attempts=1)
        call = Call(self._callers, f"call {self._callers}", plan, person, 1, now_ms, 45_000, 10**8, 0, Rate(0))
        self._kernel.apply(events.CallRestored(call, now_ms))
        self._kernel.apply(events.TransferReached(call.id, 1, BUSY, "", now_ms))

    def _agent_answers(self, call_id: int) -> None:
        self._kernel.apply(events.AgentAnswered(call_id, *self._line.offers.pop(call_id)))
        self._talks.append(call_id)

    def talk_ends(self) -> int:
        """End the longest talk. Return the number of events."""
        call_id, now_ms = self._talks.pop(0), self._after(700)
        answered_ms = now_ms - 500
        self._kernel.apply(
            events.LegEnded(call_id, LegOutcome(now_ms, Cause.NORMAL_CLEARING, answered_ms, is_connected=True))
        )
        outcome = CallOutcome(now_ms, Cause.NORMAL_CLEARING, answered_ms, is_completed=True)
        self._kernel.apply(events.CallEnded(call_id, outcome))
        return 2

    def serve_one_of_many(self) -> int:
        """Let one more call wait, an agent finish a talk, and take the first call of the queue. Return the events."""
        self.caller_joins()
        done = self.talk_ends()
        self._after(1_000)
        for call_id in list(self._line.offers):
            self._agent_answers(call_id)
        return done + 3

    def serve_one(self) -> int:
        """Let a callee answer, reach the queue and talk to an agent until the next one is dialled.

        Return the number of events.
        """
        campaigns = self._engine.engine_state.campaigns
        campaign = next(campaigns[plan.id] for plan in self._plans if campaigns[plan.id].dialling)
        call_id, now_ms = next(iter(campaign.dialling)), self._after(1_000)
        self._kernel.apply(events.CallAnswered(call_id, now_ms, is_live=True))
        self._kernel.apply(events.TransferReached(call_id, 1, BUSY, "", now_ms))
        self._after(1_000)
        self._agent_answers(call_id)
        done = self.talk_ends()
        self._after(1_000)
        return done + 4
