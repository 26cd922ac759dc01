"""Tests of the call flow: one test for each rule of branching, and surveys of any shape, which all end."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.survey.callflow import NODES_PER_CALL_MAX, SECTIONS_PER_CALL_MAX, CallFlow, Position, Turn
from dialer.domain.survey.inputs import SectionInput, transfer_input
from dialer.domain.survey.survey import Prompt, Section, Survey, decode_survey, encode_survey
from dialer.domain.words.enums import SectionType
from tests.domain.survey.surveys import SORRY, any_sections, section

ASKING: Final = [SectionType.MULTI_CHOICE, SectionType.RATING, SectionType.CAPTURE_DIGITS]
OTHER: Final = 2


def flow_of(section_type: SectionType, **fields: Any) -> tuple[CallFlow, Position]:  # noqa: ANN401 - any field
    """Return a survey of this section and a section 2, and the position at its start."""
    flow = CallFlow(Survey((section(section_type, **fields), section(SectionType.HANG_UP, OTHER))))
    start = flow.begin()
    assert start is not None
    return flow, start


def leads_to(turn: Turn) -> int | None:
    return section_after(turn.position)


def section_after(position: Position | None) -> int | None:
    return None if position is None else position.section.id


def heard(section_type: SectionType, keys: str, **fields: Any) -> tuple[int | None, str | None]:  # noqa: ANN401
    """Return the target of one input, and the stored answer."""
    flow, start = flow_of(section_type, **fields)
    turn = flow.take(start, SectionInput(keys))
    return leads_to(turn), turn.response


def test_a_call_begins_at_the_first_section() -> None:
    flow, start = flow_of(SectionType.PLAY_MESSAGE)
    assert (start.section.id, flow.prompts(start)) == (1, (Prompt(audio_ms=1_000),))


def test_a_survey_without_sections_has_no_beginning() -> None:
    assert CallFlow(Survey(())).begin() is None


@pytest.mark.parametrize(
    ("branches", "target"),
    [
        ({"0": 2, "timeout": 1}, 2),
        ({"timeout": 2}, 2),
        ({"any": 2, "invalid": 2}, None),
        ({}, None),
        ({"0": None, "timeout": 2}, None),
    ],
)
def test_a_played_section_goes_to_branch_0_else_to_timeout_else_hangs_up(
    branches: dict[str, int | None], target: int | None
) -> None:
    flow, start = flow_of(SectionType.PLAY_MESSAGE, branches=branches)
    assert section_after(flow.done(start)) == target


@pytest.mark.parametrize(
    "section_type",
    [SectionType.RECORD_MESSAGE, SectionType.CONFERENCE, SectionType.SMS, SectionType.CALL_TRANSFER],
)
def test_a_section_that_does_something_goes_on_like_one_that_is_played(section_type: SectionType) -> None:
    flow, start = flow_of(section_type, branches={"0": 2, "timeout": 1})
    assert section_after(flow.done(start)) == 2


@pytest.mark.parametrize(
    ("branches", "queue_id", "is_connected", "target"),
    [
        ({"0": 2, "timeout": 1}, None, True, 2),
        ({"timeout": 2}, None, True, 2),
        ({"0": None, "timeout": 2}, 7, True, None),
        ({}, 7, True, None),
        ({"0": 1, "timeout": 2}, None, False, 2),
        ({"0": 2}, None, False, 2),
        ({"0": 2, "timeout": None}, None, False, None),
        ({"0": 1, "timeout": 2}, 7, False, 2),
        ({"0": 2}, 7, False, None),
        ({}, None, False, None),
    ],
)
def test_a_transfer_that_reached_nobody_takes_timeout_and_only_one_to_a_number_may_take_0(
    branches: dict[str, int | None],
    queue_id: int | None,
    is_connected: bool,  # noqa: FBT001 - a column of the table
    target: int | None,
) -> None:
    flow, start = flow_of(SectionType.CALL_TRANSFER, branches=branches, queue_id=queue_id)
    assert section_after(flow.take(start, transfer_input(is_connected=is_connected)).position) == target


def test_the_queues_of_a_survey_are_those_its_transfers_go_to() -> None:
    sections = (
        section(SectionType.CALL_TRANSFER, 1, queue_id=7),
        section(SectionType.CALL_TRANSFER, 2, queue_id=8),
        section(SectionType.CALL_TRANSFER, 3, queue_id=7),
        section(SectionType.CALL_TRANSFER, 4, phonenumber="+12025550100"),
        section(SectionType.PLAY_MESSAGE, 5, queue_id=9),
    )
    assert CallFlow(Survey(sections)).queue_ids == {7, 8}


@pytest.mark.parametrize("section_type", [SectionType.HANG_UP, SectionType.DNC])
def test_a_section_that_ends_the_call_follows_no_branch(section_type: SectionType) -> None:
    flow, start = flow_of(section_type, branches={"0": 2, "timeout": 2})
    assert flow.done(start) is None


@pytest.mark.parametrize("section_type", ASKING)
class TestSectionsThatAsk:
    def test_an_input_takes_the_branch_of_exactly_its_digits(self, section_type: SectionType) -> None:
        assert heard(section_type, "1", branches={"1": 2, "any": 1})[0] == 2

    def test_an_input_without_such_a_branch_takes_any(self, section_type: SectionType) -> None:
        assert heard(section_type, "1", branches={"2": 1, "any": 2, "timeout": 1, "invalid": 1})[0] == 2

    def test_an_input_whose_branch_has_no_goto_hangs_up_despite_any(self, section_type: SectionType) -> None:
        assert heard(section_type, "1", branches={"1": None, "any": 2})[0] is None

    def test_a_wrong_input_takes_invalid(self, section_type: SectionType) -> None:
        branches = {"8": 1, "any": 1, "timeout": 1, "invalid": 2}
        assert heard(section_type, "8", branches=branches) == (2, None)

    def test_a_wrong_input_without_that_branch_hangs_up(self, section_type: SectionType) -> None:
        assert heard(section_type, "8", branches={"8": 2, "any": 2, "timeout": 2}) == (None, None)

    def test_no_input_takes_timeout(self, section_type: SectionType) -> None:
        assert heard(section_type, "", branches={"any": 1, "invalid": 1, "timeout": 2}) == (2, None)

    def test_no_input_without_that_branch_hangs_up(self, section_type: SectionType) -> None:
        assert heard(section_type, "", branches={"any": 2, "invalid": 2}) == (None, None)

    @pytest.mark.parametrize("keys", ["", "8"])
    def test_no_input_or_a_wrong_one_asks_again_before_any_branch_while_retries_last(
        self, section_type: SectionType, keys: str
    ) -> None:
        flow, start = flow_of(section_type, retries=2, branches={"timeout": 2, "invalid": 2})
        once = flow.take(start, SectionInput(keys)).position
        assert once is not None
        twice = flow.take(once, SectionInput(keys)).position
        assert twice is not None
        assert [once.section.id, twice.section.id, leads_to(flow.take(twice, SectionInput(keys)))] == [1, 1, 2]

    @pytest.mark.parametrize(("keys", "first"), [("8", [SORRY]), ("", [])])
    def test_after_a_wrong_input_only_the_recording_that_says_so_comes_first(
        self, section_type: SectionType, keys: str, first: list[Prompt]
    ) -> None:
        flow, start = flow_of(section_type, retries=1, invalid_prompt=SORRY)
        again = flow.take(start, SectionInput(keys)).position
        assert again is not None
        assert flow.prompts(again) == (*first, Prompt(audio_ms=1_000))

    def test_a_hash_ends_an_input(self, section_type: SectionType) -> None:
        assert heard(section_type, "1#8", branches={"1": 2})[0] == 2
        assert heard(section_type, "#", branches={"timeout": 2, "any": 1}) == (2, None)

    def test_keys_beyond_the_limit_do_not_count(self, section_type: SectionType) -> None:
        assert heard(section_type, "18", branches={"1": 2})[0] == 2

    def test_a_star_is_a_wrong_input(self, section_type: SectionType) -> None:
        assert heard(section_type, "*", branches={"any": 1, "invalid": 2}) == (2, None)


@pytest.mark.parametrize("section_type", [SectionType.MULTI_CHOICE, SectionType.CAPTURE_DIGITS])
def test_an_input_that_no_branch_takes_asks_again_while_retries_last_then_hangs_up(section_type: SectionType) -> None:
    flow, start = flow_of(section_type, retries=1, branches={"2": 2})
    again = flow.take(start, SectionInput("1"))
    assert again.position is not None
    assert (again.position.section.id, again.response) == (1, flow.take(again.position, SectionInput("1")).response)
    assert leads_to(flow.take(again.position, SectionInput("1"))) is None


def test_a_rating_that_no_branch_takes_hangs_up() -> None:
    assert heard(SectionType.RATING, "1", retries=9, branches={"2": 2}) == (None, "1")


def test_a_choice_is_kept_as_the_label_of_its_key() -> None:
    assert heard(SectionType.MULTI_CHOICE, "1", branches={"any": 2}) == (2, "one")


@pytest.mark.parametrize(("keys", "kept"), [("0", None), ("1", "1"), ("10", "10"), ("11", None), ("07", "07")])
def test_a_rating_goes_from_one_to_its_laps(keys: str, kept: str | None) -> None:
    assert heard(SectionType.RATING, keys, rating_laps=10)[1] == kept


@pytest.mark.parametrize(
    ("keys", "validate", "kept"),
    [("099", True, None), ("100", True, "100"), ("500", True, "500"), ("501", True, None), ("501", False, "501")],
)
def test_a_number_is_within_its_bounds_if_they_are_to_be_kept(keys: str, validate: bool, kept: str | None) -> None:  # noqa: FBT001 - a column of the table
    bounds = {"number_digits": 3, "min_number": 100, "max_number": 500, "validate_number": validate}
    assert heard(SectionType.CAPTURE_DIGITS, keys, **bounds)[1] == kept


@pytest.mark.parametrize(
    ("keys", "fields", "kept"),
    [
        ("1234", {"number_digits": 4}, "1234"),
        ("0100", {"number_digits": 4}, "0100"),
        ("100", {"number_digits": 3, "min_number": 1}, None),
        ("100", {"number_digits": 3, "max_number": 98}, None),
    ],
)
def test_the_default_range_refuses_no_digits(keys: str, fields: dict[str, int], kept: str | None) -> None:
    """A section that asks for four digits, and says nothing of a range, takes four digits."""
    assert heard(SectionType.CAPTURE_DIGITS, keys, **{"min_number": 0, "max_number": 99, **fields})[1] == kept


def test_digits_are_compared_as_they_were_pressed() -> None:
    """The digits 07 differ from 7."""
    fields = {"number_digits": 2, "max_number": 99, "branches": {"7": 1, "07": 2}}
    assert heard(SectionType.CAPTURE_DIGITS, "07", **fields) == (2, "07")


def test_a_branch_to_a_section_that_is_not_there_hangs_up() -> None:
    assert heard(SectionType.RATING, "1", branches={"1": 99}) == (None, "1")


def test_a_loop_that_never_waits_ends_after_a_hundred_sections() -> None:
    flow, start = flow_of(SectionType.PLAY_MESSAGE, branches={"0": 1})
    position: Position | None = start
    played = 0
    while position is not None:
        played += 1
        position = flow.done(position)
    assert played == NODES_PER_CALL_MAX == 100


def test_a_loop_that_waits_for_the_callee_goes_on_while_the_callee_does() -> None:
    """Each question resets the count, up to the limit of a call."""
    flow, start = flow_of(SectionType.RATING, branches={"any": 1})
    position: Position | None = start
    asked = 0
    while position is not None:
        asked += 1
        position = flow.take(position, SectionInput("1")).position
    assert asked == SECTIONS_PER_CALL_MAX


def test_a_loop_of_questions_that_nobody_answers_ends_at_the_limit_of_a_call() -> None:
    flow, start = flow_of(SectionType.RATING, branches={"timeout": 1})
    position: Position | None = start
    asked = 0
    while position is not None:
        asked += 1
        position = flow.take(position, SectionInput("")).position
    assert asked == SECTIONS_PER_CALL_MAX


inputs_of_a_call = st.lists(st.sampled_from(["", "1", "2", "12", "7", "#", "*", "1#"]), min_size=1, max_size=4)
answers_of_transfers = st.lists(st.booleans(), min_size=1, max_size=4)


@given(any_sections, inputs_of_a_call, answers_of_transfers)
def test_every_survey_ends_for_all_keys_and_transfers(
    sections: tuple[Section, ...], inputs: list[str], answers: list[bool]
) -> None:
    """The callee and the targets of transfers repeat their behaviour in a loop."""
    flow = CallFlow(Survey(sections))
    position = flow.begin()
    entered = 0
    while position is not None:
        if position.definition.converses:
            ends = [*position.section.branches, "0", "timeout", "invalid"]
            taken = SectionInput(branch=ends[len(inputs[entered % len(inputs)]) % len(ends)])
            position = flow.take(position, taken).position
            entered += 1
            assert entered <= SECTIONS_PER_CALL_MAX
            continue
        assert flow.prompts(position)[-1] == position.section.prompt
        if position.definition.asks:
            position = flow.take(position, SectionInput(inputs[entered % len(inputs)])).position
        elif position.section.type is SectionType.CALL_TRANSFER:
            position = flow.take(position, transfer_input(is_connected=answers[entered % len(answers)])).position
        else:
            position = flow.done(position)
        entered += 1
        assert entered <= SECTIONS_PER_CALL_MAX


@given(any_sections)
def test_a_survey_is_read_as_it_was_written(sections: tuple[Section, ...]) -> None:
    assert decode_survey(encode_survey(Survey(sections))) == Survey(sections)


def test_a_survey_that_was_written_before_its_sections_had_all_fields_is_read() -> None:
    document = '{"sections":[{"id":1,"type":1,"question":"Section 1","prompt":{"audio_ms":1000}}]}'
    assert decode_survey(document) == Survey((Section(1, SectionType.PLAY_MESSAGE, "Section 1", Prompt(1_000)),))


@pytest.mark.parametrize(("completed", "has_completion"), [(True, True), (False, False)])
def test_a_survey_has_a_completion_if_some_section_is_marked(completed: bool, has_completion: bool) -> None:  # noqa: FBT001 - a column of the table
    plain = section(SectionType.PLAY_MESSAGE)
    marked = section(SectionType.HANG_UP, OTHER, completed=completed)
    assert Survey((plain, marked)).has_completion is has_completion
