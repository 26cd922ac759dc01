"""Tests of conversations of simulated callees with a program. Every call is answered 5 s after the dial."""

from typing import Any, Final

import pytest

from dialer.sim.callee_profile import parse_behaviour
from dialer.sim.spans import BehaviourError
from tests.sim.legs import a_leg, call, legs, responses
from tests.sim.scenes import run

TALK: Final[dict[str, Any]] = {
    "type": 12,
    "agent_url": "wss://agent.example/",
    "disclosure_audio_seconds": 2,
    "audio_seconds": 3,
    "branches": {"0": 2, "2": 3, "invalid": 4},
}
ALONE: Final = TALK | {"branches": {}}
GOODBYE: Final = {"type": 7, "audio_seconds": 1}
LONGER: Final = {"type": 7, "audio_seconds": 5}
FAILED: Final = {"type": 7, "audio_seconds": 7}


def talks(ends: dict[str, float], seconds: object = 20) -> dict[str, Any]:
    return {"conversation": {"seconds": seconds, "ends": ends}}


@pytest.mark.parametrize(
    ("ends", "billsec", "answer"),
    [
        ({"0": 1}, 2 + 20 + 1, ["0"]),
        ({"2": 1}, 2 + 20 + 5, ["2"]),
        ({"7": 1}, 2 + 20, ["7"]),  # There is no such branch.
        ({"invalid": 1}, 2 + 20 + 3 + 7, ["invalid"]),  # The fallback of 3 s is heard.
        ({}, 2 + 20, []),  # The callee hangs up.
        ({"timeout": 1}, 2 + 600, ["timeout"]),
    ],
)
def test_a_conversation_ends_as_the_parameters_say(ends: dict[str, float], billsec: int, answer: list[str]) -> None:
    simulation = call(TALK, GOODBYE, LONGER, FAILED, population=talks(ends))
    assert legs(simulation) == [a_leg(5 + billsec, billsec, minutes=-(-billsec // 60))]
    assert responses(simulation) == answer


def test_the_longest_conversation_is_the_sections_and_the_call_has_its_own() -> None:
    simulation = call(ALONE | {"timeout": 7}, population=talks({"0": 1}))
    assert (legs(simulation)[0].billsec, responses(simulation)) == (9, ["timeout"])
    simulation = call(ALONE, campaign={"callmaxduration": 15}, population=talks({"0": 1}))
    assert (legs(simulation)[0].billsec, responses(simulation)) == (15, [])


def test_a_callee_may_hang_up_in_the_disclosure_or_in_the_talk() -> None:
    for seconds in (1, 9):
        simulation = call(ALONE, caller={"hang_up_after": seconds}, population=talks({"0": 1}))
        assert (legs(simulation)[0].billsec, responses(simulation)) == (seconds, [])


def test_a_thousand_conversations_end_in_the_shares_that_the_parameters_name() -> None:
    sections = [{"question": "Talk", "id": 1, **ALONE}]
    parameters = {"answer": 1, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0}
    parts: dict[str, Any] = {
        "survey": {"sections": sections},
        "gateway": {"parameters": parameters | talks({"0": 0.7, "2": 0.2, "invalid": 0.1}, [20, 180])},
        "population": {"size": 1_000, "patterns": ["+3319900xxxx"]},
        "account": {},
        "seed": 7,
    }
    found = [responses(run(**parts)) for _ in range(2)]
    assert found[0] == found[1]
    assert {answer: found[0].count(answer) for answer in sorted(set(found[0]))} == {"0": 689, "2": 208, "invalid": 103}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (7, "conversation: Must be an object with seconds and ends."),
        ({"length": 7}, "conversation.length: Unknown key."),
        ({"seconds": -1}, "conversation.seconds: Must be a number of seconds from 0 to 86400."),
        ({"ends": 7}, "conversation.ends: Must be an object of at most 100 chances by branches."),
        ({"ends": {"0": 2}}, "conversation.ends: Must be a number from 0 to 1."),
        ({"ends": {"0": 0.7, "2": 0.4}}, "conversation.ends: The chances sum to more than 1."),
        ({"ends": {"any": 1}}, "conversation.ends: Must be branches: up to 15 digits, invalid or timeout."),
    ],
)
def test_a_wrong_parameter_is_named(value: object, message: str) -> None:
    with pytest.raises(BehaviourError) as raised:
        parse_behaviour({"conversation": value})
    assert str(raised.value) == message
