"""Fields of a section: each is a column of its row, a setting of a sealed section, and a field of the API.

All types share one row, and a type names the fields that it uses. A new type can therefore use fields that are there
already, and needs no migration. A field that no type has yet needs a column in `SectionTemplate`, with its migration,
and a setting in `Section`; the API's field and the sealing follow from the description.
"""

from typing import Any, Final, Literal

import msgspec

SCRIPT_MAX: Final = 1_600
RETRIES_MAX: Final = 100
SECONDS_MAX: Final = 3_600


class SectionField(msgspec.Struct, frozen=True):
    """The base of all fields."""

    name: str

    @property
    def column(self) -> str:
        """The column that holds it."""
        return self.name

    @property
    def setting(self) -> str:
        """The attribute of `Section` that it becomes; a field without one is a part of something else."""
        return self.column

    def sealed(self, value: Any) -> Any:  # noqa: ANN401 - a value of the field's own kind
        """Return the setting of a value."""
        return value


class TextField(SectionField, frozen=True):
    """A text; without a default it may be missing."""

    max_length: int
    default: str | None = None

    def sealed(self, value: str | None) -> str:
        """Return the text; a missing one is empty."""
        return value or ""


class IntegerField(SectionField, frozen=True):
    """A whole number within bounds."""

    minimum: int
    maximum: int
    default: int
    is_nullable: bool = False

    def sealed(self, value: int | None) -> int:
        """Return the number; a missing one is 0."""
        return value or 0


class SecondsField(IntegerField, frozen=True):
    """A time in whole seconds, which a section keeps in milliseconds: one second at least."""

    @property
    def setting(self) -> str:
        """The name with its unit."""
        return f"{self.name}_ms"

    def sealed(self, value: int | None) -> int:
        """Return the milliseconds."""
        return max(1, value or 0) * 1_000


class BooleanField(SectionField, frozen=True):
    """True or false."""

    default: bool


class ReferenceField(SectionField, frozen=True):
    """A recording or a queue, or none."""

    to: Literal["recording", "queue"]

    @property
    def column(self) -> str:
        """The column that holds the id."""
        return f"{self.name}_id"


COMMON_FIELDS: Final[tuple[SectionField, ...]] = (
    TextField("script", SCRIPT_MAX, ""),
    ReferenceField("audiofile", "recording"),
    BooleanField("completed", default=False),
)
"""What every type uses: a prompt, and the mark that whoever comes here has completed the survey."""
TIMEOUT: Final = SecondsField("timeout", 0, SECONDS_MAX, 5)
INPUT_FIELDS: Final[tuple[SectionField, ...]] = (
    ReferenceField("invalid_audiofile", "recording"),
    IntegerField("retries", 0, RETRIES_MAX, 0, is_nullable=True),
    TIMEOUT,
)
"""What types use that ask for keys."""
