"""Uploaded recordings: upload, listening and deletion. Their name is changed as that of other records."""

from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get, post
from litestar.params import FromPath

from dialer.api.actions.recordings import answer_audio_file
from dialer.api.actions.uploads import FILE, AudioUpload, keep_audio, remove_audio
from dialer.api.answers.forms import FORM_OVERHEAD_BYTES_MAX, read_form
from dialer.api.service import ApiRequest
from dialer.console.parts.record_addresses import identity_in
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import FIELD, check_form, read_fields
from dialer.console.serving.services import go_to, page
from dialer.resources.crud.shapes import Given, parse_whole
from dialer.resources.words.errors import InvalidError, MalformedError
from dialer.resources.words.preconditions import UNCONDITIONAL
from dialer.store.media.files import AUDIO_BYTES_MAX

PLACE: Final = "surveys"
RECORDINGS: Final = "/console/records/audio-files/"


@get("/recordings/new", media_type="text/html")
async def show_upload(request: ApiRequest) -> Response[Any]:
    """Show the form for a recording."""
    return _show(request)


@post("/recordings/new", media_type="text/html", request_max_body_size=AUDIO_BYTES_MAX + FORM_OVERHEAD_BYTES_MAX)
async def upload_recording(request: ApiRequest) -> Response[Any]:
    """Store an uploaded recording."""
    name = ""
    try:
        form = await read_form(request, file_field=FILE, file_bytes_max=AUDIO_BYTES_MAX)
        name = form.texts.get("name", "")
        check_form(request, form.texts)
        given = {key: value for key, value in form.texts.items() if key != FIELD}
        parsed = parse_whole(AudioUpload, Given(given), request.service.conventions(request))
        await keep_audio(request, parsed, form)
    except (InvalidError, MalformedError) as error:
        return _show(request, name, messages_of(error))
    return go_to(RECORDINGS)


@get("/recordings/{record_id:str}/sound", media_type="audio/wav")
async def play_recording(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Send the sound of a recording."""
    return await answer_audio_file(request, identity_in(record_id))


@post("/recordings/{record_id:str}/delete", media_type="text/html")
async def delete_recording(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Delete a recording, unless a survey plays it."""
    identity = identity_in(record_id)
    await read_fields(request)
    await remove_audio(request, identity, UNCONDITIONAL)
    return go_to(RECORDINGS)


def _show(request: ApiRequest, name: str = "", messages: list[str] | None = None) -> Response[Any]:
    status = HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK
    return page(request, "recording.html", PLACE, status, name=name, messages=messages or [], file_field=FILE)
