"""The declaration of a resource's fields, each once; the shapes of requests and answers are made from it.

    shapes("Phonebook", {**own("phonebook"), "name": NAME, **STAMPS}, write_doc="A named list of contacts.")

The fields stand in the order in which answers have them. A writable field without a default must be given at creation.
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import NODEFAULT
from msgspec.structs import replace

from dialer.api.crud.fields import Kind, Text
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.references import Identity, OwnUrl, Reference
from dialer.api.crud.shapes import Access, AnswerShape, Field, Shape, Shapes, make_shape

CHANGE: Final = "Change"
"""The suffix of the names of shapes for changes."""


def writable(kind: Kind, *, default: Any = NODEFAULT, nullable: bool = False, description: str = "") -> Field:  # noqa: ANN401 - of any kind
    """Declare a field that clients write and read.

    If the default is None and the field is not `nullable`, a request may leave the field out. Then another part of the
    code, such as the resource's `defaults`, must compute its value.
    """
    return replace(_given(Access.WRITABLE, kind, default, nullable=nullable), description=description)


def optional(kind: Kind) -> Field:
    """Declare a writable field that may be null, and is null if a request leaves it out."""
    return writable(kind, default=None, nullable=True)


def write_once(kind: Kind, *, default: Any = NODEFAULT, nullable: bool = False) -> Field:  # noqa: ANN401 - of any kind
    """Declare a field that clients may set when they create a record, and not later."""
    return _given(Access.WRITE_ONCE, kind, default, nullable=nullable)


def _given(access: Access, kind: Kind, default: Any, *, nullable: bool) -> Field:  # noqa: ANN401 - of any kind
    is_required = default is NODEFAULT
    return Field(kind, nullable, is_required, None if is_required else default, access)


def read_only(kind: Kind, *, nullable: bool = False, description: str = "") -> Field:
    """Declare a field that appears only in answers and comes from a column."""
    return Field(kind, nullable=nullable, access=Access.READ_ONLY, description=description)


def derived(kind: Kind, *, nullable: bool = False) -> Field:
    """Declare a field that appears only in answers and has no column; the resource's `derived` computes it."""
    return Field(kind, nullable=nullable, access=Access.DERIVED)


def own(path: str) -> dict[str, Field]:
    """Declare the id and the URL of the records at a path."""
    return {"id": read_only(Identity()), "url": read_only(OwnUrl(path))}


OWNER: Final = writable(Reference("users"), default=0)
"""The user who owns a record. The default is the caller."""
NAME: Final = writable(Text(255, min_length=1))
"""The name of a record, which must not be blank."""
STAMPS: Final = {"created_date": read_only(Timestamp()), "updated_date": read_only(Timestamp())}


def shapes(name: str, fields: Mapping[str, Field], *, write_doc: str = "", read_doc: str = "") -> Shapes:
    """Make the shapes of a resource from its fields; the name of each shape begins with `name`."""
    named = [replace(field, name=key) for key, field in fields.items()]
    read_doc = read_doc or f"{write_doc[:-1]}, as it is stored."
    answered = [replace(field, kind=field.kind.in_answers(), required=True, default=None) for field in named]
    given = [
        replace(field, nullable=field.nullable or (field.default is None and not field.required))
        for field in named
        if field.access in {Access.WRITABLE, Access.WRITE_ONCE}
    ]
    return Shapes(
        read=make_shape(f"{name}Read", answered, read_doc, AnswerShape),
        write=make_shape(f"{name}Write", given, write_doc) if given else None,
        change=_change(name, given) if given else None,
        fixed=tuple(field.name for field in given if field.access is Access.WRITE_ONCE),
        derived=tuple(field.name for field in named if field.access is Access.DERIVED),
    )


def _change(name: str, given: list[Field]) -> type[Shape]:
    """Make the shape of a change: the fields of a creation, none of them required."""
    fields = [replace(field, required=False) for field in given]
    return make_shape(f"{name}{CHANGE}", fields, "The fields to change. A field that is not given keeps its value.")
