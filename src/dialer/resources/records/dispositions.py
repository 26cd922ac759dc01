"""Dispositions of calls: the outcome of a call in the words of its agent, beside the call request."""

from typing import Annotated, Any, Final

import msgspec

from dialer.app.call_centre.contact_fields import fill_in
from dialer.app.call_centre.dispositions import NOTE_MAX, Disposed, dispose_of_call, disposition_of
from dialer.app.call_centre.drafts import drop_draft_of_user, keep_unsaved
from dialer.domain.words.described import described
from dialer.domain.words.enums import AgentDisposition
from dialer.domain.words.phrases import PHRASE_LENGTH_MAX
from dialer.resources.crud import records
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Boolean, Text, TextChoice
from dialer.resources.crud.moments import Timestamp, show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, parse_whole, request_shape
from dialer.resources.records.calls import CALLREQUESTS
from dialer.resources.records.phrases import ColumnTexts
from dialer.resources.words.errors import InvalidError, RecordNotFoundError

DispositionGiven: Final = request_shape(
    "DispositionGiven",
    {
        "disposition": writable(TextChoice(tuple(AgentDisposition)), "The outcome of the call.", example="call_back"),
        "word": writable(
            Text(PHRASE_LENGTH_MAX),
            "The campaign's own word for the outcome, if it has one. Default: none.",
            default="",
            example="After summer",
        ),
        "note": writable(
            Text(NOTE_MAX), "A note for the next agent. Default: none.", default="", example="After work."
        ),
        "call_back_date": writable(
            Timestamp(column="call_back_ms"),
            "The moment at which the callee is called again, within the calling hours. Only with `call_back`. It can be"
            " said during the call once an agent talks, and counts from the end of the call.",
            nullable=True,
            default=None,
            example="2026-11-20T17:30:00Z",
        ),
        "same_agent": writable(
            Boolean(),
            "True if the agent of the call takes the call-back themselves. It waits until they are free, but no longer"
            " than `call_back_wait` of the campaign. Then any agent of the queue takes it. Default: false.",
            default=False,
            example=True,
        ),
        "fields": writable(
            ColumnTexts(),
            "Columns of the contact that the agent has filled in, of those that `agent_fields` of the campaign names."
            " They are written to the contact; others stay as they are. Default: none.",
            default=None,
            example={"email": "ada@example.com"},
        ),
    },
    "The disposition of a call.",
)


class DispositionRead(msgspec.Struct, frozen=True):
    """The disposition of a call."""

    disposition: Annotated[str, described("The outcome of the call.", "call_back")]
    word: Annotated[str, described("The campaign's own word for the outcome; empty for the usual one.", "After summer")]
    note: Annotated[str, described("The agent's note; empty without one.", "After work.")]
    call_back_date: Annotated[
        str | None, described("The moment at which the callee is called again; null for none.", "2026-11-20T17:30:00Z")
    ]
    same_agent: Annotated[bool, described("True if its agent takes the call-back themselves.", example=True)]


def set_disposition_of(unit: Unit, callrequest_id: int, given: Given, *, is_form: bool = False) -> tuple[str, ...]:
    """Set the disposition of a call that the caller sees; return the names of fields that were ignored.

    The draft of the caller about the call loses what is saved. With `is_form`, the caller has had all of the draft
    before their eyes, and it goes as a whole.

    Raises:
        InvalidError: a field has a wrong value.
        RecordNotFoundError: there is no such call, or the caller may not see it.
    """
    parsed = parse_whole(DispositionGiven, given, unit.conventions)
    if parsed.errors:
        raise InvalidError(parsed.errors)
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    values: dict[str, Any] = parsed.values
    disposition = AgentDisposition(values["disposition"])
    disposed = Disposed(disposition, values["note"], values["call_back_date"], values["word"], values["same_agent"])
    dispose_of_call(unit, callrequest_id, disposed)
    fields = values["fields"] or {}
    fill_in(unit, callrequest_id, fields)
    if is_form:
        drop_draft_of_user(unit, unit.actor.id, callrequest_id)
    else:
        keep_unsaved(unit, unit.actor.id, callrequest_id, disposed, fields)
    return parsed.ignored


def read_disposition_of(unit: Unit, callrequest_id: int) -> DispositionRead:
    """Return the disposition of a call that the caller sees.

    Raises:
        RecordNotFoundError: there is no such call or no disposition of it, or the caller may not see the call.
    """
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    found = disposition_of(unit.connection, callrequest_id)
    if found is None:
        raise RecordNotFoundError
    at = None if found.call_back_ms is None else show_timestamp(found.call_back_ms)
    return DispositionRead(found.disposition.value, found.word, found.note, at, found.same_agent)
