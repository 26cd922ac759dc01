"""Tests of calling hours while a service runs. The clock begins on a Monday at 07:00 in Washington, 13:00 in Berlin."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from msgspec import structs

from dialer.app.carriers.gateways import change_gateway
from dialer.domain.calling_times.calling_hours import CallingHours, read_calling_hours
from dialer.domain.engine.gateway_load import GatewayLoad
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.tables import SMS, CallRequest, Campaign, Gateway, SmsMessage, Subscriber
from tests.gateways import FIRST
from tests.runtime.house import ALL_ANSWER, MONDAY_NOON_MS, House

HOUR_S: Final = 3_600
DAY_S: Final = 24 * HOUR_S
WASHINGTON, BERLIN, IMPOSSIBLE = "+12025556001", "+4930123456", "+1202555"
SHORT: Final = {"type": 1, "script": "word"}
NOBODY: Final = '{"answer": 0, "busy": 1, "machine": 0, "rejected": 0, "invalid": 0}'


@pytest.fixture
def real(house: House) -> House:
    """Return a service whose gateway calls people, as far as its rows say."""
    house.change(Gateway, house.gateway_id, protocol="trunk", parameters=f'{{"simulated": {ALL_ANSWER}}}')
    house.callerid = "+12025550100"
    return house


def with_hours(house: House, hours: CallingHours) -> None:
    house.worker = Worker(
        house.database,
        VirtualClock(MONDAY_NOON_MS),
        seed=1,
        service_zone="UTC",
        new_carrier=SimulatedCarrier,
        new_lines=None,
        hours=hours,
    )


def dials(house: House) -> list[tuple[str, float]]:
    return [
        (row["phone_number"], (row["started_ms"] - MONDAY_NOON_MS) / 1_000 / HOUR_S) for row in house.rows(CallRequest)
    ]


async def test_a_campaign_of_the_whole_day_calls_people_within_the_hours_only(real: House) -> None:
    await real.started(real.survey(SHORT), real.phonebook(WASHINGTON, BERLIN))
    await real.advance(DAY_S)
    assert dials(real) == [(BERLIN, 0.0), (WASHINGTON, 1.0)]


async def test_simulated_callees_are_called_at_any_hour(house: House) -> None:
    await house.started(house.survey(SHORT), house.phonebook(WASHINGTON))
    await house.advance(60)
    assert dials(house) == [(WASHINGTON, 0.0)]


async def test_hours_that_are_set_hold_for_simulated_callees_too(house: House) -> None:
    with_hours(house, read_calling_hours("08:30-17:00"))
    await house.started(house.survey(SHORT), house.phonebook(WASHINGTON))
    await house.advance(DAY_S)
    assert dials(house) == [(WASHINGTON, 1.5)]


async def test_without_hours_people_are_called_at_any_hour(real: House) -> None:
    with_hours(real, read_calling_hours("off"))
    await real.started(real.survey(SHORT), real.phonebook(WASHINGTON))
    await real.advance(60)
    assert dials(real) == [(WASHINGTON, 0.0)]


async def test_retries_wait_for_the_next_morning(real: House) -> None:
    real.change(Gateway, real.gateway_id, parameters=f'{{"simulated": {NOBODY}}}')
    await real.started(real.survey(SHORT), real.phonebook(WASHINGTON), maxretry=3, intervalretry=6 * HOUR_S)
    await real.advance(3 * DAY_S)
    hours = [round(at, 1) for _, at in dials(real)]
    assert hours == [1.0, 7.0, 13.0, 25.0]


async def test_text_messages_obey_the_hours(house: House) -> None:
    gateway_id = house.add(Gateway, medium=SMS, name="texts", protocol="texts")
    await house.started(
        0,
        house.phonebook(WASHINGTON),
        medium=SMS,
        text_message="Hello",
        callerid="survey",
        sms_gateway_id=gateway_id,
        aleg_gateway_id=None,
        dnc_id=house.dnc_list(),
    )
    await house.advance(DAY_S)
    assert [(row["send_date"] - MONDAY_NOON_MS) / 1_000 / HOUR_S for row in house.rows(SmsMessage)] == [1.0]


async def test_a_gateway_that_begins_to_call_people_obeys_at_once(house: House) -> None:
    numbers = [f"+1202555{number}" for number in range(6000, 6010)]
    await house.started(house.survey(SHORT), house.phonebook(*numbers), frequency=1)
    await house.advance(150)
    house.perform(lambda unit: change_gateway(unit, FIRST, {"protocol": "trunk"}))
    await house.worker.settle()
    await house.advance(2 * HOUR_S)
    later = [at for _, at in dials(house)[3:]]
    assert len(dials(house)) == 10
    assert min(later) >= 1.0


async def test_an_impossible_number_is_dialled_by_the_simulator_only(real: House) -> None:
    simulated_id = real.add(Gateway, name="simulated", parameters=ALL_ANSWER)
    survey_id, phonebook_id = real.survey(SHORT), real.phonebook(IMPOSSIBLE, BERLIN)
    for gateway_id in (real.gateway_id, simulated_id):
        await real.started(survey_id, phonebook_id, aleg_gateway_id=gateway_id)
    await real.advance(DAY_S)
    found = [
        (row["campaign_id"], row["number"], SubscriberStatus(row["status"]).name, row["status_reason"])
        for row in real.rows(Subscriber)
    ]
    assert found == [
        (1, IMPOSSIBLE, "NOT_AUTHORIZED", "invalid_number"),
        (1, BERLIN, "SENT", ""),
        (2, IMPOSSIBLE, "SENT", ""),
        (2, BERLIN, "SENT", ""),
    ]


async def test_the_guard_stops_a_dial_outside_the_hours(real: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug hides the hours from the engine."""

    def deceive(renew: Callable[..., None]) -> Callable[..., None]:
        def at_any_hour(load: GatewayLoad, plan: Any, *rest: Any) -> None:  # noqa: ANN401 - as `renew`
            renew(load, structs.replace(plan, hours=None), *rest)

        return at_any_hour

    monkeypatch.setattr(GatewayLoad, "renew", deceive(GatewayLoad.renew))
    campaign_id = await real.started(real.survey(SHORT), real.phonebook(WASHINGTON))
    await real.advance(60)
    row = real.row(Campaign, campaign_id)
    assert (CampaignStatus(row["status"]), row["status_reason"]) == (CampaignStatus.PAUSE, "invariant")
    assert dials(real) == []


async def test_the_hours_hold_after_a_restart(real: House) -> None:
    await real.started(real.survey(SHORT), real.phonebook(WASHINGTON))
    await real.advance(60)
    real.restart()
    await real.advance(HOUR_S)
    assert dials(real) == [(WASHINGTON, 1.0)]
