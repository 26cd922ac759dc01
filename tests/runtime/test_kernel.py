"""Tests of the kernel: repeated wake-ups take no more room than one."""

from collections import Counter

from dialer.domain.billing.charge import Rate
from dialer.domain.calls import effects, events
from dialer.domain.calls.campaign_events import AccountOpened, CampaignOpened, CampaignWoken, GatewayOpened
from dialer.domain.calls.plans import GatewayPlan, Subscriber
from dialer.domain.engine.engine import Engine
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.kernel import Kernel
from dialer.sim.carrier import SimulatedCarrier
from dialer.sim.simulation_store import SimulationStore
from tests.domain.workers import DAY_MS, START_MS, numbers, plan
from tests.gateways import FIRST


class WatchedEngine(Engine):
    """An engine that counts how often a campaign is woken at each moment."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.wakes: Counter[int] = Counter()

    def handle(self, now_ms: int, event: events.Event) -> list[effects.Effect]:
        """Count the event, and handle it."""
        self.wakes[now_ms] += isinstance(event, CampaignWoken)
        return super().handle(now_ms, event)


def wakes_at_its_end(status: CampaignStatus, times_told: int) -> int:
    """Return how often a campaign with a max_aleg of 1 is woken when it expires."""
    engine, store, carrier = WatchedEngine(), SimulationStore(), SimulatedCarrier(1)
    carrier.open_gateway(FIRST, "{}")
    one = plan(max_aleg=1, frequency=600, expires_ms=START_MS + DAY_MS)
    store.add_campaign(1, [Subscriber(place, *callee) for place, callee in enumerate(numbers(5_000), 1)])
    kernel = Kernel(engine, carrier, store, now_ms=START_MS)
    kernel.apply(AccountOpened(1, 10**9, 0, Rate(0)))
    kernel.apply(GatewayOpened(GatewayPlan(FIRST)))
    for second in range(times_told):
        kernel.apply(CampaignOpened(one, status, 0, store.zones(1)))
        kernel.run(START_MS + 1_000 * second)
    kernel.run(one.expires_ms)
    return engine.wakes[one.expires_ms]


def test_a_campaign_that_is_told_of_again_and_again_is_woken_once() -> None:
    """Every change by a client does that."""
    assert wakes_at_its_end(CampaignStatus.PAUSE, times_told=100) == 1


def test_a_campaign_that_waits_for_a_place_again_and_again_is_woken_once() -> None:
    """It waits after every call if `max_aleg` limits it."""
    assert wakes_at_its_end(CampaignStatus.START, times_told=1) == 1
