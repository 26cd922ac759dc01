"""The declaration of a resource's fields: each once, from which the shapes of its requests and answers are made.

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
"""How the names of the shapes of changes end."""


def writable(kind: Kind, *, default: Any = NODEFAULT, nullable: bool = False, description: str = "") -> Field:  # noqa: ANN401 - of any kind
    """Declare a field that clients write and read.

    With None as its default and without `nullable`, a request may leave it open, and the rest of the record fills it.
    """
    return replace(_given(Access.WRITABLE, kind, default, nullable=nullable), description=description)


def optional(kind: Kind) -> Field:
    """Declare a writable field that may be null, and is if it is not given."""
    return writable(kind, default=None, nullable=True)


def write_once(kind: Kind, *, default: Any = NODEFAULT, nullable: bool = False) -> Field:  # noqa: ANN401 - of any kind
    """Declare a field that clients write at creation alone."""
    return _given(Access.WRITE_ONCE, kind, default, nullable=nullable)


def _given(access: Access, kind: Kind, default: Any, *, nullable: bool) -> Field:  # noqa: ANN401 - of any kind
    is_required = default is NODEFAULT
    return Field(kind, nullable, is_required, None if is_required else default, access)


def read_only(kind: Kind, *, nullable: bool = False, description: str = "") -> Field:
    """Declare a field that only answers have, from a column."""
    return Field(kind, nullable=nullable, access=Access.READ_ONLY, description=description)


def derived(kind: Kind, *, nullable: bool = False) -> Field:
    """Declare a field that only answers have and no column holds; the resource's `derived` computes it."""
    return Field(kind, nullable=nullable, access=Access.DERIVED)


def own(path: str) -> dict[str, Field]:
    """Declare the id and the URL of the records at a path."""
    return {"id": read_only(Identity()), "url": read_only(OwnUrl(path))}


OWNER: Final = writable(Reference("users"), default=0)
"""The user to whom a record belongs; if it is not given, the caller."""
NAME: Final = writable(Text(255, min_length=1))
"""The name of a record, which must not be blank."""
STAMPS: Final = {"created_date": read_only(Timestamp()), "updated_date": read_only(Timestamp())}


def shapes(name: str, fields: Mapping[str, Field], *, write_doc: str = "", read_doc: str = "") -> Shapes:
    """Make the shapes of a resource from its fields. The names of the shapes begin with `name`."""
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
    """Make the shape of changes: the fields of a creation, none of them required."""
    fields = [replace(field, required=False) for field in given]
    return make_shape(f"{name}{CHANGE}", fields, "What is to change; all else stays.")
