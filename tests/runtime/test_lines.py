"""Tests of calls over lines: what the other side sees, and what is left in the rows, whatever happens in between."""

from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import RowMapping
from structlog.testing import capture_logs

from dialer.app.telling.account_events import switch_events
from dialer.carriers.line_port import Alive, Exchange, Line
from dialer.domain.calls.plans import VOICE, GatewayKey
from dialer.domain.sessions.leg_protocol import Answered, Ask, Clear, Detect, Done, Play, Record, TextReceived
from dialer.domain.words.enums import AmdSensitivity, CampaignStatus, SubscriberStatus
from dialer.runtime.lines import lines
from dialer.runtime.lines.line_reports import LineSettings
from dialer.runtime.lines.lines import Lines
from dialer.store.database.database import StorageUnavailableError
from dialer.store.tables import (
    SMS,
    AccountEvent,
    CallRequest,
    Campaign,
    Cdr,
    Gateway,
    LiveLeg,
    Subscriber,
    SurveyResult,
    User,
)
from tests.runtime.line_house import AFTERNOON_MS, LineHouse
from tests.runtime.other_side import OtherSide
from tests.vopr.faults import Fault

pytestmark = pytest.mark.usefixtures("quiet")
ADA: Final = "+12025550101"
"""Answers 5 s after the dial, and presses 1 two seconds after each question."""
BERT: Final = "+12025550111"
"""Is busy."""
NOBODY: Final = "+12025550112"
"""Rings until the limit."""
LISTENS: Final = "+12025550100"
COMPARED: Final = (CallRequest, Cdr, SurveyResult, Subscriber, User)
CARELESS: Final[dict[str, object]] = {"listen": 0.6, "keys": {"1": 0.5, "7": 0.3, "": 0.2}}


@pytest.fixture
def house(tmp_path: Path) -> LineHouse:
    return LineHouse(tmp_path)


async def started(house: LineHouse, *numbers: str, **values: Any) -> int:  # noqa: ANN401 - any column
    """Start a campaign that greets, asks for a key, and records what is said."""
    survey_id = house.survey(
        {"type": 1, "audiofile_id": house.recording(3_000)},
        {"type": 2, "audiofile_id": house.recording(2_000), "key_1": "yes", "completed": True, "timeout": 5},
        {"type": 5, "audiofile_id": house.recording(1_000)},
        branches={0: {"0": 1}, 1: {"1": 2, "timeout": None}},
    )
    return await house.started(survey_id, house.phonebook(*numbers), **values)


def without_id(row: RowMapping) -> str:
    """Return a row as text, without its id, and without its mark that the gateway was simulated.

    Legs that end in one millisecond have no order among themselves.
    """
    return str({name: value for name, value in row.items() if name not in {"id", "is_simulated"}})


def ends(house: LineHouse) -> list[tuple[str, int, int]]:
    """Return number, cause and billed seconds of each CDR."""
    return [(row["phone_number"], row["hangup_cause_q850"], row["billsec"]) for row in house.rows(Cdr)]


def subscribers(house: LineHouse) -> list[tuple[int, int]]:
    """Return status and number of attempts of each subscriber."""
    return [(row["status"], row["count_attempt"]) for row in house.rows(Subscriber)]


def held(house: LineHouse) -> int:
    return int(house.row(User, house.user_id)["held"])


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_campaign_over_a_line_leaves_the_rows_of_a_simulated_one(tmp_path: Path, seed: int) -> None:
    left = []
    for place in ("line", "simulated"):
        (tmp_path / place).mkdir()
        house = LineHouse(tmp_path / place, seed=seed, behaviour=CARELESS)
        if place == "simulated":
            house.change(
                Gateway,
                house.gateway_id,
                protocol="sim",
                parameters='{"listen": 0.6, "keys": {"1": 0.5, "7": 0.3, "": 0.2}}',
            )
        numbers = [ADA, BERT, NOBODY, *(f"+1202556{index:04}" for index in range(12))]
        await started(house, *numbers, maxretry=1, intervalretry=60, frequency=30, voicemail=True, amd_behavior=2)
        await house.pass_s(900)
        left.append([sorted(map(without_id, house.rows(model))) for model in COMPARED])
        assert house.findings() == []
        house.database.close()
    assert left[0] == left[1]
    assert len(left[0][1]) > 15


async def test_nothing_is_left_of_the_legs_and_everything_heard_was_settled(house: LineHouse) -> None:
    await started(house, ADA)
    await house.pass_s(2)
    (leg,) = house.rows(LiveLeg)
    assert (leg["handed_ms"], leg["heard_ms"]) == (AFTERNOON_MS, AFTERNOON_MS + 1_000)
    await house.pass_s(60)
    (line,) = house.side.lines
    assert ends(house) == [(ADA, 16, 18)]
    assert (house.rows(LiveLeg), line.settled_number) == ([], line.number)
    assert not house.media.exists()  # The line has recorded the callee. Silence would replace that.
    assert [type(order) for _, order in line.orders] == [Play, Ask, Play, Record, Clear]


async def test_detection_has_the_sensitivity_of_the_campaign(house: LineHouse) -> None:
    await started(house, ADA, voicemail=True, amd_sensitivity=3)
    await house.pass_s(60)
    (line,) = house.side.lines
    assert [order for _, order in line.orders if isinstance(order, Detect)] == [Detect(1, AmdSensitivity.EAGER)]


async def test_an_attempt_without_the_mark_is_taken_back_and_made_once(house: LineHouse) -> None:
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(3_000)})
    campaign_id = house.campaign(survey_id, house.phonebook(ADA))
    await house.worker.advance(AFTERNOON_MS)
    house.start(campaign_id)
    await house.crash(None, Fault.CRASH_BEFORE)
    assert (house.side.numbers, subscribers(house)) == ([], [(SubscriberStatus.IN_PROCESS, 1)])
    await house.pass_s(60)
    assert (house.side.numbers, ends(house)) == ([ADA], [(ADA, 16, 3)])
    assert (subscribers(house), held(house), house.findings()) == ([(SubscriberStatus.SENT, 1)], 0, [])
    assert [row["id"] for row in house.rows(CallRequest)] == [2]


async def test_a_leg_with_the_mark_that_nobody_knows_ends_with_cause_41_and_is_made_once_more(
    house: LineHouse,
) -> None:
    """We have cut it off ourselves, which is no failure of the callee. So it counts as an attempt, not as a retry."""
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(3_000)})
    campaign_id = house.campaign(survey_id, house.phonebook(ADA))
    await house.worker.advance(AFTERNOON_MS)
    house.start(campaign_id)
    await house.crash(None, Fault.CRASH_AFTER)
    await house.pass_s(60)
    assert (house.side.numbers, ends(house)) == ([], [(ADA, 41, 0)])
    assert (subscribers(house), held(house), house.findings()) == ([(SubscriberStatus.PENDING, 1)], 0, [])
    await house.pass_s(3_600)
    assert (house.side.numbers, ends(house)) == ([ADA], [(ADA, 41, 0), (ADA, 16, 3)])
    assert (subscribers(house), house.findings()) == ([(SubscriberStatus.SENT, 2)], [])


async def test_a_leg_that_still_rings_after_a_restart_goes_on(house: LineHouse) -> None:
    await started(house, ADA)
    await house.pass_s(2)
    house.restart()
    await house.pass_s(60)
    assert (ends(house), house.side.dialled.total(), house.findings()) == ([(ADA, 16, 18)], 1, [])


async def test_a_call_that_is_taken_up_hears_its_section_again_and_keeps_its_answers(house: LineHouse) -> None:
    """Five seconds until the answer, three of greeting. One second into the question, the process ends."""
    await started(house, ADA)
    await house.pass_s(9)
    house.restart()
    await house.pass_s(60)
    answers = [row["response"] for row in house.rows(SurveyResult)]
    assert (answers[0], len(answers), ends(house)) == ("yes", 2, [(ADA, 16, 19)])


async def test_an_answer_that_was_missed_is_told_by_the_line(house: LineHouse) -> None:
    await started(house, ADA)
    await house.pass_s(2)
    house.restart_at(AFTERNOON_MS + 8_000)
    await house.pass_s(60)
    ((number, cause, seconds),) = ends(house)
    assert (number, cause, seconds) == (ADA, 16, 21)


async def test_an_end_that_was_missed_is_told_by_the_line(house: LineHouse) -> None:
    await started(house, BERT)
    house.restart_at(AFTERNOON_MS + 8_000)
    await house.pass_s(10)
    assert (ends(house), house.row(Cdr, 1)["duration"]) == ([(BERT, 17, 0)], 1)


async def test_a_line_that_is_down_dials_nobody_and_others_go_on(house: LineHouse) -> None:
    house.side.why_down = "no route to host"
    simulated = house.add(Gateway, name="sim")
    survey_id = house.survey({"type": 1, "script": "hello"})
    await started(house, ADA)
    await house.started(survey_id, house.phonebook(BERT), aleg_gateway_id=simulated)
    await house.pass_s(60)
    assert (house.side.numbers, ends(house)) == ([], [(BERT, 17, 0)])
    row = house.row(Gateway, house.gateway_id)
    assert (row["line_down"], row["line_since_ms"]) == ("no route to host", AFTERNOON_MS)
    house.side.lines[-1].exchange.is_up("no route to network")
    await house.pass_s(10)
    row = house.row(Gateway, house.gateway_id)
    assert (row["line_down"], row["line_since_ms"]) == ("no route to network", AFTERNOON_MS)
    house.side.lines[-1].exchange.is_up("")
    await house.pass_s(60)
    assert house.side.numbers == [ADA]
    row = house.row(Gateway, house.gateway_id)
    assert (row["line_down"], row["line_since_ms"] > AFTERNOON_MS) == ("", True)


async def test_accounts_with_a_campaign_on_a_line_hear_that_it_fails_and_works_again(house: LineHouse) -> None:
    other = house.add(User, username="bob", password_hash="-", keeps_events=True)
    house.perform(lambda unit: switch_events(unit, house.user_id, keep=True))
    house.side.why_down = "no route to host"
    await started(house, ADA)
    for why in ("no route to host", "no route to network", ""):
        house.side.lines[-1].exchange.is_up(why)
        await house.pass_s(10)
    told = [(row["user_id"], row["type"], row["subject"]) for row in house.rows(AccountEvent)]
    subject = f"gateway/{house.gateway_id}"
    assert [one for one in told if one[1].startswith("gateway.")] == [
        (house.user_id, "gateway.down", subject),
        (house.user_id, "gateway.up", subject),
    ]
    assert other not in {user_id for user_id, _, _ in told}


async def test_lines_that_go_down_and_up_are_logged_with_the_ids_that_their_records_have() -> None:
    side = OtherSide(lambda: 0)
    side.why_down = "no route to host"
    lines = Lines({"sip": side.line}, now_ms=lambda: 0, nudge=lambda: None)
    with capture_logs() as logs:
        await lines.follow(dict.fromkeys((GatewayKey(VOICE, 7), GatewayKey(SMS, 3)), LineSettings("sip", "{}")))
        side.lines[-1].exchange.is_up("")
    assert [(one["event"], one["medium"], one["gateway_id"]) for one in logs] == [
        ("line_down", "voice", 7),
        ("line_down", "sms", 3),
        ("line_up", "sms", 3),
    ]


async def test_a_line_whose_modules_cannot_be_imported_is_told_as_unusable_and_others_go_on() -> None:
    def broken(_gateway_id: int, _parameters: str, _exchange: Exchange) -> Line:
        raise ImportError("no module named numpy")

    lines = Lines({"sip": broken, "http": OtherSide(lambda: 0).line}, now_ms=lambda: 0, nudge=lambda: None)
    voice, sms = GatewayKey(VOICE, 1), GatewayKey(SMS, 1)
    await lines.follow({voice: LineSettings("sip", "{}"), sms: LineSettings("http", "{}")})
    assert lines.states() == {voice: "no line can be opened with its settings: no module named numpy", sms: ""}


async def test_a_dial_that_the_line_refuses_is_taken_back_and_made_when_it_works(house: LineHouse) -> None:
    house.side.refuses = True
    await started(house, ADA, BERT)
    await house.pass_s(5)
    assert (house.side.numbers, house.rows(Cdr)) == ([], [])
    assert subscribers(house) == [(SubscriberStatus.PENDING, 0)] * 2
    assert (held(house), house.rows(LiveLeg), house.row(Campaign, 1)["calls"]) == (0, [], 0)
    house.side.refuses = False
    house.side.lines[-1].exchange.is_up("")
    await house.pass_s(60)
    assert (sorted(house.side.numbers), house.findings()) == ([ADA, BERT], [])


async def test_no_dial_follows_the_answer_to_a_pause(house: LineHouse) -> None:
    campaign_id = await started(house, ADA, BERT, NOBODY)
    await house.pass_s(0)
    await house.move(campaign_id, CampaignStatus.PAUSE)
    dialled = list(house.side.numbers)
    await house.pass_s(60)
    assert house.side.numbers == dialled == [ADA]


async def test_an_aborted_campaign_clears_its_calls(house: LineHouse) -> None:
    campaign_id = await started(house, ADA)
    await house.pass_s(9)
    await house.move(campaign_id, CampaignStatus.ABORT)
    await house.pass_s(0)
    assert (ends(house), house.side.phones) == ([(ADA, 16, 4)], {})
    assert subscribers(house) == [(SubscriberStatus.COMPLETED, 1)]


@pytest.mark.parametrize("fault", [Fault.LOCKED, Fault.LOST, Fault.UNSURE])
async def test_what_was_heard_in_a_step_that_failed_is_told_again(house: LineHouse, fault: Fault) -> None:
    await started(house, ADA)
    await house.pass_s(0)
    for _ in range(4):
        await house.worker.advance(house.side.next_ms or 0)
        house.side.speak()
        house.database.faults = [fault]
        with pytest.raises(StorageUnavailableError):
            await house.worker.advance(house.now_ms())
        await house.worker.advance(house.now_ms())
    await house.pass_s(60)
    assert (len(ends(house)), house.findings(), house.side.phones) == (1, [], {})
    assert house.rows(SurveyResult)[0]["response"] == "yes"


async def test_a_connection_that_was_lost_lets_the_line_look_for_its_legs(house: LineHouse) -> None:
    await started(house, ADA)
    await house.pass_s(9)
    line = house.side.lines[-1]
    line.exchange.is_up("connection lost")
    await house.pass_s(1)
    house.side.cut()
    await house.pass_s(3)
    line.exchange.is_up("")
    await house.pass_s(1)
    assert (ends(house), held(house), house.findings()) == ([(ADA, 16, 5)], 0, [])


async def test_an_answered_leg_that_vanished_ended_when_it_was_heard_of_last(house: LineHouse) -> None:
    await started(house, ADA)
    await house.pass_s(9)
    house.side.phones.clear()
    house.restart_at(house.now_ms() + 100_000)
    await house.pass_s(1)
    assert (ends(house), house.findings()) == ([(ADA, 41, 3)], [])


async def test_a_call_whose_end_is_never_heard_is_given_up_and_cleared(house: LineHouse) -> None:
    await started(house, NOBODY, callmaxduration=60)
    await house.pass_s(2)
    house.side.is_mute = True
    await house.pass_s(400)
    assert (ends(house), held(house), house.rows(LiveLeg)) == ([(NOBODY, 41, 0)], 0, [])
    assert isinstance(house.side.lines[-1].orders[-1][1], Clear)


async def test_a_gateway_without_a_carrier_dials_nobody(house: LineHouse) -> None:
    house.change(Gateway, house.gateway_id, protocol="future")
    await started(house, ADA)
    await house.pass_s(60)
    assert (house.rows(CallRequest), house.side.numbers) == ([], [])
    assert "future" in house.row(Gateway, house.gateway_id)["line_down"]


async def test_a_line_is_closed_when_the_gateway_changes_and_its_legs_are_looked_for(house: LineHouse) -> None:
    await started(house, ADA)
    await house.pass_s(2)
    first = house.side.lines[-1]
    house.change(Gateway, house.gateway_id, parameters='{"server": "another"}')
    await house.pass_s(60)
    assert (first.is_closed, house.side.lines[-1] is first) == (True, False)
    assert (ends(house), house.findings()) == ([(ADA, 16, 18)], [])


async def test_unknown_and_repeated_sounds_change_nothing(house: LineHouse) -> None:
    await started(house, ADA)
    await house.pass_s(7)
    (key,) = house.side.phones
    line = house.side.lines[-1]
    for heard in (Answered(0, "again"), Done(7, 0), Done(-1, 0, "1")):
        line.hear(key, heard)
        line.hear("nobody's", heard)
    await house.pass_s(60)
    assert (ends(house), house.findings()) == ([(ADA, 16, 18)], [])


async def test_an_answer_that_is_found_after_a_restart_is_followed_by_one_order(house: LineHouse) -> None:
    await started(house, ADA)
    await house.pass_s(2)
    house.restart_at(house.now_ms() + 4_000)
    await house.pass_s(1)
    assert [(type(order), order.turn) for _, order in house.side.lines[-1].orders] == [(Play, 1)]
    await house.pass_s(60)
    assert (ends(house), house.findings()) == ([(ADA, 16, 19)], [])


def test_a_text_is_heard_although_the_reports_of_calls_leave_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line answers its carrier for all that was heard before the last thing, so a lost STOP never comes again."""
    monkeypatch.setattr(lines, "HEARD_OF_GATEWAY_MAX", 1)
    heard = Lines({}, lambda: 0, lambda: None)
    stop = TextReceived(ADA, "", "STOP")
    for one in (Alive(), Alive(), stop):
        heard.take(GatewayKey(SMS, 1), 0, "", one)
    assert [one.heard for one in heard.heard()] == [Alive(), stop]
    monkeypatch.setattr(lines, "HEARD_WITH_TEXTS_MAX", 2)
    heard.take(GatewayKey(SMS, 1), 0, "", stop)
    assert len(heard.heard()) == 2
