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
    Kind,
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


def _kind(field: SectionField) -> Kind:
    """The kind of a section type's field."""
    match field:
        case TextField(max_length=most, default=None):
            return Label(most)
        case TextField(max_length=most):
            return Text(most)
        case IntegerField(minimum=least, maximum=most):
            return Integer(least, most)
        case BooleanField():
            return Boolean()
        case ReferenceField(to=target):
            return Reference(_PATHS[target])
    raise TypeError(f"{field.name} is of no known kind")


def _hint(field: SectionField, *, is_read: bool) -> Any:  # noqa: ANN401 - a type, which is none that mypy knows
    """The annotation of a section type's field."""
    types = {TextField: str, BooleanField: bool, ReferenceField: str if is_read else int}
    hint: Any = Annotated[types.get(type(field), int), _kind(field)]
    return hint | None if _is_nullable(field) else hint


def _is_nullable(field: SectionField) -> bool:
    return getattr(field, "is_nullable", getattr(field, "default", None) is None)


def _settings() -> Iterator[SectionField]:
    """The fields of all section types, in the order of their columns; clients know one of them as the last."""
    places = {name: place for place, name in enumerate(SectionTemplate.__table__.c.keys())}
    yield from sorted(section_fields(), key=lambda field: (field.name == _LAST, places[field.column]))


def _shape(name: str, doc: str, fields: Sequence[_NewField]) -> type[Shape]:
    return msgspec.defstruct(name, fields, bases=(Shape,), namespace={"__doc__": doc})  # type: ignore[return-value]


*_SHOWN, _SHOWN_LAST = [(field.name, _hint(field, is_read=True)) for field in _settings()]
SectionTemplateWrite: Final = _shape(
    "SectionTemplateWrite",
    "One section of a survey: what it plays, and what it takes as an answer.",
    [
        ("survey", Annotated[int, Reference("survey-template")]),
        ("question", Annotated[str, Text(QUESTION_MAX, min_length=1)]),
        ("order", Annotated[int, Integer()], 1),
        ("type", Annotated[int, SectionTypeChoice()], SectionType.PLAY_MESSAGE),
        *((field.name, _hint(field, is_read=False), getattr(field, "default", None)) for field in _settings()),
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
