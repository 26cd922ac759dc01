"""Tests that a larger slice of a gateway does not hold for what was due before the worker had it.

Until then other workers may have used it. Else the rows would show more calls at once than the gateway has channels.
"""

import pytest
from msgspec import structs
from sqlalchemy import Connection

from dialer.app.campaigns.change import change_campaign
from dialer.domain.calls.campaign_events import GatewayOpened
from dialer.domain.calls.plans import GatewayKey, Lent
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.clock import NANOSECONDS, RealClock
from dialer.runtime.steps.coordinator import Alone
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.touched import EVERYTHING, NOTHING, Touched
from dialer.store.tables import CallRequest, Gateway
from tests.gateways import FIRST
from tests.runtime.house import MONDAY_NOON_MS, House

CPS = 100
LATE_MS = 900


class Lender(Alone):
    """Other workers, who lend a slice of each gateway."""

    is_alone = False

    def __init__(self, house: House) -> None:
        super().__init__(house.database)
        self.now_ms = MONDAY_NOON_MS
        self.slice = Lent(1, CPS)
        self.touched: Touched | None = EVERYTHING
        self.waits_ms = 0
        """Time that the next step waits for the database."""
        self.is_lent_anew = False

    def begin(self, connection: Connection) -> Touched | None:  # noqa: ARG002 - as the protocol
        self.now_ms += self.waits_ms
        touched, self.touched = self.touched, NOTHING
        return touched

    def lent(self, connection: Connection, gateways: list[GatewayOpened]) -> list[GatewayOpened]:  # noqa: ARG002 - as above
        return [structs.replace(one, lent=self.slice) for one in gateways]

    def take_lent(self) -> frozenset[GatewayKey]:
        is_lent_anew, self.is_lent_anew = self.is_lent_anew, False
        return frozenset({FIRST}) if is_lent_anew else frozenset()


@pytest.fixture
async def lender(house: House) -> Lender:
    """Return the lender of a worker that uses its only channel, and would dial at once if it had another."""
    lender = Lender(house)
    house.worker = Worker(
        house.database,
        RealClock(lambda: lender.now_ms * NANOSECONDS, lambda: lender.now_ms * NANOSECONDS),
        seed=1,
        service_zone="UTC",
        new_carrier=SimulatedCarrier,
        new_lines=None,
        coordinator=lender,
    )
    house.change(Gateway, house.gateway_id, max_channels=2, max_cps=CPS)
    people = house.phonebook(*[f"+120255501{place:02}" for place in range(30)])
    campaign_id = house.campaign(house.survey({"type": 1, "script": "hello"}), people, frequency=600)
    house.perform(lambda unit: change_campaign(unit, campaign_id, {"status": CampaignStatus.START}))
    await house.worker.settle()
    lender.now_ms += LATE_MS
    await house.worker.settle()
    assert len(dials(house)) == 1
    return lender


def dials(house: House) -> list[int]:
    return sorted(row["started_ms"] for row in house.rows(CallRequest) if row["attempt"])


@pytest.mark.parametrize("touched", [EVERYTHING, Touched(gateways=frozenset({FIRST})), None])
async def test_a_late_worker_that_reads_a_gateway_again_uses_its_larger_slice_from_now_on(
    house: House, lender: Lender, touched: Touched | None
) -> None:
    """A user has saved the gateway, or the engine is built anew."""
    lender.now_ms += LATE_MS
    lender.slice, lender.touched = Lent(2, CPS), touched
    await house.worker.settle()
    assert dials(house)[1:] == [lender.now_ms]


async def test_a_step_that_waited_for_the_database_uses_its_larger_slice_from_now_on(
    house: House, lender: Lender
) -> None:
    """The slice was taken while the step waited."""
    lender.waits_ms, lender.slice, lender.is_lent_anew = LATE_MS, Lent(2, CPS), True
    await house.worker.settle()
    assert dials(house)[1:] == [lender.now_ms]


async def test_a_smaller_slice_holds_for_what_was_due_before(house: House, lender: Lender) -> None:
    lender.slice, lender.touched = Lent(0, 0), Touched(gateways=frozenset({FIRST}))
    lender.now_ms += 60_000
    await house.worker.settle()
    assert len(dials(house)) == 1
