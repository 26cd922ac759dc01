"""Tests of the callee behaviour in a gateway's parameters."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.sim.callee_profile import (
    ALWAYS_THE_SAME,
    ATTEMPTS_MAX,
    NUMBERS_MAX,
    PROMPTS_MAX,
    Behaviour,
    CalleeOutcome,
    Scripted,
    parse_behaviour,
    scripted_for,
)
from dialer.sim.chance import CERTAIN, threshold
from dialer.sim.program_talk import ProgramTalks
from dialer.sim.spans import BehaviourError, Span


def test_no_parameters_are_the_documented_defaults() -> None:
    assert parse_behaviour({}) == Behaviour(
        outcomes=(
            (threshold(0.45), CalleeOutcome.ANSWER),
            (threshold(0.55), CalleeOutcome.BUSY),
            (threshold(0.58), CalleeOutcome.REJECTED),
            (threshold(0.6), CalleeOutcome.INVALID),
            (threshold(0.6), CalleeOutcome.CONGESTION),
        ),
        machine=threshold(0.25),
        amd_error=threshold(0.05),
        post_dial_delay=Span(1_000, 1_000),
        ring=Span(3_000, 25_000),
        listen=CERTAIN,
        keys=((threshold(0.5), "1"), (threshold(0.8), "2"), (CERTAIN, "")),
        key_delay=Span(1_000, 3_000),
        talk=Span(30_000, 180_000),
        patience=Span(60_000, 300_000),
        call_back=0,
        call_back_after=Span(60_000, 3_600_000),
        sms_delivered=threshold(0.97),
        sms_reply_stop=0,
        conversation=ProgramTalks(Span(20_000, 180_000), ((CERTAIN, "0"),)),
        numbers={},
    )


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("anser", 1, "anser: Unknown key."),
        ("answer", 1.01, "answer: Must be a number from 0 to 1."),
        ("answer", -0.1, "answer: Must be a number from 0 to 1."),
        ("answer", "0.5", "answer: Must be a number from 0 to 1."),
        ("answer", True, "answer: Must be a number from 0 to 1."),
        ("answer", None, "answer: Must be a number from 0 to 1."),
        ("machine", float("nan"), "machine: Must be a number from 0 to 1."),
        ("listen", 10**400, "listen: Must be a number from 0 to 1."),
        ("answer", 0.86, "answer, busy, rejected, invalid, congestion: The chances sum to more than 1."),
        ("keys", {"1": 0.5, "": 0.6}, "keys: The chances sum to more than 1."),
        ("keys", {"a": 0.5}, "keys: Must be at most 32 of the keys 0-9, * and #."),
        ("keys", {"1" * 33: 0.5}, "keys: Must be at most 32 of the keys 0-9, * and #."),
        (
            "keys",
            {str(key): 0 for key in range(101)},
            "keys: Must be an object of at most 100 chances by keys.",
        ),
        ("keys", [], "keys: Must be an object of at most 100 chances by keys."),
        ("ring", 86_400.5, "ring: Must be a number of seconds from 0 to 86400."),
        ("ring", float("inf"), "ring: Must be a number of seconds from 0 to 86400."),
        ("ring", [1], "ring: Must be a number of seconds, or a list of the minimum and the maximum."),
        ("ring", [1, 2, 3], "ring: Must be a number of seconds, or a list of the minimum and the maximum."),
        ("ring", [2, 1], "ring: The minimum must not exceed the maximum."),
        ("ring", [1, "2"], "ring: Must be a number of seconds from 0 to 86400."),
        ("numbers", [], "numbers: Must be an object of at most 10000 numbers."),
        (
            "numbers",
            {"12": {}},
            "numbers.12: '12' has fewer than 3 digits. Enter 3 to 15 digits with an optional leading +.",
        ),
        ("numbers", {"123": 1}, "numbers.123: Must be an object."),
        ("numbers", {"123": {"answer": 1}}, "numbers.123: answer: Unknown key."),
        (
            "numbers",
            {"123": {"outcome": "asleep"}},
            f"numbers.123: outcome: Must be one of {', '.join(CalleeOutcome)}.",
        ),
        ("numbers", {"123": {"keys": "1"}}, "numbers.123: keys: Must be a list of at most 100 entries."),
        ("numbers", {"123": {"keys": [1]}}, "numbers.123: keys: Must be at most 32 of the keys 0-9, * and #."),
        (
            "numbers",
            {"123": {"keys": ["1"] * (PROMPTS_MAX + 1)}},
            "numbers.123: keys: Must be a list of at most 100 entries.",
        ),
        (
            "numbers",
            {"123": {"hang_up_after": -1}},
            "numbers.123: hang_up_after: Must be a number of seconds from 0 to 86400.",
        ),
        ("numbers", {"123": {"attempts": {}}}, "numbers.123: attempts: Must be a list of at most 100 behaviours."),
        (
            "numbers",
            {"123": {"attempts": [{}] * (ATTEMPTS_MAX + 1)}},
            "numbers.123: attempts: Must be a list of at most 100 behaviours.",
        ),
        ("numbers", {"123": {"attempts": [{"attempts": []}]}}, "numbers.123: attempts: attempts: Unknown key."),
        ("numbers", {"123": {"attempts": [1]}}, "numbers.123: attempts: Must be an object."),
        ("numbers", {"+1 202-555-0100": {}, "12025550100": {}}, "numbers.12025550100: A number is given twice."),
    ],
)
def test_an_invalid_parameter_is_refused_and_named(key: str, value: object, message: str) -> None:
    with pytest.raises(BehaviourError) as caught:
        parse_behaviour({key: value})
    assert str(caught.value) == message


def test_too_many_numbers_are_refused() -> None:
    with pytest.raises(BehaviourError):
        parse_behaviour({"numbers": {str(1_000 + index): {} for index in range(NUMBERS_MAX + 1)}})


def test_ten_chances_of_a_tenth_are_a_certainty() -> None:
    behaviour = parse_behaviour({"keys": {str(key): 0.1 for key in range(10)}})
    assert behaviour.keys[-1] == (CERTAIN, "9")


def test_the_order_of_the_keys_in_the_document_does_not_matter() -> None:
    assert parse_behaviour({"keys": {"": 0.25, "2": 0.25, "1": 0.5}}) == parse_behaviour(
        {"keys": {"1": 0.5, "2": 0.25, "": 0.25}}
    )


def test_a_number_has_a_behaviour_of_its_own_in_any_spelling() -> None:
    behaviour = parse_behaviour(
        {
            "numbers": {
                "+44 (20) 7946-0000": {
                    "outcome": "answer",
                    "ring": [1, 2.5],
                    "keys": ["1", "", "42#"],
                    "key_delay": 0.5,
                    "hang_up_after": 9,
                }
            }
        }
    )
    scripted = Scripted(
        outcome=CalleeOutcome.ANSWER,
        ring=Span(1_000, 2_500),
        keys=("1", "", "42#"),
        key_delay=Span(500, 500),
        hang_up_after_ms=9_000,
        listens=True,
    )
    assert [scripted_for(behaviour, number, 1) for number in ("+442079460000", "442079460000", "+44 20 7946 0000")] == [
        scripted
    ] * 3
    assert scripted_for(behaviour, "+442079460001", 1) is None


def test_attempts_follow_each_other_and_the_last_one_repeats() -> None:
    """Fields that an attempt omits come from the number."""
    behaviour = parse_behaviour(
        {"numbers": {"123": {"ring": 2, "attempts": [{"outcome": "busy"}, {"outcome": "answer", "ring": 7}]}}}
    )
    busy = Scripted(outcome=CalleeOutcome.BUSY, ring=Span(2_000, 2_000))
    answer = Scripted(outcome=CalleeOutcome.ANSWER, ring=Span(7_000, 7_000))
    assert [scripted_for(behaviour, "123", attempt) for attempt in (1, 2, 3, 1_000)] == [busy, answer, answer, answer]


def test_a_gateway_may_override_a_number_with_a_fixed_behaviour() -> None:
    behaviour = parse_behaviour({"numbers": {"+12025550111": {"outcome": "answer"}}})
    assert scripted_for(behaviour, "+12025550111", 1) == Scripted(outcome=CalleeOutcome.ANSWER)
    assert scripted_for(behaviour, "+12025550110", 1) == ALWAYS_THE_SAME["12025550110"]


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=4,
)
known_keys = st.sampled_from([*Behaviour.__struct_fields__, "answer", "busy", "numbers"])
numbers = st.dictionaries(
    st.sampled_from(["123", "+12025550100", "x"]),
    st.dictionaries(
        st.sampled_from(["outcome", "ring", "keys", "key_delay", "hang_up_after", "attempts", "no"]), json_values
    ),
)


@given(st.dictionaries(known_keys | st.text(), json_values | numbers))
def test_any_json_is_a_behaviour_or_refused_in_words(parameters: dict[str, Any]) -> None:
    refusal = "in words"
    try:
        behaviour = parse_behaviour(parameters)
    except BehaviourError as error:
        refusal = str(error)
    else:
        assert behaviour.outcomes[-1][0] <= CERTAIN
    assert refusal.isprintable()
