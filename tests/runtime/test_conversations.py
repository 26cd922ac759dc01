"""Tests of calls over a line in which a program talks: it completes them over REST, and workers begin anew."""

from pathlib import Path
from typing import Any, Final

import pytest

from dialer.app.call_centre.agent_calls import UnknownTalkError, WrongSecretError, agent_call, complete_agent_call
from dialer.app.campaigns import line_check
from dialer.store.database.service_state import agent_account
from dialer.store.tables import CallRequest, LiveLeg, SurveyResult
from tests.runtime.line_house import LineHouse
from tests.runtime.other_side import FAKE

CALLEE: Final = "+12025550101"
SECRET: Final = "made-up"
ANSWERS: Final = dict.fromkeys(("busy", "rejected", "invalid", "congestion", "machine"), 0)
TALKS: Final = {"conversation": {"seconds": 120, "ends": {"2": 1}}}
BEHAVIOUR: Final[dict[str, object]] = {**ANSWERS, **TALKS, "answer": 1, "listen": 1, "ring": [2, 2]}
TALK: Final[dict[str, Any]] = {
    "type": 12,
    "agent_url": "wss://agent.example/",
    "agent_secret": SECRET,
    "disclosure": "a program talks",
    "timeout": 600,
}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LineHouse:
    """Return a house whose line lets programs talk."""
    monkeypatch.setattr(line_check, "TALKS_WITH_PROGRAMS", {FAKE})
    return LineHouse(tmp_path, behaviour=BEHAVIOUR)


async def begin(house: LineHouse, keys: tuple[str, ...] = ("0", "2"), **fields: object) -> str:
    """Call somebody with whom a program talks, and return the id of the call."""
    survey_id = house.survey({**TALK, **fields}, {"type": 1, "script": "Goodbye"}, branches={0: dict.fromkeys(keys, 1)})
    house.start(house.campaign(survey_id, house.phonebook(CALLEE)))
    await house.pass_s(20)
    (call,) = house.rows(CallRequest)
    return str(call["callid"])


def complete(house: LineHouse, callid: str, secret: str = SECRET) -> None:
    account = house.database.read_now(agent_account)
    house.database.write_now(lambda connection: complete_agent_call(connection, account, secret, callid))


def answers(house: LineHouse) -> list[str]:
    return [row["response"] for row in house.rows(SurveyResult)]


async def test_a_conversation_ends_by_itself_and_the_call_goes_on(house: LineHouse) -> None:
    await begin(house)
    await house.pass_s(200)
    assert (answers(house), house.rows(LiveLeg)) == (["2"], [])


@pytest.mark.parametrize(
    ("keys", "on_completed", "answer"),
    [(("0",), None, "0"), (("2",), None, "hangup"), (("0",), "hangup", "hangup"), (("0", "any"), "0", "0")],
)
async def test_a_program_completes_the_call_and_it_goes_on_or_is_hung_up(
    house: LineHouse, keys: tuple[str, ...], on_completed: str | None, answer: str
) -> None:
    callid = await begin(house, keys, on_completed=on_completed)
    complete(house, callid)
    complete(house, callid)
    await house.pass_s(20)
    assert (answers(house), house.rows(LiveLeg)) == ([answer], [])
    with pytest.raises(UnknownTalkError):
        complete(house, callid)


async def test_only_who_knows_the_account_and_the_secret_sees_a_call(house: LineHouse) -> None:
    callid = await begin(house)
    account = house.database.read_now(agent_account)
    for wrong in ((account, "guessed", callid), ("AC" + "0" * 32, SECRET, callid), (account, "", callid)):
        with pytest.raises(WrongSecretError):
            house.database.read_now(lambda connection, wrong=wrong: agent_call(connection, *wrong))  # type: ignore[misc]
    with pytest.raises(UnknownTalkError):
        house.database.read_now(lambda connection: agent_call(connection, account, SECRET, "nobody"))
    found = house.database.read_now(lambda connection: agent_call(connection, account, SECRET, callid))
    assert (found.callid, found.to, found.is_completed, found.is_inbound) == (callid, CALLEE, False, False)


async def test_an_order_that_a_worker_did_not_carry_out_is_carried_out_after_its_restart(house: LineHouse) -> None:
    callid = await begin(house)
    complete(house, callid)
    house.restart()
    await house.pass_s(20)
    assert (answers(house), house.rows(LiveLeg)) == (["0"], [])
