"""Tests of `dialer explain`, as text and as JSON."""

from typing import Final

import pytest

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.carriers.voice.call_trace import Capture
from dialer.carriers.voice.kept_messages import capture_folder
from dialer.domain.calls.plans import VOICE, GatewayKey
from dialer.domain.words.contact_words import ON
from dialer.domain.words.enums import AgentDisposition, CampaignStatus
from dialer.store.queries.contact_law import law_rows
from dialer.store.rows.live_legs import leg_keys, service_leg_key
from dialer.store.rows.set_aside_reports import SetAside, set_aside
from dialer.store.tables import (
    SMS,
    CallerId,
    CallerIdGroup,
    Campaign,
    CampaignDncList,
    DncList,
    Gateway,
    Subscriber,
    User,
)
from tests.commands.conftest import Outcome, Run
from tests.runtime.house import CENTS, MONDAY_NOON_MS, House
from tests.runtime.test_contact_law import set_law
from tests.runtime.test_contact_rules import calling, rule

COMES_LATER: Final = "+12025550119"
"""A callee who does not answer the first attempt, and presses nothing in the second."""
PRESSES_THREE, BUSY, NO_SUCH, NO_CIRCUIT = "+12025550103", "+12025550111", "+12025550114", "+12025550115"
VIRTUAL: Final = {"DIALER_CLOCK": "virtual"}
SHORT: Final = {"type": 1, "script": "word"}


def told(run: Run, *arguments: str) -> Outcome:
    return run("explain", *arguments, **VIRTUAL)


async def test_a_long_story_is_told_in_order(run: Run, house: House) -> None:
    """A missed call, then one with an answer, a text, a transfer to a number, and a queue without agents."""
    house.change(User, house.user_id, sms_rate=5 * CENTS)
    house.change(Gateway, house.gateway_id, addprefix="00", removeprefix="+")
    texts = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    survey_id = house.survey(
        {"type": 3, "script": "How was it?", "completed": True},
        {"type": 10, "sms_text": "thanks"},
        {"type": 6, "script": "wait", "phonenumber": PRESSES_THREE},
        {"type": 6, "queue_id": house.queue(max_wait_time=20)},
        {"type": 7, "script": "sorry"},
        branches={0: {"any": 1, "timeout": 1}, 1: {"0": 2}, 2: {"0": 3, "timeout": 3}, 3: {"timeout": 4}},
    )
    group_id = house.add(CallerIdGroup, name="numbers")
    house.add(CallerId, user_id=house.user_id, callerid_group_id=group_id, areacode="202", callerid_num="+12025550199")
    settings = {"maxretry": 1, "intervalretry": 60, "sms_gateway_id": texts, "voicemail": True}
    await house.started(
        survey_id,
        house.phonebook(COMES_LATER),
        callerid_group_id=group_id,
        dnc_id=house.dnc_list(BUSY),
        daily_start_time="06:00:00",
        campaign_code="KQWZD",
        **settings,
    )
    await house.advance(900)
    story = told(run, "KQWZD", "+1 (202) 555-0119")
    assert (story.code, story.err) == (0, "")
    assert (
        story.out
        == """\
+12025550119 in campaign 1 (KQWZD), campaign
It is 2026-03-02 12:15:00Z.

Campaign      END: nobody is left to call or to text; of ann
              from 2026-03-02 12:00:00Z to 2026-03-05 12:00:00Z
Contact       +12025550119, in phonebook since 2026-03-02 12:00:00Z
Do not call   dnc: not on it
Zone          America/New_York (the region of the number)
Window        06:00:00 to 23:59:59 there, every day; now open, until 2026-03-03 05:00:00Z
Subscriber    since 2026-03-02 12:00:00Z

2026-03-02 12:00:00Z  attempt 1 over sim: 0012025550119, showing +12025550199
  ended after 45 s without an answer
  over at 2026-03-02 12:00:45Z: cause 19, no answer; 0 s for 0.00000
  FAILURE: nobody answered
  tried again 60 s after its end

2026-03-02 12:01:45Z  attempt 2 over sim: 0012025550119, showing +12025550199
  answered by a person after 5 s, at 2026-03-02 12:01:50Z
  2026-03-02 12:01:50Z  question 0: no answer
  2026-03-02 12:01:58Z  question 1: SMS: +12025550119
  2026-03-02 12:01:58Z  text to +12025550119, Delivered, 1 part for 0.05000: thanks
  2026-03-02 12:01:59Z  to +12025550103
  2026-03-02 12:02:04Z  to +12025550103: taken; 45 s for 0.02000
  2026-03-02 12:02:48Z  joined queue queue
  2026-03-02 12:02:50Z  abandoned: no agent within 2 seconds
  2026-03-02 12:03:08Z  to queue queue: the longest wait that the queue allows was over after 20 s
  2026-03-02 12:03:08Z  question 4: played
  over at 2026-03-02 12:03:09Z: cause 16, normal clearing; 80 s for 0.04000
  not tried again: the survey was completed

Now           COMPLETED
"""
    )


@pytest.mark.parametrize(
    ("number", "end"),
    [
        (BUSY, ["FAILURE: the line was busy", "to be tried again, due 2026-03-02 12:05:01 UTC"]),
        (
            NO_SUCH,
            [
                "FAILURE: the number does not exist, or is impossible in its country",
                "not tried again: the number is wrong",
            ],
        ),
        (PRESSES_THREE, ["in progress"]),
    ],
)
async def test_it_says_whether_and_why_a_number_is_tried_again(
    run: Run, house: House, number: str, end: list[str]
) -> None:
    survey_id = house.survey({"type": 1, "script": "word " * 150})
    await house.started(survey_id, house.phonebook(BUSY, NO_SUCH, PRESSES_THREE), maxretry=1)
    await house.advance(30)
    lines = told(run, "1", number).out.splitlines()
    attempt = lines.index(next(line for line in lines if "attempt 1" in line))
    assert [line.strip() for line in lines[attempt + 1 : lines.index("", attempt)]][-len(end) :] == end


async def test_a_number_that_waits_says_for_what(run: Run, house: House) -> None:
    """First the gateway rests, then the campaign is paused, then it expires."""
    numbers = [*(f"+12025550{last}" for last in (115, 116, 117)), BUSY]
    campaign_id = await house.started(house.survey(SHORT), house.phonebook(*numbers), maxretry=3, intervalretry=0)
    await house.advance(7)
    waits = "Waits for     "
    assert told(run, "1", BUSY).out.splitlines()[-1] == (
        f"{waits}resting, until 2026-03-02 12:00:35Z: "
        "the carrier is left alone for a while, because it failed several times in a row"
    )
    await house.move(campaign_id, CampaignStatus.PAUSE)
    assert told(run, "1", BUSY).out.splitlines()[-1] == f"{waits}paused: the campaign is paused"
    await house.advance(4 * 86_400)
    expired = "expired: the campaign expired before it came to this number"
    assert told(run, "1", BUSY).out.splitlines()[-1] == f"{waits}{expired}"


async def test_a_number_that_must_not_be_called_says_since_when(run: Run, house: House) -> None:
    await house.started(house.survey(SHORT), house.phonebook(BUSY), dnc_id=house.dnc_list(BUSY))
    await house.advance(1)
    lines = told(run, "1", BUSY).out.splitlines()
    assert "Do not call   dnc: on it since 2026-03-02 12:00:00Z" in lines
    assert lines[-1] == "Now           NOT_AUTHORIZED: the number is on a do-not-call list of the campaign"


async def test_every_list_that_holds_is_named(run: Run, house: House) -> None:
    named, everybody = house.dnc_list(), house.dnc_list(BUSY)
    house.change(DncList, everybody, name="everybody", is_global=True)
    campaign_id = await house.started(house.survey(SHORT), house.phonebook(BUSY))
    house.add(CampaignDncList, campaign_id=campaign_id, dnc_id=named)
    assert [line for line in told(run, "1", BUSY).out.splitlines() if line.startswith("Do not call")] == [
        "Do not call   dnc: not on it",
        "Do not call   everybody (for every campaign): on it since 2026-03-02 12:00:00Z",
    ]
    story = told(run, "1", BUSY, "--json").data
    assert [(one["name"], one["is_global"]) for one in story["dnc_lists"]] == [("dnc", False), ("everybody", True)]
    assert story["dnc"] == story["dnc_lists"][1]


async def test_the_rule_that_holds_somebody_back_is_named_by_its_path_and_a_row_of_law_by_its_id(
    run: Run, house: House
) -> None:
    set_law(house, ON)
    rule(house, name="Once a week", most=1, period=7, unit="days")
    calling(house, PRESSES_THREE, purpose="debt")
    await house.advance(60)
    calling(house, PRESSES_THREE, purpose="debt")
    await house.advance(60)
    held = [line for line in told(run, "2", PRESSES_THREE).out.splitlines() if line.startswith("Held back")]
    (law,) = (row for row in law_rows() if row.id == "us-regf-rest")
    assert [line.split(", by the rule ")[1] for line in held] == [
        "Once a week (/rest-api/contact-rule/1/)",
        f"{law.name} (us-regf-rest)",
    ]


async def test_a_call_back_that_is_allowed_says_why(run: Run, house: House) -> None:
    set_law(house, ON)
    calling(house, PRESSES_THREE, purpose="debt", daily_stop_time="12:00:00")
    await house.advance(60)
    given = Disposed(AgentDisposition.CALL_BACK, "", house.now_ms() + 6 * 3_600_000)
    house.perform(lambda unit: dispose_of_call(unit, 1, given))
    (law,) = (row for row in law_rows() if row.id == "us-regf-rest")
    found = told(run, "1", PRESSES_THREE).out.splitlines()
    waits = found.index(f"Held back     until 2026-03-02 18:01:00Z, by the rule {law.name} (us-regf-rest)")
    await house.advance(6 * 3_600)  # The window of the campaign is closed by then.
    lines = told(run, "1", PRESSES_THREE).out.splitlines()
    place = lines.index(f"Allowed       in spite of the rule {law.name} (us-regf-rest)")
    for shown in (found[waits:], lines[place:]):
        assert shown[1] == "              as the person agreed to a call-back at 2026-03-02 18:01:00Z"
        assert shown[2].startswith("              counts 2026-03-02 12:00:00Z  call of campaign 1, ")
    rules = told(run, "1", PRESSES_THREE, "--json").data["rules"]
    (story,) = (one for one in rules if one["row"] == "us-regf-rest")
    assert (story["holds"], story["until"], story["call_back"]) == (False, None, "2026-03-02T18:01:00Z")


async def test_the_story_of_text_messages(run: Run, house: House) -> None:
    house.change(User, house.user_id, sms_rate=5 * CENTS)
    gateway_id = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}', addprefix="9")
    message = {"medium": SMS, "sms_gateway_id": gateway_id, "aleg_gateway_id": None, "text_message": "Come\x1b[2J!"}
    await house.started(0, house.phonebook(PRESSES_THREE), **message)
    await house.advance(60)
    assert told(run, "1", PRESSES_THREE).out.splitlines()[-5:] == [
        "2026-03-02 12:00:00Z  attempt 1 over texts: 9+12025550103",
        "  2026-03-02 12:00:00Z  text to +12025550103, Delivered, 1 part for 0.05000: Come [2J!".replace(
            "2026-03-02 12:00:00Z  ", ""
        ),
        "  not tried again: this attempt reached the person",
        "",
        "Now           SENT",
    ]


async def test_a_program_reads_the_same_as_json(run: Run, house: House) -> None:
    await house.started(house.survey(SHORT), house.phonebook(BUSY), maxretry=1, daily_stop_time="20:00:00")
    await house.advance(30)
    story = told(run, "1", BUSY, "--json").data
    assert story["subscriber"] == {
        "id": 1,
        "created_date": "2026-03-02T12:00:00Z",
        "status": "PENDING",
        "status_reason": "busy",
        "count_attempt": 1,
        "waits_for": "retry",
        "waits_until": "2026-03-02T12:05:01Z",
    }
    (attempt,) = story["attempts"]
    assert attempt == {
        "id": 1,
        "attempt": 1,
        "at": "2026-03-02T12:00:00Z",
        "gateway": "sim",
        "callerid": "",
        "dialled_number": BUSY,
        "status": "FAILURE",
        "status_reason": "busy",
        "ended": "2026-03-02T12:00:01Z",
        "rang": 1,
        "answered": None,
        "amd": "",
        "hangup_cause_q850": 17,
        "billsec": 0,
        "cost": "0.00000",
        "answers": [],
        "sections": [],
        "transfers": [],
        "messages": [],
        "orders": [],
        "outcomes": [],
        "wishes": [],
        "received": [],
        "then": "to be tried again, due 2026-03-02 12:05:01 UTC",
    }
    assert (story["now"], story["window"]["zone"], story["window"]["until"]) == (
        "2026-03-02T12:00:30Z",
        "America/New_York",
        "2026-03-03T01:00:00Z",
    )


@pytest.mark.parametrize(
    "spelling", [BUSY, "12025550111", "0012025550111", "+1 (202) 555.0111", "001-202-555-0111", "2025550111"]
)
async def test_a_number_may_be_spelled_in_any_way(run: Run, house: House, spelling: str) -> None:
    """National spelling needs the service's default region."""
    await house.started(house.survey(SHORT), house.phonebook(BUSY))
    region = {"DIALER_DEFAULT_REGION": "US"} if spelling == "2025550111" else {}
    story = run("explain", "1", spelling, **VIRTUAL, **region)
    assert story.out.startswith(f"{BUSY} in campaign 1 ")


async def test_a_number_that_has_not_been_taken_in_yet(run: Run, house: House) -> None:
    house.campaign(house.survey(SHORT), house.phonebook(BUSY))
    assert told(run, "1", BUSY).out.splitlines()[-3:] == [
        "              from 2026-03-02 12:00:00Z to 2026-03-05 12:00:00Z",
        "Contact       +12025550111, in phonebook since 2026-03-02 12:00:00Z",
        "Subscriber    not yet: contacts become subscribers when the campaign is started",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("7", BUSY), "there is no campaign 7: give its id or its code"),
        (("nonsense", BUSY), "there is no campaign nonsense: give its id or its code"),
        (("9" * 40, BUSY), f"there is no campaign {'9' * 40}: give its id or its code"),
        (("1", "+12025550104"), "campaign 1 (KQWZD) has no number +12025550104"),
        (
            ("1", "ten"),
            "ten is not a phone number: 'ten' has no digits. Enter 3 to 15 digits with an optional leading +.",
        ),
    ],
)
async def test_an_unknown_campaign_or_number_is_reported_in_one_line(
    run: Run, house: House, arguments: tuple[str, str], message: str
) -> None:
    house.campaign(house.survey(SHORT), house.phonebook(BUSY), campaign_code="KQWZD")
    assert told(run, *arguments) == Outcome(1, "", f"dialer: {message}\n")


async def test_an_unknown_zone(run: Run, house: House) -> None:
    campaign_id = house.campaign(house.survey(SHORT))
    values = {"campaign_id": campaign_id, "duplicate_contact": "5551", "number": "5551", "created_date": MONDAY_NOON_MS}
    subscriber_id = house.add(Subscriber, **values, zone="?", tz_code="Mars/Olympus")
    lines = told(run, "1", "5551").out.splitlines()
    assert "Zone          ? (an unknown zone)" in lines
    house.change(Subscriber, subscriber_id, zone="Europe/Berlin")
    assert "Zone          Europe/Berlin (its tz_code)" in told(run, "1", "5551").out.splitlines()


async def test_it_changes_nothing(run: Run, house: House) -> None:
    """It needs no write lock, which a server may hold."""
    await house.started(house.survey(SHORT), house.phonebook(BUSY))
    before = [house.rows(model) for model in (Campaign, Subscriber)]
    with house.database._writer.connect() as connection, connection.begin():  # noqa: SLF001 - as a server does
        assert told(run, "1", BUSY).code == 0
    assert [house.rows(model) for model in (Campaign, Subscriber)] == before


async def test_it_names_the_calling_hours_and_those_of_the_country(run: Run, house: House) -> None:
    house.change(Gateway, house.gateway_id, protocol="trunk")
    house.callerid = "+12025550100"
    await house.started(house.survey(SHORT), house.phonebook(BUSY))
    lines = told(run, "1", BUSY).out.splitlines()
    window = next(place for place, line in enumerate(lines) if line.startswith("Window"))
    assert lines[window : window + 3] == [
        "Window        00:00:00 to 23:59:59 there, every day; now closed, until 2026-03-02 13:00:00Z",
        "Calling hours 08:00-21:00 there (DIALER_CALLING_HOURS), which the window only narrows",
        "              United States: 08:00-21:00 (47 CFR 64.1200(c)(1))",
    ]
    assert lines[-1] == (
        "Waits for     window, until 2026-03-02 13:00:00Z: the campaign's window or the calling hours are closed in the"
        " number's time zone"
    )


async def test_the_messages_that_were_kept_of_a_call_follow_its_story(run: Run, house: House) -> None:
    await house.started(house.survey(SHORT), house.phonebook(BUSY))
    await house.advance(30)
    house.database.write_now(service_leg_key)
    (key,) = house.database.read_now(lambda connection: leg_keys(connection, 1, BUSY))
    capture = Capture(capture_folder(house.media))
    capture.note(key, b"INVITE sip:+12025550111@h SIP/2.0\r\nCall-ID: c1@h", is_sent=True)
    capture.close()
    settings = {**VIRTUAL, "DIALER_MEDIA_DIR": str(house.media)}
    lines = run("explain", "1", BUSY, **settings).out.splitlines()
    assert lines[-4:-2] == [
        f"Messages      of the call {key}, with most digits of numbers left out",
        "SIP Call-ID   c1@h, which your carrier asks for",
    ]
    assert lines[-2].endswith("→ INVITE sip:+xxxxxxxx111@h SIP/2.0")
    told_to_programs = run("explain", "1", BUSY, "--json", **settings).data
    assert told_to_programs["carrier_messages"] == {key: [lines[-2].strip(), "Call-ID: c1@h"]}
    assert told_to_programs["sip_call_id"] == {key: "c1@h"}


def put_aside(house: House, key: str, number: str, report: str) -> None:
    """Set aside a report of a leg, or of a call from a number."""
    one = SetAside(
        report,
        GatewayKey(VOICE, house.gateway_id),
        key,
        number,
        "Arrived" if number else "Answered",
        report,
        "KeyError: 7",
    )
    house.database.write_now(lambda connection: set_aside(connection, one, MONDAY_NOON_MS))


async def test_reports_that_were_set_aside_follow_the_story_of_their_call(run: Run, house: House) -> None:
    """They are those of its legs and of calls from its number; those of others are not shown."""
    await house.started(house.survey(SHORT), house.phonebook(BUSY))
    await house.advance(30)
    house.database.write_now(service_leg_key)
    (key,) = house.database.read_now(lambda connection: leg_keys(connection, 1, BUSY))
    put_aside(house, key, "", '{"handle":"\x1b[2J"}')
    put_aside(house, "", BUSY, '{"caller":"+1202"}')
    put_aside(house, "", COMES_LATER, '{"caller":"other"}')
    assert told(run, "1", BUSY).out.splitlines()[-3:] == [
        "Set aside     reports of the carrier that could not be handled; their calls were ended",
        '  2026-03-02 12:00:00Z  Answered: KeyError: 7; {"handle":" [2J"}',
        '  2026-03-02 12:00:00Z  Arrived: KeyError: 7; {"caller":"+1202"}',
    ]
    reports = run("explain", "1", BUSY, "--json", **VIRTUAL).data["reports_set_aside"]
    assert [one["kind"] for one in reports] == ["Answered", "Arrived"]


async def test_reports_of_a_stranger_are_shown_by_the_number(run: Run, house: House) -> None:
    await house.started(house.survey(SHORT), house.phonebook(BUSY))
    put_aside(house, "", NO_SUCH, "{}")
    shown = told(run, "1", NO_SUCH)
    assert (shown.code, shown.out.splitlines()[-1]) == (0, "  2026-03-02 12:00:00Z  Arrived: KeyError: 7; {}")
    assert told(run, "1", NO_CIRCUIT).code == 1
