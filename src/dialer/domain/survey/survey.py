"""A survey as a campaign plays it: sealed at the first start, so that later edits of the template change nothing."""

from typing import Final

import msgspec

from dialer.domain.words.sentences import RecordName
from dialer.domain.words.voices import AS_SET, ChosenVoice

BRANCH_DONE: Final = "0"
BRANCH_TIMEOUT: Final = "timeout"
BRANCH_INVALID: Final = "invalid"
BRANCH_ANY: Final = "any"
INPUT_END: Final = "#"


class Prompt(msgspec.Struct, frozen=True, omit_defaults=True):
    """One prompt: a recording of known length, else a text to speak, else silence."""

    audio_ms: int | None = None
    script: str = ""
    file: str = ""
    """The file name of the recording in the media folder. Simulated callees need its length only."""
    voice: ChosenVoice = AS_SET
    """The voice that speaks the text."""


class Section(msgspec.Struct, frozen=True):
    """One section: its prompt, the answers that it accepts, and the branch of each answer.

    `type` is a key of `dialer.domain.survey.sections.table.SECTION_TYPES`, which defines how the section works. A
    section has the settings of all types, because one type may use the settings of another.

    `branches` maps keys to the id of the next section, or to None, which hangs up. A transfer goes to the queue
    `queue_id` if it is set, else to `phonenumber`. If `confirm_key` is set, the person who answers there must press it
    after `confirm_script`. A conference without a name uses the campaign's own room.
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
    agent_url: str = ""
    agent_parameters: str = ""
    """Names of the contact's values that the program gets, with commas between them."""
    patience_ms: int = 20_000
    on_completed: str = ""
    disclosure_prompt: Prompt | None = None
    """The prompt that callees hear before a program talks with them."""
    record_pause: bool = False
    """True if recordings of calls keep silence in place of the section."""


def section_name(section: Section) -> str:
    """Return the name by which people know a section: its question, else its number."""
    return section.question.strip() or f"No. {section.id}"


def prompts_of(section: Section) -> tuple[Prompt, ...]:
    """Return all prompts of a section, those that few callees hear among them."""
    found = (section.prompt, section.invalid_prompt, section.disclosure_prompt)
    return tuple(prompt for prompt in found if prompt is not None)


def named_section(section: Section) -> RecordName:
    """Return a section as messages name it: by its number in the API, and by its question on pages."""
    return RecordName(section.id, section.question.strip())


class Survey(msgspec.Struct, frozen=True):
    """The sections of a survey in their order; a call begins at the first."""

    sections: tuple[Section, ...]

    @property
    def has_completion(self) -> bool:
        """Return whether the survey has a section that makes a subscriber COMPLETED."""
        return any(section.completed for section in self.sections)


def encode_survey(survey: Survey) -> str:
    """Return the survey as JSON text."""
    return msgspec.json.encode(survey).decode()


def decode_survey(document: str) -> Survey:
    """Return the survey from JSON text that `encode_survey` wrote."""
    return msgspec.json.decode(document, type=Survey)
