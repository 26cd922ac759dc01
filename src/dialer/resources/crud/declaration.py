"""The declaration of a resource's fields, each once; the shapes of requests and answers are made from it.

    shapes("Phonebook", Phonebook, {**own("phonebook"), "name": NAME, **STAMPS}, write_doc="A named list of contacts.")

The fields stand in the order in which answers have them. The default of a writable field is that of its column. A
writable field without a default must be given at creation. Pages show a field under its title and, in forms, with its
hint, or else with its description.
"""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack

import msgspec
from msgspec import NODEFAULT
from msgspec.structs import replace
from sqlalchemy.sql.schema import ScalarElementColumnDefault

from dialer.resources.crud.columns import column_of
from dialer.resources.crud.fields import JsonObject, Kind, Text
from dialer.resources.crud.forms import FormLayout
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Identity, OwnUrl, Reference
from dialer.resources.crud.shapes import Access, AnswerShape, Field, Shape, Shapes, make_shape
from dialer.resources.crud.urls import Links
from dialer.store.tables import Row

GIVEN: Final = frozenset({Access.WRITABLE, Access.WRITE_ONCE, Access.WRITE_ONLY})
"""The fields that requests may give."""
CHANGE: Final = "Change"
"""The suffix of the names of shapes for changes."""
_AS_DECLARED: Final = FormLayout()


class Words(TypedDict, total=False):
    """The words of a field on pages: its title, and its hint in forms."""

    title: str
    hint: str


def writable(
    kind: Kind,
    description: str = "",
    *,
    default: Any = NODEFAULT,  # noqa: ANN401 - of any kind
    nullable: bool = False,
    example: Any = None,  # noqa: ANN401 - of any kind
    **words: Unpack[Words],
) -> Field:
    """Declare a field that clients write and read.

    Give a default only if the column has none. If it is None and the field is not `nullable`, a request may leave the
    field out. Then another part of the code, such as the resource's `defaults`, must compute its value.
    """
    is_required = default is NODEFAULT
    value = None if is_required else default
    return Field(kind, nullable, is_required, value, description=description, example=example, **words)


def optional(
    kind: Kind,
    description: str = "",
    *,
    example: Any = None,  # noqa: ANN401 - of any kind
    **words: Unpack[Words],
) -> Field:
    """Declare a writable field that may be null, and is null if a request leaves it out."""
    return writable(kind, description, default=None, nullable=True, example=example, **words)


def write_once(
    kind: Kind,
    description: str = "",
    *,
    default: Any = NODEFAULT,  # noqa: ANN401 - of any kind
    nullable: bool = False,
    example: Any = None,  # noqa: ANN401 - of any kind
    **words: Unpack[Words],
) -> Field:
    """Declare a field that clients may set when they create a record, and not later."""
    field = writable(kind, description, default=default, nullable=nullable, example=example, **words)
    return replace(field, access=Access.WRITE_ONCE)


def write_only(kind: Kind, description: str, *, example: Any, **words: Unpack[Words]) -> Field:  # noqa: ANN401 - of any kind
    """Declare a field that clients write, and that no answer shows."""
    return replace(writable(kind, description, example=example, **words), access=Access.WRITE_ONLY)


def read_only(
    kind: Kind,
    description: str = "",
    *,
    nullable: bool = False,
    example: Any = None,  # noqa: ANN401 - of any kind
    title: str = "",
) -> Field:
    """Declare a field that appears only in answers and comes from a column."""
    return Field(kind, nullable, access=Access.READ_ONLY, description=description, example=example, title=title)


def derived(
    kind: Kind,
    description: str = "",
    *,
    nullable: bool = False,
    example: Any = None,  # noqa: ANN401 - of any kind
    title: str = "",
) -> Field:
    """Declare a field that appears only in answers and has no column; the resource's `derived` computes it."""
    return Field(kind, nullable, access=Access.DERIVED, description=description, example=example, title=title)


def own(path: str) -> dict[str, Field]:
    """Declare the id and the URL of the records at a path."""
    return {
        "id": read_only(Identity(), "The number of the record. It is never used again for another record."),
        "url": read_only(OwnUrl(path), "The absolute URL of the record."),
    }


OWNER: Final = writable(
    Reference("users"),
    "The user who owns the record. Only admins may name another user than themselves. Default: the caller.",
    default=0,
    title="Owner",
    hint="Whose it is. None: yours.",
)
"""The user who owns a record. The default is the caller."""
NAME: Final = writable(
    Text(255, min_length=1),
    "A name for people. It must not be blank, and need not be unique.",
    example="Spring reminders",
    hint="",
)
"""The name of a record, which must not be blank."""
STAMPS: Final = {
    "created_date": read_only(Timestamp(), "The moment at which the record was created, in UTC.", title="Created"),
    "updated_date": read_only(Timestamp(), "The moment of the last change of the record, in UTC.", title="Changed"),
}


def shapes(
    name: str,
    model: type[Row],
    fields: Mapping[str, Field],
    *,
    form: FormLayout = _AS_DECLARED,
    write_doc: str = "",
    read_doc: str = "",
) -> Shapes:
    """Make the shapes of a resource from its fields; the name of each shape begins with `name`.

    Raises:
        TypeError: a field states a default although its column has one, or the form has a field that is not declared.
    """
    if unknown := form.names - fields.keys():
        raise TypeError(f"The form of {name} has fields that are not declared: {', '.join(sorted(unknown))}.")
    declared = {key: _with_default(model, replace(field, name=key)) for key, field in fields.items()}
    named = [replace(field, example=_example(field)) for field in declared.values()]
    read_doc = read_doc or f"{write_doc[:-1]}, as it is stored."
    answered = [
        replace(
            field,
            kind=field.kind.in_answers(),
            nullable=field.nullable or field.null_in_answers,
            required=True,
            default=None,
        )
        for field in named
        if field.access is not Access.WRITE_ONLY
    ]
    written_fields = [
        replace(field, nullable=field.nullable or (field.default is None and not field.required))
        for field in named
        if field.access in GIVEN
    ]
    return Shapes(
        model=model,
        read=make_shape(f"{name}Read", answered, read_doc, AnswerShape),
        write=make_shape(f"{name}Write", written_fields, write_doc) if written_fields else None,
        change=_change(name, written_fields) if written_fields else None,
        fixed=tuple(field.name for field in written_fields if field.access is Access.WRITE_ONCE),
        derived=tuple(field.name for field in named if field.access is Access.DERIVED),
        form=form,
    )


def _with_default(model: type[Row], field: Field) -> Field:
    """Return a field with the default of its column, if it has one and requests may give the field."""
    if field.access not in GIVEN:
        return field
    column = column_of(model.__table__, field.name, field.kind)
    default = None if column is None else column.default
    if not isinstance(default, ScalarElementColumnDefault):
        return field
    if not field.required and not (default.arg is None and field.default is None):
        raise TypeError(f"{model.__name__}.{field.name} has a default in its table. Remove the one of the field.")
    return replace(field, required=False, default=default.arg)


def _example(field: Field) -> Any:  # noqa: ANN401 - a JSON value
    """Return the declared example, or the default if it says something; else None."""
    if field.example is not None or not field.default or isinstance(field.kind, (Reference, JsonObject)):
        return field.example
    return msgspec.json.decode(msgspec.json.encode(field.kind.show(field.default, Links(base="", hosts=frozenset()))))


def _change(name: str, written_fields: list[Field]) -> type[Shape]:
    """Make the shape of a change: the fields of a creation, none of them required."""
    fields = [replace(field, required=False) for field in written_fields]
    return make_shape(f"{name}{CHANGE}", fields, "The fields to change. A field that is not given keeps its value.")
