"""A survey as a campaign plays it: sealed at the first start, so that later edits of the template change nothing."""

from typing import Final

import msgspec

from dialer.domain.enums import SectionType

SUPPORTED_SECTION_TYPES: Final = frozenset(
    {
        SectionType.PLAY_MESSAGE,
        SectionType.MULTI_CHOICE,
        SectionType.RATING,
        SectionType.CAPTURE_DIGITS,
        SectionType.HANG_UP,
        SectionType.DNC,
    }
)
ASKING_SECTION_TYPES: Final = frozenset({SectionType.MULTI_CHOICE, SectionType.RATING, SectionType.CAPTURE_DIGITS})
BRANCH_DONE: Final = "0"
BRANCH_TIMEOUT: Final = "timeout"
BRANCH_INVALID: Final = "invalid"
BRANCH_ANY: Final = "any"


class Prompt(msgspec.Struct, frozen=True):
    """What is played: a recording of known length, else a text that is spoken, else nothing."""

    audio_ms: int | None = None
    script: str = ""


class Section(msgspec.Struct, frozen=True):
    """One section: its prompt, what it takes as an answer, and where each answer leads.

    `branches` maps keys to the id of the section the call goes on to, or to None, which hangs up.
    """

    id: int
    type: SectionType
    question: str
    prompt: Prompt
    invalid_prompt: Prompt | None = None
    retries: int = 0
    timeout_ms: int = 5_000
    key_labels: dict[str, str] = {}
    rating_laps: int = 9
    validate_number: bool = True
    number_digits: int = 2
    min_number: int = 0
    max_number: int = 99
    completed: bool = False
    branches: dict[str, int | None] = {}

    @property
    def asks(self) -> bool:
        """Whether it waits for keys."""
        return self.type in ASKING_SECTION_TYPES

    @property
    def digits_max(self) -> int:
        """How many digits end an input by themselves."""
        if self.type is SectionType.RATING:
            return len(str(self.rating_laps))
        return self.number_digits if self.type is SectionType.CAPTURE_DIGITS else 1


class Survey(msgspec.Struct, frozen=True):
    """The sections of a survey in their order; a call begins at the first."""

    sections: tuple[Section, ...]

    @property
    def has_completion(self) -> bool:
        """Whether some section, once reached, makes a subscriber COMPLETED."""
        return any(section.completed for section in self.sections)


def encode_survey(survey: Survey) -> str:
    """The survey as JSON text."""
    return msgspec.json.encode(survey).decode()


def decode_survey(document: str) -> Survey:
    """The survey that `encode_survey` wrote."""
    return msgspec.json.decode(document, type=Survey)
