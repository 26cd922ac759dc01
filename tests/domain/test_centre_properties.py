"""Property tests of several campaigns that transfer their callees to agents and to numbers."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, Final
from unittest.mock import patch

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.billing.charge import Rate
from dialer.domain.calls import agent_effects, call_effects, effects
from dialer.domain.calls.agent_events import AgentOpened, QueueOpened
from dialer.domain.calls.campaign_events import AccountOpened, CampaignOpened, GatewayOpened
from dialer.domain.calls.plans import CampaignPlan, GatewayKey, GatewayPlan
from dialer.domain.engine.agent_pacing import AgentPacing
from dialer.domain.engine.state import ACTIVE, OpenCampaign
from dialer.domain.queueing.plans import AgentPlan, QueuePlan, TierPlan
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import (
    AgentStatus,
    CampaignStatus,
    DialMethod,
    QueueStrategy,
    SectionType,
    TransferStatus,
)
from tests.domain.engine.test_engine_properties import story
from tests.domain.workers import DAY_MS, START_MS, Fleet, numbers, plan
from tests.gateways import FIRST, SECOND

HOUR_MS: Final = 3_600_000


def flow(*targets: int | str) -> CallFlow:
    """Return a survey of transfers to these queues and numbers, one after another."""
    last = len(targets) + 1
    sections = [
        Section(
            place,
            SectionType.CALL_TRANSFER,
            "One moment",
            Prompt(audio_ms=1_500),
            queue_id=target if isinstance(target, int) else None,
            phonenumber=target if isinstance(target, str) else "",
            confirm_key="5" if place > 1 else "",
            confirm_script="a call" if place > 1 else "",
            branches={"0": place + 1, "timeout": place + 1},
        )
        for place, target in enumerate(targets, 1)
    ]
    return CallFlow(
        Survey((*sections, Section(last, SectionType.HANG_UP, "Goodbye", Prompt(audio_ms=2_000), completed=True)))
    )


FLOWS: Final = (flow(1), flow(2), flow(1, 2), flow("+33199000002"), flow(1, "+33199000002"), flow("+33199000002", 2))
settings_of_a_campaign = st.fixed_dictionaries(
    {
        "flow": st.sampled_from(FLOWS),
        "frequency": st.integers(1, 600),
        "dial_method": st.sampled_from(DialMethod),
        "agent_dial_rate": st.sampled_from([0.3, 1.0, 2.5]),
        "strategy": st.sampled_from(["", "", "adapt_average", "adapt_tapered", "erlang"]),
        "max_aleg": st.sampled_from([0, 0, 1, 3]),
        "max_xfer": st.sampled_from([0, 0, 1, 2]),
        "ring_limit_ms": st.integers(1_000, 40_000),
        "callmaxduration_s": st.integers(1, 200),
        "maxretry": st.integers(0, 1),
        "intervalretry_ms": st.sampled_from([0, 1, 5_000, 600_000]),
        "carrier_maxretry": st.integers(0, 2),
        "abandoned_maxretry": st.integers(0, 2),
        "abandoned_intervalretry_ms": st.sampled_from([0, 1, 5_000, 600_000]),
        "amd": st.integers(0, 3),
        "expires_ms": st.sampled_from([START_MS + 100_000, START_MS + HOUR_MS, START_MS + DAY_MS]),
        "gateway_id": st.sampled_from([FIRST, FIRST, SECOND]),
    }
)
agents_of_a_centre = st.lists(
    st.tuples(
        st.sampled_from([AgentStatus.AVAILABLE, AgentStatus.AVAILABLE, AgentStatus.AVAILABLE_ON_DEMAND]),
        st.sampled_from([0, 1, 10_000]),
        st.sampled_from(["{}", '{"answer": [0, 3]}', '{"answer": [15, 30], "talk": [0, 90]}', '{"talk": 0}']),
    ),
    max_size=4,
)
queues_of_a_centre = st.tuples(
    *(
        st.fixed_dictionaries(
            {
                "strategy": st.sampled_from(QueueStrategy),
                "max_wait_ms": st.sampled_from([0, 1, 5_000, 60_000]),
                "max_wait_with_no_agent_ms": st.sampled_from([0, 5_000, 120_000]),
                "tier_rules_apply": st.booleans(),
                "tier_rule_wait_ms": st.sampled_from([1_000, 20_000]),
                "tier_rule_no_agent_no_wait": st.booleans(),
            }
        )
        for _ in range(2)
    )
)
parameters_of_a_gateway = st.fixed_dictionaries(
    {
        "answer": st.sampled_from([0.3, 0.8]),
        "congestion": st.sampled_from([0, 0, 0.05]),
        "ring": st.sampled_from([0, 4, [1, 60]]),
        "talk": st.sampled_from([1, [0, 90]]),
        "patience": st.sampled_from([1, [0, 60]]),
        "listen": st.sampled_from([0.5, 1]),
        "keys": st.sampled_from([{"5": 0.8}, {"1": 0.5}]),
    }
)


class Centre(Fleet):
    """A fleet with agents. Each serves the queues 1 and 2, at different levels."""

    def __init__(
        self,
        *plans: CampaignPlan,
        agents: list[tuple[AgentStatus, int, str]],
        queues: tuple[dict[str, Any], ...],
        **rest: Any,  # noqa: ANN401 - the arguments of a fleet
    ) -> None:
        self._agents = [
            AgentPlan(agent_id, 1, status, wrap_up_ms, f"+3319900{agent_id:04d}", parameters)
            for agent_id, (status, wrap_up_ms, parameters) in enumerate(agents, 1)
        ]
        self._queues = [
            QueuePlan(
                queue_id,
                tiers=tuple(
                    TierPlan(one.id, 1 + (one.id * queue_id) % 2, one.id)
                    for one in self._agents
                    if queue_id == 1 or one.id != 1
                ),
                **settings,
            )
            for queue_id, settings in enumerate(queues, 1)
        ]
        super().__init__(*plans, **rest)
        self.tell_floor()

    def tell_floor(self) -> None:
        """Give the engine the state of all agents and queues."""
        statuses = {one.agent_id: one.status for one in self.effects(agent_effects.KeepAgent) if one.status is not None}
        for one in self._agents:
            status = statuses.get(one.id, one.status)
            self.kernel.apply(AgentOpened(msgspec.structs.replace(one, status=status)))
        for queue in self._queues:
            self.kernel.apply(QueueOpened(queue))

    def tell_again(self) -> None:
        """Give the engine the state of all rows again, with agents and queues."""
        held = self.held
        self.kernel.apply(AccountOpened(1, self.balance - self.store.spent[1], held, self.rate, card=self.card))
        for one in self.gateways:
            self.kernel.apply(GatewayOpened(one, self.recent(one), self.breaker(one.id)))
        self.tell_floor()
        for plan_ in self.plans:
            status = self._status(plan_)
            if status is not CampaignStatus.END:
                next_dial_us, turns = self._paced(plan_)
                self.kernel.apply(CampaignOpened(plan_, status, next_dial_us, self._open_zones(plan_), turns))

    @property
    def held(self) -> int:
        """Return the money that is held for calls and B-legs."""
        calls = sum(call.hold for call in self.dials) - sum(end.call.hold for end in self.ends)
        legs = (leg.hold for _, leg in self.store.transfers.values() if leg.status is not TransferStatus.OVER)
        return calls + sum(legs)

    def begun_ms(self, gateway: GatewayPlan) -> list[int]:
        """Return the sorted moments at which calls and B-legs are placed over a gateway."""
        calls = [call.started_ms for call in self.dials if call.plan.gateway_id == gateway.id]
        legs = (leg for _, leg in self.store.transfers.values() if leg.gateway_id == gateway.id)
        return sorted(calls + [leg.started_ms for leg in legs if leg.started_ms is not None])

    def recent(self, gateway: GatewayPlan) -> tuple[int, ...]:
        if not gateway.max_cps:
            return ()
        recent = [at_ms for at_ms in self.begun_ms(gateway) if at_ms > self.kernel.now_ms - 1_000]
        return tuple(recent[-gateway.max_cps :])


@st.composite
def builders(draw: st.DrawFn) -> Callable[[], Centre]:
    settings: list[dict[str, Any]] = draw(st.lists(settings_of_a_campaign, min_size=1, max_size=3))
    for one in settings:
        if one["dial_method"] is DialMethod.FIXED_RATE:
            one["strategy"] = ""
    sizes = draw(st.lists(st.integers(1, 25), min_size=len(settings), max_size=len(settings)))
    return partial(
        Centre,
        *(plan(index, **one) for index, one in enumerate(settings, 1)),
        agents=draw(agents_of_a_centre),
        queues=draw(queues_of_a_centre),
        callees=[numbers(size) for size in sizes],
        gateway=GatewayPlan(FIRST, draw(st.integers(0, 5)), draw(st.integers(0, 3))),
        others=(GatewayPlan(SECOND, draw(st.integers(0, 5)), draw(st.integers(0, 3))),),
        balance=draw(st.just(10**9) | st.integers(6_000, 200_000)),
        rate=draw(st.sampled_from([Rate(0), Rate(6_000), Rate(59_999, 6, 1, 7)])),
        parameters=draw(parameters_of_a_gateway),
        seed=draw(st.integers(0, 2**63 - 1)),
    )


@st.composite
def built_twice(draw: st.DrawFn) -> tuple[Centre, Centre]:
    build = draw(builders())
    return build(), build()


def centres() -> st.SearchStrategy[Centre]:
    """Draw call centres that have been run to their end."""
    return builders().map(run_to_the_end)


def run_to_the_end(build: Callable[[], Centre]) -> Centre:
    """Build a call centre, and run it to its end."""
    centre = build()
    centre.run()
    return centre


class Load:
    """The calls, B-legs, transfers and money in progress, as the effects state them."""

    def __init__(self, centre: Centre) -> None:
        self.carried: Counter[GatewayKey | None] = Counter()
        self.transfers: Counter[int] = Counter()
        self.balance = centre.balance
        self.held = 0
        self._open: set[str] = set()

    def take_in(self, effect: effects.Effect) -> None:
        if isinstance(effect, call_effects.Dial):
            self._grow(effect.call.plan.gateway_id, effect.call.hold, 1)
        elif isinstance(effect, call_effects.FinishCall):
            self._grow(effect.call.plan.gateway_id, effect.call.hold, -1)
            assert effect.bill.cost <= effect.call.hold
            self.balance -= effect.bill.cost
        elif isinstance(effect, call_effects.FinishLeg):
            assert effect.bill.cost <= effect.transfer.hold
            self.balance -= effect.bill.cost
        elif isinstance(effect, call_effects.KeepTransfer):
            self._keep(effect)

    def _keep(self, effect: call_effects.KeepTransfer) -> None:
        transfer = effect.transfer
        change = (transfer.status is not TransferStatus.OVER) - (transfer.callid in self._open)
        if change:
            self._open.symmetric_difference_update([transfer.callid])
            self.transfers[effect.call.plan.id] += change
            self._grow(transfer.gateway_id, transfer.hold, change)

    def _grow(self, gateway_id: GatewayKey | None, hold: int, change: int) -> None:
        self.carried[gateway_id] += change
        self.held += hold * change


@given(centres())
def test_every_limit_is_kept(centre: Centre) -> None:
    """No run exceeds max_channels or max_xfer, B-legs included, and everything taken is released at the end."""
    load = Load(centre)
    limits = {one.id: one.max_channels for one in centre.gateways}
    for _, effect in centre.store.entries:
        load.take_in(effect)
        assert all(load.carried[line] <= most for line, most in limits.items() if most)
        assert all(load.transfers[one.id] <= one.max_xfer for one in centre.plans if one.max_xfer)
        assert load.balance >= 0
    assert (load.held, load.balance) == (0, centre.balance - centre.store.spent[1])
    assert not any(load.carried.values())
    assert not any(load.transfers.values())


@given(centres())
def test_no_second_has_more_calls_over_a_gateway_than_max_cps(centre: Centre) -> None:
    """This counts calls and B-legs. A B-leg may have to wait for its turn."""
    for gateway in centre.gateways:
        if gateway.max_cps:
            begun = centre.begun_ms(gateway)
            assert all(later - first >= 1_000 for first, later in zip(begun, begun[gateway.max_cps :], strict=False))


@given(centres())
def test_every_campaign_ends(centre: Centre) -> None:
    """A campaign ends at its expiration date at the latest. If it has called everybody, it ends as completed."""
    for one in centre.plans:
        *_, (at_ms, _, status, reason) = [move for move in centre.moves if move[1] == one.id]
        assert status is CampaignStatus.END
        assert reason == "completed" or START_MS + at_ms == one.expires_ms
        assert sum(move[1:3] == (one.id, CampaignStatus.END) for move in centre.moves) == 1


moments_of_a_day = st.lists(st.integers(0, 150_000) | st.integers(0, HOUR_MS), max_size=6).map(sorted)


@given(built_twice(), moments_of_a_day)
def test_a_refresh_of_all_rows_changes_nothing(twins: tuple[Centre, Centre], moments: list[int]) -> None:
    """No call waits for a wake-up that never comes."""
    undisturbed, disturbed = twins
    for moment in moments:
        disturbed.run(START_MS + moment)
        disturbed.tell_again()
    assert story(disturbed.run()) == story(undisturbed.run())


def test_a_campaign_that_loses_its_agents_loses_its_place_on_the_gateway() -> None:
    """The second campaign waits for a place when an agent begins to look at a person, and is left without one."""
    settings = {"flow": flow(1), "gateway_id": SECOND, "dial_method": DialMethod.PROGRESSIVE}
    previewed = settings | {"gateway_id": FIRST, "dial_method": DialMethod.PREVIEW}
    build = partial(
        Centre,
        plan(1, **settings),
        plan(2, **settings),
        plan(3, **previewed),
        agents=[(AgentStatus.AVAILABLE, 0, "{}")] * 2,
        queues=({}, {}),
        callees=[numbers(2), numbers(1), numbers(1)],
        others=(GatewayPlan(SECOND, max_cps=1),),
        parameters={"answer": 0, "busy": 1, "rejected": 0, "invalid": 0, "ring": 1},
    )
    undisturbed, disturbed = build(), build()
    disturbed.run(START_MS)
    disturbed.tell_again()
    assert story(disturbed.run()) == story(undisturbed.run())
    assert [call.plan.id for call in undisturbed.dials] == [1, 1, 2, 3]


def consider_all(pacing: AgentPacing, _now_ms: int) -> list[OpenCampaign]:
    """Return all active campaigns that dial for agents, in order of id."""
    campaigns = pacing._state.campaigns  # noqa: SLF001 - in place of the index
    return [campaigns[one] for one in sorted(campaigns) if campaigns[one].is_paced and campaigns[one].status in ACTIVE]


@given(built_twice())
def test_a_campaign_that_an_event_does_not_concern_could_not_have_dialled(twins: tuple[Centre, Centre]) -> None:
    """An engine that considers all campaigns at every event does the same."""
    with patch.object(AgentPacing, "concerned", consider_all):
        thorough = story(twins[0].run())
    assert story(twins[1].run()) == thorough
