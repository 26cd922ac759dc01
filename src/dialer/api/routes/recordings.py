"""Downloads of sound: answers, uploaded recordings and whole calls, alone or all of a campaign as a ZIP file."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from litestar import Response, delete, get
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import FromPath
from litestar.response import Stream
from sqlalchemy import and_

from dialer.api.actions.call_archives import AFTER, ZIP, answer_call_archive
from dialer.api.actions.recordings import (
    RecordedAnswer,
    answer_audio_file,
    answer_call_recording,
    answer_recorded_answer,
    recorded_answers,
)
from dialer.api.answers.controller import LINK_HEADER
from dialer.api.answers.csv_lines import write_csv
from dialer.api.answers.downloads import WAV, in_threads, no_content
from dialer.api.answers.streams import describe_answer
from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.service import ApiRequest
from dialer.resources.crud import records
from dialer.resources.crud.fields import FieldError, Integer
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import ID_MAX, identity_in
from dialer.resources.records.call_recordings import CALL_RECORDINGS
from dialer.resources.records.calls import SURVEY_RESULTS
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.surveys import AUDIO_FILES
from dialer.resources.words.errors import InvalidError
from dialer.resources.words.headers import is_head
from dialer.resources.words.preconditions import parse_preconditions
from dialer.store.media.archive import ArchivedFile, RecordingArchive, media_sound
from dialer.store.tables import SurveyResult

RECORDINGS_MAX: Final = 10_000
"""Recordings in one archive."""
_WAV_SCHEMA: Final = Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY, content_media_type=WAV)
_ZIP_SCHEMA: Final = Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY, content_media_type=ZIP)
_INDEX: Final = (
    *("file", "survey_result", "callid", "phone_number", "full_name", "section_id", "question", "recorded"),
    "is_complete",
)
"""The columns of an archive's index."""


@get(
    "/survey-result/{record_id:str}/recording",
    tags=[SURVEY_RESULTS.path],
    media_type=WAV,
    operation_class=describe_answer({WAV: _WAV_SCHEMA}),
)
async def download_recording(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Download a callee's spoken answer as a WAV file, or with `Range` a part of it."""
    return await answer_recorded_answer(request, identity_in(record_id))


@get(
    "/campaigns/{record_id:str}/recordings",
    tags=[CAMPAIGNS.path],
    media_type=ZIP,
    operation_class=describe_answer({ZIP: _ZIP_SCHEMA}),
    opt={LISTS_OPTION: (), PARAMETERS_OPTION: (AFTER,)},
)
async def download_recordings(request: ApiRequest, record_id: FromPath[str]) -> Stream:
    """Download the spoken answers of a campaign's callees as a ZIP file.

    Each is named for its person or number, its question and its day. The last entry, `index.csv`, names the call and
    the question of each recording, and tells whether the archive has it. An archive has at most 10,000 recordings. If
    there are more, the header `Link` has the URL of the next archive.
    """
    service, identity = request.service, identity_in(record_id)
    after = _after(request)
    found = await service.read(request, lambda unit: _recordings(unit, identity, after), is_long=True)
    part = found[:RECORDINGS_MAX]
    headers = {"Content-Disposition": f'attachment; filename="campaign-{identity}-recordings.zip"'}
    if len(found) > len(part):
        next_url = f"{service.links(request).record(CAMPAIGNS.path, identity)}recordings/?{AFTER}={part[-1].row.id}"
        headers[LINK_HEADER] = f'<{next_url}>; rel="next"'
    files = [
        ArchivedFile(one.shown_name, one.row.created_date, partial(media_sound, service.media, one.name))
        for one in part
    ]
    made = RecordingArchive(files, partial(_index, part)).pieces()
    return Stream(no_content() if is_head(request.scope) else in_threads(made), media_type=ZIP, headers=headers)


@get(
    "/campaigns/{record_id:str}/call-recordings",
    tags=[CAMPAIGNS.path],
    media_type=ZIP,
    operation_class=describe_answer({ZIP: _ZIP_SCHEMA}),
    opt={LISTS_OPTION: (), PARAMETERS_OPTION: (AFTER,)},
)
async def download_call_recordings(request: ApiRequest, record_id: FromPath[str]) -> Stream:
    """Download the recordings of a campaign's whole calls as a ZIP file.

    Each has the name that its queue gives it; one that comes again gets `-2`. The last entry, `index.csv`, names the
    call, its agent and its outcome, and tells whether the archive has the recording. An archive has at most 500
    recordings. If there are more, the header `Link` has the URL of the next archive. The audit log gets an entry for
    each recording. Calls in progress and removed recordings are not among them.
    """
    identity = identity_in(record_id)
    address = f"{request.service.links(request).record(CAMPAIGNS.path, identity)}call-recordings/"
    return await answer_call_archive(request, identity, _after(request), address)


@get(
    "/audio-files/{record_id:str}/download",
    tags=[AUDIO_FILES.path],
    media_type=WAV,
    operation_class=describe_answer({WAV: _WAV_SCHEMA}),
)
async def download_audio(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Download an uploaded recording as a WAV file, or with `Range` a part of it."""
    return await answer_audio_file(request, identity_in(record_id))


@get(
    "/call-recording/{record_id:str}/download",
    tags=[CALL_RECORDINGS.path],
    media_type=WAV,
    operation_class=describe_answer({WAV: _WAV_SCHEMA}),
)
async def download_call(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Download the recording of a whole call as a WAV file, or with `Range` a part of it: the callee is left."""
    return await answer_call_recording(request, identity_in(record_id))


@delete("/call-recording/{record_id:str}", tags=[CALL_RECORDINGS.path])
async def delete_call_recording(request: ApiRequest, record_id: FromPath[str]) -> None:
    """Remove the recording of a call for good. Its record stays, and says when it was removed."""
    identity, conditions = identity_in(record_id), parse_preconditions(request.scope)
    remove = partial(records.delete_record, resource=CALL_RECORDINGS, record_id=identity, conditions=conditions)
    await request.service.write(request, remove)


def _after(request: ApiRequest) -> int:
    """Return the id of the survey result after which the archive begins."""
    text = request.query_params.get(AFTER, "0")
    try:
        return Integer(0, ID_MAX).parse(text, request.service.conventions(request))
    except FieldError as error:
        raise InvalidError({AFTER: [str(error)]}) from None


def _recordings(unit: Unit, campaign_id: int, after: int) -> list[RecordedAnswer]:
    """Return the answers with a recording, one more than an archive has."""
    records.require_seen(unit, CAMPAIGNS, campaign_id)
    in_campaign = SurveyResult.campaign_id == campaign_id
    is_wanted = and_(in_campaign, SurveyResult.id > after, SurveyResult.record_file != "")
    return recorded_answers(unit, is_wanted, RECORDINGS_MAX + 1)


def _index(answers: Sequence[RecordedAnswer], is_complete: Sequence[bool]) -> bytes:
    begin = write_csv([[name] for name in _INDEX])
    if not answers:
        return begin
    lines = [
        (
            answer.shown_name,
            answer.row.id,
            answer.row.callid,
            answer.row.phone_number or "",
            answer.row.full_name or "",
            answer.row.section_id,
            answer.row.question,
            show_timestamp(answer.row.created_date),
            "yes" if has_all else "no",
        )
        for answer, has_all in zip(answers, is_complete, strict=True)
    ]
    return begin + write_csv(list(zip(*lines, strict=True)))
