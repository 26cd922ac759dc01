"""Survey templates with their sections and branches, and the recordings they play."""

import re
from typing import Annotated, Final

from sqlalchemy import select

from dialer.api.crud.fields import (
    NO_OBJECT,
    TEXT_MAX,
    Boolean,
    Choice,
    Identity,
    Integer,
    Label,
    OwnUrl,
    Reference,
    Text,
    Timestamp,
)
from dialer.api.crud.records import refuse_while_in
from dialer.api.crud.resource import Change, Resource, Rule, Unit, Values, table_of, touches_nothing
from dialer.api.crud.shapes import Shape
from dialer.api.http.errors import Errors
from dialer.domain.enums import CampaignStatus, SectionType
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_INVALID, BRANCH_TIMEOUT
from dialer.store.tables import AudioFile, BranchingTemplate, Campaign, SectionTemplate, SurveyTemplate

SCRIPT_MAX: Final = 1_600
QUESTION_MAX: Final = 500
SECTION_INT_MAX: Final = 10**15 - 1
"""The greatest number that fifteen keys can enter."""
DIGITS_MAX: Final = 15
SECONDS_MAX: Final = 3_600
RETRIES_MAX: Final = 100
LAPS_MAX: Final = 1_000_000

_DIGITS: Final = re.compile(r"[0-9]{1,15}\Z", re.ASCII)
_WORDS: Final = frozenset({BRANCH_TIMEOUT, BRANCH_INVALID, BRANCH_ANY})

KeyLabel = Annotated[str, Label(100)]
Audio = Annotated[int, Reference("audio-files")]
ShownAudio = Annotated[str, Reference("audio-files")]


class AudioFileWrite(Shape):
    """What may be changed of a recording: its name."""

    name: Annotated[str, Text(255, min_length=1)]


class AudioFileRead(Shape):
    """A recording that was uploaded."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("audio-files")]
    name: Annotated[str, Text()]
    audio_file: Annotated[str, Text()]
    user: Annotated[str, Reference("users")]
    user_id: Annotated[int, Identity()]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


class SurveyTemplateWrite(Shape):
    """A survey as its author draws it."""

    name: Annotated[str, Text(255, min_length=1)]
    description: Annotated[str, Text(TEXT_MAX)] | None = None
    user: Annotated[int, Reference("users")] = 0


class SurveyTemplateRead(Shape):
    """A survey, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("survey-template")]
    name: Annotated[str, Text()]
    description: Annotated[str, Text(TEXT_MAX)] | None
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]
    user: Annotated[str, Reference("users")]


class SectionTemplateWrite(Shape):
    """One section of a survey: what it plays, and what it takes as an answer."""

    survey: Annotated[int, Reference("survey-template")]
    question: Annotated[str, Text(QUESTION_MAX, min_length=1)]
    order: Annotated[int, Integer()] = 1
    type: Annotated[int, Choice(SectionType)] = SectionType.PLAY_MESSAGE
    script: Annotated[str, Text(SCRIPT_MAX)] = ""
    audiofile: Audio | None = None
    retries: Annotated[int, Integer(0, RETRIES_MAX)] | None = 0
    timeout: Annotated[int, Integer(0, SECONDS_MAX)] = 5
    key_0: KeyLabel | None = None
    key_1: KeyLabel | None = None
    key_2: KeyLabel | None = None
    key_3: KeyLabel | None = None
    key_4: KeyLabel | None = None
    key_5: KeyLabel | None = None
    key_6: KeyLabel | None = None
    key_7: KeyLabel | None = None
    key_8: KeyLabel | None = None
    key_9: KeyLabel | None = None
    rating_laps: Annotated[int, Integer(1, LAPS_MAX)] = 9
    validate_number: Annotated[bool, Boolean()] = True
    number_digits: Annotated[int, Integer(1, DIGITS_MAX)] = 2
    min_number: Annotated[int, Integer(0, SECTION_INT_MAX)] = 0
    max_number: Annotated[int, Integer(0, SECTION_INT_MAX)] = 99
    phonenumber: Annotated[str, Label(64)] | None = None
    conference: Annotated[str, Label(50)] | None = None
    sms_text: Annotated[str, Label(SCRIPT_MAX)] | None = None
    confirm_script: Annotated[str, Label(SCRIPT_MAX)] | None = None
    confirm_key: Annotated[str, Label(1)] | None = None
    completed: Annotated[bool, Boolean()] = False
    queue: Annotated[int, Reference("queue")] | None = None
    invalid_audiofile: Audio | None = None


class SectionTemplateRead(Shape):
    """One section of a survey, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("section-template")]
    order: Annotated[int, Integer()]
    type: Annotated[int, Choice(SectionType)]
    question: Annotated[str, Text(QUESTION_MAX)]
    script: Annotated[str, Text(SCRIPT_MAX)]
    audiofile: ShownAudio | None
    retries: Annotated[int, Integer(0, RETRIES_MAX)] | None
    timeout: Annotated[int, Integer(0, SECONDS_MAX)]
    key_0: KeyLabel | None
    key_1: KeyLabel | None
    key_2: KeyLabel | None
    key_3: KeyLabel | None
    key_4: KeyLabel | None
    key_5: KeyLabel | None
    key_6: KeyLabel | None
    key_7: KeyLabel | None
    key_8: KeyLabel | None
    key_9: KeyLabel | None
    rating_laps: Annotated[int, Integer(1, LAPS_MAX)]
    validate_number: Annotated[bool, Boolean()]
    number_digits: Annotated[int, Integer(1, DIGITS_MAX)]
    min_number: Annotated[int, Integer(0, SECTION_INT_MAX)]
    max_number: Annotated[int, Integer(0, SECTION_INT_MAX)]
    phonenumber: Annotated[str, Label(64)] | None
    conference: Annotated[str, Label(50)] | None
    sms_text: Annotated[str, Label(SCRIPT_MAX)] | None
    confirm_script: Annotated[str, Label(SCRIPT_MAX)] | None
    confirm_key: Annotated[str, Label(1)] | None
    completed: Annotated[bool, Boolean()]
    queue: Annotated[str, Reference("queue")] | None
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]
    survey: Annotated[str, Reference("survey-template")]
    invalid_audiofile: ShownAudio | None


class BranchingTemplateWrite(Shape):
    """Where a call goes on after a section, for one answer."""

    section: Annotated[int, Reference("section-template")]
    keys: Annotated[str, Text(150, min_length=1)]
    goto: Annotated[int, Reference("section-template")] | None = None


class BranchingTemplateRead(Shape):
    """Where a call goes on after a section, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("branching-template")]
    keys: Annotated[str, Text(150)]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]
    section: Annotated[str, Reference("section-template")]
    goto: Annotated[str, Reference("section-template")] | None


def _range_in_order(change: Change) -> Errors:
    if change.values["min_number"] <= change.values["max_number"]:
        return {}
    return {"max_number": ["Ensure this value is greater than or equal to min_number."]}


def _known_keys(change: Change) -> Errors:
    keys = change.values["keys"]
    if keys in _WORDS or _DIGITS.match(keys):
        return {}
    return {"keys": ["Use digits, or one of: any, invalid, timeout."]}


def _keys_once(change: Change) -> Errors:
    branch = table_of(BranchingTemplate).c
    query = select(branch.id).where(
        branch.section_id == change.values["section"],
        branch["keys"] == change.values["keys"],
        branch.id != change.record_id,
    )
    if change.unit.connection.execute(query).first() is None:
        return {}
    return {"keys": ["The section has a branch for these keys already."]}


def _goto_in_survey(change: Change) -> Errors:
    """A call cannot leave its survey. The section of another one is none of the branch's business: it is missing."""
    if change.values["goto"] is None:
        return {}
    section = table_of(SectionTemplate).c
    both = (change.values["section"], change.values["goto"])
    surveys = change.unit.connection.execute(select(section.survey_id).where(section.id.in_(both)).distinct())
    return {} if len(surveys.all()) <= 1 else {"goto": [NO_OBJECT]}


def _refuse_while_planned(unit: Unit, stored: Values) -> None:
    """A campaign that was never started still needs the template; once it has, it plays its sealed copy."""
    campaign = table_of(Campaign).c
    plays_it = campaign.object_id == stored["id"]
    refuse_while_in(unit, table_of(Campaign), plays_it & (campaign.status == CampaignStatus.NEW))


AUDIO_FILES = Resource(
    path="audio-files",
    model=AudioFile,
    read=AudioFileRead,
    write=AudioFileWrite,
    methods=frozenset({"PATCH"}),
    touches=touches_nothing,
    filters=("name",),
)
SURVEY_TEMPLATES = Resource(
    path="survey-template",
    model=SurveyTemplate,
    read=SurveyTemplateRead,
    write=SurveyTemplateWrite,
    filters=("name",),
    before_delete=_refuse_while_planned,
    touches=touches_nothing,
)
SECTION_TEMPLATES = Resource(
    path="section-template",
    model=SectionTemplate,
    read=SectionTemplateRead,
    write=SectionTemplateWrite,
    owner="survey",
    filters=("type", "order"),
    fixed=("survey",),
    rules=(Rule(("min_number", "max_number"), _range_in_order),),
    touches=touches_nothing,
)
BRANCHING_TEMPLATES = Resource(
    path="branching-template",
    model=BranchingTemplate,
    read=BranchingTemplateRead,
    write=BranchingTemplateWrite,
    owner="section",
    filters=("keys",),
    rules=(
        Rule(("keys",), _known_keys),
        Rule(("section", "keys"), _keys_once),
        Rule(("section", "goto"), _goto_in_survey),
    ),
    touches=touches_nothing,
)
