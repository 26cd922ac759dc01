"""Tests that the table of section types is complete."""

import re
from pathlib import Path
from typing import Final

import pytest

import dialer
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.table import SECTION_TYPES, definition_of, section_fields
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.store.tables import SectionTemplate
from tests.domain.survey.surveys import section

SOURCE: Final = Path(dialer.__file__).parent
COMPARES: Final = re.compile(r"(==|!=|\bis\b|\bis not\b|\bin\b) \(?SectionType\.|SectionType\.\w+ (==|!=|is\b|in\b)")
"""Source that compares with a section type."""
CLIENTS: Final = SOURCE / "demo"
"""The demonstration is a client of the API: it knows the survey that it made."""
PROMPTS: Final = {"script", "audiofile", "invalid_audiofile", "disclosure", "disclosure_audiofile"}
SECRETS: Final = {"agent_secret"}


def test_the_table_has_a_row_for_every_type_in_the_order_of_the_enumeration() -> None:
    assert [(number, definition.type) for number, definition in SECTION_TYPES.items()] == [
        (kind.value, kind) for kind in SectionType
    ]


@pytest.mark.parametrize("definition", SECTION_TYPES.values(), ids=lambda one: one.type.name)
def test_a_type_has_a_module_of_its_own(definition: SectionDefinition) -> None:
    assert type(definition).__module__ == f"dialer.domain.survey.sections.{definition.type.name.lower()}"


@pytest.mark.parametrize("definition", SECTION_TYPES.values(), ids=lambda one: one.type.name)
def test_a_type_waits_for_keys_or_acts_or_ends_after_its_prompt(definition: SectionDefinition) -> None:
    assert definition.asks + definition.acts_after_prompt + definition.ends <= 1


@pytest.mark.parametrize(
    ("digits", "least", "most", "marks"),
    [
        (1, 0, 10, "0 1 2 3 4 5 6 7 8 9"),
        (2, 0, 10, "0 1 2 3 4 5 6 7 8 9 10"),
        (1, 5, 500, "5 6 7 8 9"),
        (2, 95, 200, "95 96 97 98 99"),
        (2, 1, 500, ""),
        (1, 10, 12, ""),
        (2, 7, 5, ""),
    ],
)
def test_the_marks_of_a_scale_of_digits_are_those_that_can_be_keyed(
    digits: int, least: int, most: int, marks: str
) -> None:
    asked = section(SectionType.CAPTURE_DIGITS, number_digits=digits, min_number=least, max_number=most)
    definition, found = definition_of(asked), marks.split()
    assert list(definition.marks(asked)) == found
    assert definition.ends_of_scale(asked) == ((found[0], found[-1]) if found else None)
    assert definition.is_scale(asked) == bool(found)


def test_every_column_of_a_section_is_a_field_of_some_type() -> None:
    of_all = {"id", "survey_id", "order", "type", "question", "file_id", "created_date", "updated_date"}
    assert {field.column for field in section_fields()} | of_all == set(SectionTemplate.__table__.c.keys())


def test_every_field_but_those_of_prompts_keys_and_secrets_becomes_a_setting() -> None:
    others = {field.name for field in section_fields() if field.setting not in Section.__struct_fields__}
    assert others == PROMPTS | SECRETS | {f"key_{digit}" for digit in range(10)}


def test_nothing_but_the_sections_goes_by_the_type_of_a_section() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        if CLIENTS not in path.parents
        for line, text in enumerate(path.read_text("utf-8").splitlines(), 1)
        if COMPARES.search(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "planted", ["if x.type is SectionType.SMS:", "return SectionType.DNC == kind", "x in (SectionType.RATING, y)"]
)
def test_a_planted_comparison_is_found(planted: str) -> None:
    assert COMPARES.search(planted)
