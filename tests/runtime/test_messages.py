"""Tests of SMS campaigns: pace, retries, money, replies and statuses, worked out by hand."""

import pytest

from dialer.app.campaigns.subscribers import delete_subscriber
from dialer.app.work.errors import CampaignNotReadyError
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import SMS, Campaign, Cdr, DncContact, Gateway, LedgerEntry, SmsMessage, Subscriber, User
from tests.runtime.house import CENTS, MONDAY_NOON_MS, House

FAILS, HAS_NO_ROUTE, SAYS_STOP = "+12025550130", "+12025550131", "+12025550132"
PEOPLE = [f"+1202555{number:04d}" for number in range(1_000, 1_010)]


async def texting(house: House, *numbers: str, text: str = "hello", sms_rate: int = 5 * CENTS, **values: object) -> int:
    """Start an SMS campaign with one message a second, at 0.05 a part."""
    house.change(User, house.user_id, sms_rate=sms_rate)
    gateway_id = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    message = {"medium": SMS, "sms_gateway_id": gateway_id, "aleg_gateway_id": None, "text_message": text}
    return await house.started(0, house.phonebook(*numbers), **{**message, **values})


def sent(house: House) -> list[tuple[str, float, str, int]]:
    """Return the number, the time in seconds, the status and the cost of each message."""
    return [
        (row["phone_number"], (row["send_date"] - MONDAY_NOON_MS) / 1_000, row["status"], row["cost"])
        for row in house.rows(SmsMessage)
    ]


async def test_a_message_goes_to_everybody_and_is_paid_for(house: House) -> None:
    """Messages are sent one a second and delivered after 3 s. The campaign ends, and there is no call."""
    campaign_id = await texting(house, *PEOPLE[:2])
    await house.advance(60)
    assert sent(house) == [(PEOPLE[0], 0, "Delivered", 5 * CENTS), (PEOPLE[1], 1, "Delivered", 5 * CENTS)]
    assert [row["delivery_date"] - row["send_date"] for row in house.rows(SmsMessage)] == [3_000, 3_000]
    row, user = house.row(Campaign, campaign_id), house.row(User, house.user_id)
    assert (row["status"], row["status_reason"], row["calls"], row["answered"]) == (
        CampaignStatus.END,
        "completed",
        2,
        2,
    )
    assert (user["balance"], user["held"], row["cost"]) == ((100_000 - 10) * CENTS, 0, 10 * CENTS)
    assert [entry["kind"] for entry in house.rows(LedgerEntry)] == ["payment", "sms", "sms"]
    assert house.rows(Cdr) == []


@pytest.mark.parametrize("sms_rate", [5 * CENTS, 0])
async def test_a_campaign_counts_messages_that_were_deleted_with_their_subscriber(house: House, sms_rate: int) -> None:
    """Of a free message nothing is left that could prove it. Fewer than there are is wrong in any case."""
    campaign_id = await texting(house, *PEOPLE[:3], sms_rate=sms_rate)
    await house.advance(60)
    house.perform(lambda unit: delete_subscriber(unit, 2))
    assert house.row(Campaign, campaign_id)["calls"] == 3
    assert house.database.read_now(audit).differences == []
    house.change(Campaign, campaign_id, calls=1)
    (difference,) = house.database.read_now(audit).differences
    assert (difference.field, difference.found, difference.expected) == ("calls", "1", "at least 2")


async def test_a_failed_message_is_sent_again_and_costs_nothing(house: House) -> None:
    """A failure is retried twice after 60 s, then FAIL. A message without a route is not retried."""
    await texting(house, FAILS, HAS_NO_ROUTE, maxretry=2, intervalretry=60)
    await house.advance(600)
    assert sent(house) == [
        (FAILS, 0, "Failed", 0),
        (HAS_NO_ROUTE, 1, "No_Route", 0),
        (FAILS, 61, "Failed", 0),
        (FAILS, 122, "Failed", 0),
    ]
    states = [(row["status"], row["status_reason"], row["count_attempt"]) for row in house.rows(Subscriber)]
    assert states == [(SubscriberStatus.FAIL, "not_delivered", 3), (SubscriberStatus.FAIL, "no_route", 1)]


async def test_a_reply_of_stop_puts_the_number_on_the_list(house: House) -> None:
    """The callee replies " Stop " 13 s after the message, and gets no other message over a simulated gateway."""
    dnc_id = house.dnc_list()
    await texting(house, SAYS_STOP, dnc_id=dnc_id)
    await house.advance(60)
    assert [row["number"] for row in house.rows(DncContact)] == [SAYS_STOP]
    await texting(house, SAYS_STOP, PEOPLE[0], dnc_id=dnc_id)
    await house.advance(60)
    assert [number for number, *_ in sent(house)] == [SAYS_STOP, PEOPLE[0]]
    assert house.rows(Subscriber)[1]["status_reason"] == "dnc"


async def test_names_are_filled_in_and_parts_counted_of_what_is_sent(house: House) -> None:
    """150 characters and a name of 11 are 161, which is two parts."""
    await texting(house, text="x" * 150 + "{full_name}{unknown}", startingdate=MONDAY_NOON_MS + 1_000)
    phonebook_id = 1
    house.contact(phonebook_id, PEOPLE[0], full_name="Ada Lovelac")
    await house.worker.settle()
    await house.advance(60)
    (row,) = house.rows(SmsMessage)
    assert (row["text_message"], row["parts"], row["cost"]) == ("x" * 150 + "Ada Lovelac", 2, 10 * CENTS)


async def test_a_message_that_renders_empty_is_not_sent(house: House) -> None:
    """Only the second callee has the variable of the text. The first is refused, without cost or delay."""
    campaign_id = await texting(house, text=" {offer} ", startingdate=MONDAY_NOON_MS + 1_000)
    for number, variables in ((PEOPLE[0], "{}"), (PEOPLE[1], '{"offer": "Half price"}')):
        house.contact(1, number, additional_vars=variables)
    await house.worker.settle()
    await house.advance(60)
    assert sent(house) == [(PEOPLE[1], 1, "Delivered", 5 * CENTS)]
    states = [(row["status"], row["status_reason"], row["count_attempt"]) for row in house.rows(Subscriber)]
    assert states == [(SubscriberStatus.NOT_AUTHORIZED, "no_text", 0), (SubscriberStatus.SENT, "", 1)]
    assert house.row(Campaign, campaign_id)["status_reason"] == "completed"
    user = house.row(User, house.user_id)
    assert (user["balance"], user["held"]) == ((100_000 - 5) * CENTS, 0)


async def test_without_credit_the_campaign_pauses(house: House) -> None:
    """The balance of 0.12 pays for two messages at 0.05."""
    house.change(User, house.user_id, balance=12 * CENTS)
    campaign_id = await texting(house, *PEOPLE[:4])
    await house.advance(60)
    assert len(sent(house)) == 2
    row, user = house.row(Campaign, campaign_id), house.row(User, house.user_id)
    assert (row["status_reason"], user["balance"], user["held"]) == ("no_credit", 2 * CENTS, 0)


async def test_a_message_sent_before_an_abort_is_charged(house: House) -> None:
    """The abort comes half a second after the first message, which is charged. No other message is sent."""
    campaign_id = await texting(house, *PEOPLE[:3])
    await house.advance(0.5)
    await house.move(campaign_id, CampaignStatus.ABORT)
    await house.advance(60)
    assert sent(house) == [(PEOPLE[0], 0, "Sent", 5 * CENTS)]
    states = [(row["status"], row["status_reason"]) for row in house.rows(Subscriber)]
    aborted = SubscriberStatus.ABORT, "aborted"
    assert states == [(SubscriberStatus.SENT, "no_receipt"), aborted, aborted]
    assert house.row(User, house.user_id)["held"] == 0


async def test_a_message_on_its_way_outlives_a_restart(house: House) -> None:
    """After a restart at 2 s, it is delivered once at 3 s."""
    await texting(house, PEOPLE[0])
    await house.advance(2)
    house.restart()
    await house.advance(60)
    assert sent(house) == [(PEOPLE[0], 0, "Delivered", 5 * CENTS)]


async def test_a_gateway_takes_no_more_than_max_cps(house: House) -> None:
    """The frequency is ten a second, and max_cps is two."""
    await texting(house, *PEOPLE[:5], frequency=600)
    house.change(Gateway, 1, medium=SMS, max_cps=2)
    await house.worker.settle()
    await house.advance(60)
    assert [second for _, second, *_ in sent(house)] == [0, 0.1, 1, 1.1, 2]


async def test_voice_and_text_share_one_account(house: House) -> None:
    """A call holds the whole balance. The message waits until the call has ended and released the rest."""
    house.change(User, house.user_id, balance=6 * CENTS)
    await house.started(house.survey({"type": 1, "script": "word"}), house.phonebook("+12025550100"))
    await texting(house, PEOPLE[0])
    await house.advance(60)
    # The call (answered at 5 s, 1 s of talk) holds 0.06 until 6 s and costs 0.02: 0.04 is less than the 0.05 of a part.
    assert sent(house) == []
    assert [row["status_reason"] for row in house.rows(Campaign)] == ["completed", "no_credit"]


async def test_a_campaign_without_a_text_is_refused_at_the_start(house: House) -> None:
    """The error names the missing text."""
    with pytest.raises(CampaignNotReadyError) as refusal:
        await texting(house, PEOPLE[0], text=" ")
    assert set(refusal.value.errors) == {"text_message"}
