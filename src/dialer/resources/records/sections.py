"""The shapes of a section. Its settings are the fields of all section types (`dialer.domain.survey.sections`)."""

from collections.abc import Iterator
from enum import IntEnum
from typing import Final

from litestar.openapi.spec import Schema
from msgspec.structs import replace

from dialer.domain.survey.sections.agent_fields import AgentUrlField, ChoiceField, NamesField, SecretField, names_in
from dialer.domain.survey.sections.fields import BooleanField, IntegerField, ReferenceField, SectionField, TextField
from dialer.domain.survey.sections.table import SECTION_TYPES, section_fields
from dialer.domain.words.enums import SectionType
from dialer.resources.crud.declaration import STAMPS, optional, own, shapes, writable, write_once
from dialer.resources.crud.enumerations import enum_schema
from dialer.resources.crud.fields import (
    Boolean,
    Choice,
    Conventions,
    FieldError,
    Integer,
    Json,
    Label,
    Text,
    TextChoice,
    numbered,
    whole_number,
    wrong_choice,
)
from dialer.resources.crud.references import Reference
from dialer.resources.crud.shapes import Access, Field
from dialer.resources.records.agent_settings import AgentUrl, ValueNames
from dialer.store.tables import SectionTemplate

QUESTION_MAX: Final = 500
_PATHS: Final = {"recording": "audio-files", "queue": "queue"}
_LAST: Final = "invalid_audiofile"


class SectionTypeChoice(Choice, frozen=True):
    """The number of a section type in the table of section types."""

    values: type[IntEnum] = SectionType

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - a choice is a choice anywhere
        """Return the number of the section type."""
        try:
            return SECTION_TYPES[whole_number(value)].type.value
        except (KeyError, FieldError):
            raise wrong_choice(value, (numbered(one.type) for one in SECTION_TYPES.values())) from None

    def schema(self) -> Schema:
        """Return the schema: the numbers, with their names and meanings."""
        return enum_schema(definition.type for definition in SECTION_TYPES.values())


def _declared(field: SectionField) -> Field:
    """Declare the field of a section type for requests and answers, with its description."""
    example = list(names_in(str(field.example))) if isinstance(field, NamesField) else field.example
    return replace(_plain(field), description=field.description, example=example)


def _plain(field: SectionField) -> Field:
    is_nullable = bool(SectionTemplate.__table__.c[field.column].nullable)
    if isinstance(field, TextField) and (of_agents := _of_agents(field)) is not None:
        return of_agents
    match field:
        case TextField(max_length=most):
            return optional(Label(most)) if is_nullable else writable(Text(most))
        case IntegerField(minimum=least, maximum=most):
            return writable(Integer(least, most), nullable=is_nullable)
        case BooleanField():
            return writable(Boolean(), default=None) if is_nullable else writable(Boolean())
        case ReferenceField(to=target):
            return optional(Reference(_PATHS[target]))
        case _:
            raise TypeError(f"{field.name} is of no known kind")


def _of_agents(field: TextField) -> Field | None:
    """Return the field of a section that lets a program talk, if it is of a kind of its own."""
    match field:
        case AgentUrlField(max_length=most):
            return optional(AgentUrl(most))
        case SecretField(max_length=most):
            return replace(optional(Label(most)), access=Access.WRITE_ONLY)
        case NamesField(max_length=most):
            return optional(ValueNames(most))
        case ChoiceField(choices=choices, choices_title=title):
            return optional(TextChoice(tuple(word for word, _ in choices), dict(choices), title))
        case _:
            return None


def _settings() -> Iterator[tuple[str, Field]]:
    """Yield the fields of all section types in the order of their columns; clients expect one of them last."""
    places = {name: place for place, name in enumerate(SectionTemplate.__table__.c.keys())}
    for field in sorted(section_fields(), key=lambda field: (field.name == _LAST, places[field.column])):
        yield field.name, _declared(field)


*_SETTINGS, _LAST_SETTING = _settings()
SECTION_TEMPLATE: Final = shapes(
    "SectionTemplate",
    SectionTemplate,
    {
        **own("section-template"),
        "order": writable(
            Integer(), "The place of the section in the survey. A call begins with the lowest one.", title="Place"
        ),
        "type": writable(
            SectionTypeChoice(), "The action of the section. It decides which other fields are used.", example=2
        ),
        "question": writable(
            Text(QUESTION_MAX, min_length=1),
            "The question or the title, for people and results. It must not be blank. Callees hear `script` or"
            " `audiofile`.",
            example="Will you come on Monday?",
            title="Title",
        ),
        **dict(_SETTINGS),
        **STAMPS,
        "survey": write_once(
            Reference("survey-template"),
            "The survey template to which the section belongs. It is set at creation only.",
        ),
        **dict([_LAST_SETTING]),
    },
    write_doc="One section of a survey: the question that it plays, and the answers that it accepts.",
    read_doc="One section of a survey, as it is stored.",
)
