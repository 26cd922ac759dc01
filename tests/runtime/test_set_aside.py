"""Tests of reports that cannot be handled: each fails one step at most, and nobody else waits."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from dialer.app.erasure.erasure import erase_number
from dialer.carriers.line_port import Alive, Over, Unknown
from dialer.domain.engine import inbound
from dialer.domain.numbers import prefixes
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.leg_protocol import Answered, Arrived, Done, Ended, Receipt, Ringing, TextReceived
from dialer.domain.words.enums import CampaignStatus, Cause, MessageStatus
from dialer.runtime.lines.line_legs import LineLegs
from dialer.runtime.steps.kernel import Kernel
from dialer.store.journal import rows as journal_rows
from dialer.store.rows.set_aside_reports import ROWS_MAX, SetAside, set_aside
from dialer.store.tables import SMS, CallRequest, Campaign, Cdr, Did, Gateway, LiveLeg, SetAsideReport, TextNews, User
from tests.gateways import FIRST
from tests.runtime.line_house import LineHouse
from tests.runtime.other_side import FakeLine
from tests.runtime.text_side import FAKE_TEXTS
from tests.vopr.faults import Fault

pytestmark = pytest.mark.usefixtures("quiet")
DID: Final = "+12025550199"
POISON: Final = "+493012345678"
ADA: Final = "+12025550101"
PEOPLE: Final = tuple(f"+1202555{number:04d}" for number in range(1_000, 1_004))
Patch = pytest.MonkeyPatch


class StrangeError(Exception):
    """An error that nobody expects."""


@pytest.fixture
def house(tmp_path: Path) -> LineHouse:
    return LineHouse(tmp_path)


async def answering(house: LineHouse) -> int:
    """Start a campaign that dials four people, and answers the DID."""
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(3_000)})
    campaign_id = await house.started(survey_id, house.phonebook(*PEOPLE), frequency=60)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number=DID, campaign_id=campaign_id)
    return campaign_id


def poison_numbers(patch: Patch) -> Counter[str]:
    """Let the number of one caller raise, and count how often each number was read."""
    read: Counter[str] = Counter()
    number_given = prefixes.number_given

    def raising(number: str, **named: str) -> str:
        read[number] += 1
        if number == POISON:
            raise StrangeError(number)
        return number_given(number, **named)

    patch.setattr(inbound, "number_given", raising)
    return read


def aside(house: LineHouse) -> list[tuple[str, str]]:
    """Return the kind and the reason of each report that is set aside."""
    return [(row["kind"], row["reason"]) for row in house.rows(SetAsideReport)]


def all_were_called(house: LineHouse) -> bool:
    """Return whether everybody in the phonebook was called, and nothing is held or up."""
    called = {row["phone_number"] for row in house.rows(Cdr) if row["attempt"] > 0}
    return called == set(PEOPLE) and not house.rows(LiveLeg) and not house.row(User, house.user_id)["held"]


def cause_of(house: LineHouse, key: str) -> Cause:
    ended = house.side.last[key][1]
    assert isinstance(ended, Ended)
    return ended.cause


async def test_a_call_whose_number_raises_is_refused_once_and_the_campaign_goes_on(
    house: LineHouse, monkeypatch: Patch
) -> None:
    read = poison_numbers(monkeypatch)
    await answering(house)
    key = house.side.call_in(POISON, DID)
    other = house.side.call_in(ADA, DID)
    house.side.lines[0].hear(key, house.side.arrival(POISON, DID, key))
    await house.pass_s(60)
    assert read[POISON] == 1
    assert aside(house) == [("Arrived", f"StrangeError: {POISON}")]
    assert cause_of(house, key) is Cause.TEMPORARY_FAILURE
    assert cause_of(house, other) is Cause.NORMAL_CLEARING
    assert (house.worker.problem(), house.worker.figures().reports_set_aside) == (None, 1)
    assert all_were_called(house)
    assert house.findings() == []


async def test_a_report_that_is_told_again_after_a_restart_fails_nothing(house: LineHouse, monkeypatch: Patch) -> None:
    """The line tells again what was not settled, with another age; and the first process ends before it settles it."""
    read = poison_numbers(monkeypatch)
    await answering(house)
    key = house.side.call_in(POISON, DID)
    arrival = house.side.arrival(POISON, DID, key)
    house.side.lines[0].hear(key, arrival)
    await house.crash(None, None, Fault.CRASH_BEFORE)
    assert (read[POISON], len(house.rows(SetAsideReport))) == (1, 1)
    await house.pass_s(0)
    house.side.lines[0].hear(key, arrival)
    await house.pass_s(60)
    assert read[POISON] == 1
    assert len(aside(house)) == 1
    assert house.worker.figures().reports_set_aside == 0
    assert all_were_called(house)


def talks_raise_at(patch: Patch, number: str, kind: type, times: int = 1) -> Counter[str]:
    """Let the first reports of a kind, of calls to a number, raise. Count what is heard of them."""
    heard_of: Counter[str] = Counter()
    hear = IvrSession.hear

    def raising(self: IvrSession, now_ms: int, heard: Any) -> Any:  # noqa: ANN401 - a reaction
        if self.call.subscriber.number == number and heard_of["raised"] < times and isinstance(heard, kind):
            heard_of["raised"] += 1
            raise StrangeError(kind.__name__)
        return hear(self, now_ms, heard)

    patch.setattr(IvrSession, "hear", raising)
    return heard_of


@pytest.mark.parametrize("kind", [Answered, Done, Ended])
async def test_a_leg_whose_report_is_set_aside_ends_with_its_cdr(
    house: LineHouse, monkeypatch: Patch, kind: type
) -> None:
    talks_raise_at(monkeypatch, PEOPLE[1], kind)
    await answering(house)
    await house.pass_s(60)
    assert house.row(User, house.user_id)["held"] == 0
    await house.pass_s(2_000)  # The row of a leg that was told to end stays for as long as the leg could be up.
    assert aside(house) == [(kind.__name__, f"StrangeError: {kind.__name__}")]
    causes = [row["hangup_cause_q850"] for row in house.rows(Cdr) if row["phone_number"] == PEOPLE[1]]
    assert causes == ([41, 16] if kind is Answered else [41])  # The first call that is cut off is made again.
    assert {row["hangup_cause_q850"] for row in house.rows(Cdr) if row["phone_number"] != PEOPLE[1]} == {16}
    assert all_were_called(house)
    assert not house.side.phones
    assert house.findings() == []


async def test_a_sign_of_the_network_that_is_set_aside_ends_nothing(house: LineHouse, monkeypatch: Patch) -> None:
    talks_raise_at(monkeypatch, PEOPLE[1], Ringing)
    await answering(house)
    await house.pass_s(60)
    assert {row["hangup_cause_q850"] for row in house.rows(Cdr)} == {16}
    assert all_were_called(house)


async def test_a_leg_that_cannot_be_ended_either_is_given_up_by_the_watchdog(
    house: LineHouse, monkeypatch: Patch
) -> None:
    """Nothing of it is heard any more, and no report of it fails a step."""
    heard_of = talks_raise_at(monkeypatch, PEOPLE[1], object, times=1_000)
    await answering(house)
    await house.pass_s(60)
    raised = heard_of["raised"]
    assert raised == 3  # The ringing, which needs no end; the answer; and the end in its place.
    assert [row["held"] > 0 for row in house.rows(User)] == [True]
    (stuck,) = house.rows(LiveLeg)
    house.side.lines[0].hear(stuck["key"], Done(1, 0))
    await house.pass_s(3_600)
    assert heard_of["raised"] == raised
    assert house.worker.problem() is None
    assert all_were_called(house)
    assert {row["hangup_cause_q850"] for row in house.rows(Cdr)} == {16, 41}
    assert house.findings() == []


async def test_of_many_reports_only_the_one_whose_rows_cannot_be_written_is_set_aside(
    house: LineHouse, monkeypatch: Patch
) -> None:
    """The failure comes at the end of the step, when nobody knows whose effects they are."""
    written: Counter[str] = Counter()
    dialled = journal_rows.dialled

    def raising(call: Any) -> Any:  # noqa: ANN401 - a row
        written[call.callerid] += call.is_inbound
        if call.callerid == POISON:
            raise StrangeError("no such row")
        return dialled(call)

    monkeypatch.setattr(journal_rows, "dialled", raising)
    await answering(house)
    callers = [POISON, *(f"+1202555{number}" for number in range(7_000, 7_005))]
    keys = [house.side.call_in(caller, DID) for caller in callers]
    await house.pass_s(90)
    assert aside(house) == [("Arrived", "StrangeError: no such row")]
    assert written[POISON] <= 2
    assert [cause_of(house, key) for key in keys] == [Cause.TEMPORARY_FAILURE, *[Cause.NORMAL_CLEARING] * 5]
    assert house.worker.problem() is None
    assert all_were_called(house)
    assert house.findings() == []


async def test_a_report_that_alone_cannot_be_written_fails_one_step(house: LineHouse, monkeypatch: Patch) -> None:
    tried: Counter[str] = Counter()
    write = LineLegs.write

    def raising(self: LineLegs, *arguments: Any) -> None:  # noqa: ANN401 - as `write`
        if any(leg.order.number == POISON for leg in self):
            tried[POISON] += 1
            raise StrangeError("no such leg")
        write(self, *arguments)

    monkeypatch.setattr(LineLegs, "write", raising)
    await answering(house)
    key = house.side.call_in(POISON, DID)
    await house.pass_s(60)
    assert tried[POISON] == 1
    assert cause_of(house, key) is Cause.TEMPORARY_FAILURE
    assert all_were_called(house)


NONSENSE: Final[list[tuple[Any, Any]]] = [
    ("x" * 10_000, Ended(0, Cause.NORMAL_CLEARING)),
    ("\ud800", Ended(0, Cause.NORMAL_CLEARING)),
    ("", Alive()),
    (7, Ended(0, Cause.NORMAL_CLEARING)),
    ("leg", Ended(10**40, Cause.NORMAL_CLEARING)),
    ("leg", Ended(0, 999)),  # type: ignore[arg-type] # nonsense, as all that follow
    ("leg", Ended("soon", Cause.NORMAL_CLEARING)),  # type: ignore[arg-type]
    ("leg", Ended(0, Cause.NORMAL_CLEARING, 2**70)),
    ("leg", Ended(0, Cause.USER_BUSY, retry_after_ms=2**70)),
    ("leg", Ended(0, Cause.USER_BUSY, retry_after_ms="1 h")),  # type: ignore[arg-type]
    ("leg", Answered(-(2**63), "\x00")),
    ("leg", Answered(0, "h" * 100_000)),
    ("leg", Done(-1, 0, answer="\udfff" * 5)),
    ("leg", Over(Ended(0, None))),  # type: ignore[arg-type]
    ("leg", Receipt("x" * 70_000, MessageStatus.DELIVERED)),
    ("leg", Receipt(None, "lost")),  # type: ignore[arg-type]
    ("leg", None),
    ("leg", object()),
    ("leg", "Ended"),
    ("new", Arrived(POISON, "\x00", "h")),
    ("new", Arrived(None, None, None)),  # type: ignore[arg-type]
    ("new", Arrived("9" * 70_000, "", "")),
    ("new", TextReceived("\x00", "", "STOP")),
]


@pytest.mark.parametrize("heard", NONSENSE, ids=range(len(NONSENSE)))
async def test_a_report_with_a_field_of_nonsense_fails_no_step(house: LineHouse, heard: tuple[Any, Any]) -> None:
    """Its leg, if it has one, ends; all others go on."""
    await answering(house)
    await house.pass_s(2)
    keys = {"leg": next(iter(house.side.phones)), "new": "6f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11"}
    with capture_logs() as logs:
        house.side.lines[0].hear(keys.get(heard[0], heard[0]), heard[1])
        await house.pass_s(60)
    assert [one for one in logs if one["event"] in {"step_failed", "invariant_broken"}] == []
    assert house.worker.problem() is None
    assert all_were_called(house)
    assert house.findings() == []


async def test_a_callback_row_that_holds_nonsense_is_set_aside(house: LineHouse) -> None:
    """Somebody has edited the database, or another version has written the row."""
    gateway_id = house.add(Gateway, medium=SMS, name="texts", protocol=FAKE_TEXTS)
    await answering(house)
    for heard in ("{", "[]", '{"type":"Receipt"}', '{"type":"Ended","age_ms":0,"cause":16}', ""):
        house.add(TextNews, gateway_id=gateway_id, key="", heard=heard, is_text=False, told_ms=0)
    await house.pass_s(60)
    assert house.rows(TextNews) == []
    assert Counter(kind for kind, _ in aside(house)) == {"TextNews": 5}
    assert house.worker.figures().reports_set_aside == 5
    assert all_were_called(house)


async def test_a_callback_that_raises_is_set_aside(house: LineHouse, monkeypatch: Patch) -> None:
    gateway_id = house.add(Gateway, medium=SMS, name="texts", protocol=FAKE_TEXTS)

    def raising(*_: object) -> None:
        raise StrangeError("texts")

    monkeypatch.setattr("dialer.runtime.lines.incoming_texts.sender_of", raising)
    await answering(house)
    row = {"gateway_id": gateway_id, "key": "", "is_text": True, "told_ms": 0}
    heard = '{"type":"TextReceived","number":"+493012345678","to":"","text":"STOP"}'
    house.add(TextNews, heard=heard, **row)
    await house.pass_s(60)
    assert house.rows(TextNews) == []
    (kept,) = house.rows(SetAsideReport)
    assert (kept["kind"], kept["number"], kept["reason"]) == ("TextReceived", POISON, "StrangeError: texts")
    assert all_were_called(house)


@pytest.mark.parametrize("name", ["dial", "perform", "settled", "find"])
async def test_a_line_that_raises_stops_no_step(house: LineHouse, monkeypatch: Patch, name: str) -> None:
    """The port forbids it. Calls of such a line end, and the worker goes on."""

    def raising(*_: object) -> None:
        raise RuntimeError(name)

    monkeypatch.setattr(FakeLine, name, raising)
    await answering(house)
    await house.pass_s(10)
    assert house.worker.problem() is None
    assert {row["phone_number"] for row in house.rows(CallRequest)} == set(PEOPLE)


async def test_a_line_that_finds_other_legs_than_it_was_asked_for_stops_no_step(
    house: LineHouse, monkeypatch: Patch
) -> None:
    async def find(*_: object) -> list[Unknown]:
        return [Unknown()] * 7

    monkeypatch.setattr(FakeLine, "find", find)
    await answering(house)
    await house.pass_s(2)
    house.restart()
    await house.pass_s(60)
    assert house.worker.problem() is None
    assert {row["phone_number"] for row in house.rows(CallRequest)} == set(PEOPLE)


async def test_a_gateway_whose_line_cannot_be_opened_is_down_and_others_dial(house: LineHouse) -> None:
    def new_line(*_: object) -> FakeLine:
        raise KeyError("parameters")

    house.worker._lines._new_lines = {**house.worker._lines._new_lines, "odd": new_line}  # type: ignore[misc] # noqa: SLF001
    odd = house.add(Gateway, name="odd", protocol="odd")
    await answering(house)
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(3_000)})
    other = await house.started(survey_id, house.phonebook(ADA), aleg_gateway_id=odd)
    await house.pass_s(60)
    assert house.row(Campaign, other)["status"] == CampaignStatus.START
    assert "KeyError" in house.row(Gateway, odd)["line_down"] or "parameters" in house.row(Gateway, odd)["line_down"]
    assert all_were_called(house)


async def test_few_reports_are_kept_and_none_holds_an_erased_number(house: LineHouse) -> None:
    def fill(connection: Any) -> None:  # noqa: ANN401 - a connection
        for number in range(ROWS_MAX + 5):
            one = SetAside(str(number), FIRST, "", POISON, "Arrived", f'{{"caller":"{POISON}"}}', POISON)
            set_aside(connection, one, number)

    house.database.write_now(fill)
    assert [row["at_ms"] for row in house.rows(SetAsideReport)] == list(range(5, ROWS_MAX + 5))
    erase_number(house.database, POISON, lambda _: None, 0)
    assert POISON[1:] not in str(house.rows(SetAsideReport))


Wrapped = Callable[..., Any]


@pytest.mark.parametrize("name", ["_happen", "apply"])
async def test_an_event_that_raises_stops_its_user_and_no_other(
    house: LineHouse, monkeypatch: Patch, name: str
) -> None:
    """It is no report of a line, but an error of the engine, such as one about a row that somebody has edited."""
    await answering(house)
    anns, house.user_id = house.user_id, house.add(User, username="bob", password_hash="-", call_rate=0)
    house.pay(1_000)
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(3_000)})
    around: Wrapped = getattr(Kernel, name)

    def raising(self: Kernel, *arguments: Any) -> None:  # noqa: ANN401 - as the method
        event = arguments[-1]
        if getattr(event, "campaign_id", None) == 2 or getattr(getattr(event, "plan", None), "id", None) == 2:
            self.at_work = self.last = event
            raise StrangeError("engine")
        around(self, *arguments)

    monkeypatch.setattr(Kernel, name, raising)
    bobs = await house.started(survey_id, house.phonebook(ADA))
    await house.pass_s(60)
    assert (house.row(Campaign, bobs)["status"], house.row(Campaign, bobs)["status_reason"]) == (
        CampaignStatus.PAUSE,
        "invariant",
    )
    assert house.worker.problem() is None
    house.user_id = anns
    assert all_were_called(house)
