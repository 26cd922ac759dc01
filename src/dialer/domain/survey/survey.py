"""A survey as a campaign plays it: sealed at the first start, so that later edits of the template change nothing."""

from typing import Final

import msgspec

BRANCH_DONE: Final = "0"
BRANCH_TIMEOUT: Final = "timeout"
BRANCH_INVALID: Final = "invalid"
BRANCH_ANY: Final = "any"
INPUT_END: Final = "#"


class Prompt(msgspec.Struct, frozen=True):
    """What is played: a recording of known length, else a text that is spoken, else nothing."""

    audio_ms: int | None = None
    script: str = ""


class Section(msgspec.Struct, frozen=True):
    """One section: its prompt, what it takes as an answer, and where each answer leads.

    `type` is a key of `dialer.domain.survey.sections.table.SECTION_TYPES`, which says how the section works. It has the
    settings of all types, as a type may use those of another.

    `branches` maps keys to the id of the section the call goes on to, or to None, which hangs up. A transfer goes to
    the queue `queue_id` if it has one, else to `phonenumber`, where `confirm_key` must be pressed after
    `confirm_script` if it is set. A conference without a name is the campaign's own.
    """

    id: int
    type: int
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
    phonenumber: str = ""
    queue_id: int | None = None
    confirm_script: str = ""
    confirm_key: str = ""
    conference: str = ""
    sms_text: str = ""


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
