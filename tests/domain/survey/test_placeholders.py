"""Tests of the check of placeholders, and that nothing goes out that it did not say."""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.messages.templates import BUILT_IN, fill, placeholders_of, values_of
from dialer.domain.survey.check import check_survey
from dialer.domain.survey.findings import FindingCode, FindingLevel
from dialer.domain.survey.placeholders import NOTHING_KNOWN, Having, KnownNames, remarks_on_text
from dialer.domain.survey.survey import Prompt, Survey
from dialer.domain.words.enums import SectionType
from tests.domain.survey.surveys import section

NAMES: Final = (*BUILT_IN, "plan", "Order number", "Ωmega")


def known(people: int = 3, *, is_complete: bool = True, **filled: int) -> KnownNames:
    """Return the names of some people who all have a number and a name, and as many of the others as are given."""
    names = {**dict.fromkeys(BUILT_IN, people), **filled}
    return KnownNames(people, {name: Having(people, count) for name, count in names.items()}, is_complete)


@pytest.mark.parametrize(
    ("text", "level", "message"),
    [
        ("{Plan}", "error", "No contact has a value for {Plan}. Did you mean {plan}?"),
        ("{fullname}", "error", "No contact has a value for {fullname}. Did you mean {full_name}?"),
        ("{nosuch}", "error", "No contact has a value for {nosuch}. There are values for {city}, {plan}, {full_name}."),
        ("{city}", "warning", "2 of 3 contacts have no value for {city}: it is left out there."),
        ("{{plan}}", "warning", "“{{plan}}” goes out with a brace on each side. Write {plan}."),
        ("Hi {plan", "warning", "The brace at the start of “{plan” is not closed. Write {name}."),
        ("Hi plan}", "warning", "The brace at the end of “Hi plan}” is not opened. Write {name}."),
        ("Hi {}", "warning", "There is no name in {}. Write {name}."),
        ("{The Plan!}", "warning", "{The Plan!} goes out as it is written, with its braces. Did you mean {plan}?"),
        (
            "{#%}",
            "warning",
            "{#%} goes out as it is written, with its braces, to contacts without a value of this name.",
        ),
    ],
)
def test_each_mistake_is_explained(text: str, level: str, message: str) -> None:
    (found,) = remarks_on_text(text, "", known(plan=3, city=1))
    assert (found.level, str(found.message)) == (level, message)
    (found,) = remarks_on_text(text, "Welcome", known(plan=3, city=1))
    assert str(found.message) == f"Section “Welcome”: {message}"


@pytest.mark.parametrize("text", ["Hi {full_name}, {plan}", "{ plan }", "{contact}{last_name}", "no braces", ""])
def test_a_right_text_has_no_findings(text: str) -> None:
    assert list(remarks_on_text(text, "", known(plan=3))) == []


def test_without_contacts_only_names_like_built_in_ones_are_doubted() -> None:
    asked = section(SectionType.PLAY_MESSAGE, prompt=Prompt(script="{Full_Name} {plan} {{x}}"))
    assert [(found.code, found.level) for found in check_survey(Survey((asked,)))] == [
        (FindingCode.UNKNOWN_PLACEHOLDER, FindingLevel.WARNING),
        (FindingCode.WRONG_PLACEHOLDER, FindingLevel.WARNING),
    ]


def test_where_names_are_not_complete_an_unknown_one_is_a_warning() -> None:
    (found,) = remarks_on_text("{nosuch}", "", known(is_complete=False))
    assert (found.level, found.code) == (FindingLevel.WARNING, FindingCode.UNKNOWN_PLACEHOLDER)


def test_only_texts_that_people_hear_are_checked() -> None:
    recorded = section(SectionType.PLAY_MESSAGE, prompt=Prompt(audio_ms=500, script="{nosuch}"))
    sent = section(SectionType.SMS, 2, sms_text="{nosuch}")
    asked = section(SectionType.CALL_TRANSFER, 3, phonenumber="+12025550100", confirm_key="1", confirm_script="{no}")
    survey = Survey((recorded, sent, asked))
    assert [found for found in check_survey(survey, known()) if found.code is FindingCode.UNKNOWN_PLACEHOLDER] == []
    for alone in (sent, asked):
        codes = [found.code for found in check_survey(Survey((alone,)), known())]
        assert FindingCode.UNKNOWN_PLACEHOLDER in codes


@given(st.text(max_size=200), st.sampled_from([known(plan=2), known(is_complete=False), NOTHING_KNOWN]))
def test_every_text_can_be_checked_and_filled(text: str, names: KnownNames) -> None:
    found = list(remarks_on_text(text, "x" * 300, names))
    assert all(len(remark.message) < 1_000 for remark in found)
    assert fill(text, "Ada Byron", "{}") is not None


people = st.lists(
    st.tuples(
        st.sampled_from(["", "Ada", "Ada Byron", " "]),
        st.dictionaries(
            st.sampled_from(NAMES) | st.text(max_size=4),
            st.none() | st.sampled_from(["", " ", "gold"]) | st.integers() | st.booleans(),
            max_size=4,
        ),
    ),
    min_size=1,
    max_size=4,
)
pieces = st.sampled_from([*(f"{{{name}}}" for name in NAMES), "{Plan}", "{ plan }", "{{plan}}", "{", "}", "Hi "])
texts = st.lists(pieces | st.text(max_size=4), max_size=6).map("".join)


def counted(of: list[tuple[str, dict[str, object]]]) -> KnownNames:
    """Return the names of some people, as the store counts them."""
    rows = [values_of(full_name, json.dumps(variables), "0") for full_name, variables in of]
    names = {name for row in rows for name in row}
    having = {
        name: Having(sum(name in row for row in rows), sum(bool(row.get(name, "").strip()) for row in rows))
        for name in names
    }
    return KnownNames(len(rows), having, is_complete=True)


@given(texts, people)
def test_what_is_accepted_never_goes_out_empty_without_a_warning(
    text: str, of: list[tuple[str, dict[str, object]]]
) -> None:
    found = list(remarks_on_text(text, "", counted(of)))
    if any(remark.level is FindingLevel.ERROR for remark in found):
        return
    said = " ".join(remark.message for remark in found)
    for full_name, variables in of:
        values = values_of(full_name, json.dumps(variables), "12")
        for name in placeholders_of(text):
            sent = fill(f"{{{name}}}", full_name, json.dumps(variables), "12")
            assert sent.strip() or f"{{{name}}}" in said
            assert sent == values.get(name, sent)
