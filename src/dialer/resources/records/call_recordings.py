"""Recordings of whole calls."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec
from litestar.openapi.spec import OpenAPIType, Schema
from sqlalchemy import ColumnElement, RowMapping, String, select, type_coerce

from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.call_recording import SHARE_MAX, SHARE_MIN, share_of
from dialer.domain.formats.file_names import recording_path
from dialer.domain.words.enums import RecordingState, TextState
from dialer.domain.words.roles import Permission
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.declaration import derived, own, read_only, shapes, writable
from dialer.resources.crud.fields import (
    AmountNumber,
    Boolean,
    Conventions,
    FieldError,
    Integer,
    Json,
    Kind,
    Stored,
    Text,
    TextChoice,
    echo,
)
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Unit, Values, touches_nothing
from dialer.resources.crud.urls import Links
from dialer.resources.records.agent_views import own_recordings
from dialer.resources.words.errors import ConflictError, Errors, ForbiddenError
from dialer.store.backends.expressions import folded, place_of
from dialer.store.database.touched import NOTHING
from dialer.store.rows.call_recordings import remove_recordings
from dialer.store.tables import CallDisposition, CallRecording, Campaign, Queue, SurveyTemplate

RECORD_MAX: Final = 10
RECORD_DAYS_MAX: Final = 3_650
FOLDER: Final = "folder"
"""The `stored_where` of a recording that has a file."""


class WhichCalls(Text, frozen=True):
    """A kind of field: `no`, `all`, `on_demand`, or `share:N` for each N-th call."""

    max_length: int = RECORD_MAX

    def parse(self, value: Json, conventions: Conventions) -> str:
        """Return the text, if it is one of these."""
        text = super().parse(value, conventions).strip()
        try:
            share_of(text)
        except ValueError:
            raise FieldError(
                Sentence(
                    "%(text)s is not known. Write no, all, on_demand, or share:N for each N-th call, with N from"
                    " %(least)s to %(most)s.",
                    text=echo(text),
                    least=SHARE_MIN,
                    most=SHARE_MAX,
                )
            ) from None
        return text


class Spans(Kind, frozen=True):
    """A kind of field: times within a recording, stored as JSON in milliseconds and shown in seconds."""

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - seconds are seconds anywhere
        """Return the pairs of seconds."""
        return [[from_ms / 1_000, to_ms / 1_000] for from_ms, to_ms in msgspec.json.decode(value or "[]")]

    def schema(self) -> Schema:
        """Return the schema of a list of pairs of numbers."""
        pair = Schema(type=OpenAPIType.ARRAY, items=Schema(type=OpenAPIType.NUMBER), min_items=2, max_items=2)
        return Schema(type=OpenAPIType.ARRAY, items=pair)


_CALL_RECORDING: Final = shapes(
    "CallRecording",
    CallRecording,
    {
        **own("call-recording"),
        "callrequest": read_only(
            Reference("callrequest"), "The call; null if it was deleted with its campaign.", nullable=True
        ),
        "campaign": read_only(Reference("campaigns"), "The campaign; null if it was deleted.", nullable=True),
        "agent": read_only(
            Reference("agent"),
            "The agent who talked in the call last; null if none did, or if the agent was deleted.",
            nullable=True,
        ),
        "queue": read_only(
            Reference("queue"), "The queue of that agent's talk; null without one, or if it was deleted.", nullable=True
        ),
        "callid": read_only(Text(36), "The id of the call, a UUID.", example="5f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11"),
        "phone_number": read_only(
            Text(), "The number of the callee in normal form.", example="+12025550100", title="Number"
        ),
        "disposition": derived(
            Text(), "The outcome of the call in the words of its agent; empty without one.", example="success"
        ),
        "name": derived(
            Text(),
            "The name of its file in downloads, by the `record_template` of its queue.",
            example="5f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11.wav",
        ),
        "start_date": read_only(Timestamp(), "The moment at which it begins, in UTC: of the answer, or of `start/`."),
        "seconds": read_only(AmountNumber(), "The length in seconds, with the pauses in it.", example=61.4),
        "size": read_only(Integer(), "The bytes of its WAV file.", example=982_458),
        "paused": derived(
            Spans(),
            "The times with silence in place of sound, as pairs of seconds since the beginning.",
            example=[[20.1, 31.6]],
        ),
        "refused": read_only(
            Boolean(), "True if the callee refused to be recorded, or could not be told.", example=False
        ),
        "state": read_only(TextChoice(tuple(RecordingState)), "The state.", example=RecordingState.STORED.value),
        "stored_where": derived(
            Text(),
            "The place of its file: `folder`, or `s3` once it is in the bucket; empty for a simulated callee, and once"
            " it is removed.",
            example=FOLDER,
        ),
        "legal_hold": writable(
            Boolean(),
            "True keeps the recording: `DELETE` is refused, and neither its age nor an erasure removes it. What is due"
            " meanwhile is done when the hold ends. Default: false.",
            example=False,
        ),
        "removed_date": read_only(
            Timestamp(column="removed_ms"), "The moment at which it was removed, in UTC; or null.", nullable=True
        ),
        "language": derived(
            Text(), "The language of the survey (BCP 47); empty if it names none, or was deleted.", example="en"
        ),
        "text": read_only(
            Text(),
            "What both sides say, as it was written down; empty before, and in lists.",
            example="Please call me on Monday.",
        ),
        "text_language": read_only(Text(), "The language of the text (BCP 47); empty if nobody knows.", example="en"),
        "text_state": writable(
            TextChoice(tuple(TextState)),
            "The state of the text. Set `waiting` to have a recording written down that `failed`, or was `off`.",
            example=TextState.DONE.value,
        ),
    },
    write_doc="A change of the recording of a whole call.",
    read_doc="The recording of a whole call, from its answer to its end.",
)


def _derived(unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Return the outcome of each call, and the name of its file."""
    ids = [row["callrequest_id"] for row in rows if row["callrequest_id"] is not None]
    query = select(CallDisposition.callrequest_id, CallDisposition.disposition)
    outcomes = unit.connection.execute(query.where(CallDisposition.callrequest_id.in_(ids))).all() if ids else ()
    said = {row.callrequest_id: row.disposition for row in outcomes}
    languages = _languages(unit, {row["campaign_id"] for row in rows} - {None})
    return [
        {
            "disposition": said.get(row["callrequest_id"], ""),
            "name": name,
            "paused": row["paused"] or "[]",
            "language": languages.get(row["campaign_id"], ""),
            "stored_where": _where(row),
        }
        for row, name in zip(rows, names_of_recordings(unit, rows), strict=True)
    ]


def _languages(unit: Unit, campaign_ids: set[int]) -> dict[int, str]:
    query = select(Campaign.id, SurveyTemplate.language).join(SurveyTemplate, SurveyTemplate.id == Campaign.object_id)
    found = unit.connection.execute(query.where(Campaign.id.in_(campaign_ids))) if campaign_ids else ()
    return {row.id: row.language for row in found}


def _where(row: RowMapping) -> str:
    """Return where the file of a recording is; empty if it has none. Before it is stored, it is in the folder."""
    return (row["stored_where"] or FOLDER) if row["file"] and row["state"] != RecordingState.REMOVED else ""


def names_of_recordings(unit: Unit, rows: Sequence[RowMapping]) -> list[str]:
    """Return the name of each recording in downloads, by the template of the queue whose agent took the call."""
    ids = {row["queue_id"] for row in rows} - {None}
    query = select(Queue.id, Queue.record_template).where(Queue.id.in_(ids))
    templates = {row.id: row.record_template for row in unit.connection.execute(query)} if ids else {}
    return [
        recording_path(templates.get(row["queue_id"], ""), row["callid"], row["phone_number"], _began(unit, row))
        for row in rows
    ]


def _began(unit: Unit, row: RowMapping) -> datetime:
    return datetime.fromtimestamp(row["start_date"] / 1_000, UTC).astimezone(unit.conventions.zone)


def _has_outcome(disposition: str) -> ColumnElement[bool]:
    """Return the condition that the agent of the call gave it this outcome."""
    said = select(CallDisposition.callrequest_id).where(CallDisposition.callrequest_id == CallRecording.callrequest_id)
    return said.where(CallDisposition.disposition == disposition).exists()


def _says(words: str) -> ColumnElement[bool]:
    """Return the condition that the text of a recording has these words, one after the other."""
    has_words = place_of(folded(type_coerce(words, String)), folded(CallRecording.text)) > 0
    return (CallRecording.text_state == TextState.DONE) & has_words


def _may_delete(unit: Unit, stored: Values) -> None:
    """Raise an error if the caller may not change recordings, or if a legal hold keeps this one."""
    _may_change(unit)
    if stored["state"] == RecordingState.IN_PROGRESS:
        raise ConflictError("The call goes on. Its recording can be deleted once it is over.")
    if stored["legal_hold"]:
        raise ConflictError("The recording is under a legal hold. Set legal_hold to false first.")


def _may_hold(change: Change) -> Errors:
    """Return no errors; raise one if the caller may not change recordings, or if there is nothing left to keep."""
    if change.moves("legal_hold"):
        _may_change(change.unit)
        if change.values["legal_hold"] and change.values["state"] == RecordingState.REMOVED:
            raise ConflictError("The recording is removed.")
    return {}


def _may_wait(change: Change) -> Errors:
    """Return an error for every state but `waiting`.

    Raises:
        ConflictError: there is nothing to write down, or nobody who wants it.
        ForbiddenError: the caller may not change recordings.
    """
    if not change.moves("text_state"):
        return {}
    _may_change(change.unit)
    if change.values["text_state"] != TextState.WAITING:
        return {"text_state": ["Only waiting can be set."]}
    if change.values["state"] != RecordingState.STORED:
        raise ConflictError("The recording is not stored.")
    if change.stored["text_state"] == TextState.DONE:
        raise ConflictError("The recording is written down already.")
    if change.stored["campaign_id"] is None and change.stored["text_state"] == TextState.OFF:
        raise ConflictError("The campaign is deleted, and nobody said that its recordings are to be written down.")
    is_unwanted = select(Campaign.id).where(Campaign.id == change.stored["campaign_id"], ~Campaign.transcribe)
    if change.unit.connection.scalar(is_unwanted) is not None:
        raise ConflictError("The campaign does not want its recordings written down. Set transcribe first.")
    return {}


def _begun_anew(change: Change) -> Values:
    """Return the columns of a recording that is to be written down as if nobody had tried."""
    anew = {"text_tries": 0, "text_claimed_ms": None, "text_asked_ms": change.unit.now_ms}
    return anew if change.moves("text_state") else {}


def _may_change(unit: Unit) -> None:
    if not (unit.actor.may(Permission.RECORDINGS) and unit.actor.may(Permission.CAMPAIGNS)):
        raise ForbiddenError


def _remove(unit: UnitOfWork, recording_id: int) -> None:
    remove_recordings(unit.connection, CallRecording.id == recording_id, unit.now_ms)
    unit.note(NOTHING)


CALL_RECORDINGS = Resource(
    path="call-recording",
    shapes=_CALL_RECORDING,
    filters=("callid", "phone_number", "state", "refused", "callrequest", "agent", "queue"),
    conditions=(("disposition", _has_outcome), ("text", _says)),
    orderings=("start_date", "phone_number"),
    numbers=("phone_number",),
    is_large=True,
    long_texts=frozenset({"text"}),
    is_personal=True,
    reads=Permission.RECORDINGS,
    agents_see=own_recordings,
    writes=Permission.RECORDINGS,
    methods=frozenset({"PATCH"}),
    rules=(FieldRule(("legal_hold",), _may_hold), FieldRule(("text_state",), _may_wait)),
    columns=_begun_anew,
    touches=touches_nothing,
    derived=_derived,
    before_delete=_may_delete,
    remove=_remove,
)
