"""A call through a survey by hand, with the texts as a chosen person hears them; and texts spoken before a call."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.actions.speaking import TextSpeaker
from dialer.api.answers.downloads import answer_file
from dialer.api.service import ApiRequest
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.survey_trial import ANSWERED, INPUTS_MAX, walk
from dialer.console.parts.trial_people import MADE_UP, FoundPerson, TrialCallee, choose_callee, search_people
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import go_to, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER
from dialer.domain.sessions.playing import spoken
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.sections.table import queue_ids_of
from dialer.domain.survey.survey import Survey, prompts_of
from dialer.domain.words.enums import AmdBehavior
from dialer.domain.words.voices import ChosenVoice
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.records.surveys import SURVEY_TEMPLATES
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.queries.sealed_surveys import chosen_voice, read_survey
from dialer.store.tables import VOICE, AudioFile, Campaign, Queue

PLACE: Final = "surveys"
MACHINE: Final = "machine"
CAMPAIGNS_MAX: Final = 10
"""Campaigns whose ways with a machine are shown."""
SPOKEN_FIELDS: Final = ("text", "script")
"""The fields of a form whose text can be spoken; the button names one of them."""
_FOR_MACHINES: Final[Mapping[int, str]] = {
    AmdBehavior.HUMAN_ONLY: gettext_noop("It hangs up, and counts the call as not answered."),
    AmdBehavior.VOICEMAIL_ONLY: gettext_noop("It plays the survey, which people do not hear in this campaign."),
    AmdBehavior.ALWAYS: gettext_noop("It plays the survey, as it does for people."),
}
_PLAYS: Final = gettext_noop("It waits for the beep, and plays the recording for answering machines.")
_UNAWARE: Final = gettext_noop("It does not tell machines from people, so it plays the survey.")


class _Read(NamedTuple):
    name: str
    survey: Survey
    callee: TrialCallee
    found: list[FoundPerson] | None
    queues: dict[int, str]
    audio: dict[str, int]
    """The ids of recordings by the names of their files."""
    machines: list[tuple[str, str]]
    """Each campaign with the survey, with a sentence about the call if a machine answers."""


@get("/surveys/{record_id:str}/try", media_type="text/html")
async def try_survey(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show a call through a survey; the address has the person, and the inputs so far, one `keys` for each."""
    identity = identity_in(record_id)
    chosen, search = request.query_params.get("person", ""), request.query_params.get("search", "")
    read = await request.service.read(request, lambda unit: _read(unit, identity, chosen, search))
    inputs: list[str] = request.query_params.getall("keys", [])[:INPUTS_MAX]
    trial = walk(CallFlow(read.survey), inputs, read.callee.subscriber, read.queues)
    person = str(read.callee.contact_id or MADE_UP)
    return page(
        request,
        "survey_trial.html",
        PLACE,
        identity=identity,
        trial=trial,
        inputs=inputs,
        person=person,
        search=search,
        is_machine=request.query_params.get("who") == MACHINE,
        answered=ANSWERED,
        back=_without_last(person, inputs) if inputs else "",
        **read._asdict(),
    )


@post("/surveys/{record_id:str}/speech", media_type="text/html")
async def speak_text(
    request: ApiRequest, speaker: NamedDependency[TextSpeaker], record_id: FromPath[str]
) -> Response[Any]:
    """Speak a text of a survey as a callee hears it, and lead to its sound."""
    identity, filled = identity_in(record_id), await read_fields(request)
    field = filled.get("speak", "")
    text = filled.get(field, "") if field in SPOKEN_FIELDS else ""
    if field != SPOKEN_FIELDS[0]:  # A text as its author writes it, with placeholders.
        read = await request.service.read(request, lambda unit: _read(unit, identity, filled.get("person", ""), ""))
        text = spoken(text, read.callee.subscriber)
    voice = await request.service.read(request, lambda unit: _voice(unit, identity))
    name = await speaker.file_of(request.user.id, text.strip(), voice)
    return go_to(f"/console/speech/{name.removesuffix('.wav')}/")


@get("/speech/{record_id:str}", media_type="audio/wav")
async def play_speech(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Send the sound of a spoken text. Its address is a hash of the text, which nobody else can guess."""
    if not record_id.isalnum():
        raise RecordNotFoundError("There is no such sound.")
    return await answer_file(request, f"{record_id}.wav", gettext("Spoken text"), SPEECH_FOLDER)


def _without_last(person: str, inputs: list[str]) -> str:
    """Return the part of the address of the call before its last input."""
    return urlencode([("person", person), *(("keys", keys) for keys in inputs[:-1])])


def _read(unit: Unit, identity: int, chosen: str, search: str) -> _Read:
    stored = records.load(unit, SURVEY_TEMPLATES, identity)
    owner_id = int(stored["user_id"])
    survey = read_survey(unit.connection, identity)
    return _Read(
        str(stored["name"]),
        survey,
        choose_callee(unit, identity, owner_id, chosen),
        search_people(unit, identity, owner_id, search) if search.strip() else None,
        _queues(unit, survey),
        _audio(unit, survey),
        _machines(unit, identity),
    )


def _voice(unit: Unit, identity: int) -> ChosenVoice:
    records.require_seen(unit, SURVEY_TEMPLATES, identity)
    return chosen_voice(unit.connection, identity)


def _queues(unit: Unit, survey: Survey) -> dict[int, str]:
    query = select(Queue.id, Queue.name).where(Queue.id.in_(queue_ids_of(survey)))
    return {row.id: row.name for row in unit.connection.execute(query)}


def _audio(unit: Unit, survey: Survey) -> dict[str, int]:
    prompts = [prompt for section in survey.sections for prompt in prompts_of(section)]
    query = select(AudioFile.id, AudioFile.audio_file).where(
        AudioFile.audio_file.in_({prompt.file for prompt in prompts if prompt.file})
    )
    return {row.audio_file: row.id for row in unit.connection.execute(query)}


def _machines(unit: Unit, identity: int) -> list[tuple[str, str]]:
    query = (
        select(Campaign.name, Campaign.voicemail, Campaign.amd_behavior, Campaign.voicemail_audiofile_id)
        .where(Campaign.object_id == identity, Campaign.medium == VOICE)
        .order_by(Campaign.id.desc())
        .limit(CAMPAIGNS_MAX)
    )
    return [
        (name, gettext(_for_machine(is_told=is_told, behavior=behavior, has_recording=recording is not None)))
        for name, is_told, behavior, recording in unit.connection.execute(query).all()
    ]


def _for_machine(*, is_told: bool, behavior: int, has_recording: bool) -> str:
    """Return what a campaign does if a machine answers."""
    if not is_told:
        return _UNAWARE
    return _PLAYS if has_recording and behavior != AmdBehavior.HUMAN_ONLY else _FOR_MACHINES[behavior]
