"""Tests of the inputs of a call as they are kept: any input is read as it was written, and old texts are read."""

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.sessions.leg_protocol import Done
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.heard import (
    LEFT,
    PLAYED,
    THE_END,
    HeardError,
    HeardInput,
    input_of,
    last_keys,
    read_heard,
    text_of,
    written,
)
from dialer.domain.survey.inputs import CONNECTED, MISSED, InputResult, SectionInput
from dialer.domain.survey.replay import ReplayStep, is_its_own, replay
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import SectionType
from tests.domain.survey.surveys import section

PROGRAM = 99
"""The number of a type of sections that is not in the table."""
OLD = [
    ("1200:4:5", HeardInput(1_200, 4, "5"), SectionInput("5")),
    ("0:4:12#", HeardInput(0, 4, "12#"), SectionInput("12#")),
    ("7:4:A", HeardInput(7, 4, "A"), SectionInput("A")),
    ("7:4:-", HeardInput(7, 4, ""), SectionInput()),
    ("9:6:connected", HeardInput(9, 6, CONNECTED), SectionInput(branch=CONNECTED)),
    ("9:6:missed", HeardInput(9, 6, MISSED), SectionInput(branch=MISSED)),
]
any_text = st.text(max_size=20) | st.sampled_from([CONNECTED, MISSED, LEFT, PLAYED, "-", "/", "%2F", "5", "5/", ""])


class ProgramAnswers(SectionDefinition):
    """A type of sections in which a program answers in words, and chooses the branch."""

    __slots__ = ()

    asks = True

    def takes(self, taken: SectionInput) -> bool:  # noqa: ARG002 - any input
        return True

    def result_of(self, section: Section, taken: SectionInput) -> InputResult:  # noqa: ARG002 - the same for all
        return InputResult((taken.branch,), taken.answer)


@pytest.mark.parametrize(("text", "heard", "taken"), OLD)
def test_keys_and_transfers_are_kept_as_they_always_were(text: str, heard: HeardInput, taken: SectionInput) -> None:
    assert (read_heard(text), written([heard])) == ((heard,), text)
    assert (heard.taken, text_of(taken)) == (taken, heard.text)


def test_the_words_for_the_end_of_a_call_are_no_input() -> None:
    heard = (HeardInput(1, 4, "5"), HeardInput(2, 5, ""), HeardInput(3, 6, LEFT), THE_END)
    assert written(heard) == "1:4:5 2:5:- 3:6:left 0:0:played"
    assert read_heard(written(heard)) == heard
    assert (last_keys(heard, 6), last_keys(heard[1:], 6)) == (("5", 4), ("", 6))


@given(st.lists(st.builds(SectionInput, any_text, any_text), max_size=4))
def test_any_inputs_are_read_as_they_were_written(inputs: list[SectionInput]) -> None:
    """A carrier can tell anything as keys."""
    heard = tuple(HeardInput(at_ms, 4, text_of(taken)) for at_ms, taken in enumerate(inputs))
    assert [one.taken for one in read_heard(written(heard))] == inputs


def test_text_that_cannot_be_stored_is_kept_as_question_marks() -> None:
    assert text_of(SectionInput("5\udfff", "\udfff")) == "5%3F/%3F"


@given(st.text(max_size=20))
def test_any_text_is_an_input_or_is_refused(text: str) -> None:
    assert isinstance(input_of(text), SectionInput)
    with suppress(HeardError):
        assert isinstance(read_heard(text), tuple)


def test_keys_that_are_a_word_are_no_transfer() -> None:
    """The call is replayed as it was: the callee has pressed something wrong, and nobody was connected."""
    asking = section(SectionType.RATING, 1, branches={"invalid": 2})
    flow = CallFlow(Survey((asking, section(SectionType.HANG_UP, 2))))
    heard = read_heard(written((HeardInput(5, 1, text_of(SectionInput(CONNECTED))), THE_END)))
    steps = replay(flow, heard)
    assert [one.section.id for one in steps] == [1, 2]
    assert (is_its_own(steps, heard), last_keys(heard, 2)) == (True, (CONNECTED, 1))


def test_a_report_has_the_names_that_other_versions_know() -> None:
    report = b'{"type":"Done","turn":2,"age_ms":0,"keys":"5","recording_ms":null,"status":null}'
    assert msgspec.json.decode(report, type=Done) == Done(2, 0, answer="5")
    # Other versions pass over a name that they do not know.
    assert msgspec.json.encode(Done(2, 0, answer="5")) == report[:-1] + b',"is_unheard":false,"branch":"","summary":""}'


def test_a_program_answers_in_words_and_chooses_the_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call flow, the stored inputs and the replay know answers and branches, and no type of section."""
    monkeypatch.setitem(SECTION_TYPES, PROGRAM, ProgramAnswers())
    asking = Section(1, PROGRAM, "Shall we call back?", Prompt(), branches={"yes": 2, "no": 3})
    yes, no = section(SectionType.HANG_UP, 2), section(SectionType.HANG_UP, 3)
    flow = CallFlow(Survey((asking, yes, no)))
    start, taken = flow.begin(), SectionInput("Yes: at 5 o'clock, please", "yes")
    assert start is not None
    turn = flow.take(start, taken)
    assert (turn.response, turn.position and turn.position.section) == (taken.answer, yes)
    heard = read_heard(written((HeardInput(900, 1, text_of(taken)), THE_END)))
    first, *others = replay(flow, heard)
    assert first == ReplayStep(asking, (Prompt(),), HeardInput(900, 1, text_of(taken)), taken.answer, yes)
    assert ([one.section for one in others], is_its_own([first, *others], heard)) == ([yes], True)
    assert last_keys(heard, 2) == (taken.answer, 1)
