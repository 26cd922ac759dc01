"""Tests of lines that tell many reports which cannot be handled: they rest, and everybody else goes on."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.engine import inbound
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.domain.sessions.leg_protocol import Ended, TextReceived
from dialer.domain.words.enums import CampaignStatus, Cause
from dialer.runtime.lines.line_rests import COST_MAX, COST_OF_FAILURE, REST_MS_MAX, REST_MS_MIN, WITHIN_MS, LineRests
from dialer.store.journal import rows as journal_rows
from dialer.store.rows.texts.text_senders import Sender
from dialer.store.tables import SMS, CallRequest, Campaign, Cdr, Did, Gateway, SetAsideReport, TextNews, User
from tests.gateways import FIRST
from tests.runtime.edited import ANN, ANNS, BOB, BOBS
from tests.runtime.house import ALL_ANSWER, CENTS
from tests.runtime.line_house import LineHouse
from tests.runtime.test_set_aside import DID, POISON, StrangeError, poison_numbers
from tests.runtime.text_side import FAKE_TEXTS

pytestmark = pytest.mark.usefixtures("quiet")
FAILURES_MAX: Final = COST_MAX // COST_OF_FAILURE
REASON: Final = "too many of its reports could not be handled, so it rests for 30 seconds"
FLOOD: Final = 1_000
Patch = pytest.MonkeyPatch


@pytest.fixture
async def house(tmp_path: Path) -> LineHouse:
    """Return a service in which Ann dials over a line and answers calls, and Bob dials over a simulated gateway."""
    house = LineHouse(tmp_path)
    survey_id = house.survey({"type": 1, "audiofile_id": house.recording(2_000)})
    anns = house.campaign(survey_id, house.phonebook(*ANNS), frequency=20)
    house.add(Did, user_id=ANN, is_assigned=True, did_number=DID, campaign_id=anns)
    house.user_id = house.add(User, username="bob", password_hash="-", call_rate=2 * CENTS)
    house.pay(100 * CENTS)
    simulated = house.add(Gateway, name="simulated", protocol="sim", parameters=ALL_ANSWER)
    talk = house.survey({"type": 1, "script": "word"})
    bobs = house.campaign(talk, house.phonebook(*BOBS), aleg_gateway_id=simulated, frequency=60)
    house.user_id = ANN
    house.start(anns)
    house.start(bobs)
    await house.pass_s(1)
    return house


def flood(house: LineHouse, count: int = FLOOD, caller: str = POISON) -> list[str]:
    """Let the line tell of many calls from one caller, and return their names."""
    first = house.side.calls
    keys = [f"00000000-0000-4000-8000-{first + place:012}" for place in range(count)]
    for key in keys:
        house.side.call_in(caller, DID, key=key)
    return keys


def watch_steps(house: LineHouse, patch: Patch) -> list[bool]:
    """Return a list that grows with each step: True for one that was committed."""
    outcomes: list[bool] = []
    write = house.database.write

    async def watched(work: Callable[[Any], Any], *, is_step: bool = False) -> Any:  # noqa: ANN401 - as `write`
        if not is_step:
            return await write(work)
        try:
            result = await write(work, is_step=True)
        except Exception:
            outcomes.append(False)
            raise
        outcomes.append(True)
        return result

    patch.setattr(house.database, "write", watched)
    return outcomes


def called(house: LineHouse, user_id: int) -> set[str]:
    """Return the numbers that a user's campaign has called."""
    return {row["phone_number"] for row in house.rows(CallRequest) if row["user_id"] == user_id and row["attempt"] > 0}


async def test_a_flood_of_calls_that_raise_lets_the_line_rest_and_others_dial(
    house: LineHouse, monkeypatch: Patch
) -> None:
    read, outcomes = poison_numbers(monkeypatch), watch_steps(house, monkeypatch)
    keys = [key for _ in range(5) for key in flood(house)]
    await house.pass_s(10)
    assert read[POISON] == outcomes.count(False) == FAILURES_MAX
    assert (False, False) not in set(pairwise(outcomes))
    assert house.row(Gateway, house.gateway_id)["line_down"] == REASON
    assert (house.worker.problem(), house.worker.figures().lines_down) == (None, 1)
    ends = [house.side.last[key][1] for key in keys]
    assert {one.cause for one in ends if isinstance(one, Ended)} == {Cause.TEMPORARY_FAILURE}
    assert called(house, BOB) == set(BOBS)
    anns = len(called(house, ANN))
    await house.pass_s(10)
    assert len(called(house, ANN)) <= anns + 1 < len(ANNS)


async def test_a_line_that_has_rested_is_used_again(house: LineHouse, monkeypatch: Patch) -> None:
    poison_numbers(monkeypatch)
    flood(house)
    for _ in range(20):
        await house.pass_s(10)
    assert house.row(Gateway, house.gateway_id)["line_down"] == ""
    assert called(house, ANN) == set(ANNS)
    assert {row["status"] for row in house.rows(Campaign)} == {CampaignStatus.END}
    (key,) = flood(house, 1, "+12025550101")
    await house.pass_s(10)
    ended = house.side.last[key][1]
    assert isinstance(ended, Ended)
    assert ended.cause is Cause.NORMAL_CLEARING
    assert house.findings() == []


async def test_calls_in_progress_go_on_while_their_line_rests(house: LineHouse, monkeypatch: Patch) -> None:
    poison_numbers(monkeypatch)
    (key,) = flood(house, 1, "+12025550101")
    await house.pass_s(1)
    flood(house)
    await house.pass_s(20)
    assert house.row(Gateway, house.gateway_id)["line_down"] == REASON
    ended = house.side.last[key][1]
    assert isinstance(ended, Ended)
    assert ended.cause is Cause.NORMAL_CLEARING
    assert {row["hangup_cause_q850"] for row in house.rows(Cdr) if row["attempt"] > 0} == {16}


async def test_a_flood_whose_rows_cannot_be_written_lets_the_line_rest(house: LineHouse, monkeypatch: Patch) -> None:
    """The failure comes at the end of the step, so each report is tried alone."""
    outcomes, dialled = watch_steps(house, monkeypatch), journal_rows.dialled

    def raising(call: Any) -> Any:  # noqa: ANN401 - a row
        if call.callerid == POISON:
            raise StrangeError("no such row")
        return dialled(call)

    monkeypatch.setattr(journal_rows, "dialled", raising)
    flood(house)
    await house.pass_s(10)
    assert outcomes.count(False) <= 2 * FAILURES_MAX
    assert (False, False) not in set(pairwise(outcomes))
    assert house.row(Gateway, house.gateway_id)["line_down"] == REASON
    assert called(house, BOB) == set(BOBS)


async def test_a_line_does_not_rest_because_of_the_rows_of_one_user(house: LineHouse, monkeypatch: Patch) -> None:
    """That user is stopped, and others may use the same line."""

    def raising(*_: object, **__: object) -> None:
        raise BrokenInvariantError(Rule.CREDIT, "an edited row", user_id=ANN, campaign_id=1)

    monkeypatch.setattr(inbound, "number_given", raising)
    outcomes = watch_steps(house, monkeypatch)
    flood(house, 3 * FAILURES_MAX)
    await house.pass_s(10)
    assert (False, False) not in set(pairwise(outcomes))
    assert house.row(Gateway, house.gateway_id)["line_down"] == ""
    assert called(house, BOB) == set(BOBS)


async def test_a_flood_of_nonsense_lets_the_line_rest(house: LineHouse) -> None:
    """It fails no step, but each report is logged and stored."""
    for _ in range(3 * FLOOD):
        house.side.lines[0].hear("leg", Ended(10**40, Cause.NORMAL_CLEARING))
    for _ in range(3 * FLOOD):
        house.side.lines[0].hear("leg", None)  # type: ignore[arg-type] # nonsense
    await house.pass_s(10)
    assert house.worker.figures().reports_set_aside <= 2 * COST_MAX
    assert house.row(Gateway, house.gateway_id)["line_down"] == REASON
    assert called(house, BOB) == set(BOBS)


async def test_callbacks_of_a_gateway_that_rests_wait(house: LineHouse, monkeypatch: Patch) -> None:
    """A wish that waits among them is taken once the gateway has rested."""
    gateway_id = house.add(Gateway, medium=SMS, name="texts", protocol=FAKE_TEXTS)
    tried = []

    def raising(_connection: object, _gateway_id: int, heard: TextReceived) -> Sender:
        tried.append(heard.number)
        if heard.number == POISON:
            raise StrangeError("texts")
        return Sender((), is_certain=True)

    monkeypatch.setattr("dialer.runtime.lines.incoming_texts.sender_of", raising)
    await house.pass_s(1)
    for number in [POISON] * 15 + ["+12025550101"]:
        said = f"STOP {len(house.rows(TextNews))}"
        heard = f'{{"type":"TextReceived","number":"{number}","to":"","text":"{said}"}}'
        house.add(TextNews, gateway_id=gateway_id, key="", is_text=True, told_ms=0, heard=heard)
    await house.pass_s(10)
    assert (tried, len(house.rows(TextNews))) == ([POISON] * FAILURES_MAX, 6)
    assert called(house, BOB) == set(BOBS)
    for _ in range(5):
        await house.pass_s(10)
    assert house.rows(TextNews) == []
    assert tried[-1] == "+12025550101"


async def test_texts_that_come_in_over_a_line_that_rests_are_kept(house: LineHouse, monkeypatch: Patch) -> None:
    tried = []

    def raising(_connection: object, _gateway_id: int, heard: TextReceived) -> Sender:
        tried.append(heard.number)
        if heard.number == POISON:
            raise StrangeError("texts")
        return Sender((), is_certain=True)

    monkeypatch.setattr("dialer.runtime.lines.incoming_texts.sender_of", raising)
    for place in range(30):
        house.side.lines[0].hear("", TextReceived(POISON, str(place), "STOP"))
    house.side.lines[0].hear("", TextReceived("+12025550101", "", "STOP"))
    await house.pass_s(10)
    assert len(tried) == FAILURES_MAX
    assert [row["kind"] for row in house.rows(SetAsideReport)] == ["TextReceived"] * FAILURES_MAX
    assert len(house.rows(TextNews)) == 21
    for _ in range(40):
        await house.pass_s(10)
    assert house.rows(TextNews) == []
    assert tried[-1] == "+12025550101"
    assert len(tried) == 31


@given(st.lists(st.tuples(st.integers(0, 3 * WITHIN_MS), st.sampled_from((1, 3, COST_OF_FAILURE, COST_MAX)))))
def test_a_line_never_costs_more_than_the_limit_within_a_minute_and_never_rests_for_ever(
    told: list[tuple[int, int]],
) -> None:
    rests, now_ms, ends = LineRests(), 0, 0
    accepted: list[tuple[int, int]] = []
    for after_ms, cost in told:
        now_ms += after_ms
        was_resting = FIRST in rests.states(now_ms)
        begins = rests.add(FIRST, cost, now_ms)
        assert was_resting is (now_ms < ends)
        if begins:
            assert not was_resting
            ends = next(at for at in range(now_ms, now_ms + REST_MS_MAX + 1, REST_MS_MIN) if not rests.states(at))
            accepted.clear()
        elif not was_resting:
            accepted.append((now_ms, cost))
            assert sum(one for at_ms, one in accepted if now_ms - at_ms < WITHIN_MS) < COST_MAX
    assert not rests.states(now_ms + REST_MS_MAX)
    assert not rests.states(0) or ends <= REST_MS_MAX
