"""Tests of calls to the numbers with a fixed behaviour, worked out by hand."""

from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.store.tables import CallRequest, Campaign, Cdr, LedgerEntry, Subscriber, SurveyResult, User
from tests.runtime.house import CENTS, MONDAY_NOON_MS, House

PLAY = {"type": 1, "script": "one two three four five"}  # 5 words: 2.0 s
CHOICE = {"type": 2, "script": "press one or two", "key_1": "yes", "key_2": "no"}  # 4 words: 1.6 s; waits 5 s
GOODBYE = {"type": 7, "script": "thank you", "completed": True}  # 2 words, at least 1 s
BRANCHES: dict[int, dict[str, int | None]] = {0: {"0": 1}, 1: {"any": 2, "timeout": None}}

# Every call rings from 1 s after the dial and is answered 4 s later, so at 5 s; whole seconds, a started one counting.
EXPECTED = [
    # number, duration, billsec, cause, subscriber's status and its reason
    # presses nothing: 5 + 2 + 1.6 + 5 (time-out) = 13.6; of it 8.6 talking
    ("+12025550100", 14, 9, 16, SubscriberStatus.SENT, ""),
    # presses 1 after 2 s: 5 + 2 + 1.6 + 2 + 1 = 11.6; of it 6.6 talking; reaches the section marked completed
    ("+12025550101", 12, 7, 16, SubscriberStatus.COMPLETED, ""),
    # 3 is no choice, nothing is asked again, and there is no branch for it: 5 + 2 + 1.6 + 2 = 10.6
    ("+12025550103", 11, 6, 16, SubscriberStatus.SENT, ""),
    # a machine hears everything and presses nothing
    ("+12025550110", 14, 9, 16, SubscriberStatus.SENT, ""),
    # the network reports its cause 1 s after the dial
    ("+12025550111", 1, 0, 17, SubscriberStatus.FAIL, "busy"),
    # rings until the time-out of 45 s
    ("+12025550112", 45, 0, 19, SubscriberStatus.FAIL, "no_answer"),
    # rings like an answer before it is declined
    ("+12025550113", 5, 0, 21, SubscriberStatus.FAIL, "rejected"),
    ("+12025550114", 1, 0, 1, SubscriberStatus.FAIL, "invalid_number"),
    ("+12025550115", 1, 0, 34, SubscriberStatus.FAIL, "carrier_failure"),
    ("+12025550116", 1, 0, 38, SubscriberStatus.FAIL, "carrier_failure"),
    ("+12025550117", 1, 0, 41, SubscriberStatus.FAIL, "carrier_failure"),
    # hangs up 1 s after the answer
    ("+12025550118", 6, 1, 16, SubscriberStatus.SENT, ""),
    ("+12025550119", 45, 0, 19, SubscriberStatus.FAIL, "no_answer"),
    ("+12025550120", 1, 0, 22, SubscriberStatus.FAIL, "number_changed"),
    # talks on until the campaign's limit of 90 s
    ("+12025550121", 95, 90, 16, SubscriberStatus.COMPLETED, ""),
]


async def test_every_scripted_number_ends_as_its_script_says(house: House) -> None:
    """One campaign calls all numbers: CDRs, statuses, answers, counters and money, to the last field."""
    numbers = [number for number, *_ in EXPECTED]
    # The last one presses nothing: time-outs lead to the goodbye, so that it reaches it.
    survey_id = house.survey(PLAY, CHOICE, GOODBYE, branches=BRANCHES)
    talker_id = house.survey({**GOODBYE, "type": 1})
    await house.started(survey_id, house.phonebook(*numbers[:-1]), callmaxduration=90)
    await house.started(talker_id, house.phonebook(numbers[-1]), callmaxduration=90)
    await house.advance(600)

    cdrs = {row["phone_number"]: row for row in house.rows(Cdr)}
    assert [
        (number, cdrs[number]["duration"], cdrs[number]["billsec"], cdrs[number]["hangup_cause_q850"])
        for number in numbers
    ] == [expected[:4] for expected in EXPECTED]
    states = {row["number"]: (row["status"], row["status_reason"]) for row in house.rows(Subscriber)}
    assert [(number, *states[number]) for number in numbers] == [(row[0], *row[4:]) for row in EXPECTED]

    # 60-second increments at 0.02 a minute: five calls of one increment, and 90 s are two.
    billed = {row["phone_number"]: (row["billed_duration"], row["call_cost"]) for row in house.rows(Cdr)}
    answered = {number for number, _, billsec, *_ in EXPECTED if billsec}
    assert billed == {
        number: (120, 4 * CENTS) if number == "+12025550121" else (60, 2 * CENTS) if number in answered else (0, 0)
        for number in numbers
    }
    total = 5 * 2 * CENTS + 4 * CENTS
    user = house.row(User, house.user_id)
    assert (user["balance"], user["held"]) == (100_000 * CENTS - total, 0)
    assert sum(entry["amount"] for entry in house.rows(LedgerEntry)) == user["balance"]

    counters = ("status", "status_reason", "totalcontact", "calls", "answered", "completed", "cost")
    assert [tuple(row[name] for name in counters) for row in house.rows(Campaign)] == [
        (CampaignStatus.END, "completed", 14, 14, 5, 1, 10 * CENTS),
        (CampaignStatus.END, "completed", 1, 1, 1, 1, 4 * CENTS),
    ]
    assert [(row["question"], row["response"]) for row in house.rows(SurveyResult)] == [("question 1", "yes")]


async def test_a_dial_a_second_goes_out_evenly_in_id_order(house: House) -> None:
    """A `frequency` of 60 is one dial a second, lowest id first."""
    numbers = [f"+120255501{digits:02d}" for digits in (11, 14, 15, 16)]
    await house.started(house.survey(PLAY), house.phonebook(*numbers))
    await house.advance(60)
    assert [(row["phone_number"], row["started_ms"] - MONDAY_NOON_MS) for row in house.rows(CallRequest)] == [
        (number, second * 1_000) for second, number in enumerate(numbers)
    ]


async def test_a_failed_call_is_made_again_after_the_interval_and_then_given_up(house: House) -> None:
    """The number is busy at 0 s, and at two retries 60 s after each end. Then the subscriber is FAIL."""
    campaign_id = await house.started(house.survey(PLAY), house.phonebook("+12025550111"), maxretry=2, intervalretry=60)
    await house.advance(600)
    assert [(row["attempt"], row["started_ms"] - MONDAY_NOON_MS) for row in house.rows(CallRequest)] == [
        (1, 0),
        (2, 61_000),
        (3, 122_000),
    ]
    (subscriber,) = house.rows(Subscriber)
    assert (subscriber["status"], subscriber["count_attempt"]) == (SubscriberStatus.FAIL, 3)
    assert house.row(Campaign, campaign_id)["status_reason"] == "completed"


async def test_a_number_that_does_not_exist_is_not_called_again(house: House) -> None:
    """Cause 1 means a wrong number, so there is no retry."""
    await house.started(house.survey(PLAY), house.phonebook("+12025550114"), maxretry=3)
    await house.advance(3_600)
    assert [row["attempt"] for row in house.rows(CallRequest)] == [1]


async def test_a_retry_that_is_answered_ends_well(house: House) -> None:
    """The first attempt rings out after 45 s. A person answers the retry 60 s later, and hears 2 s of message."""
    await house.started(house.survey(PLAY), house.phonebook("+12025550119"), maxretry=1, intervalretry=60)
    await house.advance(600)
    assert [(row["starting_date"] - MONDAY_NOON_MS, row["duration"], row["billsec"]) for row in house.rows(Cdr)] == [
        (0, 45, 0),
        (105_000, 7, 2),
    ]
    assert [row["status"] for row in house.rows(Subscriber)] == [SubscriberStatus.SENT]


async def test_a_survey_that_was_not_completed_is_tried_again(house: House) -> None:
    """The callee presses nothing and never reaches the completing section. Two retries follow, 100 s apart."""
    survey_id = house.survey(CHOICE, GOODBYE, branches={0: {"any": 1}})
    await house.started(
        survey_id, house.phonebook("+12025550100"), completion_maxretry=2, completion_intervalretry=100, maxretry=9
    )
    await house.advance(3_600)
    # Each call takes 5 + 1.6 + 5 = 11.6 s; the next one comes 100 s after its end.
    assert [row["started_ms"] - MONDAY_NOON_MS for row in house.rows(CallRequest)] == [0, 111_600, 223_200]
    assert [row["status"] for row in house.rows(Subscriber)] == [SubscriberStatus.SENT]
