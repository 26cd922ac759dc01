"""`GET /rest-api/survey-result/<id>/recording/`: a callee's spoken answer as a WAV file."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Final

import anyio.to_thread
from litestar import get
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import FromPath
from litestar.response import Stream
from sqlalchemy import select

from dialer.api.crud import records
from dialer.api.crud.resource import Unit
from dialer.api.crud.urls import parse_id
from dialer.api.http.errors import RecordNotFoundError
from dialer.api.http.streams import describe_answer
from dialer.api.records.calls import SURVEY_RESULTS
from dialer.api.service import ApiRequest
from dialer.store.media.recordings import read_piece

WAV: Final = "audio/wav"
_SCHEMA: Final = Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY, content_media_type=WAV)


@get(
    "/survey-result/{record_id:str}/recording",
    tags=[SURVEY_RESULTS.path],
    media_type=WAV,
    operation_class=describe_answer(WAV, _SCHEMA),
)
async def download_recording(request: ApiRequest, record_id: FromPath[str]) -> Stream:
    """Download a callee's spoken answer as a WAV file."""
    service = request.service
    identity = parse_id(record_id)
    if identity is None:
        raise RecordNotFoundError
    name = await service.read(request, lambda unit: _file_name(unit, identity))
    folder = service.settings.media_dir
    # Read the first piece before the answer begins, so that a missing file still gives status 404.
    first = await anyio.to_thread.run_sync(read_piece, folder, name, 0)
    if first is None:
        raise RecordNotFoundError
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Stream(_pieces(folder, name, first), media_type=WAV, headers=headers)


def _file_name(unit: Unit, result_id: int) -> str:
    records.read_record(unit, SURVEY_RESULTS, result_id)
    table = SURVEY_RESULTS.table
    return str(unit.connection.scalar(select(table.c["record_file"]).where(table.c["id"] == result_id)))


async def _pieces(folder: Path, name: str, first: bytes) -> AsyncIterator[bytes]:
    """Yield the recording piece by piece; no file stays open between pieces, so a client may disconnect at any time."""
    piece: bytes | None = first
    offset = 0
    while piece:
        yield piece
        offset += len(piece)
        piece = await anyio.to_thread.run_sync(partial(read_piece, folder, name, offset))
