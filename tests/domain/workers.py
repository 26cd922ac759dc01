"""Several campaigns of one account, run to their end in memory, with a record of every effect."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeVar

import msgspec

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.rates import NO_CARD, RateCard
from dialer.domain.calls import call_effects, campaign_effects, effects
from dialer.domain.calls.campaign_events import AccountOpened, CampaignOpened, GatewayOpened
from dialer.domain.calls.circuit_breaker import CircuitBreaker
from dialer.domain.calls.plans import Call, CampaignPlan, GatewayKey, GatewayPlan, Subscriber
from dialer.domain.engine.called_off import lists_over
from dialer.domain.engine.engine import Engine
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import CampaignStatus, SectionType, SubscriberStatus
from dialer.runtime.steps.kernel import Kernel
from dialer.sim.carrier import SimulatedCarrier
from dialer.sim.simulation_store import SimulationStore
from tests.gateways import FIRST

START_MS: Final = 1_795_168_800_000
"""2026-11-20 10:00:00 UTC, a Friday."""
DAY_MS: Final = 86_400_000
FLOW: Final = CallFlow(
    Survey(
        (
            Section(1, SectionType.RATING, "How was it?", Prompt(audio_ms=3_000), branches={"any": 2, "timeout": None}),
            Section(2, SectionType.HANG_UP, "Goodbye", Prompt(audio_ms=2_000), completed=True),
        )
    )
)

_Effect = TypeVar("_Effect", bound=effects.Effect)


class Diary(SimulationStore):
    """A store that also keeps every effect, with its time."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[tuple[int, effects.Effect]] = []

    def record(self, effect: effects.Recorded, now_ms: int) -> None:
        """Store a copy of the effect, because the transfer that it holds changes later."""
        kept = effect
        if isinstance(effect, call_effects.KeepTransfer):
            kept = call_effects.KeepTransfer(effect.call, msgspec.structs.replace(effect.transfer))
        self.entries.append((now_ms, kept))
        super().record(effect, now_ms)


class Fleet:
    """The campaigns of one user, on one or more gateways. Subscriber ids count from 1, campaign by campaign."""

    def __init__(
        self,
        *plans: CampaignPlan,
        callees: list[list[tuple[str, str]]],
        gateway: GatewayPlan | None = None,
        others: tuple[GatewayPlan, ...] = (),
        balance: int = 10**9,
        rate: Rate | None = None,
        card: RateCard = NO_CARD,
        parameters: dict[str, Any] | None = None,
        seed: int = 1,
    ) -> None:
        """Open the campaigns. `callees` are (number, zone key) pairs, by campaign; `others` are further gateways."""
        self.plans: Final = plans
        self.gateway: Final = gateway or GatewayPlan(FIRST)
        self.gateways: Final = (self.gateway, *others)
        self.balance: Final = balance
        self.rate: Final = rate or Rate(0)
        self.card: Final = card
        self.members: Final[dict[int, list[Subscriber]]] = {}
        self.store = self._new_store()
        self.kernel = self._kernel(seed, msgspec.json.encode(parameters or {}).decode(), START_MS)
        self.kernel.apply(AccountOpened(1, balance, 0, self.rate, card=card))
        for one in self.gateways:
            self.kernel.apply(GatewayOpened(one))
        for plan_, theirs in zip(plans, callees, strict=True):
            self._open(plan_, theirs)

    def _new_store(self) -> Diary:
        return Diary()

    def run(self, until_ms: int = START_MS + 5 * DAY_MS) -> "Fleet":
        """Run the campaigns until a moment."""
        self.kernel.run(until_ms)
        return self

    def tell_again(self) -> None:
        """Give the engine the state of all rows again, as the worker does after a change."""
        self._tell([], plans=self.plans, gateways=self.gateways)

    def tell_some_again(self, number: int) -> None:
        """Give the engine the state of some rows again, as the worker does if it knows which were touched.

        The bits of `number` select the account, the gateways by their place, then the campaigns.
        """
        some = [number >> place & 1 for place in range(1 + len(self.gateways) + len(self.plans))]
        places = iter(some)
        is_account = next(places)
        gateways = [one for one in self.gateways if next(places)]
        plans = [one for one in self.plans if next(places)]
        self._tell([], plans=plans, gateways=gateways, is_account_told=bool(is_account))

    def restart(self) -> None:
        """Forget everything but the store, and continue from it, as the worker does after a crash."""
        over = {end.call.id for end in self.ends}
        self.kernel = self._kernel(*self._origin, self.kernel.now_ms)
        going_on = [call for call in self.dials if call.id not in over]
        self._tell(going_on, plans=self.plans, gateways=self.gateways)

    def _kernel(self, seed: int, parameters: str, now_ms: int) -> Kernel:
        self._origin = (seed, parameters)
        carrier = SimulatedCarrier(seed)
        for one in self.gateways:
            carrier.open_gateway(one.id, parameters)
        return Kernel(Engine(seed=seed, first_call_id=len(self.dials) + 1), carrier, self.store, now_ms=now_ms)

    def _tell(
        self,
        calls_to_restore: list[Call],
        *,
        plans: Sequence[CampaignPlan],
        gateways: Sequence[GatewayPlan],
        is_account_told: bool = True,
    ) -> None:
        kernel = self.kernel
        held = sum(call.hold for call in self.dials) - sum(end.call.hold for end in self.ends)
        if is_account_told:
            kernel.apply(AccountOpened(1, self.balance - self.store.spent[1], held, self.rate, card=self.card))
        for one in gateways:
            kernel.apply(GatewayOpened(one, self._recent_dials_ms(one), self.breaker(one.id)))
        for call in calls_to_restore:
            kernel.restore(call, kernel.now_ms)
        for plan_ in plans:
            status = self._status(plan_)
            if status is not CampaignStatus.END:
                next_dial_us, turns = self._paced(plan_)
                kernel.apply(CampaignOpened(plan_, status, next_dial_us, self._open_zones(plan_), turns))

    def _recent_dials_ms(self, gateway: GatewayPlan) -> tuple[int, ...]:
        recent = [call.started_ms for call in self.dials if call.plan.gateway_id == gateway.id]
        return tuple([at_ms for at_ms in recent if at_ms > self.kernel.now_ms - 1_000][-gateway.max_cps :])

    def breaker(self, gateway_id: GatewayKey) -> CircuitBreaker:
        """Return the circuit breaker that was last stored for a gateway."""
        kept = [
            effect.breaker for effect in self.effects(campaign_effects.KeepBreaker) if effect.gateway_id == gateway_id
        ]
        return kept[-1] if kept else CircuitBreaker()

    @property
    def dials(self) -> list[Call]:
        """Return every call, in the order in which they were placed."""
        return [effect.call for effect in self.effects(call_effects.Dial)]

    @property
    def ends(self) -> list[call_effects.FinishCall]:
        """Return every end of a call."""
        return list(self.effects(call_effects.FinishCall))

    def effects(self, kind: type[_Effect]) -> Iterator[_Effect]:
        """Return every effect of a kind, in order."""
        return (effect for _, effect in self.store.entries if isinstance(effect, kind))

    @property
    def moves(self) -> list[tuple[int, int, CampaignStatus, str]]:
        """Return the status changes that campaigns made by themselves; times count from the start."""
        return [
            (at_ms - START_MS, effect.campaign_id, effect.status, effect.reason)
            for at_ms, effect in self.store.entries
            if isinstance(effect, campaign_effects.MoveCampaign)
        ]

    def _open(self, plan_: CampaignPlan, callees: list[tuple[str, str]]) -> None:
        first_id = sum(map(len, self.members.values())) + 1
        theirs = [Subscriber(subscriber_id, *callee) for subscriber_id, callee in enumerate(callees, first_id)]
        self.members[plan_.id] = theirs
        self.store.add_campaign(plan_.id, theirs, lists_over(plan_))
        self.kernel.apply(CampaignOpened(plan_, CampaignStatus.START, 0, self.store.zones(plan_.id)))

    def _status(self, plan_: CampaignPlan) -> CampaignStatus:
        theirs = [status for _, campaign_id, status, _ in self.moves if campaign_id == plan_.id]
        return theirs[-1] if theirs else CampaignStatus.START

    def _paced(self, plan_: CampaignPlan) -> tuple[int, dict[str, int]]:
        """Return the time of the next dial, and the turns of the caller IDs."""
        theirs = [effect for effect in self.effects(call_effects.Dial) if effect.call.plan.id == plan_.id]
        return (theirs[-1].next_dial_us, dict(theirs[-1].callerid_turns)) if theirs else (0, {})

    def _open_zones(self, plan_: CampaignPlan) -> tuple[str, ...]:
        """Return the zone keys of the pending subscribers."""
        pending = (
            one.zone for one in self.members[plan_.id] if self.store.standing(one.id).status is SubscriberStatus.PENDING
        )
        return tuple(sorted(set(pending)))


def plan(campaign_id: int = 1, **settings: Any) -> CampaignPlan:  # noqa: ANN401 - any field of a plan
    """Return a campaign that starts at once and lasts a day, unless the settings say otherwise."""
    usual: dict[str, Any] = {"flow": FLOW, "starting_ms": START_MS, "expires_ms": START_MS + DAY_MS, "frequency": 60}
    usual["is_simulated"] = True  # As the gateways of these tests are.
    return CampaignPlan(id=campaign_id, user_id=1, **{"gateway_id": FIRST} | usual | settings)


def numbers(count: int, zone: str = "") -> list[tuple[str, str]]:
    """Return `count` callees whose behaviour is drawn from the population."""
    return [(f"+3319900{index:04d}", zone) for index in range(count)]
