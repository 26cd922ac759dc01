"""Fields of a section: each is a column of its row, a setting of a sealed section, and a field of the API.

All types share one table, and each type lists the fields that it uses. A new type can therefore use existing fields
without a migration. A new field needs a column in `SectionTemplate` with a migration, and a setting in `Section`. The
API's field and the sealing follow from the field's description here.
"""

from typing import Any, Final, Literal

import msgspec

SCRIPT_MAX: Final = 1_600
RETRIES_MAX: Final = 100
SECONDS_MAX: Final = 3_600


class SectionField(msgspec.Struct, frozen=True):
    """The base class of all fields."""

    name: str

    @property
    def column(self) -> str:
        """The name of the column that holds the field."""
        return self.name

    @property
    def setting(self) -> str:
        """The attribute of `Section` that holds the value; without such an attribute, another setting holds it."""
        return self.column

    def sealed(self, value: Any) -> Any:  # noqa: ANN401 - a value of the field's own kind
        """Return the setting of a sealed section for a column's value."""
        return value


class TextField(SectionField, frozen=True):
    """A text, which may be missing."""

    max_length: int

    def sealed(self, value: str | None) -> str:
        """Return the text, empty in place of None."""
        return value or ""


class IntegerField(SectionField, frozen=True):
    """An integer within bounds."""

    minimum: int
    maximum: int

    def sealed(self, value: int | None) -> int:
        """Return the number, 0 in place of None."""
        return value or 0


class SecondsField(IntegerField, frozen=True):
    """A duration in whole seconds. A sealed section holds it in milliseconds, with a minimum of one second."""

    @property
    def setting(self) -> str:
        """The field's name with its unit, milliseconds."""
        return f"{self.name}_ms"

    def sealed(self, value: int | None) -> int:
        """Return the duration in milliseconds."""
        return max(1, value or 0) * 1_000


class BooleanField(SectionField, frozen=True):
    """A boolean."""


class ReferenceField(SectionField, frozen=True):
    """A reference to a recording or a queue, or none."""

    to: Literal["recording", "queue"]

    @property
    def column(self) -> str:
        """The name of the column that holds the id."""
        return f"{self.name}_id"


COMMON_FIELDS: Final[tuple[SectionField, ...]] = (
    TextField("script", SCRIPT_MAX),
    ReferenceField("audiofile", "recording"),
    BooleanField("completed"),
)
"""The fields of every type: a prompt, and the mark that a callee who reaches the section has completed the survey."""
TIMEOUT: Final = SecondsField("timeout", 0, SECONDS_MAX)
INPUT_FIELDS: Final[tuple[SectionField, ...]] = (
    ReferenceField("invalid_audiofile", "recording"),
    IntegerField("retries", 0, RETRIES_MAX),
    TIMEOUT,
)
"""The additional fields of types that ask for keys."""
