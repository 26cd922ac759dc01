"""Tests of inbound calls: callees who missed a call call back one of our DIDs."""

import json
from typing import Any, Final

import pytest
from sqlalchemy import Connection, event

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.campaigns.change import change_campaign
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.words.enums import (
    AgentDisposition,
    CallRequestStatus,
    CampaignStatus,
    LegType,
    SubscriberStatus,
    TransferStatus,
)
from dialer.store.queries.load_engine import Loader
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import (
    SMS,
    CallBack,
    CallRequest,
    Campaign,
    Cdr,
    Did,
    Gateway,
    Row,
    SmsMessage,
    Subscriber,
    SurveyResult,
    Transfer,
    User,
)
from tests.runtime.house import CENTS, House
from tests.runtime.test_transfers import CALLER, OTHER, second

SHOWN: Final = "+33199000000"
BEHAVIOUR: Final = (
    f'{{"numbers": {{"{CALLER}": {{"outcome": "no_answer", "call_back_after": 30, "keys": ["1"]}}}}, "talk": 40,'
    ' "ring": 3}'
)
"""A gateway whose callees miss a call of 20 s, and call back at 50 s."""
ASKING: Final[dict[str, Any]] = {"type": 2, "script": "one two three four five", "key_1": "yes", "completed": True}
"""A section with 2 s of question, and 1 to 3 s until the answer."""
AGAIN: Final = {"maxretry": 1, "intervalretry": 10_000}
"""Settings with which the campaign goes on after the missed call."""


async def shown(house: House, *sections: dict[str, Any], **settings: object) -> int:
    """Start a campaign that has just dialled its only subscriber, and shows one of our DIDs."""
    house.change(Gateway, house.gateway_id, parameters=BEHAVIOUR)
    survey_id = house.survey(*(sections or (ASKING,)))
    settings = {"callerid": SHOWN, "calltimeout": 20, **settings}
    return await house.started(survey_id, house.phonebook(CALLER), **settings)


def did(house: House, campaign_id: int | None, number: str = SHOWN) -> int:
    """Add a DID, and the campaign that answers it."""
    return house.add(Did, user_id=house.user_id, is_assigned=True, did_number=number, campaign_id=campaign_id)


def came_in(house: House) -> list[tuple[Any, ...]]:
    """Return cause, campaign, length in seconds and price of the CDRs of inbound calls."""
    rows = [row for row in house.rows(Cdr) if row["callerid"] == CALLER and row["leg_type"] == 1]
    return [(row["hangup_cause_q850"], row["campaign_id"], row["billsec"] > 0, row["call_cost"]) for row in rows]


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("is_taken_back", [False, True])
async def test_a_call_back_is_promised_in_a_call_that_came_in(
    house: House, *, restarts: bool, is_taken_back: bool
) -> None:
    """The caller completes the survey in the call. The promise is kept all the same."""
    queue_id = house.queue(house.agent(name="Ann", parameters='{"talk": 60, "answer": 2}'))
    to_agent = {"type": 6, "queue_id": queue_id, "completed": True}
    did(house, await shown(house, to_agent, maxretry=0, intervalretry=10_000, end_when_done=False))
    await house.advance(56)
    (transfer,) = house.rows(Transfer)
    assert (transfer["callrequest_id"], transfer["status"]) == (2, TransferStatus.CONNECTED)
    at_ms = house.now_ms() + 600_000
    said = Disposed(AgentDisposition.CALL_BACK, "later", at_ms, same_agent=True)
    house.perform(lambda unit: dispose_of_call(unit, 2, said))
    if is_taken_back:
        house.perform(lambda unit: dispose_of_call(unit, 2, Disposed(AgentDisposition.SUCCESS)))
    if restarts:
        house.restart()
    await house.advance(300)
    person = house.row(Subscriber, 1)
    if is_taken_back:
        assert (person["status"], person["due_ms"]) == (SubscriberStatus.SENT, 0)
    else:
        assert (person["status"], person["due_ms"]) == (SubscriberStatus.PENDING, at_ms)
    await house.advance(600)
    attempts = [row["attempt"] for row in house.rows(CallRequest)]
    assert attempts[:3] == ([1, -1] if is_taken_back else [1, -1, 2])
    assert house.database.read_now(audit).differences == []


@pytest.mark.parametrize("restart_at_s", [None, 10, 30, 51])
async def test_a_call_that_comes_in_leaves_rows_and_changes_nothing_else(
    house: House, restart_at_s: float | None
) -> None:
    campaign_id = await shown(house)
    did_id = did(house, campaign_id)
    await house.advance(restart_at_s or 0)
    if restart_at_s is not None:
        house.restart()
    await house.advance(600)
    missed, request = house.rows(CallRequest)
    assert (missed["attempt"], missed["status"], missed["did_id"]) == (1, CallRequestStatus.FAILURE, None)
    names = ("attempt", "did_id", "campaign_id", "phone_number", "callerid", "status", "hold", "dialled_number")
    shown_by_row = [request[name] for name in names]
    assert shown_by_row == [-1, did_id, campaign_id, SHOWN, CALLER, CallRequestStatus.SUCCESS, 0, ""]
    assert second(request["started_ms"]) == 50
    _, cdr = house.rows(Cdr)
    of_cdr = ("leg_type", "callerid", "phone_number", "call_cost", "callrequest_id", "subscriber_id")
    assert [cdr[name] for name in of_cdr] == [1, CALLER, SHOWN, 0, request["id"], 1]
    assert cdr["billsec"] == cdr["duration"] > 2
    assert [(row["callrequest_id"], row["response"]) for row in house.rows(SurveyResult)] == [(request["id"], "yes")]
    (subscriber,) = house.rows(Subscriber)
    assert (subscriber["status"], subscriber["count_attempt"]) == (SubscriberStatus.FAIL, 1)
    (campaign,) = house.rows(Campaign)
    assert [campaign[name] for name in ("calls", "answered", "completed", "cost")] == [1, 0, 0, 0]
    assert house.row(User, house.user_id)["balance"] == 100_000 * CENTS
    assert house.rows(CallBack) == []


@pytest.mark.parametrize("restart_at_s", [None, 30, 51, 58])
@pytest.mark.parametrize("intervalretry", [100, 25])
async def test_a_callee_who_completes_the_survey_by_calling_back_is_not_called_again(
    house: House, restart_at_s: float | None, intervalretry: int
) -> None:
    """With an interval of 25 s the retry rings while the callee talks to us."""
    campaign_id = await shown(house, maxretry=3, intervalretry=intervalretry)
    did(house, campaign_id)
    if restart_at_s is not None:
        await house.advance(restart_at_s)
        house.restart()
    await house.advance(3_600)
    dialled = [second(row["started_ms"]) for row in house.rows(CallRequest) if row["attempt"] > 0]
    assert dialled == ([0] if intervalretry == 100 else [0, 45])
    (subscriber,) = house.rows(Subscriber)
    assert (subscriber["status"], subscriber["status_reason"]) == (SubscriberStatus.COMPLETED, "")
    campaign = house.row(Campaign, campaign_id)
    names = ("status", "status_reason", "completed")
    assert [campaign[name] for name in names] == [CampaignStatus.END, "completed", 1]
    assert house.database.read_now(audit).differences == []


async def test_an_inbound_call_may_be_transferred_at_the_usual_price(house: House) -> None:
    did(house, await shown(house, {"type": 6, "phonenumber": OTHER}))
    await house.advance(600)
    b_leg = next(row for row in house.rows(Cdr) if row["leg_type"] == 2)
    assert [b_leg[name] for name in ("callerid", "phone_number", "billsec", "call_cost")] == [CALLER, OTHER, 40, 2_000]
    assert house.row(User, house.user_id)["balance"] == 100_000 * CENTS - 2_000


async def test_a_limit_that_is_raised_after_the_end_holds_for_all_inbound_calls(house: House) -> None:
    """Two callers wait for their transfers when the limit is raised. A payment follows, which concerns no campaign."""
    missed = {"outcome": "no_answer", "call_back_after": 30}
    behaviour = {"numbers": {CALLER: missed, OTHER: missed}, "talk": 40, "ring": 3}
    house.change(Gateway, house.gateway_id, parameters=json.dumps(behaviour))
    survey_id = house.survey({"type": 6, "phonenumber": "+33199007777", "script": "word " * 25})
    settings = {"callerid": SHOWN, "calltimeout": 20, "max_xfer": 1}
    campaign_id = await house.started(survey_id, house.phonebook(CALLER, OTHER), **settings)
    did(house, campaign_id)
    await house.advance(30)
    await house.move(campaign_id, CampaignStatus.END)
    await house.advance(25)
    house.perform(lambda unit: change_campaign(unit, campaign_id, {"max_xfer": 5}))
    await house.worker.settle()
    house.pay(CENTS)
    await house.advance(600)
    assert house.worker.figures().broken == {}
    assert [row["callerid"] for row in house.rows(Cdr) if row["leg_type"] == LegType.B_LEG] == [CALLER, OTHER]


@pytest.mark.parametrize("status", [CampaignStatus.PAUSE, CampaignStatus.END])
async def test_a_campaign_that_does_not_dial_answers(house: House, status: CampaignStatus) -> None:
    campaign_id = await shown(house, **AGAIN)
    did(house, campaign_id)
    await house.advance(30)
    await house.move(campaign_id, status)
    await house.advance(600)
    assert came_in(house) == [(16, campaign_id, True, 0)]


async def test_a_number_that_no_campaign_answers_is_refused(house: House) -> None:
    """The DID has no campaign, one that never started, or an aborted one."""
    campaign_id = await shown(house, maxretry=9, intervalretry=100)
    did_id = did(house, None)
    await house.advance(60)
    house.change(Did, did_id, campaign_id=house.campaign(house.survey(ASKING)))
    await house.advance(120)
    house.change(Did, did_id, campaign_id=campaign_id)
    await house.move(campaign_id, CampaignStatus.ABORT)
    await house.advance(120)
    assert came_in(house) == [(1, None, False, 0)] * 2
    assert {row["phone_number"] for row in house.rows(Cdr) if row["campaign_id"] is None} == {SHOWN}
    assert len([row for row in house.rows(CallRequest) if row["attempt"] < 0]) == 0


async def test_a_call_is_refused_once_its_campaign_is_aborted(house: House) -> None:
    campaign_id = await shown(house, **AGAIN)
    did(house, campaign_id)
    await house.advance(30)
    await house.move(campaign_id, CampaignStatus.ABORT)
    await house.advance(600)
    assert came_in(house) == [(1, None, False, 0)]


@pytest.mark.parametrize("restarts", [False, True])
async def test_an_aborted_campaign_hangs_up_its_inbound_calls(house: House, *, restarts: bool) -> None:
    campaign_id = await shown(house, {"type": 1, "script": "word " * 100}, **AGAIN)
    did(house, campaign_id)
    await house.advance(60)
    if restarts:
        house.restart()
    await house.move(campaign_id, CampaignStatus.ABORT)
    assert [(row["billsec"], row["hangup_cause_q850"]) for row in house.rows(Cdr)] == [(0, 19), (10, 16)]
    assert house.rows(CallRequest)[1]["status"] == CallRequestStatus.ABORT


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_number_that_is_deleted_during_the_call_changes_nothing(house: House, *, restarts: bool) -> None:
    """The subscriber was called once, as before."""
    did_id = did(house, await shown(house, {"type": 1, "script": "word " * 100, "completed": True}))
    await house.advance(60)
    delete(house, Did, did_id)
    if restarts:
        house.restart()
    await house.advance(600)
    assert house.worker.problem() is None
    assert came_in(house) == [(16, 1, True, 0)]
    (subscriber,) = house.rows(Subscriber)
    assert (subscriber["status"], subscriber["count_attempt"]) == (SubscriberStatus.FAIL, 1)
    (campaign,) = house.rows(Campaign)
    assert [campaign[name] for name in ("calls", "answered", "completed", "status")] == [1, 0, 0, CampaignStatus.END]


@pytest.mark.parametrize("restarts", [False, True])
async def test_nobody_calls_back_a_campaign_that_was_deleted(house: House, *, restarts: bool) -> None:
    """This holds even if another campaign answers its DID."""
    campaign_id = await shown(house)
    other_id = await house.started(house.survey(ASKING), house.phonebook())
    did(house, other_id)
    await house.advance(30)
    delete(house, Campaign, campaign_id)
    if restarts:
        house.restart()
    await house.advance(600)
    assert house.worker.problem() is None
    assert [row["hangup_cause_q850"] for row in house.rows(Cdr)] == [19]


async def test_a_call_to_another_campaigns_did_belongs_to_that_campaign(house: House) -> None:
    await shown(house, {"type": 1, "script": "another survey"})
    other_id = await house.started(house.survey(ASKING), house.phonebook())
    did(house, other_id, number="+33 1 99 00 00 00")
    await house.advance(600)
    assert came_in(house) == [(16, other_id, True, 0)]
    assert [row["campaign_id"] for row in house.rows(SurveyResult)] == [other_id]


async def test_a_call_that_comes_in_takes_no_turn_on_the_gateway(house: House) -> None:
    """At 50 s a call comes in and a campaign dials, though the gateway allows one call a second."""
    did(house, await shown(house))
    house.change(Gateway, house.gateway_id, max_cps=1, max_channels=1)
    await house.advance(49.9)
    await house.started(house.survey(ASKING), house.phonebook("+33199001235"), startingdate=house.now_ms() + 200)
    await house.advance(600)
    assert house.dials_s() == [0, 50, 50.1]


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("is_answered", [False, True])
async def test_a_callee_of_another_users_campaign_is_unknown(
    house: House, *, is_answered: bool, restarts: bool
) -> None:
    """The owner of a DID does not learn of calls that another user's campaigns made."""
    bob_id = house.add(User, username="bob", password_hash="-")
    texting: dict[str, Any] = {"type": 10, "sms_text": "Dear {full_name}, what is your {iban}?"}
    sms_gateway_id = house.add(Gateway, medium=SMS, name="texts")
    other_id = await house.started(house.survey(texting), house.phonebook(), sms_gateway_id=sms_gateway_id)
    campaign_id = await shown(house, ASKING, user_id=bob_id)
    did_id = did(house, other_id if is_answered else None)
    await house.advance(30)
    if restarts:
        house.restart()
    await house.advance(600)
    assert [(row["user_id"], row["campaign_id"]) for row in house.rows(Cdr)] == [(bob_id, campaign_id)]
    assert [row["attempt"] for row in house.rows(CallRequest)] == [1]
    assert [house.rows(model) for model in (CallBack, SmsMessage, SurveyResult)] == [[], [], []]
    assert house.row(Did, did_id)["campaign_id"] == (other_id if is_answered else None)
    assert (house.worker.problem(), house.database.read_now(audit).differences) == (None, [])


@pytest.mark.parametrize("owner", ["ann", "bob"])
async def test_the_owner_of_the_answering_campaign_decides_which_callees_are_known(house: House, owner: str) -> None:
    """The user who entered the DID may be another one, and does not count."""
    bob_id = house.add(User, username="bob", password_hash="-")
    owner_id = {"ann": house.user_id, "bob": bob_id}[owner]
    other_id = await house.started(house.survey(ASKING), house.phonebook(), user_id=bob_id)
    await shown(house, ASKING, user_id=owner_id)
    did(house, other_id)
    await house.advance(600)
    assert came_in(house) == ([(16, other_id, True, 0)] if owner == "bob" else [])
    assert (house.worker.problem(), house.database.read_now(audit).differences) == (None, [])


def delete(house: House, model: type[Row], row_id: int) -> None:
    """Delete a row and its dependent rows."""
    table = model.__table__
    house.database.write_now(lambda connection: connection.execute(table.delete().where(table.c.id == row_id)))


async def test_many_dids_need_no_more_statements_than_a_few(house: House) -> None:
    """The DIDs are read again after every change of any row."""
    campaign_id = await shown(house)
    asked: list[str] = []

    def count(_connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    def questions() -> int:
        asked.clear()
        house.database.read_now(lambda connection: Loader("UTC", CallingHours()).world(connection, house.now_ms()))
        return len(asked)

    engine = house.database._readers  # noqa: SLF001 - the only way to observe statements
    did(house, campaign_id)
    event.listen(engine, "before_cursor_execute", count)
    try:
        before = questions()
        for place in range(50):
            did(house, campaign_id, f"+3319900{place + 1:04d}")
        assert questions() == before
    finally:
        event.remove(engine, "before_cursor_execute", count)


@pytest.mark.parametrize("is_assigned", [True, False])
async def test_a_number_that_waits_for_an_admin_takes_no_calls(house: House, *, is_assigned: bool) -> None:
    """Another account has named the number first, without having it."""
    campaign_id = await shown(house)
    house.add(Did, user_id=house.user_id, did_number=SHOWN, campaign_id=None, is_assigned=False)
    house.add(Did, user_id=house.user_id, did_number=SHOWN, campaign_id=campaign_id, is_assigned=is_assigned)
    await house.advance(600)
    assert [cause for cause, *_ in came_in(house)] == ([16] if is_assigned else [])
