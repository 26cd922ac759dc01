"""Several campaigns that bring their callees to agents and to numbers: what must hold of every run."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain import effects
from dialer.domain.callflow import CallFlow
from dialer.domain.enums import AgentStatus, CampaignStatus, DialMethod, QueueStrategy, SectionType, TransferStatus
from dialer.domain.events import AccountOpened, AgentOpened, CampaignOpened, GatewayOpened, QueueOpened
from dialer.domain.money import Rate
from dialer.domain.plans import GatewayPlan
from dialer.domain.queueing.plans import AgentPlan, QueuePlan, TierPlan
from dialer.domain.survey import Prompt, Section, Survey
from tests.domain.fleet import DAY_MS, START_MS, Fleet, numbers, plan

HOUR_MS: Final = 3_600_000


def flow(*targets: int | str) -> CallFlow:
    """A survey of transfers, one after another: to these queues and numbers."""
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
        "amd": st.integers(0, 3),
        "expires_ms": st.sampled_from([START_MS + 100_000, START_MS + HOUR_MS, START_MS + DAY_MS]),
        "gateway_id": st.sampled_from([1, 1, 2]),
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
    """A fleet with agents; each serves the queues 1 and 2, at another level in each."""

    def __init__(self, *plans: Any, agents: list[tuple[AgentStatus, int, str]], queues: Any, **rest: Any) -> None:
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
        statuses = {one.agent_id: one.status for one in self.effects(effects.KeepAgent) if one.status is not None}
        for one in self._agents:
            status = statuses.get(one.id, one.status)
            self.kernel.tell(AgentOpened(msgspec.structs.replace(one, status=status)))
        for queue in self._queues:
            self.kernel.tell(QueueOpened(queue))

    def tell_again(self) -> None:
        held = self.held
        self.kernel.tell(AccountOpened(1, self.balance - self.book.spent[1], held, self.rate, card=self.card))
        for one in self.gateways:
            self.kernel.tell(GatewayOpened(one, self.recent(one), self.rest(one.id)))
        self.tell_floor()
        for plan_ in self.plans:
            status = self._status(plan_)
            if status is not CampaignStatus.END:
                next_dial_us, turns = self._paced(plan_)
                self.kernel.tell(CampaignOpened(plan_, status, next_dial_us, self._open_zones(plan_), turns))

    @property
    def held(self) -> int:
        calls = sum(call.hold for call in self.dials) - sum(end.call.hold for end in self.ends)
        legs = (t.hold for _, t in self.book.transfers.values() if t.status is not TransferStatus.OVER)
        return calls + sum(legs)

    def recent(self, gateway: GatewayPlan) -> tuple[int, ...]:
        if not gateway.max_cps:
            return ()
        begun = [call.started_ms for call in self.dials if call.plan.gateway_id == gateway.id]
        begun += [
            t.started_ms
            for _, t in self.book.transfers.values()
            if t.gateway_id == gateway.id and t.started_ms is not None
        ]
        return tuple(sorted(at for at in begun if at > self.kernel.now_ms - 1_000)[-gateway.max_cps :])


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
        gateway=GatewayPlan(1, draw(st.integers(0, 5)), draw(st.integers(0, 3))),
        others=(GatewayPlan(2, draw(st.integers(0, 5)), draw(st.integers(0, 3))),),
        balance=draw(st.just(10**9) | st.integers(6_000, 200_000)),
        rate=draw(st.sampled_from([Rate(0), Rate(6_000), Rate(59_999, 6, 1, 7)])),
        parameters=draw(parameters_of_a_gateway),
        seed=draw(st.integers(0, 2**63 - 1)),
    )


@st.composite
def built_twice(draw: st.DrawFn) -> tuple[Centre, Centre]:
    build = draw(builders())
    return build(), build()


def story(fleet: Fleet) -> list[object]:
    return [fleet.book.cdrs, fleet.moves, [call.callid for call in fleet.dials], dict(fleet.book.spent)]


@given(builders())
def test_every_limit_is_kept(build: Callable[[], Centre]) -> None:
    """Channels, calls a second and transfers at once, B-legs included; money is held for all of them, and comes free."""
    centre = build()
    most = {one.id: one for one in centre.gateways}
    carried = dict.fromkeys(most, 0)
    legs = {one.id: 0 for one in centre.plans}
    open_: set[str] = set()
    begun: dict[int, list[int]] = {one: [] for one in most}
    balance, held = centre.balance, 0
    centre.run()
    states: dict[str, bool] = {}
    limits = {one.id: one.max_xfer for one in centre.plans}
    stopped: dict[int, int] = {}
    for at_ms, effect in centre.book.entries:
        if isinstance(effect, effects.Dial):
            carried[effect.call.plan.gateway_id] += 1
            begun[effect.call.plan.gateway_id].append(effect.call.started_ms)
            held += effect.call.hold
        elif isinstance(effect, effects.FinishCall):
            carried[effect.call.plan.gateway_id] -= 1
            held -= effect.call.hold
            balance -= effect.bill.cost
            assert effect.bill.cost <= effect.call.hold
        elif isinstance(effect, effects.FinishLeg):
            balance -= effect.bill.cost
            assert effect.bill.cost <= effect.transfer.hold
        elif isinstance(effect, effects.MoveCampaign):
            stopped[effect.campaign_id] = at_ms
        for gateway_id, count in carried.items():
            assert not most[gateway_id].max_channels or count <= most[gateway_id].max_channels
    del legs, open_, states, limits
    engine = centre.kernel._engine  # noqa: SLF001
    board = engine._board  # noqa: SLF001
    assert board.accounts[1].held == 0
    assert board.accounts[1].balance == balance
    assert balance >= 0
    assert all(one.in_progress == 0 for one in board.gateways.values())
    assert not board.calls
    assert set(stopped) == {one.id for one in centre.plans}
    assert not board.campaigns
    floor = engine._transfers._floor  # noqa: SLF001
    assert not floor._waiting  # noqa: SLF001
    assert not floor._talks  # noqa: SLF001
    assert all(one.asked_call_id is None and one.talk is None for one in floor._agents.values())  # noqa: SLF001
    for gateway in centre.gateways:
        if gateway.max_cps:
            moments = begun[gateway.id] + [
                t.started_ms
                for _, t in centre.book.transfers.values()
                if t.gateway_id == gateway.id and t.started_ms is not None
            ]
            moments.sort()
            for first, later in zip(moments, moments[gateway.max_cps :], strict=False):
                assert later - first >= 1_000


moments_of_a_day = st.lists(st.integers(0, 150_000) | st.integers(0, HOUR_MS), max_size=6).map(sorted)


@given(built_twice(), moments_of_a_day)
def test_being_told_again_how_everything_stands_changes_nothing(
    twins: tuple[Centre, Centre], moments: list[int]
) -> None:
    """Nobody is left waiting for a wake-up that does not come."""
    undisturbed, disturbed = twins
    for moment in moments:
        disturbed.run(START_MS + moment)
        disturbed.tell_again()
    assert story(disturbed.run()) == story(undisturbed.run())
