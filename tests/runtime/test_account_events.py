"""Tests of the events of accounts: every committed change has exactly its events, and what is rolled back has none."""

from collections import Counter
from pathlib import Path
from typing import Any, Final

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from dialer.app.accounts.payments import record_payment
from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.campaigns.change import start_campaign
from dialer.app.telling.account_events import set_low_balance, switch_events, write_forecast_finished
from dialer.app.telling.audit_log import COMMAND_LINE
from dialer.app.telling.listeners import tell_listeners
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.sessions.leg_protocol import TextReceived
from dialer.domain.words.enums import AgentDisposition, CampaignStatus, SubscriberStatus
from dialer.resources.crud.urls import Links
from dialer.resources.records.events import event_read
from dialer.store.database.touched import EVERYTHING
from dialer.store.rows.account_events import EVENTS_PER_PAGE_MAX, EventsWanted, read_events, remove_old_events
from dialer.store.rows.texts.incoming_texts import add_news
from dialer.store.tables import (
    SMS,
    AccountEvent,
    CallRequest,
    Campaign,
    Cdr,
    DncContact,
    Gateway,
    Subscriber,
    Transfer,
    User,
)
from dialer.webhooks.event_data import EVENT_DATA
from tests.runtime.centre import centre
from tests.runtime.house import DAY_MS, House

COMPLETED: Final = (SubscriberStatus.COMPLETED, SubscriberStatus.SENT)
OPEN: Final = (SubscriberStatus.PENDING, SubscriberStatus.PAUSE, SubscriberStatus.IN_PROCESS)


def switch(house: House, *, keep: bool = True) -> None:
    house.perform(lambda unit: switch_events(unit, house.user_id, keep=keep))


def run(house: House, seconds: int) -> None:
    anyio.run(house.advance, seconds)


def events(house: House) -> list[dict[str, Any]]:
    return [{**row, "data": msgspec.json.decode(row["data"])} for row in house.rows(AccountEvent)]


def fit(house: House) -> None:
    """Check that all events have the data that their schemas promise."""
    links = Links("https://dialer.example", frozenset())
    for row in house.database.read_now(lambda found: found.execute(select(AccountEvent.__table__)).all()):
        read = event_read(row, links, "EUR")
        msgspec.convert(read.data, EVENT_DATA[read.type])


def types(house: House) -> Counter[str]:
    return Counter(row["type"] for row in house.rows(AccountEvent))


def open_campaign(house: House, people: int, **values: object) -> int:
    numbers = [f"+1202555{place:04}" for place in range(100, 100 + people)]
    survey_id = house.survey({"type": 1, "script": "Hello"}, {"type": 8, "script": "Bye"})
    return house.campaign(survey_id, house.phonebook(*numbers), **values)


def start(house: House, campaign_id: int) -> None:
    def work(unit: UnitOfWork) -> None:
        start_campaign(unit, campaign_id)
        tell_listeners(unit, COMMAND_LINE)

    house.perform(work)


def expected(house: House) -> Counter[str]:
    """Return the events that the rows of a campaign of calls call for."""
    legs = [row for row in house.rows(Cdr) if row["leg_type"] == 1]
    over = [row["status"] for row in house.rows(Subscriber) if row["status"] not in OPEN]
    counts = Counter({"call.started": len(house.rows(CallRequest)), "call.ended": len(legs), "campaign.started": 1})
    counts["call.answered"] = sum(row["billsec"] > 0 for row in legs)
    counts["subscriber.completed"] = sum(status in COMPLETED for status in over)
    counts["subscriber.failed"] = len(over) - counts["subscriber.completed"]
    counts["dnc.added"] = len(house.rows(DncContact))
    counts["campaign.ended"] = sum(row["status"] == CampaignStatus.END for row in house.rows(Campaign))
    return +counts


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(1, 10_000), people=st.integers(1, 25), retries=st.integers(0, 2), pieces=st.integers(1, 4))
def test_each_committed_change_has_exactly_its_events(
    tmp_path_factory: pytest.TempPathFactory, seed: int, people: int, retries: int, pieces: int
) -> None:
    house = House(tmp_path_factory.mktemp("house"), seed=seed)
    switch(house)
    start(house, open_campaign(house, people, maxretry=retries))
    for piece in range(pieces):
        run(house, 60 * piece)
        assert types(house) == expected(house)
        house.restart()
    run(house, DAY_MS // 1_000)
    assert types(house) == expected(house)
    assert types(house)["call.ended"] > 0
    fit(house)
    house.database.close()


def test_a_campaign_has_the_same_states_whoever_moves_it(house: House) -> None:
    """Here the service ends it; the state is named as in the event of a user who does."""
    switch(house)
    start(house, open_campaign(house, 2))
    run(house, DAY_MS // 1_000)
    moved = [(event["type"], event["data"]) for event in events(house) if event["type"].startswith("campaign.")]
    assert moved == [
        ("campaign.started", {"state": "started"}),
        ("campaign.ended", {"state": "ended", "reason": "completed"}),
    ]


def test_an_account_that_keeps_no_events_has_none(house: House) -> None:
    start(house, open_campaign(house, 5))
    run(house, DAY_MS // 1_000)
    assert not events(house)


def test_events_begin_and_end_with_the_switch_while_a_campaign_runs(house: House) -> None:
    start(house, open_campaign(house, 30))
    run(house, 10)
    switch(house)
    run(house, 10)
    some = types(house)
    assert 0 < some["call.started"] < 30
    switch(house, keep=False)
    run(house, DAY_MS // 1_000)
    assert types(house) == some


def test_what_is_rolled_back_has_no_events(house: House) -> None:
    switch(house)
    campaign_id = open_campaign(house, 1)

    def fail(unit: UnitOfWork) -> None:
        start_campaign(unit, campaign_id)
        tell_listeners(unit, COMMAND_LINE)
        raise RuntimeError("full")

    with pytest.raises(RuntimeError, match="full"):
        house.perform(fail)
    assert not events(house)


def test_events_hold_no_numbers(house: House) -> None:
    switch(house)
    start(house, open_campaign(house, 3))
    run(house, DAY_MS // 1_000)
    assert events(house)
    assert not [event for event in events(house) if "202555" in str(event)]


def test_pages_filter_and_old_events_are_removed(house: House) -> None:
    switch(house)
    campaign_id = open_campaign(house, 3)
    start(house, campaign_id)
    run(house, DAY_MS // 1_000)
    wanted = EventsWanted(("call.ended",), campaign_id, limit=EVENTS_PER_PAGE_MAX)
    rows = house.database.read_now(lambda c: read_events(c, house.user_id, wanted))
    assert len(rows) == types(house)["call.ended"]
    later = wanted._replace(after_id=rows[0].id, limit=1)
    assert [row.id for row in house.database.read_now(lambda c: read_events(c, house.user_id, later))] == [rows[1].id]
    others = house.database.read_now(lambda c: read_events(c, house.user_id + 1, EventsWanted()))
    assert not others
    house.database.write_now(lambda c: remove_old_events(c, house.now_ms() + 1))
    assert not events(house)


def test_events_of_messages_have_states_by_name(house: House) -> None:
    switch(house)
    gateway = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    book = house.phonebook("+12025550100", "+12025550101")
    start(house, house.campaign(0, book, medium=SMS, sms_gateway_id=gateway, aleg_gateway_id=None, text_message="hi"))
    run(house, DAY_MS // 1_000)
    states = Counter((e["type"], e["data"]["state"]) for e in events(house) if e["type"].startswith("message."))
    fit(house)
    assert states == {("message.sent", "in_progress"): 2, ("message.delivered", "delivered"): 2}


def test_a_balance_that_gets_low_is_told_once_each_time(house: House) -> None:
    """The limit is crossed by a call, and again after a payment; calls below it are told no more."""
    switch(house)
    campaign_id = open_campaign(house, 30, maxretry=0)
    (balance,) = (row["balance"] for row in house.rows(User) if row["id"] == house.user_id)
    house.perform(lambda unit: set_low_balance(unit, house.user_id, balance - 1))
    start(house, campaign_id)
    run(house, DAY_MS // 1_000)
    (row,) = (row for row in house.rows(User) if row["id"] == house.user_id)
    (low,) = (event for event in events(house) if event["type"] == "balance.low")
    assert low["data"]["low_balance"] == balance - 1
    assert row["balance"] <= low["data"]["balance"] < balance
    assert low["subject"] == f"users/{house.user_id}"
    house.pay(balance)
    house.perform(lambda unit: set_low_balance(unit, house.user_id, row["balance"] + balance - 1))
    start(house, open_campaign(house, 30, maxretry=0))
    run(house, DAY_MS // 1_000)
    assert types(house)["balance.low"] == 2
    fit(house)


def test_a_balance_above_its_limit_is_not_told(house: House) -> None:
    switch(house)
    start(house, open_campaign(house, 10))
    run(house, DAY_MS // 1_000)
    assert types(house)["balance.low"] == 0


def test_a_forecast_that_is_kept_is_told(house: House) -> None:
    switch(house)
    campaign_id = open_campaign(house, 1)
    house.perform(lambda unit: write_forecast_finished(unit, campaign_id))
    (told,) = events(house)
    assert (told["type"], told["subject"], told["campaign_id"]) == (
        "forecast.finished",
        f"campaigns/{campaign_id}",
        campaign_id,
    )


def test_an_answer_to_a_text_is_told_to_those_who_wrote_and_keep_events(house: House) -> None:
    gateway = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    book = house.phonebook("+12025550100")
    campaign_id = house.campaign(0, book, medium=SMS, sms_gateway_id=gateway, aleg_gateway_id=None, text_message="hi")
    start(house, campaign_id)
    run(house, 600)
    heard = [(TextReceived("+12025550100", "", text), place) for place, text in enumerate(("What time?", "STOP", "Mm"))]

    def arrive(unit: UnitOfWork) -> None:
        for text, place in heard:
            add_news(unit.connection, GatewayKey(SMS, gateway), f"news{place}", text, unit.now_ms)
        unit.note(EVERYTHING)

    switch(house)
    house.perform(arrive)
    run(house, 60)
    told = [(e["type"], e["data"], e["subject"]) for e in events(house) if e["type"] == "message.received"]
    subject = f"sms-campaigns/{campaign_id}"
    assert told == [("message.received", {"state": state}, subject) for state in ("received", "stop", "perhaps")]
    fit(house)


def test_a_simulated_callee_who_answers_stop_is_told_as_on_a_real_line(house: House) -> None:
    """The number that always answers STOP, and one that only gets the message."""
    gateway = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    book = house.phonebook("+12025550100", "+12025550132")
    campaign_id = house.campaign(0, book, medium=SMS, sms_gateway_id=gateway, aleg_gateway_id=None, text_message="hi")
    switch(house)
    start(house, campaign_id)
    run(house, 600)
    told = [(e["type"], e["data"], e["subject"], e["campaign_id"]) for e in events(house)]
    received = ("message.received", {"state": "stop"}, f"sms-campaigns/{campaign_id}", campaign_id)
    assert [one for one in told if one[0] == "message.received"] == [received]
    kinds = [one[0] for one in told]
    assert kinds.index("message.received") == kinds.index("dnc.added") - 1
    fit(house)


def test_money_that_is_paid_back_is_told_if_the_balance_gets_low(house: House) -> None:
    switch(house)
    (balance,) = (row["balance"] for row in house.rows(User) if row["id"] == house.user_id)
    house.perform(lambda unit: set_low_balance(unit, house.user_id, balance - 10))

    def pay(amount: int) -> None:
        def work(unit: UnitOfWork) -> None:
            record_payment(unit, house.user_id, amount)
            tell_listeners(unit, COMMAND_LINE)

        house.perform(work)

    for amount in (-9, -1, -1, 5, -4):
        pay(amount)
    lows = [event["data"]["balance"] for event in events(house) if event["type"] == "balance.low"]
    assert lows == [balance - 10, balance - 10]
    fit(house)


async def test_an_agent_who_takes_a_call_is_told_once_for_each_talk(tmp_path: Path) -> None:
    house = await centre(tmp_path)
    switch(house)
    await house.advance(120)
    house.restart()
    await house.advance(200)
    talks = [row for row in house.rows(Transfer) if row["answered_ms"] is not None and row["score_from_ms"]]
    told = [event for event in events(house) if event["type"] == "call.taken"]
    assert len(talks) > 5
    assert sorted((event["subject"], event["data"]["agent"], event["created_date"]) for event in told) == sorted(
        (f"callrequest/{row['callrequest_id']}", row["agent_id"], row["answered_ms"]) for row in talks
    )
    fit(house)
    house.database.close()


def test_an_agent_who_says_do_not_call_puts_numbers_on_lists_as_a_wish_does(house: House) -> None:
    switch(house)
    start(house, open_campaign(house, 1))
    run(house, DAY_MS // 1_000)
    call_id = house.rows(CallRequest)[0]["id"]

    def say(unit: UnitOfWork) -> None:
        dispose_of_call(unit, call_id, Disposed(AgentDisposition.DO_NOT_CALL))
        tell_listeners(unit, COMMAND_LINE)

    house.perform(say)
    (entry,) = house.rows(DncContact)
    told = [(event["type"], event["subject"]) for event in events(house)][-2:]
    assert told == [("dnc.added", f"dnc-contact/{entry['id']}"), ("disposition.saved", f"callrequest/{call_id}")]
    fit(house)
