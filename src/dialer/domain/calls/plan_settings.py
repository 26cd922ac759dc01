"""The settings that a plan has under the names of their columns, so that a new setting needs no line of code here."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Protocol

import msgspec

PLANS_MAX: Final = 64
_SECOND_MS: Final = 1_000


class Columns(Protocol):
    """Values by the names of columns: a row, or a dictionary."""

    def __contains__(self, name: object, /) -> bool:
        """Return whether there is a column with this name."""

    def __getitem__(self, name: str, /) -> Any:  # noqa: ANN401 - of any type
        """Return the value of the column with this name."""


def settings_by_name(plan: type[msgspec.Struct], columns: Columns) -> dict[str, Any]:
    """Return the fields of a plan that `columns` has: those of a row, or of a part of a scenario.

    A field `<name>_ms` is the column `<name>` in milliseconds, and `<name>_s` the column as it is, as both hold
    seconds. `columns_of_plan` of the plan names the columns that have other names.
    """
    return {name: read(columns[column]) for name, column, read in _readers(plan) if column in columns}


@lru_cache(maxsize=PLANS_MAX)
def _readers(plan: type[msgspec.Struct]) -> tuple[tuple[str, str, Callable[[Any], Any]], ...]:
    """Return the fields of a plan, each with its column and with what makes its value of the column's."""
    columns: Mapping[str, str] = getattr(plan, "columns_of_plan", {})
    return tuple(
        (field.name, columns.get(field.name) or field.name.removesuffix("_ms").removesuffix("_s"), _reader(field))
        for field in msgspec.structs.fields(plan)
    )


def _reader(field: msgspec.structs.FieldInfo) -> Callable[[Any], Any]:
    if field.name.endswith("_ms"):
        return _milliseconds
    return field.type if isinstance(field.type, type) and issubclass(field.type, Enum) else _same


def _milliseconds(seconds: int) -> int:
    return seconds * _SECOND_MS


def _same(value: Any) -> Any:  # noqa: ANN401 - of the field's own type
    return value
