"""Survey templates with their sections and branches, and the recordings that they play."""

import re
from typing import Final

from sqlalchemy import select

from dialer.app.work.touched_records import hearers_of_file
from dialer.domain.survey.sections.capture_digits import DIGITS_MAX
from dialer.domain.survey.sections.table import default_timeout, pauses_recordings
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_INVALID, BRANCH_TIMEOUT
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.declaration import NAME, OWNER, STAMPS, optional, own, read_only, shapes, writable
from dialer.resources.crud.fields import TEXT_MAX, Text, echo
from dialer.resources.crud.forms import form
from dialer.resources.crud.records import refuse_while_in
from dialer.resources.crud.references import NO_OBJECT, Identity, Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Unit, Values, touches_nothing
from dialer.resources.records.agent_settings import checked_address
from dialer.resources.records.emergency import no_emergency_number
from dialer.resources.records.sections import SECTION_TEMPLATE
from dialer.resources.records.survey_voices import VOICE
from dialer.resources.words.errors import Errors
from dialer.store.tables import AudioFile, BranchingTemplate, Campaign, SectionTemplate, SurveyTemplate

_DIGITS: Final = re.compile(rf"[0-9]{{1,{DIGITS_MAX}}}\Z", re.ASCII)
_WORDS: Final = frozenset({BRANCH_TIMEOUT, BRANCH_INVALID, BRANCH_ANY})

_AUDIO_FILE: Final = shapes(
    "AudioFile",
    AudioFile,
    {
        **own("audio-files"),
        "name": NAME,
        "audio_file": read_only(Text(), "The name of the stored file.", example="0e4a8c1d5b7f.wav"),
        "user": read_only(Reference("users"), "The user who owns the recording.", title="Owner"),
        "user_id": read_only(Identity(), "The id of the user who owns the recording."),
        **STAMPS,
    },
    form=form(("", "name"), hidden="audio_file user_id"),
    write_doc="The name of a recording, the only field that can change.",
    read_doc="A recording, as it was uploaded.",
)

_SURVEY_TEMPLATE: Final = shapes(
    "SurveyTemplate",
    SurveyTemplate,
    {
        **own("survey-template"),
        "name": NAME,
        "description": optional(
            Text(TEXT_MAX), "A note for people. Null: none.", example="Three questions after a visit", hint=""
        ),
        **VOICE,
        **STAMPS,
        "user": OWNER,
    },
    form=form(("", "name description"), ("Voice", "language voice voice_speed")),
    write_doc="A survey template: the survey that its author can change.",
    read_doc="A survey template, as it is stored.",
)

_BRANCHING_TEMPLATE: Final = shapes(
    "BranchingTemplate",
    BranchingTemplate,
    {
        **own("branching-template"),
        "keys": writable(
            Text(150, min_length=1, pattern=rf"^([0-9]{{1,{DIGITS_MAX}}}|{'|'.join(sorted(_WORDS))})$"),
            "The input that takes the branch: digits, or `any`, `invalid` or `timeout`. `0` is the branch after a"
            " section that takes no input. A section has each input once.",
            example="1",
            title="Key to press",
            hint="The input that leads on: digits, or Any, Invalid or Timeout. 0 after a section that asks nothing.",
        ),
        **STAMPS,
        "section": writable(
            Reference("section-template"), "The section after which the call takes the branch.", hint=""
        ),
        "goto": optional(
            Reference("section-template"),
            "The section with which the call continues, of the same survey. Null: the call is hung up.",
            title="Next section",
            hint="",
        ),
    },
    write_doc="A branch: the section with which a call continues after an answer.",
    read_doc="A branch: the section with which a call continues after an answer, as it is stored.",
)


def _range_in_order(change: Change) -> Errors:
    if change.values["min_number"] <= change.values["max_number"]:
        return {}
    return {"max_number": ["Ensure this value is greater than or equal to min_number."]}


def _known_keys(change: Change) -> Errors:
    keys = change.values["keys"]
    if keys in _WORDS or _DIGITS.match(keys):
        return {}
    return {
        "keys": [
            Sentence(
                '"%(keys)s" is not an answer. Use 1 to %(most)s digits, or one of: any, invalid, timeout.',
                keys=echo(keys),
                most=DIGITS_MAX,
            )
        ]
    }


def _keys_once(change: Change) -> Errors:
    query = select(BranchingTemplate.id).where(
        BranchingTemplate.section_id == change.values["section"],
        BranchingTemplate.keys == change.values["keys"],
        BranchingTemplate.id != change.record_id,
    )
    if change.unit.connection.execute(query).first() is None:
        return {}
    return {
        "keys": [
            Sentence("The section has a branch for %(keys)r already. Change that branch.", keys=change.values["keys"])
        ]
    }


def _goto_in_survey(change: Change) -> Errors:
    """Return an error if the target is a section of another survey; it is reported as missing."""
    if change.values["goto"] is None:
        return {}
    both = (change.values["section"], change.values["goto"])
    surveys = change.unit.connection.execute(
        select(SectionTemplate.survey_id).where(SectionTemplate.id.in_(both)).distinct()
    )
    return {} if len(surveys.all()) <= 1 else {"goto": [NO_OBJECT]}


def _refuse_while_planned(unit: Unit, stored: Values) -> None:
    """Raise `StillUsedError` if a new campaign names the template. A started campaign plays its sealed copy."""
    plays_it = Campaign.object_id == stored["id"]
    refuse_while_in(unit, Campaign.__table__, plays_it & (Campaign.status == CampaignStatus.NEW))


def _of_type(change: Change) -> Values:
    """Return what a new section, or one of another type, has by its type if nobody says it.

    These are the silence in recordings, and the time-out, if it is that of the type before.
    """
    return {**_silence(change), **_timeout(change)}


def _timeout(change: Change) -> Values:
    is_said = "timeout" in change.given
    is_due = change.is_new or (
        change.moves("type") and change.values["timeout"] == default_timeout(change.stored["type"])
    )
    return {"timeout": default_timeout(change.values["type"])} if is_due and not is_said else {}


def _silence(change: Change) -> Values:
    is_said = "record_pause" in change.given and change.values["record_pause"] is not None
    is_due = change.is_new or change.moves("type") or change.values["record_pause"] is None
    return {"record_pause": pauses_recordings(change.values["type"])} if is_due and not is_said else {}


AUDIO_FILES = Resource(
    path="audio-files",
    shapes=_AUDIO_FILE,
    methods=frozenset({"PATCH"}),
    touches=lambda connection, row: hearers_of_file(connection, row["user_id"], row["id"], row["name"]),
    filters=("name",),
    orderings=("name", "created_date", "updated_date"),
    names=("name",),
)
SURVEY_TEMPLATES = Resource(
    path="survey-template",
    shapes=_SURVEY_TEMPLATE,
    filters=("name",),
    orderings=("name", "created_date", "updated_date"),
    names=("name",),
    before_delete=_refuse_while_planned,
    touches=touches_nothing,
)
SECTION_TEMPLATES = Resource(
    path="section-template",
    shapes=SECTION_TEMPLATE,
    owner="survey",
    filters=("type", "order"),
    orderings=("order", "type", "question", "created_date", "updated_date"),
    names=("question",),
    columns=_of_type,
    prepare=checked_address,
    rules=(FieldRule(("min_number", "max_number"), _range_in_order), no_emergency_number("phonenumber")),
    touches=touches_nothing,
)
BRANCHING_TEMPLATES = Resource(
    path="branching-template",
    shapes=_BRANCHING_TEMPLATE,
    owner="section",
    filters=("keys",),
    orderings=("keys", "created_date", "updated_date"),
    rules=(
        FieldRule(("keys",), _known_keys),
        FieldRule(("section", "keys"), _keys_once),
        FieldRule(("section", "goto"), _goto_in_survey),
    ),
    touches=touches_nothing,
)
