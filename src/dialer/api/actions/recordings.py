"""Sound for clients: callees' recorded answers, and uploaded recordings."""

from datetime import UTC, datetime, tzinfo
from typing import Any, Final, NamedTuple

from litestar import Response
from litestar.response import Stream
from sqlalchemy import ColumnElement, Row, and_, select

from dialer.api.answers.downloads import Sound, answer_file, answer_sound, asking_store
from dialer.api.service import ApiRequest
from dialer.app.telling.audit_log import was_noted
from dialer.app.work.events import RecordingHeard
from dialer.domain.formats.file_names import answer_file_name, file_name
from dialer.domain.words.enums import LegType, RecordingState
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.versions import digest
from dialer.resources.records.call_recordings import CALL_RECORDINGS, names_of_recordings
from dialer.resources.records.calls import SURVEY_RESULTS
from dialer.resources.records.surveys import AUDIO_FILES
from dialer.resources.words.errors import ConflictError, RecordNotFoundError
from dialer.resources.words.headers import is_head
from dialer.resources.words.preconditions import EntityTag
from dialer.store.database.touched import NOTHING
from dialer.store.media.call_recordings import RecordedSound, read_sound, readable
from dialer.store.media.store_threads import HEARERS
from dialer.store.tables import CallRecording, Cdr, Subscriber, SurveyResult
from dialer.store.tables.key_ring import opened_key

HEARD_ONCE_IN_MS: Final = 3_600_000
"""Time in which a user may hear a recording again, in parts, with one entry of the audit log."""


async def answer_recorded_answer(request: ApiRequest, result_id: int) -> Response[Any]:
    """Answer with the recording of a survey result, whole or in part.

    Raises:
        RecordNotFoundError: there is no such recording, or it is not the caller's.
    """
    found = await request.service.read(request, lambda unit: _recorded(unit, result_id))
    return await answer_file(request, found.name, found.shown_name)


async def answer_audio_file(request: ApiRequest, audio_file_id: int) -> Response[Any]:
    """Answer with an uploaded recording, whole or in part.

    Raises:
        RecordNotFoundError: there is no such recording, or it is not the caller's.
    """
    stored = await request.service.read(request, lambda unit: records.load(unit, AUDIO_FILES, audio_file_id))
    return await answer_file(request, str(stored["audio_file"]), file_name(str(stored["name"])))


async def answer_call_recording(request: ApiRequest, recording_id: int) -> Response[Any]:
    """Answer with the recording of a whole call, whole or in part, and log who hears it, once an hour.

    Raises:
        RecordNotFoundError: there is no such recording, it is removed, it cannot be read, or it is not the caller's.
        AnsweredError: 503 if the place of the recordings does not answer; otherwise as for `answer_file`.
        ConflictError: its call goes on.
    """
    service, files = request.service, request.service.recordings
    row, name, is_news = await service.read(request, lambda unit: _kept_sound(unit, recording_id))
    kept = RecordedSound(row.file, opened_key(row.sound_key), row.size)
    is_measured = row.state == RecordingState.STORED
    with asking_store():
        found = await HEARERS.run(lambda: readable(files, kept, is_measured=is_measured))
    if found is None:
        raise RecordNotFoundError
    tag = EntityTag(digest(f"{found.file}:{recording_id}:{found.size}".encode()))

    async def read(start: int) -> bytes | None:
        return await HEARERS.run(read_sound, files, found, start)

    answer = await answer_sound(request, Sound(found.size, tag, read), name)
    if is_news and isinstance(answer, Stream) and not is_head(request.scope):
        await service.write(request, lambda unit: unit.note(NOTHING, RecordingHeard(recording_id)))
    return answer


def _kept_sound(unit: Unit, recording_id: int) -> tuple[Row[Any], str, bool]:
    """Return a recording that is not removed, its name, and whether the caller has not heard it in this hour."""
    records.require_seen(unit, CALL_RECORDINGS, recording_id)
    query = select(CallRecording.__table__).where(CallRecording.id == recording_id)
    row = unit.connection.execute(query).one()
    if row.state == RecordingState.REMOVED:
        raise RecordNotFoundError
    if row.state == RecordingState.IN_PROGRESS:
        raise ConflictError("The call goes on. Its recording can be heard once it is over.")
    (path,) = names_of_recordings(unit, [row._mapping])  # noqa: SLF001 - the way to read a row by names
    name = path.rpartition("/")[2]
    return row, name, not was_noted(unit, RecordingHeard(recording_id), unit.actor.id, HEARD_ONCE_IN_MS)


class RecordedAnswer(NamedTuple):
    """The recording of an answer: its name among the media files, and the name under which people get it."""

    name: str
    shown_name: str
    row: Any
    """The survey result, with the number and the name of the person."""


def recorded_answers(unit: Unit, condition: ColumnElement[bool], most: int) -> list[RecordedAnswer]:
    """Return the recordings of survey results that a condition selects, in the order of their ids."""
    is_account = Cdr.user_id == SurveyResult.user_id
    is_call = and_(Cdr.callid == SurveyResult.callid, is_account, Cdr.leg_type == LegType.A_LEG)
    is_person = and_(Subscriber.id == Cdr.subscriber_id, Subscriber.campaign_id == Cdr.campaign_id)
    query = (
        select(
            *(SurveyResult.id, SurveyResult.record_file, SurveyResult.created_date, SurveyResult.callid),
            *(SurveyResult.section_id, SurveyResult.question, Cdr.phone_number, Subscriber.full_name),
        )
        .outerjoin_from(SurveyResult, Cdr, is_call)
        .outerjoin(Subscriber, is_person)
        .where(condition)
        .order_by(SurveyResult.id)
        .limit(most)
    )
    zone = unit.conventions.zone
    return [RecordedAnswer(row.record_file, _shown_name(row, zone), row) for row in unit.connection.execute(query)]


def _shown_name(row: Any, zone: tzinfo) -> str:  # noqa: ANN401 - a row of the driver
    day = datetime.fromtimestamp(row.created_date / 1_000, UTC).astimezone(zone).strftime("%Y-%m-%d")
    return answer_file_name(row.full_name or row.phone_number or "", row.question, day, row.id)


def _recorded(unit: Unit, result_id: int) -> RecordedAnswer:
    records.require_seen(unit, SURVEY_RESULTS, result_id)
    return recorded_answers(unit, SurveyResult.id == result_id, 1)[0]
