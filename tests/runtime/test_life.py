"""Tests of start, pause, abort and end: their effects on dials and on calls in progress."""

import pytest

from dialer.domain.words.enums import CallRequestStatus, CampaignStatus, SubscriberStatus
from dialer.domain.words.states import IllegalMoveError
from dialer.store.tables import CallRequest, Campaign, Cdr, DncContact, SectionTemplate, Subscriber, User
from tests.runtime.house import CENTS, MONDAY_NOON_MS, House

LONG = {"type": 1, "script": "word " * 150}  # 60 s
SHORT = {"type": 1, "script": "word"}  # 1 s
PEOPLE = [f"+1202555{number:04d}" for number in range(1_000, 1_010)]


async def test_nothing_is_dialled_after_a_pause_and_calls_in_progress_finish(sociable: House) -> None:
    """Three dials in 2.5 s. After the pause the calls end normally, and the next dial follows the next start."""
    campaign_id = await sociable.started(sociable.survey(LONG), sociable.phonebook(*PEOPLE))
    await sociable.advance(2.5)
    await sociable.move(campaign_id, CampaignStatus.PAUSE)
    await sociable.advance(1_000)
    assert sociable.dials_s() == [0, 1, 2]
    assert [(row["duration"], row["billsec"]) for row in sociable.rows(Cdr)] == [(65, 60)] * 3
    await sociable.move(campaign_id, CampaignStatus.START)
    await sociable.advance(1)
    assert sociable.dials_s() == [0, 1, 2, 1_002.5, 1_003.5]


async def test_an_abort_hangs_up_at_once(sociable: House) -> None:
    """At 6.5 s the first call has talked for 1.5 s, the second for 0.5 s, and the others ring. Each has its CDR."""
    campaign_id = await sociable.started(sociable.survey(LONG), sociable.phonebook(*PEOPLE))
    await sociable.advance(6.5)
    await sociable.move(campaign_id, CampaignStatus.ABORT)
    figures = [(row["duration"], row["billsec"], row["hangup_cause_q850"]) for row in sociable.rows(Cdr)]
    assert figures == [(7, 2, 16), (6, 1, 16), (5, 0, 16), (4, 0, 16), (3, 0, 16), (2, 0, 16), (1, 0, 16)]
    assert {row["status"] for row in sociable.rows(Subscriber)} == {SubscriberStatus.ABORT}
    assert {row["status"] for row in sociable.rows(CallRequest)} == {CallRequestStatus.ABORT}
    user = sociable.row(User, sociable.user_id)
    assert (user["balance"], user["held"]) == ((100_000 - 2 * 2) * CENTS, 0)
    await sociable.advance(1_000)
    assert len(sociable.rows(Cdr)) == 7


async def test_an_end_lets_calls_in_progress_finish_and_dials_nobody_else(sociable: House) -> None:
    """Three calls were placed, and three finish."""
    campaign_id = await sociable.started(sociable.survey(LONG), sociable.phonebook(*PEOPLE), maxretry=3)
    await sociable.advance(2.5)
    await sociable.move(campaign_id, CampaignStatus.END)
    await sociable.advance(1_000)
    assert [row["billsec"] for row in sociable.rows(Cdr)] == [60] * 3
    states = [row["status"] for row in sociable.rows(Subscriber)]
    assert states == [SubscriberStatus.SENT] * 3 + [SubscriberStatus.PENDING] * 7


async def test_a_wish_not_to_be_called_goes_to_the_list_that_the_campaign_has_by_then(sociable: House) -> None:
    """The campaign ends while the call rings, and gets a list before the callee asks."""
    sociable.meet_real_people()
    campaign_id = await sociable.started(sociable.survey({"type": 9, "script": "Bye"}), sociable.phonebook(PEOPLE[0]))
    await sociable.advance(1)
    await sociable.move(campaign_id, CampaignStatus.END)
    dnc_id = sociable.dnc_list()
    sociable.change(Campaign, campaign_id, dnc_id=dnc_id)
    await sociable.advance(1_000)
    assert [(row["dnc_id"], row["number"]) for row in sociable.rows(DncContact)] == [
        (dnc_id, PEOPLE[0]),
        (dnc_id + 1, PEOPLE[0]),
    ]


async def test_a_final_campaign_goes_nowhere(house: House) -> None:
    """ABORT and END change to no other status, and to their own without effect."""
    campaign_id = house.campaign(house.survey(SHORT))
    await house.move(campaign_id, CampaignStatus.ABORT)
    await house.move(campaign_id, CampaignStatus.ABORT)
    with pytest.raises(IllegalMoveError, match="no other status"):
        await house.move(campaign_id, CampaignStatus.START)


async def test_a_campaign_expires_running_or_paused(sociable: House) -> None:
    """A campaign ends at its expiration date, even with pending subscribers. A call in progress finishes."""
    survey_id, phonebook_id = sociable.survey(LONG), sociable.phonebook(*PEOPLE)
    expires = {"expirationdate": MONDAY_NOON_MS + 1_500}
    running = await sociable.started(survey_id, phonebook_id, **expires)
    paused = await sociable.started(survey_id, phonebook_id, **expires)
    await sociable.move(paused, CampaignStatus.PAUSE)
    await sociable.advance(100)
    for campaign_id in (running, paused):
        row = sociable.row(Campaign, campaign_id)
        assert (row["status"], row["status_reason"]) == (CampaignStatus.END, "expired")
    assert [row["billsec"] for row in sociable.rows(Cdr)] == [60, 60, 60]


async def test_a_campaign_waits_for_its_starting_date(sociable: House) -> None:
    """A campaign that is started early dials from its starting date on."""
    start = {"startingdate": MONDAY_NOON_MS + 10_000}
    await sociable.started(sociable.survey(SHORT), sociable.phonebook(*PEOPLE[:2]), **start)
    await sociable.advance(60)
    assert sociable.dials_s() == [10, 11]


async def test_a_campaign_without_subscribers_stays_started(house: House) -> None:
    """It may get subscribers later, calls them, and ends."""
    phonebook_id = house.phonebook()
    campaign_id = await house.started(house.survey(SHORT), phonebook_id)
    await house.advance(100)
    assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.START
    house.contact(phonebook_id, "+12025550111")
    await house.worker.settle()
    await house.advance(100)
    assert house.dials_s() == [100]
    row = house.row(Campaign, campaign_id)
    assert (row["status"], row["status_reason"], row["totalcontact"]) == (CampaignStatus.END, "completed", 1)


async def test_a_paused_subscriber_keeps_the_campaign_open(house: House) -> None:
    """A PAUSEd subscriber is not final, so the campaign is not done."""
    campaign_id = house.campaign(house.survey(SHORT), house.phonebook("+12025550111", "+12025550114"))
    await house.move(campaign_id, CampaignStatus.START)
    house.change(Subscriber, 2, status=SubscriberStatus.PAUSE)
    await house.advance(100)
    assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.START
    house.change(Subscriber, 2, status=SubscriberStatus.PENDING)
    await house.advance(100)
    assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.END


async def test_one_number_is_one_subscriber(house: House) -> None:
    """A number in two phonebooks is called once."""
    books = [house.phonebook("+12025550111", "+12025550114"), house.phonebook("+12025550114", "+12025550115")]
    await house.started(house.survey(SHORT), *books)
    await house.advance(100)
    assert [row["phone_number"] for row in house.rows(Cdr)] == ["+12025550111", "+12025550114", "+12025550115"]


async def test_a_started_campaign_plays_the_survey_as_it_was(sociable: House) -> None:
    """The survey is sealed at the first start: an edit of the template changes nothing."""
    survey_id = sociable.survey(SHORT)
    await sociable.started(survey_id, sociable.phonebook(*PEOPLE[:2]))
    sociable.change(SectionTemplate, 1, script="word " * 100)
    sociable.restart()
    await sociable.advance(100)
    assert [row["billsec"] for row in sociable.rows(Cdr)] == [1, 1]


async def test_a_campaign_ends_with_its_last_call(house: House) -> None:
    """At one dial a minute, the second call is busy and ends at 61 s, and so does the campaign."""
    campaign_id = await house.started(house.survey(SHORT), house.phonebook("+12025550111", "+12025550114"), frequency=1)
    await house.advance(600)
    row = house.row(Campaign, campaign_id)
    assert (row["status_reason"], row["updated_date"] - MONDAY_NOON_MS) == ("completed", 61_000)
