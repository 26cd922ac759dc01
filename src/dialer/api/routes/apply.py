"""`POST /rest-api/apply/`: files of records, as `dialer apply` sends them, in one transaction."""

from http import HTTPStatus
from typing import Annotated, Final

import anyio.to_thread
import msgspec
from litestar import Response, post
from litestar.openapi.spec import OpenAPIMediaType, Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType

from dialer.api.actions.uploads import FILE
from dialer.api.answers.forms import FORM_OVERHEAD_BYTES_MAX, MULTIPART, read_form
from dialer.api.answers.streams import describe_bodies
from dialer.api.http.body import read_whole
from dialer.api.service import ApiRequest
from dialer.domain.words.described import described
from dialer.domain.words.sentences import message_of
from dialer.files.beside import digest_of
from dialer.files.exchange import (
    FILES_MAX,
    REQUEST_BYTES_MAX,
    ApplyAnswer,
    ApplyRequest,
)
from dialer.resources.records.events import account_of
from dialer.resources.words.errors import AnsweredError, InvalidError, MalformedError
from dialer.resources.words.strict_json import StrictJsonError, read_object
from dialer.runtime.steps.clock import RealClock
from dialer.store.media.audio import AudioError, judge
from dialer.store.media.files import AUDIO_BYTES_MAX
from dialer.store.media.waiting_sounds import WaitingSounds

TAG: Final = "apply"
JSON: Final = "application/json"
_SECOND_MS: Final = 1_000
_FILE_NAME_MAX: Final = 1_000
_EXAMPLE: Final = {
    "files": [{"name": "lists.yaml", "content": "phonebooks: [{name: Patients}]"}],
    "dry_run": True,
}


def _text(description: str, example: str) -> Schema:
    return Schema(type=OpenAPIType.STRING, description=description, examples=[example])


_FILE_SCHEMA: Final = Schema(
    type=OpenAPIType.OBJECT,
    required=["name", "content"],
    properties={
        "name": _text("The name that errors show. Its end tells YAML, TOML and JSON.", "lists.yaml"),
        "content": _text("The text of the file.", "phonebooks: [{name: Patients}]"),
    },
)
_RECORDING_SCHEMA: Final = Schema(
    type=OpenAPIType.OBJECT,
    required=["path", "sha256", "size"],
    properties={
        "path": _text("The path of the sound, relative like the names of the files.", "sounds/hello.wav"),
        "sha256": _text("The SHA-256 of its content in hexadecimal digits.", 64 * "0"),
        "size": Schema(type=OpenAPIType.INTEGER, description="Its bytes.", examples=[36_044]),
    },
)
_BODY: Final = Schema(
    type=OpenAPIType.OBJECT,
    required=["files"],
    properties={
        "files": Schema(
            type=OpenAPIType.ARRAY,
            items=_FILE_SCHEMA,
            max_items=FILES_MAX,
            description="The files, which are applied together.",
            examples=[_EXAMPLE["files"]],
        ),
        "recordings": Schema(
            type=OpenAPIType.ARRAY,
            items=_RECORDING_SCHEMA,
            description="The sounds that the files name.",
            examples=[[{"path": "sounds/hello.wav", "sha256": 64 * "0", "size": 36_044}]],
        ),
        "dry_run": Schema(
            type=OpenAPIType.BOOLEAN, default=False, description="True to see the changes only.", examples=[True]
        ),
        "plan": _text("The `plan` of a dry run. If the changes would be other ones now, the answer is 409.", "9f86d08"),
    },
)
_SOUND: Final = Schema(
    type=OpenAPIType.OBJECT,
    required=[FILE],
    properties={
        FILE: Schema(
            type=OpenAPIType.STRING,
            format=OpenAPIFormat.BINARY,
            content_media_type="audio/wav",
            description="A WAV file of up to 20 MiB. `dialer apply` makes it of the other formats of"
            " `POST /rest-api/audio-files/`.",
            examples=["(the bytes of a WAV file)"],
        )
    },
)


class WaitingSound(msgspec.Struct, frozen=True):
    """A sound that was sent, and waits for its recording."""

    sha256: Annotated[str, described("The SHA-256 of the content.", "9f86d081884c7d65")]
    size: Annotated[int, described("Bytes.", 36_044)]
    duration_ms: Annotated[int, described("The duration in milliseconds.", 2_250)]


@post(
    "/apply",
    tags=[TAG],
    status_code=HTTPStatus.OK,
    request_max_body_size=REQUEST_BYTES_MAX,
    operation_class=describe_bodies({JSON: OpenAPIMediaType(schema=_BODY, example=_EXAMPLE)}),
)
async def apply_files(request: ApiRequest) -> Response[ApplyAnswer]:
    """Create and change the records of files, in one transaction: all of them, or nothing.

    Files are those of `dialer apply`, which uses this. Errors have the file and the line. The records are the caller's.
    A dry run tells what would change, and which recordings must be sent before. People in CSV files are imported
    into their lists afterwards.
    """
    from dialer.api.actions.applying import carry_out  # noqa: PLC0415 - few services are asked for it

    turns = request.service.apply_turns
    with turns.share(account_of(request.user)):
        body = await _body(request)
        async with turns.working():
            asked = await anyio.to_thread.run_sync(_asked, body)
            return Response(await carry_out(request, asked))


@post(
    "/apply/recordings",
    tags=[TAG],
    status_code=HTTPStatus.OK,
    request_max_body_size=AUDIO_BYTES_MAX + FORM_OVERHEAD_BYTES_MAX,
    operation_class=describe_bodies({MULTIPART: OpenAPIMediaType(schema=_SOUND)}),
)
async def send_recording(request: ApiRequest) -> Response[WaitingSound]:
    """Send the sound of a recording of files. It waits for six hours until files that name it are applied."""
    form = await read_form(request, file_field=FILE, file_bytes_max=AUDIO_BYTES_MAX)
    content = form.file or b""
    try:
        sound = await anyio.to_thread.run_sync(judge, content)
    except AudioError as error:
        raise InvalidError({FILE: [message_of(error)]}) from None
    digest = digest_of(content)
    waiting = WaitingSounds(request.service.media, request.user.id)
    now_s = RealClock().now_ms() / _SECOND_MS
    await anyio.to_thread.run_sync(waiting.keep, digest, content, now_s)
    return Response(WaitingSound(digest, len(content), sound.duration_ms))


async def _body(request: ApiRequest) -> bytes:
    if request.content_type[0].strip().lower() != JSON:
        raise AnsweredError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"Send the files as {JSON}.")
    return await read_whole(request)


def _asked(body: bytes) -> ApplyRequest:
    try:
        return msgspec.convert(read_object(body), ApplyRequest)
    except StrictJsonError as error:
        raise MalformedError(str(error)) from None
    except msgspec.ValidationError as error:
        raise MalformedError(f"The request is wrong: {error}.") from None
