"""Tests of the check of surveys: each rule by itself, and surveys of any shape."""

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import pytest
from hypothesis import given
from msgspec.structs import replace

from dialer.domain.survey.callflow import NODES_PER_CALL_MAX, CallFlow, Position
from dialer.domain.survey.check import SECTIONS_MAX, check_survey
from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.survey.inputs import SectionInput, transfer_input
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import FieldName, Sentence
from tests.domain.survey.surveys import any_sections, section

INPUTS: Final = ["".join(keys) for length in range(3) for keys in product("0123456789*", repeat=length)]
"""All inputs of up to two keys."""
SILENT: Final = Prompt()
MARK: Final = 99
BYE: Final = section(SectionType.HANG_UP, 9)


def found(*sections: Section) -> list[tuple[str, str, int | None]]:
    """Return the findings without their messages and paths."""
    return [(one.level.value, one.code.value, one.section_id) for one in check_survey(Survey(sections))]


def messages(one: Section) -> list[str]:
    """Return the messages about a section that leads to a goodbye."""
    return [finding.message for finding in check_survey(Survey((one, BYE))) if finding.section_id == one.id]


def test_a_survey_as_it_should_be_has_no_findings() -> None:
    sections = (
        section(SectionType.PLAY_MESSAGE, 1, branches={"0": 2}),
        section(SectionType.MULTI_CHOICE, 2, branches={"1": 3, "timeout": 9, "invalid": None}),
        section(SectionType.RATING, 3, branches={"any": 4, "1": 5, "timeout": 9}),
        section(SectionType.CAPTURE_DIGITS, 4, branches={"5": 6, "any": 7}),
        section(SectionType.RECORD_MESSAGE, 5, branches={"0": 9}),
        section(SectionType.CALL_TRANSFER, 6, phonenumber="+12025550100", branches={"0": 9, "timeout": 5}),
        section(SectionType.CALL_TRANSFER, 7, queue_id=1, branches={"0": 8, "timeout": 10}),
        section(SectionType.CONFERENCE, 8, branches={"0": 10}),
        section(SectionType.SMS, 10, sms_text="Thanks", branches={"0": 11}),
        section(SectionType.DNC, 11),
        section(SectionType.HANG_UP, 9, prompt=SILENT),
    )
    assert check_survey(Survey(sections)) == []


def test_nobody_is_to_be_completed_before_an_agent_has_taken_the_call() -> None:
    """Section 1 comes before the agent, 4 after them. Those who leave the queue come to 3, and none of them to 4."""
    sections = (
        section(SectionType.PLAY_MESSAGE, 1, completed=True, branches={"0": 2}),
        section(SectionType.CALL_TRANSFER, 2, queue_id=1, completed=True, branches={"0": 4, "timeout": 3}),
        section(SectionType.HANG_UP, 3, completed=True),
        section(SectionType.RATING, 4, completed=True, branches={"1": 2, "any": None}),
    )
    (finding,) = check_survey(Survey(sections))
    assert finding == Finding(
        FindingLevel.WARNING,
        FindingCode.COMPLETED_EARLY,
        1,
        "People are marked completed here, before an agent takes their call. Those who reach no agent are not called"
        " again. Mark section 2 instead, which transfers the call.",
    )


def test_a_survey_without_sections_cannot_be_played() -> None:
    finding = Finding(FindingLevel.ERROR, FindingCode.NO_SECTIONS, None, "The survey has no sections.")
    assert check_survey(Survey(())) == [finding]


def test_a_survey_of_too_many_sections_is_not_looked_at() -> None:
    chain = [section(SectionType.RATING, index, branches={"any": index + 1}) for index in range(1, SECTIONS_MAX)]
    chain.append(section(SectionType.HANG_UP, SECTIONS_MAX))
    assert check_survey(Survey(tuple(chain))) == []
    message = f"The survey has {SECTIONS_MAX + 1} sections; at most {SECTIONS_MAX} can be played."
    too_many = Survey((*chain, section(SectionType.HANG_UP, SECTIONS_MAX + 1)))
    assert check_survey(too_many) == [Finding(FindingLevel.ERROR, FindingCode.TOO_MANY_SECTIONS, None, message)]


def test_a_finding_says_which_keys_lead_there_in_the_fewest_steps() -> None:
    sections = (
        section(SectionType.PLAY_MESSAGE, 1, branches={"0": 2}),
        section(SectionType.RATING, 2, branches={"1": 3, "2": 4, "any": 3, "invalid": 2}),
        section(SectionType.PLAY_MESSAGE, 3, branches={"0": 4}),
        section(SectionType.PLAY_MESSAGE, 4, prompt=SILENT),
    )
    (finding,) = check_survey(Survey(sections))
    assert finding == Finding(
        FindingLevel.WARNING,
        FindingCode.MISSING_PROMPT,
        4,
        "There is neither an audiofile nor a script: the callee hears nothing.",
        ((1, "0"), (2, "2")),
    )


def test_a_section_that_no_call_comes_to_is_unreachable() -> None:
    lonely = section(SectionType.PLAY_MESSAGE, 2, branches={"0": 3})
    sections = (section(SectionType.PLAY_MESSAGE, 1), lonely, section(SectionType.HANG_UP, 3))
    assert check_survey(Survey(sections)) == [
        Finding(FindingLevel.WARNING, FindingCode.UNREACHABLE, 2, "No call can reach this section."),
        Finding(FindingLevel.WARNING, FindingCode.UNREACHABLE, 3, "No call can reach this section."),
    ]


def test_a_section_after_too_many_others_in_a_row_is_unreachable() -> None:
    chain = [section(SectionType.PLAY_MESSAGE, index, branches={"0": index + 1}) for index in range(1, 102)]
    sections = (*chain, section(SectionType.HANG_UP, 102))
    assert found(*sections) == [("warning", "unreachable", 101), ("warning", "unreachable", 102)]
    asked = section(SectionType.RATING, 50, branches={"any": 51})
    assert found(*sections[:49], asked, *sections[50:]) == []


def test_a_section_that_can_be_reached_both_late_and_soon_goes_on_as_from_soon() -> None:
    """The path with fewer keys has more sections that do not ask."""
    ask = section(SectionType.RATING, 1, branches={"1": 2, "2": 201})
    chain = [section(SectionType.PLAY_MESSAGE, index, branches={"0": index + 1}) for index in range(2, 101)]
    tail = [section(SectionType.PLAY_MESSAGE, index, branches={"0": index + 1}) for index in range(101, 103)]
    others = [section(SectionType.RATING, index, branches={"any": index + 1}) for index in range(201, 302)]
    joined = replace(others[-1], branches={"any": 101})
    sections = (ask, *chain, *tail, section(SectionType.HANG_UP, 103), *others[:-1], joined)
    assert found(*sections) == []


def test_a_branch_to_a_section_that_is_not_there_is_an_error() -> None:
    one = section(SectionType.MULTI_CHOICE, 1, branches={"1": 77, "timeout": 78, "invalid": 9})
    assert found(one, BYE) == [("error", "unknown_target", 1)]
    assert messages(one) == ["Branches lead to sections that this survey does not have: 1, timeout."]


@pytest.mark.parametrize(
    ("section_type", "fields", "message"),
    [
        (
            SectionType.MULTI_CHOICE,
            {"key_labels": {}},
            "No input is valid: none of key_0 to key_9 is set.",
        ),
        (SectionType.RATING, {"rating_laps": 0}, "No input is valid: rating_laps is below 1."),
        (
            SectionType.CAPTURE_DIGITS,
            {"min_number": 100, "max_number": 500, "number_digits": 2},
            "No input is valid: number_digits digits cannot make a number from min_number to max_number.",
        ),
    ],
)
def test_a_question_to_which_no_answer_is_right_is_an_error(
    section_type: SectionType, fields: dict[str, Any], message: str
) -> None:
    one = section(section_type, **fields, branches={"timeout": 9})
    assert found(one, BYE) == [("error", "no_answer", 1)]
    assert messages(one) == [message]


def test_a_range_without_a_number_of_all_digits_is_a_warning() -> None:
    """A callee who enters four digits would always be refused."""
    one = section(SectionType.CAPTURE_DIGITS, number_digits=4, min_number=1, max_number=99, branches={"any": 9})
    assert found(one, BYE) == [("warning", "narrow_range", 1)]
    assert messages(one) == [
        (
            "An answer has up to 4 digits, and all that have 4 are refused: min_number is 1, and max_number is 99."
            " Set max_number to 9999, or number_digits to 2, or switch off validate_number."
        )
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"number_digits": 4, "min_number": 0, "max_number": 99},
        {"number_digits": 4, "min_number": 1, "max_number": 1_000},
        {"number_digits": 4, "min_number": 1, "max_number": 99, "validate_number": False},
    ],
)
def test_a_range_that_holds_all_digits_or_is_the_default_is_fine(fields: dict[str, Any]) -> None:
    assert found(section(SectionType.CAPTURE_DIGITS, **fields, branches={"any": 9}), BYE) == []


@pytest.mark.parametrize("number", ["", " ", "abc", "12", "1-1-2", "+1911"])
def test_a_transfer_to_nowhere_is_an_error(number: str) -> None:
    assert found(section(SectionType.CALL_TRANSFER, phonenumber=number, branches={"0": 9}), BYE) == [
        ("error", "no_destination", 1)
    ]


def test_a_text_message_without_a_text_is_not_sent() -> None:
    assert found(section(SectionType.SMS, sms_text=" ")) == [("warning", "missing_text", 1)]


@pytest.mark.parametrize(
    ("fields", "findings"),
    [
        ({"confirm_key": "1", "confirm_script": "Press 1"}, []),
        ({"confirm_key": "#", "confirm_script": "Press hash"}, []),
        ({"confirm_key": "x", "confirm_script": "Press x"}, [("error", "no_answer", 1)]),
        ({"confirm_key": "1", "confirm_script": " "}, [("warning", "missing_prompt", 1)]),
        ({"confirm_key": "x", "queue_id": 3}, []),
        ({}, []),
    ],
)
def test_a_transfer_is_confirmed_by_a_key_that_there_is_and_that_is_asked_for(
    fields: dict[str, Any], findings: list[tuple[str, str, int]]
) -> None:
    """Agents of a queue confirm nothing."""
    transfer = section(SectionType.CALL_TRANSFER, phonenumber="+12025550100", branches={"0": 9}, **fields)
    assert found(transfer, BYE) == findings


@pytest.mark.parametrize(
    ("section_type", "is_missing"),
    [
        (SectionType.PLAY_MESSAGE, True),
        (SectionType.MULTI_CHOICE, True),
        (SectionType.RATING, True),
        (SectionType.CAPTURE_DIGITS, True),
        (SectionType.RECORD_MESSAGE, True),
        (SectionType.CALL_TRANSFER, False),
        (SectionType.HANG_UP, False),
        (SectionType.CONFERENCE, False),
        (SectionType.DNC, False),
        (SectionType.SMS, False),
    ],
)
def test_a_played_section_needs_a_prompt(section_type: SectionType, is_missing: bool) -> None:  # noqa: FBT001 - a column of the table
    def codes(prompt: Prompt) -> set[str]:
        return {code for _, code, _ in found(section(section_type, prompt=prompt))}

    assert codes(Prompt(script=" ")) - codes(Prompt(script="Hello")) == ({"missing_prompt"} if is_missing else set())


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (
            section(SectionType.MULTI_CHOICE, branches={"1": 9, "8": 9, "12": 9}),
            "Branches are never taken: 12, 8; an answer is one digit whose key_n is set.",
        ),
        (
            section(SectionType.MULTI_CHOICE, branches={"1": 9, "any": 9}),
            "Branches are never taken: any; every valid input has a branch of its own.",
        ),
        (
            section(SectionType.RATING, rating_laps=10, branches={"10": 9, "11": 9, "0": 9, "timeout": 9}),
            "Branches are never taken: 0, 11; an answer is 1 to 10.",
        ),
        (
            section(
                SectionType.CAPTURE_DIGITS,
                number_digits=2,
                min_number=2,
                max_number=15,
                branches={"02": 9, "1": 9, "16": 9},
            ),
            "Branches are never taken: 1, 16; an answer is 2 to 15.",
        ),
        (
            section(SectionType.CAPTURE_DIGITS, number_digits=2, validate_number=False, branches={"99": 9, "007": 9}),
            "Branches are never taken: 007; an answer has at most 2 digits.",
        ),
        (
            section(SectionType.PLAY_MESSAGE, branches={"timeout": 9, "1": 9, "any": 9}),
            "Branches are never taken: 1, any; only 0 and timeout can be taken here.",
        ),
        (
            section(SectionType.RECORD_MESSAGE, branches={"0": 9, "timeout": 9}),
            "Branches are never taken: timeout; 0 is taken first.",
        ),
        (
            section(SectionType.RATING, branches={"1": 9} | {str(key): 9 for key in range(10, 22)}),
            "Branches are never taken: 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 2 more; an answer is 1 to 5.",
        ),
    ],
)
def test_a_branch_that_no_call_takes_is_named_with_the_reason(one: Section, message: str) -> None:
    assert found(one, BYE) == [("warning", "never_taken", 1)]
    assert messages(one) == [message]


@pytest.mark.parametrize("section_type", [SectionType.HANG_UP, SectionType.DNC])
def test_nothing_comes_after_the_end(section_type: SectionType) -> None:
    one = section(section_type, branches={"0": 1, "any": None})
    assert found(one) == [("warning", "after_the_end", 1)]
    assert messages(one) == ["The call ends here, so branches are never taken: 0, any."]


@pytest.mark.parametrize(
    ("one", "is_dead"),
    [
        (section(SectionType.RATING), True),
        (section(SectionType.RATING, branches={"any": None, "timeout": None}), True),
        (section(SectionType.RATING, branches={"any": None, "timeout": 9}), False),
        (section(SectionType.CALL_TRANSFER, queue_id=1), True),
        (section(SectionType.CALL_TRANSFER, queue_id=1, branches={"timeout": 9}), False),
        (section(SectionType.PLAY_MESSAGE), False),
        (section(SectionType.RECORD_MESSAGE, branches={"0": None}), False),
    ],
)
def test_a_question_or_a_transfer_after_which_nothing_comes_is_a_dead_end(one: Section, is_dead: bool) -> None:  # noqa: FBT001 - a column of the table
    assert (("warning", "dead_end", 1) in found(one, BYE)) is is_dead


def test_the_last_question_of_a_survey_whose_sections_are_all_reached_is_no_dead_end() -> None:
    first = section(SectionType.RATING, 1, branches={"any": 2, "timeout": 2})
    assert found(first, section(SectionType.RATING, 2)) == []


def test_a_survey_that_only_transfers_has_no_dead_end() -> None:
    says = section(SectionType.PLAY_MESSAGE, 1, branches={"0": 2})
    assert found(says, section(SectionType.CALL_TRANSFER, 2, queue_id=1)) == []
    assert found(section(SectionType.CALL_TRANSFER, 1, phonenumber="+12025550100")) == []


def test_a_loop_that_never_waits_is_an_error_told_once() -> None:
    sections = (
        section(SectionType.PLAY_MESSAGE, 1, branches={"0": 2}),
        section(SectionType.SMS, 2, sms_text="Hi", branches={"0": 3}),
        section(SectionType.PLAY_MESSAGE, 3, branches={"timeout": 2}),
    )
    assert found(*sections) == [("error", "loop", 2)]
    message = f"A loop never waits for the callee: 2, 3. The call is hung up after {NODES_PER_CALL_MAX} sections."
    assert check_survey(Survey(sections)) == [Finding(FindingLevel.ERROR, FindingCode.LOOP, 2, message, ((1, "0"),))]


def test_a_section_that_leads_to_itself_is_a_loop() -> None:
    assert found(section(SectionType.PLAY_MESSAGE, branches={"0": 1})) == [("error", "loop", 1)]


def test_a_loop_that_waits_for_an_agent_may_be_meant() -> None:
    sections = (
        section(SectionType.CALL_TRANSFER, 1, queue_id=5, branches={"0": 9, "timeout": 2}),
        section(SectionType.PLAY_MESSAGE, 2, branches={"0": 1}),
        BYE,
    )
    assert found(*sections) == [("warning", "loop", 1)]


def test_a_loop_that_asks_is_no_finding() -> None:
    assert (
        found(section(SectionType.RATING, branches={"any": 2}), section(SectionType.PLAY_MESSAGE, 2, branches={"0": 1}))
        == []
    )


def test_a_loop_that_goes_on_while_nobody_presses_a_key_is_a_warning() -> None:
    sections = (
        section(SectionType.PLAY_MESSAGE, 1, branches={"0": 2}),
        section(SectionType.RATING, 2, branches={"any": 9, "timeout": 3}),
        section(SectionType.PLAY_MESSAGE, 3, branches={"0": 2}),
        BYE,
    )
    message = Sentence(
        "A callee who presses nothing goes round in a loop: %(names)s. The call lasts until %(limit)s is over.",
        names="2, 3",
        limit=FieldName("callmaxduration"),
    )
    warning = Finding(FindingLevel.WARNING, FindingCode.LOOP, 2, message, ((1, "0"),))
    assert check_survey(Survey(sections)) == [warning]
    assert found(section(SectionType.RATING, branches={"any": 9, "timeout": 1}), BYE) == [("warning", "loop", 1)]
    assert found(section(SectionType.RATING, branches={"any": 9, "invalid": 1}), BYE) == []


def steps(flow: CallFlow, position: Position) -> Iterator[tuple[str, Position | None]]:
    """Yield every possible next position, with its input or transfer result."""
    if position.definition.asks:
        yield from ((keys, flow.take(position, SectionInput(keys)).position) for keys in INPUTS)
    elif position.section.type is SectionType.CALL_TRANSFER:
        outcomes = [transfer_input(is_connected=answer) for answer in (True, False)]
        yield from ((taken.branch, flow.take(position, taken).position) for taken in outcomes)
    elif position.definition.converses:
        named = {*position.section.branches, "0", "timeout", "invalid", "another"} - {"connected", "missed"}
        ends = [SectionInput(branch=name) for name in sorted(named)]
        yield from ((taken.branch, flow.take(position, taken).position) for taken in ends)
    else:
        yield "", flow.done(position)


def reached_by_trying(survey: Survey) -> set[int]:
    """Return the sections that a call can reach, found by trying all inputs.

    The search ignores the number of visited sections, or it would walk a loop that asks ten thousand times.
    """
    flow = CallFlow(survey)
    seen: set[tuple[int, int, int]] = set()
    waiting = [flow.begin()]
    while waiting:
        position = waiting.pop()
        if position is not None:
            state = (position.section.id, position.asked_again, position.without_waiting)
            if state not in seen:
                seen.add(state)
                waiting += [after for _, after in steps(flow, replace(position, visited=1))]
    return {section_id for section_id, _, _ in seen}


@given(any_sections)
def test_a_section_is_unreachable_just_if_no_input_leads_there(sections: tuple[Section, ...]) -> None:
    unreachable = {one.section_id for one in check_survey(Survey(sections)) if one.code is FindingCode.UNREACHABLE}
    assert {one.id for one in sections} - unreachable == reached_by_trying(Survey(sections))


@given(any_sections)
def test_a_branch_is_a_way_out_just_if_some_input_takes_it(sections: tuple[Section, ...]) -> None:
    for one in sections:
        for key in one.branches:
            only = replace(one, branches={other: MARK if other == key else None for other in one.branches})
            survey = Survey((only, section(SectionType.HANG_UP, MARK)))
            assert (MARK in reached_by_trying(survey)) is (key in definition_of(one).ways_out(one)), (one, key)


@given(any_sections)
def test_the_keys_of_a_finding_lead_where_it_says(sections: tuple[Section, ...]) -> None:
    by_id = {one.id: one for one in sections}
    for finding in check_survey(Survey(sections)):
        if finding.code is not FindingCode.UNREACHABLE and finding.path:
            assert finding.path[0][0] == sections[0].id
            after = [by_id[section_id].branches[key] for section_id, key in finding.path]
            assert after == [*(section_id for section_id, _ in finding.path[1:]), finding.section_id]


@given(any_sections)
def test_a_survey_that_may_be_started_has_no_loop_without_a_pause(sections: tuple[Section, ...]) -> None:
    """No call without questions is cut by the limit of sections."""
    flow = CallFlow(Survey(sections))
    if any(one.level is FindingLevel.ERROR for one in check_survey(flow.survey)):
        return
    for one in sections:
        position: Position | None = Position(one)
        for _ in range(len(sections) + 1):
            if position is None or position.section.type not in {SectionType.PLAY_MESSAGE, SectionType.SMS}:
                break
            position = flow.done(position)
        else:
            assert one.id not in reached_by_trying(flow.survey)


@given(any_sections)
def test_the_same_survey_has_the_same_findings(sections: tuple[Section, ...]) -> None:
    """The order of its branches does not matter."""
    turned = tuple(replace(one, branches=dict(reversed(one.branches.items()))) for one in sections)
    assert check_survey(Survey(turned)) == check_survey(Survey(sections))
