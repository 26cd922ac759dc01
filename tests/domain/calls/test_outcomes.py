"""Outcomes among which the agents of a campaign choose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calls.outcomes import Outcome, offered_outcomes, read_outcomes
from dialer.domain.words.enums import AgentDisposition

WORDS = st.text(alphabet="ab=é ", max_size=8).map(lambda word: " ".join(word.split()))
OUTCOMES = st.lists(st.builds(Outcome, st.sampled_from(AgentDisposition), WORDS), max_size=20)


@given(OUTCOMES)
def test_outcomes_are_read_as_they_were_written_and_a_wish_can_always_be_noted(outcomes: list[Outcome]) -> None:
    text = ", ".join(one.text for one in outcomes)
    assert read_outcomes(text) == list(dict.fromkeys(outcomes))
    offered = offered_outcomes(text)
    assert offered[: len(set(outcomes))] == (list(dict.fromkeys(outcomes)) or offered)[: len(set(outcomes))]
    assert AgentDisposition.DO_NOT_CALL in {one.disposition for one in offered}


@given(st.text(alphabet="success=, abé", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        outcomes = read_outcomes(text)
    except ValueError:
        return
    assert read_outcomes(", ".join(one.text for one in outcomes)) == outcomes


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("", []),
        ("call_back", [Outcome(AgentDisposition.CALL_BACK)]),
        (" Sold=success ,other", [Outcome(AgentDisposition.SUCCESS, "Sold"), Outcome(AgentDisposition.OTHER)]),
        ("2 = 2 = success", [Outcome(AgentDisposition.SUCCESS, "2 = 2")]),
    ],
)
def test_a_word_stands_before_its_outcome(text: str, outcomes: list[Outcome]) -> None:
    assert read_outcomes(text) == outcomes
