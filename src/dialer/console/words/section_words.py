"""The words of the form of a section: those of its type's fields, and of the two that every section has."""

from collections.abc import Mapping
from typing import Final

from dialer.console.words.language import gettext_noop
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.table import section_fields

TITLES: Final[Mapping[str, str]] = {
    "question": gettext_noop("Title"),
    "type": gettext_noop("Kind of section"),
    **{field.name: field.title for field in section_fields() if field.title},
}
"""The titles of fields by name."""
_HINTS: Final[Mapping[str, str]] = {
    "question": gettext_noop("For you, and in reports. Callees do not hear it."),
    "type": gettext_noop("Another kind has other fields. The texts stay."),
    **{field.name: field.hint for field in section_fields()},
}


def title_of(definition: SectionDefinition, name: str) -> str:
    """Return the title of a field in the form of a type; empty if it has none of its own."""
    return definition.titles.get(name) or TITLES.get(name, "")


def hint_of(definition: SectionDefinition, name: str) -> str:
    """Return the hint of a field in the form of a type; empty if it has none."""
    return definition.hints.get(name) or _HINTS[name]
