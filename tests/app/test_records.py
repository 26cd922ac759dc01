"""Use cases of one record: each changes its rows, and says what it touched and what happened."""

from typing import Any, Final

import pytest

from dialer.app.accounts.payments import record_payment
from dialer.app.accounts.rate_cards import add_rate, change_rate, delete_rate
from dialer.app.accounts.users import NewUser, change_password, create_user
from dialer.app.call_centre.agents_and_queues import change_agent, delete_agent, delete_queue
from dialer.app.campaigns.change import start_campaign
from dialer.app.campaigns.delete import delete_campaign
from dialer.app.campaigns.subscribers import (
    add_subscriber,
    change_subscriber,
    delete_subscriber,
)
from dialer.app.carriers.gateways import change_gateway
from dialer.app.contacts.contacts import add_contact, change_contact, delete_contact, delete_phonebook
from dialer.app.contacts.do_not_call import add_to_dnc, change_dnc_entry, delete_dnc_list, remove_from_dnc
from dialer.app.work.errors import InvalidFieldsError, RefusedError, StillUsedError, UnknownRecordError
from dialer.app.work.events import (
    AgentStatusChanged,
    NumberAllowed,
    NumberCalledOff,
    PasswordChanged,
    PaymentRecorded,
    RateCardChanged,
    UserChanged,
    UserCreated,
)
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.words.enums import AgentStatus, CampaignStatus, SubscriberStatus
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.tables import (
    SMS,
    VOICE,
    Agent,
    Campaign,
    Contact,
    DncContact,
    DncList,
    Gateway,
    LedgerEntry,
    Payment,
    Phonebook,
    Queue,
    RateCardLine,
    Subscriber,
    Tier,
    User,
)
from tests.app.using import Used, use, written
from tests.runtime.house import CENTS, House

HELLO: Final = {"type": 1, "script": "Hello"}
PERSON: Final = "+12025550100"
OTHER: Final = "+12025550101"
CAMPAIGN: Final = Touched(campaigns=frozenset({1}))
ACCOUNT: Final = Touched(accounts=frozenset({1}))
MOMENTS: Final = {"created_date": 1, "updated_date": 1}


@pytest.fixture
def calling(house: House) -> House:
    """Return a house whose campaign 1 is started over phonebook 1, with contact 1, and heeds do-not-call list 1."""
    house.campaign(house.survey(HELLO), house.phonebook(PERSON), dnc_id=house.dnc_list())
    use(house, lambda unit: start_campaign(unit, 1))
    return house


def columns(number: str) -> dict[str, Any]:
    """Return the columns that a number has in a row."""
    return {"number": number, "zone": "America/New_York", "full_name": "", "additional_vars": "{}", **MOMENTS}


def status_of(house: House, subscriber_id: int) -> tuple[int, str]:
    row = house.row(Subscriber, subscriber_id)
    return row["status"], row["status_reason"]


def test_subscribers_are_added_paused_and_deleted(calling: House) -> None:
    row = {"campaign_id": 1, "duplicate_contact": OTHER, **columns(OTHER)}
    added = use(calling, lambda unit: add_subscriber(unit, row))
    assert added == Used(CAMPAIGN, [])
    assert calling.row(Campaign, 1)["totalcontact"] == 2
    paused = use(calling, lambda unit: change_subscriber(unit, 2, {"status": SubscriberStatus.PAUSE}))
    assert paused == Used(CAMPAIGN, [])
    assert use(calling, lambda unit: change_subscriber(unit, 2, {"status": SubscriberStatus.PAUSE})) == Used(
        NOTHING, []
    )
    assert use(calling, lambda unit: change_subscriber(unit, 2, {"zone": "Asia/Kolkata"})) == Used(CAMPAIGN, [])
    assert use(calling, lambda unit: delete_subscriber(unit, 2)) == Used(CAMPAIGN, [])
    assert (len(calling.rows(Subscriber)), calling.row(Campaign, 1)["totalcontact"]) == (1, 1)


def test_a_subscriber_in_a_call_is_neither_renumbered_nor_deleted(calling: House) -> None:
    calling.change(Subscriber, 1, status=SubscriberStatus.IN_PROCESS)
    with pytest.raises(RefusedError, match=r"^The subscriber is in a call\. Try again when the call is over\.$"):
        use(calling, lambda unit: delete_subscriber(unit, 1))
    with pytest.raises(RefusedError, match=r"^The subscriber is in a call\. Try again when the call is over\.$"):
        use(calling, lambda unit: change_subscriber(unit, 1, {"duplicate_contact": OTHER, "number": OTHER}))


def test_a_payment_moves_the_balance_and_is_named_by_its_entry(house: House) -> None:
    paid = use(house, lambda unit: record_payment(unit, 1, 5 * CENTS, "thanks"))
    assert paid == Used(ACCOUNT, [PaymentRecorded(2, 1, 5 * CENTS)])
    assert house.row(User, 1)["balance"] == 100_005 * CENTS
    assert [row["reference"] for row in house.rows(LedgerEntry)] == ["payment:1", "payment:2"]


def test_a_payment_is_judged_before_it_is_written(house: House) -> None:
    """Held money is not free."""
    house.change(User, 1, held=100_000 * CENTS)
    with written(house) as statements, pytest.raises(InvalidFieldsError) as refusal:
        use(house, lambda unit: record_payment(unit, 1, -1))
    assert (refusal.value.errors, statements) == (
        {"amount": ["0.00001 is more than the free balance. Refund at most 0.00000."]},
        [],
    )
    assert len(house.rows(Payment)) == 1


def test_a_rate_card_gets_a_new_version_with_every_change(house: House) -> None:
    line = {
        "user_id": 1,
        "prefix": "49",
        "rate": 5,
        "connection_fee": 0,
        "first_increment": 60,
        "next_increment": 60,
        **MOMENTS,
    }
    used = [
        use(house, lambda unit: add_rate(unit, line)),
        use(house, lambda unit: change_rate(unit, 1, {"rate": 7})),
    ]
    assert house.row(RateCardLine, 1)["rate"] == 7
    used.append(use(house, lambda unit: delete_rate(unit, 1)))
    assert used == [Used(ACCOUNT, [RateCardChanged(1)])] * 3
    assert (house.rows(RateCardLine), house.row(User, 1)["rate_card_version"]) == ([], 3)


def test_users_are_created_once_and_change_their_passwords(house: House) -> None:
    new = NewUser(username="ben", password_hash="a")
    assert use(house, lambda unit: create_user(unit, new)) == Used(NOTHING, [UserCreated(2)])
    with pytest.raises(RefusedError, match=r"^there is a user ben already; choose another name$"):
        use(house, lambda unit: create_user(unit, new))
    assert use(house, lambda unit: change_password(unit, "ben", "b")) == Used(
        Touched(accounts=frozenset({2})), [PasswordChanged(2), UserChanged(2)]
    )
    assert house.row(User, 2)["password_hash"] == "b"
    with pytest.raises(UnknownRecordError, match=r"^there is no user eve$"):
        use(house, lambda unit: change_password(unit, "eve", "b"))


def test_a_contact_touches_the_campaigns_that_call_it_and_no_others(calling: House) -> None:
    other_book = calling.phonebook()
    contact = {"phonebook_id": other_book, "contact": OTHER, **columns(OTHER)}
    assert use(calling, lambda unit: add_contact(unit, contact)) == Used(NOTHING, [])
    assert use(calling, lambda unit: change_contact(unit, 2, {"phonebook_id": 1})) == Used(CAMPAIGN, [])
    assert [row["number"] for row in calling.rows(Subscriber)] == [PERSON, OTHER]
    assert use(calling, lambda unit: change_contact(unit, 2, {"full_name": "Ann"})) == Used(NOTHING, [])
    assert use(calling, lambda unit: delete_contact(unit, 2)) == Used(CAMPAIGN, [])
    assert status_of(calling, 2) == (SubscriberStatus.ABORT, "contact_deleted")
    assert [row["id"] for row in calling.rows(Contact)] == [1]


def test_a_subscriber_who_was_deleted_does_not_come_back_with_a_new_name(calling: House) -> None:
    use(calling, lambda unit: delete_subscriber(unit, 1))
    use(calling, lambda unit: change_contact(unit, 1, {"full_name": "Ann"}))
    assert calling.rows(Subscriber) == []


def test_a_phonebook_and_a_list_stay_while_a_campaign_needs_them(calling: House) -> None:
    with pytest.raises(StillUsedError, match=r"^Still used by campaigns 1\. Change or delete them first\.$"):
        use(calling, lambda unit: delete_phonebook(unit, 1))
    with pytest.raises(StillUsedError, match=r"^Still used by campaigns 1\. Change or delete them first\.$"):
        use(calling, lambda unit: delete_dnc_list(unit, 1))
    calling.change(Campaign, 1, status=CampaignStatus.END)
    assert use(calling, lambda unit: delete_phonebook(unit, 1)) == Used(NOTHING, [])
    with pytest.raises(StillUsedError, match=r"^Still used by campaigns 1\. Change or delete them first\.$"):
        use(calling, lambda unit: delete_dnc_list(unit, 1))
    calling.change(Campaign, 1, dnc_id=None)
    assert use(calling, lambda unit: delete_dnc_list(unit, 1)) == Used(NOTHING, [])
    assert (calling.rows(Phonebook), calling.rows(DncList)) == ([], [])


def test_a_number_that_is_called_off_touches_the_campaigns_that_heed_the_list(calling: House) -> None:
    entry = {"dnc_id": 1, "phone_number": PERSON, "number": PERSON, **MOMENTS}
    assert use(calling, lambda unit: add_to_dnc(unit, entry)) == Used(CAMPAIGN, [NumberCalledOff(1, 1)])
    other_list = calling.dnc_list()
    moved = use(calling, lambda unit: change_dnc_entry(unit, 1, {"dnc_id": other_list}))
    assert moved == Used(CAMPAIGN, [NumberAllowed(1, 1), NumberCalledOff(2, 1)])
    assert use(calling, lambda unit: remove_from_dnc(unit, 1)) == Used(NOTHING, [NumberAllowed(2, 1)])
    assert calling.rows(DncContact) == []


def test_gateways_are_touched_with_their_medium(house: House) -> None:
    house.add(Gateway, medium=SMS, name="texts")
    assert use(house, lambda unit: change_gateway(unit, GatewayKey(VOICE, 1), {"max_cps": 3})) == Used(
        Touched(gateways=frozenset({GatewayKey(VOICE, 1)})), []
    )
    changed = use(house, lambda unit: change_gateway(unit, GatewayKey(SMS, 1), {"max_cps": 3}))
    assert changed == Used(Touched(gateways=frozenset({GatewayKey(SMS, 1)})), [])
    assert (house.row(Gateway, 1)["max_cps"], house.row(Gateway, 1, SMS)["max_cps"]) == (3, 3)


def test_agents_log_in_and_are_deleted_with_their_places_in_queues(house: House) -> None:
    house.queue(house.agent(status=AgentStatus.LOGGED_OUT))
    agent = Touched(agents=frozenset({1}))
    available = use(house, lambda unit: change_agent(unit, 1, {"status": AgentStatus.AVAILABLE}))
    assert available == Used(agent, [AgentStatusChanged(1, AgentStatus.AVAILABLE)])
    assert use(house, lambda unit: delete_agent(unit, 1)) == Used(agent, [])
    assert (house.rows(Agent), house.rows(Tier)) == ([], [])
    queue = Touched(queues=frozenset({1}))
    assert use(house, lambda unit: delete_queue(unit, 1)) == Used(queue, [])
    assert house.rows(Queue) == []


def test_campaigns_are_read_again_without_a_queue_that_recorded_their_calls(calling: House) -> None:
    calling.queue(record="all")
    assert use(calling, lambda unit: delete_queue(unit, 1)).touched == CAMPAIGN | Touched(queues=frozenset({1}))


def test_a_campaign_is_deleted_once_it_is_not_started(calling: House) -> None:
    with pytest.raises(RefusedError, match=r"^The campaign is in 1 \(START\): pause, abort or end it first\.$"):
        use(calling, lambda unit: delete_campaign(unit, 1))
    calling.change(Campaign, 1, status=CampaignStatus.PAUSE)
    assert use(calling, lambda unit: delete_campaign(unit, 1)) == Used(CAMPAIGN, [])
    assert (calling.rows(Campaign), calling.rows(Subscriber)) == ([], [])
