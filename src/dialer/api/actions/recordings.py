"""Sound for clients: callees' recorded answers, and uploaded recordings."""

from typing import Any

from litestar import Response
from sqlalchemy import select

from dialer.api.answers.downloads import answer_file, file_name
from dialer.api.service import ApiRequest
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.records.calls import SURVEY_RESULTS
from dialer.resources.records.surveys import AUDIO_FILES


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


def _file_name(unit: Unit, result_id: int) -> str:
    records.require_seen(unit, SURVEY_RESULTS, result_id)
    table = SURVEY_RESULTS.table
    return str(unit.connection.scalar(select(table.c["record_file"]).where(table.c["id"] == result_id)))
