"""Sound for clients: callees' recorded answers, and uploaded recordings."""

from functools import partial
from typing import Any

from litestar import Response
from sqlalchemy import select

from dialer.api.answers.downloads import Sound, answer_file, answer_sound, file_name, part_of
from dialer.api.service import ApiRequest
from dialer.app.work.events import RecordingHeard
from dialer.domain.words.enums import RecordingState
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.versions import digest
from dialer.resources.records.call_recordings import CALL_RECORDINGS
from dialer.resources.records.calls import SURVEY_RESULTS
from dialer.resources.records.surveys import AUDIO_FILES
from dialer.resources.words.errors import RecordNotFoundError
from dialer.resources.words.headers import is_head
from dialer.resources.words.preconditions import EntityTag
from dialer.store.database.touched import NOTHING
from dialer.store.media.call_recordings import RecordedSound, read_sound
from dialer.store.tables import CallRecording


async def answer_recorded_answer(request: ApiRequest, result_id: int) -> Response[Any]:
    """Answer with the recording of a survey result, whole or in part.

    Raises:
        RecordNotFoundError: there is no such recording, or it is not the caller's.
    """
    name = await request.service.read(request, lambda unit: _file_name(unit, result_id))
    return await answer_file(request, name, name)


async def answer_audio_file(request: ApiRequest, audio_file_id: int) -> Response[Any]:
    """Answer with an uploaded recording, whole or in part.

    Raises:
        RecordNotFoundError: there is no such recording, or it is not the caller's.
    """
    stored = await request.service.read(request, lambda unit: records.load(unit, AUDIO_FILES, audio_file_id))
    return await answer_file(request, str(stored["audio_file"]), file_name(str(stored["name"])))


async def answer_call_recording(request: ApiRequest, recording_id: int) -> Response[Any]:
    """Answer with the recording of a whole call, whole or in part, and log who hears it from its beginning.

    Raises:
        RecordNotFoundError: there is no such recording, it is removed, or it is not the caller's.
    """
    service, files = request.service, request.service.recordings
    callid, kept = await service.read(request, lambda unit: _kept_sound(unit, recording_id))
    tag = EntityTag(digest(f"{kept.file}:{recording_id}:{kept.size}".encode()))
    sound = Sound(kept.size, tag, partial(read_sound, files, kept))
    if not is_head(request.scope) and part_of(request, sound).start == 0:
        await service.write(request, lambda unit: unit.note(NOTHING, RecordingHeard(recording_id)))
    return answer_sound(request, sound, f"{callid}.wav")


def _kept_sound(unit: Unit, recording_id: int) -> tuple[str, RecordedSound]:
    records.require_seen(unit, CALL_RECORDINGS, recording_id)
    columns = CallRecording.callid, CallRecording.file, CallRecording.sound_key, CallRecording.size, CallRecording.state
    row = unit.connection.execute(select(*columns).where(CallRecording.id == recording_id)).one()
    if row.state == RecordingState.REMOVED:
        raise RecordNotFoundError
    return row.callid, RecordedSound(row.file, row.sound_key or "", row.size)


def _file_name(unit: Unit, result_id: int) -> str:
    records.require_seen(unit, SURVEY_RESULTS, result_id)
    table = SURVEY_RESULTS.table
    return str(unit.connection.scalar(select(table.c["record_file"]).where(table.c["id"] == result_id)))
