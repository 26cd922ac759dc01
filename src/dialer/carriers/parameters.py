"""Parameters of gateways: a JSON text that users write, as a struct for each protocol."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from itertools import permutations
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import inspect

HOST_LENGTH_MAX: Final = 253
_HOST: Final = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?", re.ASCII)


class ParametersError(ValueError):
    """The parameters of a gateway are wrong. The message is for the person who set them."""


def words(
    title: str,
    description: str = "",
    *,
    example: str = "",
    unit: str = "",
    choices: dict[str, str] | None = None,
    kind: str = "",
    is_main: bool = False,
    is_secret: bool = False,
) -> msgspec.Meta:
    """Return the words with which people are asked for a parameter, to stand beside its type.

    `is_main` puts it at the top of forms. `choices` are the words for its values, `kind` is for values whose type does
    not say how they are written.
    """
    extra = {"unit": unit, "choices": choices or {}, "kind": kind, "is_main": is_main, "is_secret": is_secret}
    return msgspec.Meta(title=title, description=description, examples=[example], extra=extra)


class Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The way to a carrier."""

    simulated: Annotated[
        dict[str, Any],
        words(
            "Callees in forecasts",
            "How the people behave whom a forecast calls, in the words of a simulated carrier. Empty: as usual.",
            example='{"answer": 0.6, "busy": 0.1}',
        ),
    ] = {}


_Kind = TypeVar("_Kind", bound=Parameters)


def read_parameters(text: str, kind: type[_Kind]) -> _Kind:
    """Return the parameters in a JSON text.

    Raises:
        ParametersError: one is missing, unknown or wrong.
    """
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ParametersError(f"{error}.".replace("..", ".")) from None


def is_host(text: str) -> bool:
    """Return whether a text is a host name or an IP address."""
    return len(text) <= HOST_LENGTH_MAX and (is_address(text) or _HOST.fullmatch(text) is not None)


def is_address(text: str) -> bool:
    """Return whether a text is an IP address, and needs no name server."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


class ParameterField(msgspec.Struct, frozen=True):
    """A parameter of a gateway with its title, hint, example and unit, as forms show it."""

    name: str
    """Its key; a dot leads into an object."""
    kind: str
    """`text`, `secret`, `number`, `check`, `choice`, `several`, `lines`, `pairs`, `json`, `share` or `span`."""
    title: str
    description: str = ""
    example: str = ""
    unit: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """The values of a `choice`, each with its words; of `several`, the values with commas."""
    required: bool = False
    default: Any = None
    is_main: bool = False
    least: int | None = None
    most: int | None = None
    """The bounds of a number, or the fewest and most characters of a text."""
    pattern: str = ""


def parameter_fields(kind: type[msgspec.Struct]) -> tuple[ParameterField, ...]:
    """Return the fields of a form for parameters, in the order of their declaration."""
    fields = _fields_within(inspect.type_info(kind), "", None)
    return tuple(sorted(fields, key=lambda field: field.name == "simulated"))


def _fields_within(found: inspect.Type, prefix: str, whole: Any) -> Iterator[ParameterField]:  # noqa: ANN401 - a default
    if not isinstance(found, inspect.StructType):
        return
    for field in found.fields:
        name = f"{prefix}{field.encode_name}"
        default = None if field.default is msgspec.NODEFAULT else field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        if whole is not None:
            default = getattr(whole, field.name)
        bare = field.type.type if isinstance(field.type, inspect.Metadata) else field.type
        if isinstance(bare, inspect.StructType):
            yield from _fields_within(bare, f"{name}.", default)
        else:
            yield _field(name, field.type, default, required=field.required)


def _field(name: str, found: inspect.Type, default: Any, *, required: bool) -> ParameterField:  # noqa: ANN401 - a default
    schema: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    if isinstance(found, inspect.Metadata):
        schema, extra, found = found.extra_json_schema or {}, found.extra or {}, found.type
    if isinstance(found, inspect.UnionType):
        found = next(one for one in found.types if not isinstance(one, inspect.NoneType))
    kind = extra.get("kind") or _KINDS.get(type(found), "json")
    plain = name[:1].upper() + name[1:].replace("_", " ")
    return ParameterField(
        name=name,
        kind="secret" if extra.get("is_secret") else _kind_of(kind, found),
        title=schema.get("title") or plain,
        description=schema.get("description", ""),
        example=next(iter(schema.get("examples", [])), ""),
        unit=extra.get("unit", ""),
        choices=_choices(found, extra.get("choices") or {}),
        required=required,
        default=default,
        is_main=required or bool(extra.get("is_main")),
        least=getattr(found, "ge", getattr(found, "min_length", None)),
        most=getattr(found, "le", getattr(found, "max_length", None)),
        pattern=getattr(found, "pattern", None) or "",
    )


_KINDS: Final[dict[type[inspect.Type], str]] = {
    inspect.StrType: "text",
    inspect.IntType: "number",
    inspect.FloatType: "share",
    inspect.BoolType: "check",
    inspect.LiteralType: "choice",
    inspect.VarTupleType: "lines",
}


def _kind_of(kind: str, found: inspect.Type) -> str:
    if isinstance(found, inspect.VarTupleType) and isinstance(found.item_type, inspect.EnumType):
        return "several"
    is_pairs = isinstance(found, inspect.DictType) and isinstance(found.value_type, inspect.StrType)
    return "pairs" if is_pairs else kind


def _choices(found: inspect.Type, worded: dict[str, str]) -> tuple[tuple[str, str], ...]:
    if isinstance(found, inspect.LiteralType):
        values = sorted(map(str, found.values), key=[*worded, *map(str, found.values)].index)
        return tuple((value, worded.get(value, value)) for value in values)
    if isinstance(found, inspect.VarTupleType) and isinstance(found.item_type, inspect.EnumType):
        members = [str(member.value) for member in found.item_type.cls]
        orders = [order for count in range(len(members), 0, -1) for order in permutations(members, count)]
        return tuple((", ".join(order), ", ".join(order)) for order in orders)
    return ()
