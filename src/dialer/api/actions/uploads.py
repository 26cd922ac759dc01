"""Uploads of recordings: a name and a sound become a record and a WAV file in the media folder."""

from functools import partial
from http import HTTPStatus
from typing import Final, NamedTuple

import anyio.to_thread
from anyio.lowlevel import RunVar
from sqlalchemy import insert

from dialer.api.answers.forms import Form
from dialer.api.answers.single_deletion import forget_tests_of
from dialer.api.http.idempotency import PostAttempt, StoredAnswer, remember
from dialer.api.service import ApiRequest
from dialer.app.contacts.consents import refuse_without_proof
from dialer.app.work.touched_records import hearers_of_file
from dialer.domain.words.sentences import message_of
from dialer.resources.crud import records
from dialer.resources.crud.audit_log import note_created
from dialer.resources.crud.declaration import optional, writable
from dialer.resources.crud.fields import Text
from dialer.resources.crud.references import NO_OBJECT, Reference
from dialer.resources.crud.resource import Change, Unit
from dialer.resources.crud.shapes import REQUIRED, Parsed, request_shape
from dialer.resources.crud.visibility import reference_errors
from dialer.resources.records.surveys import AUDIO_FILES
from dialer.resources.words.errors import AnsweredError, Errors, InvalidError
from dialer.resources.words.preconditions import ETAG_HEADER, Preconditions
from dialer.store.media.audio import AudioError, AudioRecording, judge
from dialer.store.media.files import Media, QuotaError, check_quota

FILE: Final = "audio_file"
"""The field of the file."""
DECODED_AT_ONCE_MAX: Final = 2
"""Files that are looked at, and decoded, at the same time."""
_LIMIT: Final[RunVar[anyio.CapacityLimiter]] = RunVar("decoders")
AudioUpload: Final = request_shape(
    "AudioUpload",
    {"name": writable(Text(255, min_length=1)), "user_id": optional(Reference("users"))},
    "The text fields of an upload.",
)


class Stored(NamedTuple):
    """A saved file and the properties of its sound."""

    file_name: str
    recording: AudioRecording
    size: int


async def keep_audio(
    request: ApiRequest, parsed: Parsed, form: Form, attempt: PostAttempt | None = None
) -> StoredAnswer:
    """Store the file and the row of an upload, and return the answer, which is remembered for the attempt.

    Raises:
        InvalidError: a field is wrong, the file is no recording, or the user's recordings take too much room.
    """
    service = request.service
    content, recording = await _judge(parsed, form.file)
    # Check before the file is written, and again in the transaction that inserts the row.
    await service.read(request, partial(_check, parsed=parsed, size=len(content)))
    media = Media(service.media)
    file_name = await anyio.to_thread.run_sync(media.save, content)
    stored = Stored(file_name, recording, len(content))
    work = partial(_insert, parsed=parsed, stored=stored, attempt=attempt)
    try:
        return await service.write(request, work)
    except (InvalidError, AnsweredError):
        # After another failure the row may be committed, so the file must stay.
        await anyio.to_thread.run_sync(media.delete, file_name)
        raise


async def remove_audio(request: ApiRequest, identity: int, conditions: Preconditions) -> None:
    """Delete a recording and its file.

    Raises:
        RecordNotFoundError: there is no such recording, or it is not the caller's.
        StillUsedError: a survey or a campaign plays it.
        PreconditionFailedError: it is not as the caller expects it.
    """
    service = request.service
    await forget_tests_of(request, AUDIO_FILES, identity, conditions)
    file_name = await service.write(request, partial(_delete, record_id=identity, conditions=conditions))
    await anyio.to_thread.run_sync(Media(service.media).delete, file_name)


async def _judge(parsed: Parsed, content: bytes | None) -> tuple[bytes, AudioRecording]:
    """Return the file as it is stored, and the recording in it.

    Raises:
        InvalidError: the file is missing or not a supported recording, or another field is wrong.
    """
    errors: Errors = dict(parsed.errors)
    if content is None:
        errors[FILE] = [REQUIRED]
    else:
        try:
            found = await anyio.to_thread.run_sync(_found, content, limiter=_limiter())
        except AudioError as error:
            errors[FILE] = [message_of(error)]
        else:
            if not errors:
                return found
    raise InvalidError(errors)


def _found(content: bytes) -> tuple[bytes, AudioRecording]:
    """Return a file as it is stored, and the recording in it."""
    from dialer.store.media.decoding import as_wave  # noqa: PLC0415 - a start need not wait for it

    stored = as_wave(content)
    return stored, judge(stored)


def _limiter() -> anyio.CapacityLimiter:
    """Return the limiter of the current event loop."""
    try:
        return _LIMIT.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(DECODED_AT_ONCE_MAX)
        _LIMIT.set(limiter)
        return limiter


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
        raise InvalidError({FILE: [message_of(error)]}) from None
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
    unit.note(hearers_of_file(unit.connection, values["user_id"], record_id, values["name"]))
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
    refuse_without_proof(unit.connection, record_id)
    records.delete_record(unit, AUDIO_FILES, record_id, conditions)
    return str(stored["audio_file"])
