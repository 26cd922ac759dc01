"""Recordings: uploaded as a form, validated by their content, deleted with their file."""

import hashlib
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import anyio.to_thread
import msgspec
from litestar import Response, delete, get, post
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import FromPath
from sqlalchemy import insert

from dialer.api.crud import records
from dialer.api.crud.declaration import optional, writable
from dialer.api.crud.fields import Text
from dialer.api.crud.references import NO_OBJECT, Reference
from dialer.api.crud.resource import Change, Unit
from dialer.api.crud.shapes import REQUIRED, Given, Parsed, Shape, parse_whole, request_shape
from dialer.api.crud.trail import note_created
from dialer.api.crud.urls import ID_MAX, parse_id
from dialer.api.crud.visibility import reference_errors
from dialer.api.http.downloads import WAV, answer_file, file_name
from dialer.api.http.errors import AnsweredError, Errors, InvalidError, RecordNotFoundError
from dialer.api.http.forms import FORM_OVERHEAD_BYTES_MAX, MULTIPART, Form, read_form
from dialer.api.http.idempotency import PostAttempt, StoredAnswer, attempt_of, recall, remember
from dialer.api.http.ignored import ignored_header
from dialer.api.http.preconditions import ETAG_HEADER, Preconditions, parse_preconditions
from dialer.api.http.streams import describe_answer, describe_body
from dialer.api.records.surveys import AUDIO_FILES
from dialer.api.service import ApiRequest, Service
from dialer.store.media.audio import AudioError, AudioRecording, judge
from dialer.store.media.files import AUDIO_BYTES_MAX, Media, QuotaError, check_quota
from dialer.store.touched import NOTHING

FILE: Final = "audio_file"
JSON: Final = "application/json"
_FILE_SCHEMA: Final = Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY, content_media_type=WAV)
_FORM_SCHEMA: Final = Schema(
    type=OpenAPIType.OBJECT,
    required=["name", FILE],
    properties={
        "name": Schema(
            type=OpenAPIType.STRING,
            min_length=1,
            max_length=255,
            description="A name for people. It must not be blank.",
            examples=["Greeting"],
        ),
        FILE: Schema(
            type=OpenAPIType.STRING,
            format=OpenAPIFormat.BINARY,
            content_media_type="audio/wav",
            description="The file: WAV with PCM, A-law or mu-law sound, one or two channels, 8 to 48 kHz,"
            " up to 20 MiB.",
            examples=["(the bytes of a WAV file)"],
        ),
        "user_id": Schema(
            type=OpenAPIType.INTEGER,
            minimum=1,
            maximum=ID_MAX,
            description="The id of the user who owns the recording. Only admins may name another user than themselves."
            " Default: the caller.",
            examples=[2],
        ),
    },
)


AudioUpload: Final = request_shape(
    "AudioUpload",
    {"name": writable(Text(255, min_length=1)), "user_id": optional(Reference("users"))},
    "The text fields of an upload.",
)
if TYPE_CHECKING:
    AudioFileRead: TypeAlias = Shape


class Stored(NamedTuple):
    """A saved file and the properties of its sound."""

    file_name: str
    recording: AudioRecording
    size: int


@post(
    "/audio-files",
    tags=[AUDIO_FILES.path],
    request_max_body_size=AUDIO_BYTES_MAX + FORM_OVERHEAD_BYTES_MAX,
    operation_class=describe_body(MULTIPART, _FORM_SCHEMA),
    signature_namespace={"AudioFileRead": AUDIO_FILES.read},
)
async def upload_audio(request: ApiRequest) -> "Response[AudioFileRead]":
    """Upload a recording: a WAV file with PCM, A-law or mu-law sound."""
    service = request.service
    form = await read_form(request, file_field=FILE, file_bytes_max=AUDIO_BYTES_MAX)
    parsed = parse_whole(AudioUpload, Given(dict(form.texts)), service.conventions(request))
    attempt = _attempt(request, form)
    with service.attempts.begin(attempt):
        before = await service.write(request, partial(recall, attempt=attempt)) if attempt else None
        answer = before or await _keep(request, service, parsed, form, attempt)
    headers = {**answer.headers, **ignored_header(parsed.ignored)}
    return Response(answer.content, status_code=answer.status, headers=headers, media_type=JSON)  # type: ignore[arg-type] # encoded already


def _attempt(request: ApiRequest, form: Form) -> PostAttempt | None:
    """Return the attempt of a request with an idempotency key; None without a key.

    The hash covers the fields and the file, because the boundary between the parts differs in each request.
    """
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    said = msgspec.json.encode([sorted(form.texts.items()), hashlib.sha256(form.file or b"").hexdigest()])
    return attempt_of(key, user_id=request.user.id, path=AUDIO_FILES.path, body=said)


async def _keep(
    request: ApiRequest, service: Service, parsed: Parsed, form: Form, attempt: PostAttempt | None
) -> StoredAnswer:
    """Store the file and the row of an upload, and return the answer."""
    content = form.file or b""
    recording = await _judge(parsed, content, is_given=form.file is not None)
    # Check before the file is written, and again in the transaction that inserts the row.
    await service.read(request, partial(_check, parsed=parsed, size=len(content)))
    media = Media(service.settings.media_dir)
    file_name = await anyio.to_thread.run_sync(media.save, content)
    stored = Stored(file_name, recording, len(content))
    work = partial(_insert, parsed=parsed, stored=stored, attempt=attempt)
    try:
        return await service.write(request, work)
    except (InvalidError, AnsweredError):
        # After another failure the row may be committed, so the file must stay.
        await anyio.to_thread.run_sync(media.delete, file_name)
        raise


@get(
    "/audio-files/{record_id:str}/download",
    tags=[AUDIO_FILES.path],
    media_type=WAV,
    operation_class=describe_answer(WAV, _FILE_SCHEMA),
)
async def download_audio(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Download an uploaded recording as a WAV file, or with `Range` a part of it."""
    identity = parse_id(record_id)
    if identity is None:
        raise RecordNotFoundError
    stored = await request.service.read(request, lambda unit: records.load(unit, AUDIO_FILES, identity))
    return await answer_file(request, str(stored["audio_file"]), file_name(str(stored["name"])))


@delete("/audio-files/{record_id:str}", tags=[AUDIO_FILES.path])
async def delete_audio(request: ApiRequest, record_id: FromPath[str]) -> None:
    """Delete a recording and its file."""
    service = request.service
    identity = parse_id(record_id)
    if identity is None:
        raise RecordNotFoundError
    conditions = parse_preconditions(request.scope)
    file_name = await service.write(request, partial(_delete, record_id=identity, conditions=conditions))
    await anyio.to_thread.run_sync(Media(service.settings.media_dir).delete, file_name)


async def _judge(parsed: Parsed, content: bytes, *, is_given: bool) -> AudioRecording:
    """Return the recording in the file.

    Raises:
        InvalidError: the file is missing or not a supported recording, or another field is wrong.
    """
    errors: Errors = dict(parsed.errors)
    if not is_given:
        errors[FILE] = [REQUIRED]
    else:
        try:
            recording = await anyio.to_thread.run_sync(judge, content)
        except AudioError as error:
            errors[FILE] = [str(error)]
        else:
            if not errors:
                return recording
    raise InvalidError(errors)


def _check(unit: Unit, *, parsed: Parsed, size: int) -> int:
    """Return the id of the user who will own the recording.

    Raises:
        InvalidError: the user is unknown to the caller, or the recording exceeds the quota.
    """
    errors = reference_errors(unit, AudioUpload, parsed.values, unit.actor)
    if not unit.actor.is_admin and parsed.values["user_id"] not in {None, unit.actor.id}:
        errors["user_id"] = [NO_OBJECT]
    if errors:
        raise InvalidError(errors)
    user_id: int = parsed.values["user_id"] or unit.actor.id
    try:
        check_quota(unit.connection, user_id, size)
    except QuotaError as error:
        raise InvalidError({FILE: [str(error)]}) from None
    return user_id


def _insert(unit: Unit, *, parsed: Parsed, stored: Stored, attempt: PostAttempt | None) -> StoredAnswer:
    """Insert the row, and return the answer, which is remembered for the attempt."""
    values = {
        "user_id": _check(unit, parsed=parsed, size=stored.size),
        "name": parsed.values["name"],
        "audio_file": stored.file_name,
        "format": stored.recording.format,
        "size": stored.size,
        "duration_ms": stored.recording.duration_ms,
        "created_date": unit.now_ms,
        "updated_date": unit.now_ms,
    }
    key = unit.connection.execute(insert(AUDIO_FILES.table).values(values)).inserted_primary_key
    record_id = int(key[0]) if key else 0
    unit.note(NOTHING)
    named = {"name": parsed.values["name"]}
    note_created(Change(unit, named, frozenset(named), {}, record_id), AUDIO_FILES, values)
    content, tag = records.read_tagged(unit, AUDIO_FILES, record_id)
    location = unit.conventions.links.record(AUDIO_FILES.path, record_id)
    answer = StoredAnswer(HTTPStatus.CREATED, {"Location": location, ETAG_HEADER: tag.header}, content)
    if attempt is not None:
        remember(unit, attempt, answer)
    return answer


def _delete(unit: Unit, *, record_id: int, conditions: Preconditions) -> str:
    """Delete the row, and return the name of its file."""
    stored = records.load(unit, AUDIO_FILES, record_id)
    records.delete_record(unit, AUDIO_FILES, record_id, conditions)
    return str(stored["audio_file"])
