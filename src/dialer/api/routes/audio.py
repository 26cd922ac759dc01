"""Recordings: uploaded as a form, validated by their content, deleted with their file."""

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from litestar import Response, delete, post
from litestar.openapi.spec import Encoding as OpenAPIEncoding
from litestar.openapi.spec import OpenAPIMediaType, Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import FromPath

from dialer.api.actions.uploads import FILE, AudioUpload, keep_audio, remove_audio
from dialer.api.answers.forms import FORM_OVERHEAD_BYTES_MAX, MULTIPART, Form, read_form
from dialer.api.answers.streams import describe_bodies
from dialer.api.http.idempotency import PostAttempt, attempt_of, recall
from dialer.api.service import ApiRequest
from dialer.resources.crud.shapes import Given, Shape, parse_whole
from dialer.resources.crud.urls import ID_MAX, identity_in
from dialer.resources.records.surveys import AUDIO_FILES
from dialer.resources.words.preconditions import parse_preconditions
from dialer.store.media.files import AUDIO_BYTES_MAX

JSON: Final = "application/json"
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
            description="The file, up to 20 MiB: WAV with PCM, A-law or mu-law sound, one or two channels, 8 to 48 kHz,"
            " which is stored as it is; or MP3, FLAC or Ogg Vorbis of up to 10 minutes, stored as WAV with one channel"
            " and 16 kHz.",
            examples=["(the bytes of an MP3 or WAV file)"],
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

_ENCODING: Final = {FILE: OpenAPIEncoding(content_type="audio/mpeg, audio/wav, audio/flac, audio/ogg")}


if TYPE_CHECKING:
    AudioFileRead: TypeAlias = Shape


@post(
    "/audio-files",
    tags=[AUDIO_FILES.path],
    request_max_body_size=AUDIO_BYTES_MAX + FORM_OVERHEAD_BYTES_MAX,
    operation_class=describe_bodies({MULTIPART: OpenAPIMediaType(schema=_FORM_SCHEMA, encoding=_ENCODING)}),
    signature_namespace={"AudioFileRead": AUDIO_FILES.read},
)
async def upload_audio(request: ApiRequest) -> "Response[AudioFileRead]":
    """Upload a recording: an MP3, WAV, FLAC or Ogg Vorbis file."""
    service = request.service
    form = await read_form(request, file_field=FILE, file_bytes_max=AUDIO_BYTES_MAX)
    parsed = parse_whole(AudioUpload, Given(dict(form.texts)), service.conventions(request))
    attempt = _attempt(request, form)
    with service.attempts.begin(attempt):
        before = await service.write(request, partial(recall, attempt=attempt)) if attempt else None
        answer = before or await keep_audio(request, parsed, form, attempt)
    return answer.response(parsed.ignored)


def _attempt(request: ApiRequest, form: Form) -> PostAttempt | None:
    if "idempotency-key" not in request.headers:
        return None
    # The hash covers the fields and the file, because the boundary between the parts differs in each request.
    said = msgspec.json.encode([sorted(form.texts.items()), hashlib.sha256(form.file or b"").hexdigest()])
    return attempt_of(request, AUDIO_FILES.path, said)


@delete("/audio-files/{record_id:str}", tags=[AUDIO_FILES.path])
async def delete_audio(request: ApiRequest, record_id: FromPath[str]) -> None:
    """Delete a recording and its file."""
    identity = identity_in(record_id)
    conditions = parse_preconditions(request.scope)
    await remove_audio(request, identity, conditions)
