"""Tests of rate cards in the service: holds, charges, restarts and changes."""

from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from dialer.app.accounts.rate_cards import change_rate, delete_rate
from dialer.domain.billing.charge import Rate
from dialer.domain.billing.money import format_money
from dialer.domain.figures.digest import cdr_digest
from dialer.sim.report import cdr_record, show_date
from dialer.sim.scenario import parse_scenario
from dialer.sim.simulation import Simulation
from dialer.store.queries.rates import rate_of
from dialer.store.queries.why_waiting import circumstances_of
from dialer.store.tables import Agent, CallRequest, Campaign, Cdr, Gateway, LedgerEntry, Transfer, User
from tests.runtime.house import CENTS, MONDAY_NOON_MS, House

LONG: Final = {"type": 1, "script": "word " * 150}  # 60 s
WASHINGTON: Final = "+12025551000"
PARIS: Final = "+33199000001"
FRANCE: Final = Rate(5 * CENTS, 30, 6, CENTS)
FRENCH: Final[dict[str, Any]] = {"connection_fee": CENTS, "first_increment": 30, "next_increment": 6}


async def test_a_call_is_held_and_charged_by_its_number(sociable: House) -> None:
    """One call goes to Washington at the user's rate. One goes to Paris: a fee, half a minute, then steps of 6 s."""
    sociable.price("33", 5 * CENTS, **FRENCH)
    sociable.price("339", 1)
    await sociable.started(sociable.survey(LONG), sociable.phonebook(WASHINGTON, PARIS), callmaxduration=600)
    await sociable.advance(10)
    assert [row["hold"] for row in sociable.rows(CallRequest)] == [20 * CENTS, FRANCE.price(600)]
    assert sociable.row(User, sociable.user_id)["held"] == 20 * CENTS + FRANCE.price(600)
    await sociable.advance(600)
    washington, paris = sociable.rows(Cdr)
    assert (rate_of(washington), washington["billed_duration"], washington["call_cost"]) == (
        Rate(2 * CENTS),
        60,
        2 * CENTS,
    )
    assert (rate_of(paris), paris["billed_duration"], paris["call_cost"]) == (FRANCE, 60, 6 * CENTS)
    assert sociable.row(User, sociable.user_id)["held"] == 0
    assert [row["amount"] for row in sociable.rows(LedgerEntry)[1:]] == [-2 * CENTS, -6 * CENTS]
    assert sociable.rows(Campaign)[0]["cost"] == 8 * CENTS


async def test_a_call_in_progress_keeps_its_rate_when_the_card_changes(sociable: House) -> None:
    """The rate is changed during the first call, and deleted with a restart during the second."""
    line_id = sociable.price("33", 5 * CENTS, **FRENCH)
    people = [f"+3319900000{place}" for place in range(3)]
    await sociable.started(sociable.survey(LONG), sociable.phonebook(*people), frequency=1, max_aleg=1)
    await sociable.advance(10)
    sociable.perform(lambda unit: change_rate(unit, line_id, {"rate": 7 * CENTS}))
    await sociable.advance(90)
    sociable.perform(lambda unit: delete_rate(unit, line_id))
    sociable.restart()
    await sociable.advance(600)
    rates = [FRANCE, msgspec.structs.replace(FRANCE, per_minute=7 * CENTS), Rate(2 * CENTS)]
    assert [rate_of(row) for row in sociable.rows(CallRequest)] == rates
    assert [(rate_of(row), row["call_cost"]) for row in sociable.rows(Cdr)] == [
        (rate, rate.price(60)) for rate in rates
    ]


async def test_a_number_that_is_too_dear_halts_the_campaign_when_its_turn_comes(sociable: House) -> None:
    """The balance of 0.05 pays for Washington, but not for the first 0.06 of a call to Paris."""
    sociable.price("33", 10 * CENTS, connection_fee=CENTS)
    sociable.pay(5 * CENTS - 100_000 * CENTS)
    campaign_id = await sociable.started(sociable.survey(LONG), sociable.phonebook(WASHINGTON, PARIS))
    await sociable.advance(600)
    assert [row["phone_number"] for row in sociable.rows(Cdr)] == [WASHINGTON]
    assert sociable.row(Campaign, campaign_id)["status_reason"] == "no_credit"


async def test_a_b_leg_is_charged_by_the_number_that_it_goes_to(sociable: House) -> None:
    """The A-leg, to Washington, costs the user's rate."""
    sociable.price("33", 5 * CENTS, **FRENCH)
    survey_id = sociable.survey({"type": 6, "phonenumber": PARIS})
    await sociable.started(survey_id, sociable.phonebook(WASHINGTON))
    await sociable.advance(60)
    sociable.restart()
    await sociable.advance(3_600)
    assert [rate_of(row) for row in sociable.rows(Transfer)] == [FRANCE]
    leg, call = sociable.rows(Cdr)
    assert (leg["phone_number"], rate_of(leg), leg["call_cost"]) == (PARIS, FRANCE, FRANCE.price(leg["billsec"]))
    assert (rate_of(call), leg["billsec"] > 30) == (Rate(2 * CENTS), True)


async def test_a_waiting_call_holds_the_dearest_agents_price_and_is_charged_the_answering_agents(
    sociable: House,
) -> None:
    """One agent is in Paris, on a break. The other, without a number, takes the call."""
    sociable.price("33", 5 * CENTS, **FRENCH)
    paris = sociable.agent(contact=PARIS, status=4)
    queue_id = sociable.queue(paris, sociable.agent(parameters='{"answer": 3, "talk": 40}'))
    survey_id = sociable.survey({"type": 6, "queue_id": queue_id})
    await sociable.started(survey_id, sociable.phonebook(WASHINGTON), callmaxduration=600)
    await sociable.advance(6)
    assert [(row["hold"], rate_of(row)) for row in sociable.rows(Transfer)] == [(FRANCE.price(600), FRANCE)]
    await sociable.advance(5)
    assert [rate_of(row) for row in sociable.rows(Transfer)] == [Rate(2 * CENTS)]
    sociable.restart()
    await sociable.advance(600)
    leg = sociable.rows(Cdr)[0]
    assert (leg["leg_type"], leg["billsec"], rate_of(leg), leg["call_cost"]) == (2, 40, Rate(2 * CENTS), 2 * CENTS)


async def test_an_agent_who_becomes_dearer_while_a_call_waits_costs_what_was_held(sociable: House) -> None:
    """The agent's contact becomes a number in Paris after the hold was made."""
    sociable.price("33", 5 * CENTS, **FRENCH)
    agent_id = sociable.agent(parameters='{"answer": 3, "talk": 40}')
    survey_id = sociable.survey({"type": 6, "queue_id": sociable.queue(agent_id)})
    await sociable.started(survey_id, sociable.phonebook(WASHINGTON))
    await sociable.advance(6)
    sociable.change(Agent, agent_id, contact=PARIS)
    await sociable.advance(600)
    leg = sociable.rows(Cdr)[0]
    assert (leg["phone_number"], rate_of(leg)) == (PARIS, Rate(2 * CENTS))


async def test_a_campaign_lacks_credit_when_not_even_the_cheapest_number_can_be_paid_for(sociable: House) -> None:
    """The balance is 0.01. A minute costs 0.02, and half a minute to Paris 0.01."""
    campaign_id = await sociable.started(sociable.survey(LONG), sociable.phonebook())
    sociable.pay(CENTS - 100_000 * CENTS)

    def lacks_credit() -> bool:
        read = partial(circumstances_of, campaign_ids=[campaign_id], now_ms=sociable.now_ms(), service_zone="UTC")
        return sociable.database.read_now(read)[campaign_id].place.lacks_credit

    before = lacks_credit()
    sociable.price("44", 3 * CENTS)
    dearer = lacks_credit()
    sociable.price("33", 2 * CENTS, first_increment=30)
    assert (before, dearer, lacks_credit()) == (True, True, False)


# --- the simulation -----------------------------------------------------------------------------------------------


NUMBERS: Final = [f"{('+1202555', '+4930123', '+6129123')[place % 3]}{place:04d}" for place in range(60)]
CARD: Final[list[dict[str, Any]]] = [
    {"prefix": "49", "rate": "0.031", "connection_fee": "0.004", "first_increment": 30, "next_increment": 6},
    {"prefix": "4930", "rate": "0.0171", "first_increment": 1, "next_increment": 1},
    {"prefix": "6", "rate": "0.2"},
]
SETTINGS: Final[dict[str, Any]] = {"frequency": 47, "callmaxduration": 90, "maxretry": 1, "intervalretry": 300}


def simulated() -> Simulation:
    document = {
        "seed": 42,
        "start": show_date(MONDAY_NOON_MS),
        "account": {"balance": "2", "call_rate": "0.02", "rate_card": CARD},
        "gateway": {"parameters": {"listen": 0.8}},
        "campaign": SETTINGS | {"expirationdate": show_date(MONDAY_NOON_MS + 3 * 86_400_000)},
        "survey": {"sections": [{"id": 1, "type": 1, "question": "question 0", "script": LONG["script"]}]},
        "contacts": [{"contact": number} for number in NUMBERS],
    }
    simulation = Simulation(parse_scenario(msgspec.json.encode(document)))
    simulation.run()
    return simulation


async def served(folder: Path) -> House:
    house = House(folder, seed=42)
    house.pay(200 * CENTS - 100_000 * CENTS)
    house.change(Gateway, house.gateway_id, parameters='{"listen": 0.8}')
    house.price("49", 3_100, connection_fee=400, first_increment=30, next_increment=6)
    house.price("4930", 1_710, first_increment=1, next_increment=1)
    house.price("6", 20_000)
    await house.started(house.survey(LONG), house.phonebook(*NUMBERS), **SETTINGS)
    await house.advance(3 * 86_400)
    return house


async def test_a_scenario_with_a_rate_card_costs_what_the_service_charges(tmp_path: Path) -> None:
    """The campaign runs until its credit is used up."""
    simulation, house = simulated(), await served(tmp_path)
    rows = [
        {**row, "starting_date": show_date(row["starting_date"]), "call_cost": format_money(row["call_cost"])}
        for row in house.rows(Cdr)
    ]
    house.database.close()
    assert {row["call_rate"] for row in rows} == {2_000, 1_710, 20_000}
    assert cdr_digest(rows) == cdr_digest(map(cdr_record, simulation.store.cdrs))
    assert simulation.store.closings[1].reason == "no_credit"
