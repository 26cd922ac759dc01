"""Fields of a section: each is a column of its row, a setting of a sealed section, and a field of the API.

All types share one table, and each type lists the fields that it uses. A new type can therefore use existing fields
without a migration. A new field needs a column in `SectionTemplate` with a migration, and a setting in `Section`. The
API's field, the input on pages and the sealing follow from the field's description here.
"""

from typing import Any, Final, Literal

import msgspec

from dialer.domain.words.sentences import template

SCRIPT_MAX: Final = 1_600
RETRIES_MAX: Final = 100
SECONDS_MAX: Final = 3_600


class FieldWords(msgspec.Struct, frozen=True, kw_only=True):
    """The words of a field: those of the API's reference, and those of pages, which translate them."""

    description: str
    """The description in the OpenAPI document."""
    example: str | int | bool | None = None
    """The example in the OpenAPI document; references have the usual one."""
    title: str = ""
    """The title on pages; empty: the name in words."""
    hint: str = ""
    """The hint on pages, if the field needs one. A type can have its own (`SectionDefinition.hints`)."""
    is_main: bool = False
    """True for an input that the form shows at once, and not below *More*."""


class SectionField(FieldWords, frozen=True):
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


PROMPT_FIELDS: Final[tuple[SectionField, ...]] = (
    TextField(
        "script",
        SCRIPT_MAX,
        description=(
            "The text that the callee hears, unless `audiofile` is set. `{first_name}`, `{full_name}` and variables of"
            " the contact are replaced. Default: empty."
        ),
        example="Hello {first_name}, press one if you come.",
        title=template("Text"),
    ),
    ReferenceField(
        "audiofile",
        "recording",
        description="The recording that the callee hears instead of `script`. Null: `script`.",
        title=template("Recording"),
    ),
)
"""The fields of every type with its prompt."""
COMPLETED: Final = BooleanField(
    "completed",
    description=(
        "True if a subscriber whose call reaches the section has completed the survey, with status 8. Of a transfer"
        " (type 6): once somebody has taken the call."
    ),
    example=False,
    title=template("Goal of the survey"),
    hint=template("Whoever comes here has completed the survey."),
)
"""The mark of every type that a callee who reaches the section has completed the survey."""
RECORD_PAUSE: Final = BooleanField(
    "record_pause",
    description=(
        "True if the recording of a whole call keeps silence in place of the section, from its first sound to that of"
        " the next one. Default: true for type 4, so that no card number is kept; false for the others, also after a"
        " change of `type`."
    ),
    example=False,
    title=template("Silence in recordings"),
    hint=template("Recordings of whole calls keep silence in place of this section, such as for card numbers."),
)
"""The mark of every type that recordings of calls keep silence in its place."""
CLOSING_FIELDS: Final[tuple[SectionField, ...]] = (COMPLETED, RECORD_PAUSE)
"""The last fields of every type."""
COMMON_FIELDS: Final[tuple[SectionField, ...]] = (*PROMPT_FIELDS, *CLOSING_FIELDS)
"""The fields of every type."""
TIMEOUT: Final = SecondsField(
    "timeout",
    0,
    SECONDS_MAX,
    description=(
        "Seconds without a key after which an input ends (types 2, 3 and 4). For a transfer (type 6), the time in"
        " which `confirm_key` must be pressed. For a program (type 12), the longest conversation; its default is 600."
        " 0 counts as 1."
    ),
    example=5,
    title=template("Time to wait for a key"),
    hint=template("Counted from the last key, or from the end of the text."),
)
INPUT_FIELDS: Final[tuple[SectionField, ...]] = (
    IntegerField(
        "retries",
        0,
        RETRIES_MAX,
        description=(
            "How often a section that asks (types 2, 3 and 4) is repeated after a wrong input, or none. Null: never."
        ),
        example=2,
        title=template("Times to ask again"),
        hint=template("After a wrong input or none. Then the call goes on as you chose for these above."),
    ),
    TIMEOUT,
    ReferenceField(
        "invalid_audiofile",
        "recording",
        description=(
            "The recording that the callee hears after a wrong input, before the section is played again. Null: none."
        ),
        title=template("Recording after a wrong input"),
        hint=template(
            "Callees hear it, and then the question again. Without it, they hear the question again at once."
        ),
    ),
    *CLOSING_FIELDS,
)
"""The additional fields of types that ask for keys, below their own."""
