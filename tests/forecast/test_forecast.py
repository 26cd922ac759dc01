"""Tests that a forecast equals the real run: it runs the engine on a copy of the relevant rows."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Table

from dialer.app.work.errors import CampaignNotReadyError
from dialer.domain.billing.money import format_money
from dialer.domain.figures.digest import cdr_digest
from dialer.domain.words.enums import AmdStatus, CampaignStatus
from dialer.forecast.forecast import CampaignOverError, NoCampaignError, forecast_campaign
from dialer.forecast.parameters import Order
from dialer.forecast.spreads import CountSpread
from dialer.forecast.summary import Forecast, SeedForecast
from dialer.sim.report import show_date
from dialer.store.queries.do_not_call import ensure_key, hashed
from dialer.store.tables import SMS, CallRequest, Campaign, Cdr, Contact, DncContact, Gateway, Subscriber, User
from tests.runtime.house import ALL_ANSWER, CENTS, DAY_MS, MONDAY_NOON_MS, House
from tests.runtime.test_same_as_simulation import BRANCHES, NUMBERS, SECTIONS, SETTINGS

EVENING = {"daily_start_time": "11:00:00", "daily_stop_time": "19:30:00"}


def open_house(folder: Path, seed: int = 1) -> House:
    folder.mkdir(exist_ok=True)
    return House(folder, seed=seed)


def furnished(house: House, **settings: Any) -> int:  # noqa: ANN401 - columns
    """Add a new campaign with windows, limits, retries and a do-not-call list."""
    house.change(Gateway, house.gateway_id, max_channels=4, max_cps=1, parameters='{"listen": 0.8}')
    survey_id = house.survey(*SECTIONS, branches=BRANCHES)
    dnc_id = house.dnc_list(NUMBERS[7])
    return house.campaign(survey_id, house.phonebook(*NUMBERS), dnc_id=dnc_id, **{**SETTINGS, **EVENING, **settings})


async def forecast(house: House, campaign_id: int, seeds: int = 1, first_seed: int = 0) -> Forecast:
    return await forecast_campaign(house.database, Order(campaign_id, house.now_ms(), "UTC", seeds, first_seed))


def happened(house: House, campaign_id: int, before: int = 0) -> SeedForecast:
    """Return the figures of a campaign's real run, without calls that ended before."""
    row = house.row(Campaign, campaign_id)
    cdrs = [
        {**cdr, "starting_date": show_date(cdr["starting_date"]), "call_cost": format_money(cdr["call_cost"])}
        for cdr in house.rows(Cdr)
        if cdr["campaign_id"] == campaign_id
    ][before:]
    return SeedForecast(
        seed=house.worker.seed,
        finish_date=show_date(row["updated_date"]),
        stop_reason=row["status_reason"],
        cost=format_money(sum(cdr["call_cost"] for cdr in house.rows(Cdr)[before:])),
        calls=len(cdrs),
        answered=sum(cdr["billsec"] > 0 for cdr in cdrs),
        machine_answered=sum(cdr["billsec"] > 0 and cdr["amd_status"] == AmdStatus.MACHINE for cdr in cdrs),
        completed=sum(one["status"] == 8 for one in house.rows(Subscriber)),
        abandoned_percent=0.0,
        calls_in_progress_peak=peak(house),
        digest=cdr_digest(cdrs),
    )


def peak(house: House) -> int:
    """Return the largest number of calls in progress at any dial."""
    calls: list[tuple[int, int]] = [(row["started_ms"], row["ended_ms"]) for row in house.rows(CallRequest)]
    return max(sum(start <= at_ms < end for start, end in calls) for at_ms, _ in calls)


@pytest.mark.parametrize("seed", [0, 3, 2**63 - 101])
async def test_the_run_of_a_seed_equals_its_forecast(tmp_path: Path, seed: int) -> None:
    """The campaign runs for several days, with windows, retries, limits and do-not-call requests."""
    house = open_house(tmp_path / "house", seed)
    campaign_id = furnished(house)
    (foretold,) = (await forecast(house, campaign_id, first_seed=seed)).per_seed
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(5 * 86_400)
    assert foretold == happened(house, campaign_id)
    assert foretold.calls > len(NUMBERS)
    house.database.close()


async def test_machines_that_answer_are_foretold(house: House) -> None:
    campaign_id = furnished(house, voicemail=True, amd_behavior=2, intervalretry=600)
    house.change(Gateway, house.gateway_id, parameters='{"listen": 0.8, "answer": 0.4, "machine": 0.4}')
    (foretold,) = (await forecast(house, campaign_id, first_seed=1)).per_seed
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(5 * 86_400)
    assert foretold == happened(house, campaign_id)
    assert 0 < foretold.machine_answered < foretold.answered


async def test_seeds_differ_and_are_forecast_as_if_each_was_alone(house: House) -> None:
    campaign_id = furnished(house)
    together = await forecast(house, campaign_id, seeds=3, first_seed=5)
    alone = [(await forecast(house, campaign_id, first_seed=seed)).per_seed[0] for seed in (5, 6, 7)]
    assert list(together.per_seed) == alone
    assert len({each.digest for each in alone}) == len(alone)


@pytest.mark.parametrize("seconds", [0, 0.5, 60, 97])
async def test_a_campaign_that_is_under_way_is_taken_up_where_it_stands(tmp_path: Path, seconds: float) -> None:
    """Its calls in progress, ids, pace and balance continue, so the rest of the day is equal."""
    house = open_house(tmp_path / "house", 2)
    campaign_id = furnished(house)
    house.pay(-90_000 * CENTS)
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(seconds)
    before = len(house.rows(Cdr))
    assert sum(row["ended_ms"] is None for row in house.rows(CallRequest)) > 0
    (foretold,) = (await forecast(house, campaign_id, first_seed=2)).per_seed
    await house.advance(5 * 86_400)
    found = happened(house, campaign_id, before)
    assert (foretold.calls, foretold.digest, foretold.cost) == (found.calls, found.digest, found.cost)
    assert (foretold.finish_date, foretold.stop_reason) == (found.finish_date, found.stop_reason)
    house.database.close()


async def test_a_paused_campaign_is_forecast_as_started(house: House) -> None:
    campaign_id = furnished(house)
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(60)
    await house.move(campaign_id, CampaignStatus.PAUSE)
    await house.advance(60)
    before = len(house.rows(Cdr))
    (foretold,) = (await forecast(house, campaign_id, first_seed=1)).per_seed
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(5 * 86_400)
    assert foretold.digest == happened(house, campaign_id, before).digest


async def test_new_subscribers_get_the_ids_they_will_have(house: House) -> None:
    """This holds after a deletion, too: ids are never reused, and random values depend on them."""
    other_id = furnished(house)
    await house.move(other_id, CampaignStatus.START)
    await house.advance(60)
    await house.move(other_id, CampaignStatus.END)
    await house.advance(3_600)
    campaign_id = house.campaign(house.survey(*SECTIONS), house.phonebook(*NUMBERS[:9]))
    for model in (Subscriber, Contact):
        last = max(row["id"] for row in house.rows(model))
        house.database.write_now(partial(delete_row, model.__table__, last))
    (foretold,) = (await forecast(house, campaign_id, first_seed=1)).per_seed
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(5 * 86_400)
    cdrs = [row["callid"] for row in house.rows(Cdr) if row["campaign_id"] == campaign_id]
    assert len(cdrs) == foretold.calls == 7
    assert foretold.digest == happened(house, campaign_id).digest


def delete_row(table: Table, row_id: int, connection: Connection) -> None:
    connection.execute(table.delete().where(table.c.id == row_id))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.sqlite_only("compares the bytes of the file")
async def test_nothing_of_the_database_is_touched(house: House, tmp_path: Path) -> None:
    """The file and its neighbours stay unchanged, during the forecast and after it."""
    campaign_id = furnished(house)
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(97)
    house.database.close()
    before = contents(tmp_path)
    await forecast(house, campaign_id, seeds=2)
    house.database.close()
    assert contents(tmp_path) == before
    assert list(before) == ["dialer.db"]


async def test_numbers_on_the_do_not_call_list_are_not_called(house: House) -> None:
    """Numbers that the forecast adds are not called either, and are on no list afterwards."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey_id = house.survey({"type": 9, "script": "never again"})
    first, listed = house.phonebook("+12025550101", "+12025550102"), house.dnc_list("+12025550102")
    settings = {"dnc_id": listed, "completion_maxretry": 3}
    foretold = await forecast(house, house.campaign(survey_id, first, **settings))
    assert (foretold.calls, foretold.subscribers) == (CountSpread(1, 1, 1), 2)
    assert [(each.answer, each.count.p50) for each in foretold.sections[0].answers] == [("DNC", 1)]
    assert foretold.sections[0].question == "question 0"
    assert foretold.stop_reasons[0].name == "completed"


async def test_an_erased_number_stays_on_the_list(house: House) -> None:
    """The list holds only the hash of the number."""
    key = house.database.write_now(lambda connection: ensure_key(connection, MONDAY_NOON_MS))
    dnc_id = house.dnc_list()
    house.add(DncContact, dnc_id=dnc_id, phone_number="erased", number=hashed(key, "+12025550101"))
    phonebook_id = house.phonebook("+12025550101", "+12025550102")
    campaign_id = house.campaign(house.survey({"type": 1, "script": "hello"}), phonebook_id, dnc_id=dnc_id)
    assert (await forecast(house, campaign_id)).calls == CountSpread(1, 1, 1)


async def test_a_forecast_runs_out_of_credit(house: House) -> None:
    """The balance pays for one minute, so the second call stops the campaign, before it expires."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    house.change(User, house.user_id, balance=2 * CENTS)
    campaign_id = house.campaign(
        house.survey({"type": 1, "script": "hello"}), house.phonebook("+12025550101", "+12025550102"), frequency=1
    )
    (foretold,) = (await forecast(house, campaign_id)).per_seed
    assert (foretold.stop_reason, foretold.calls, foretold.cost) == ("no_credit", 1, "0.02000")
    assert foretold.finish_date < show_date(MONDAY_NOON_MS + DAY_MS)


async def test_a_forecast_ends_with_the_campaigns_dates(house: House) -> None:
    """Calls in progress at its end continue, and are counted."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    expires_ms = MONDAY_NOON_MS + 2_000
    phonebook_id = house.phonebook("+12025550101", "+12025550102", "+12025550103", "+12025550104")
    campaign_id = house.campaign(house.survey({"type": 1, "script": "hello"}), phonebook_id, expirationdate=expires_ms)
    found = await forecast(house, campaign_id)
    (foretold,) = found.per_seed
    assert (foretold.stop_reason, foretold.finish_date) == ("expired", show_date(expires_ms))
    assert (foretold.calls, foretold.answered, foretold.calls_in_progress_peak) == (2, 2, 2)
    assert found.now == show_date(MONDAY_NOON_MS)


async def test_a_campaign_of_text_messages(house: House) -> None:
    """It has no CDRs, so its digest is that of an empty list."""
    gateway_id = house.add(Gateway, medium=SMS, name="texts")
    house.change(User, house.user_id, sms_rate=5 * CENTS)
    numbers = ("+12025550101", "+12025550102", "+12025550103")
    campaign_id = house.campaign(
        0,
        house.phonebook(*numbers),
        medium="sms",
        aleg_gateway_id=None,
        sms_gateway_id=gateway_id,
        text_message="Come!",
    )
    (foretold,) = (await forecast(house, campaign_id, first_seed=1)).per_seed
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(86_400)
    row = house.row(Campaign, campaign_id)
    assert (foretold.calls, foretold.cost, foretold.answered) == (3, format_money(row["cost"]), row["answered"])
    assert (foretold.finish_date, foretold.digest) == (show_date(row["updated_date"]), cdr_digest([]))


async def test_a_campaign_that_cannot_start_is_refused_as_at_a_start(house: House) -> None:
    campaign_id = house.campaign(house.survey(), house.phonebook("+12025550101"))
    with pytest.raises(CampaignNotReadyError) as lacking:
        await forecast(house, campaign_id)
    assert lacking.value.errors.keys() == {"object_id"}
    house.change(Campaign, campaign_id, status=CampaignStatus.END)
    with pytest.raises(CampaignOverError, match="has ended"):
        await forecast(house, campaign_id)
    with pytest.raises(NoCampaignError, match="there is no campaign 4711"):
        await forecast(house, 4_711)


async def test_a_campaign_that_cannot_be_read_makes_no_calls(house: House) -> None:
    campaign_id = furnished(house)
    await house.move(campaign_id, CampaignStatus.START)
    house.change(Campaign, campaign_id, amd_behavior=99, voicemail=True)
    (foretold,) = (await forecast(house, campaign_id)).per_seed
    assert foretold.stop_reason == "unreadable"


async def test_other_campaigns_are_left_out(house: House) -> None:
    """Their calls in progress take no channel, so the forecast is equal once they have ended."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    await house.started(house.survey({"type": 1, "script": "hello"}), house.phonebook("+12025559999"))
    campaign_id = furnished(house)
    house.change(Gateway, house.gateway_id, max_channels=1, max_cps=1)
    (call,) = house.rows(CallRequest)
    during = await forecast(house, campaign_id)
    house.change(CallRequest, call["id"], status=4, ended_ms=MONDAY_NOON_MS, started_ms=0)
    after = await forecast(house, campaign_id)
    assert call["ended_ms"] is None
    assert during == after
    assert during.calls.p50 > len(NUMBERS)
