"""The shapes of a section, whose settings are those of all section types (`dialer.domain.survey.sections`)."""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Annotated, Any, Final

import msgspec
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIType

from dialer.api.crud.fields import (
    Boolean,
    Choice,
    Conventions,
    FieldError,
    Identity,
    Integer,
    Json,
    Label,
    OwnUrl,
    Reference,
    Text,
    Timestamp,
    echo,
    whole_number,
)
from dialer.api.crud.shapes import Shape
from dialer.domain.enums import SectionType
from dialer.domain.survey.sections.fields import (
    BooleanField,
    IntegerField,
    ReferenceField,
    SectionField,
    TextField,
)
from dialer.domain.survey.sections.table import SECTION_TYPES, section_fields
from dialer.store.tables import SectionTemplate

QUESTION_MAX: Final = 500
_NewField = tuple[str, Any] | tuple[str, Any, Any]
"""The name of a field, its annotation, and its default if it has one."""
_PATHS: Final = {"recording": "audio-files", "queue": "queue"}
_LAST: Final = "invalid_audiofile"


class SectionTypeChoice(Choice, frozen=True):
    """One of the section types that the table lists, most of which the enumeration names."""

    values: type[IntEnum] = SectionType

    def parse(self, value: Json, conventions: Conventions) -> int:  # noqa: ARG002 - a choice is a choice anywhere
        """The number of the type."""
        try:
            return SECTION_TYPES[whole_number(value)].type.value
        except (KeyError, FieldError):
            raise FieldError(f'"{echo(value)}" is not a valid choice.') from None

    def schema(self) -> Schema:
        """The numbers, and in the description the names."""
        types = [definition.type for definition in SECTION_TYPES.values()]
        names = ", ".join(f"{item.value} {item.name}" for item in types)
        return Schema(type=OpenAPIType.INTEGER, enum=[item.value for item in types], description=names)


def _described(field: SectionField, reference: type) -> tuple[Any, Any]:
    """The annotation and the default of a section type's field; `reference` is the type that a reference has."""
    hint: Any
    match field:
        case TextField(max_length=most, default=None):
            hint = Annotated[str, Label(most)]
            return hint | None, None
        case TextField(max_length=most):
            return Annotated[str, Text(most)], field.default
        case IntegerField(minimum=least, maximum=most):
            hint = Annotated[int, Integer(least, most)]
            return hint | None if field.is_nullable else hint, field.default
        case BooleanField():
            return Annotated[bool, Boolean()], field.default
        case ReferenceField(to=target):
            hint = Annotated[reference, Reference(_PATHS[target])]
            return hint | None, None
    raise TypeError(f"{field.name} is of no known kind")


def _settings() -> Iterator[SectionField]:
    """The fields of all section types, in the order of their columns; clients know one of them as the last."""
    places = {name: place for place, name in enumerate(SectionTemplate.__table__.c.keys())}
    yield from sorted(section_fields(), key=lambda field: (field.name == _LAST, places[field.column]))


def _shape(name: str, doc: str, fields: Sequence[_NewField]) -> type[Shape]:
    return msgspec.defstruct(name, fields, bases=(Shape,), namespace={"__doc__": doc})  # type: ignore[return-value]


*_SHOWN, _SHOWN_LAST = [(field.name, _described(field, str)[0]) for field in _settings()]
SectionTemplateWrite: Final = _shape(
    "SectionTemplateWrite",
    "One section of a survey: what it plays, and what it takes as an answer.",
    [
        ("survey", Annotated[int, Reference("survey-template")]),
        ("question", Annotated[str, Text(QUESTION_MAX, min_length=1)]),
        ("order", Annotated[int, Integer()], 1),
        ("type", Annotated[int, SectionTypeChoice()], SectionType.PLAY_MESSAGE),
        *((field.name, *_described(field, int)) for field in _settings()),
    ],
)
SectionTemplateRead: Final = _shape(
    "SectionTemplateRead",
    "One section of a survey, as it is stored.",
    [
        ("id", Annotated[int, Identity()]),
        ("url", Annotated[str, OwnUrl("section-template")]),
        ("order", Annotated[int, Integer()]),
        ("type", Annotated[int, SectionTypeChoice()]),
        ("question", Annotated[str, Text(QUESTION_MAX)]),
        *_SHOWN,
        ("created_date", Annotated[str, Timestamp()]),
        ("updated_date", Annotated[str, Timestamp()]),
        ("survey", Annotated[str, Reference("survey-template")]),
        _SHOWN_LAST,
    ],
)
