"""Drafts of dispositions: the outcome of a call as its agent has typed it so far, beside the call request."""

from typing import Annotated, Any, Final

import msgspec

from dialer.app.call_centre.desk import agent_at_desk
from dialer.app.call_centre.dispositions import NOTE_MAX
from dialer.app.call_centre.drafts import (
    DRAFTS_OF_CALL_MAX,
    OutcomeDraft,
    check_columns,
    draft_of_call,
    drafts_of_call,
    drop_draft,
    keep_draft,
)
from dialer.domain.calls.outcomes import Outcome
from dialer.domain.words.described import described
from dialer.domain.words.enums import AgentDisposition
from dialer.domain.words.phrases import PHRASE_LENGTH_MAX
from dialer.domain.words.roles import Permission, Role
from dialer.resources.crud import records
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import Boolean, Text, TextChoice
from dialer.resources.crud.moments import Timestamp, show_timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Given, parse_whole, request_shape
from dialer.resources.records.calls import CALLREQUESTS
from dialer.resources.records.phrases import ColumnTexts
from dialer.resources.words.errors import InvalidError, RecordNotFoundError

DraftGiven: Final = request_shape(
    "CallDraftGiven",
    {
        "disposition": writable(
            TextChoice(tuple(AgentDisposition)), "The outcome, if one is chosen.", nullable=True, default=None
        ),
        "word": writable(
            Text(PHRASE_LENGTH_MAX),
            "The campaign's own word for it. Default: none.",
            default="",
            example="After summer",
        ),
        "note": writable(Text(NOTE_MAX), "The note so far. Default: none.", default="", example="Wants a red one."),
        "call_back_date": writable(
            Timestamp(column="call_back_ms"), "The time of the call-back so far.", nullable=True, default=None
        ),
        "same_agent": writable(Boolean(), "True if the agent wants to take the call-back themselves.", default=False),
        "fields": writable(ColumnTexts(), "Columns of the contact that are typed so far. Default: none.", default=None),
    },
    "The draft of a disposition.",
)


class AgentsDraftRead(msgspec.Struct, frozen=True):
    """The draft of one agent about a call."""

    agent: Annotated[int, described("The id of the agent who types it.", 3)]
    disposition: Annotated[str | None, described("The outcome; null if none is chosen.", "call_back")]
    word: Annotated[str, described("The campaign's own word for the outcome; empty for the usual one.", "After summer")]
    note: Annotated[str, described("The note so far.", "Wants a red one, by Fri")]
    call_back_date: Annotated[
        str | None, described("The time of the call-back so far; null for none.", "2026-11-20T17:30:00Z")
    ]
    same_agent: Annotated[bool, described("True if its agent wants to take the call-back themselves.", example=False)]
    fields: Annotated[
        dict[str, str], described("The columns of the contact that are typed so far.", {"email": "ada@example.com"})
    ]


class DraftRead(AgentsDraftRead, frozen=True):
    """The draft of a disposition."""

    older: Annotated[
        list[AgentsDraftRead],
        described(
            "For managers: what other agents of the call have typed, the newest first, at most"
            f" {DRAFTS_OF_CALL_MAX - 1}."
        ),
    ] = []


def read_draft_of(unit: Unit, callrequest_id: int) -> DraftRead:
    """Return the draft of a call that the caller sees: an agent their own, and others the newest one.

    Managers get those of other agents as well.

    Raises:
        RecordNotFoundError: there is no such call or no draft of it, or the caller may not see the call.
    """
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    agent_id = _agent(unit) if unit.actor.role is Role.AGENT else None
    found = draft_of_call(unit.connection, callrequest_id, agent_id)
    if found is None:
        raise RecordNotFoundError
    if not may_read_all(unit):
        return _shown(*found)
    newest, *older = drafts_of_call(unit.connection, callrequest_id)
    others = [AgentsDraftRead(*_members(one.agent_id, one.draft)) for one in older]
    return msgspec.structs.replace(_shown(newest.agent_id, newest.draft), older=others)


def may_read_all(unit: Unit) -> bool:
    """Return whether the caller reads what all agents of a call have typed: a manager or an admin."""
    return unit.actor.role is not Role.AGENT and unit.actor.may(Permission.WORK)


def set_draft_of(unit: Unit, callrequest_id: int, given: Given) -> tuple[DraftRead, tuple[str, ...]]:
    """Keep what an agent has typed about a call, in place of an earlier draft. An empty one deletes it.

    Return the draft, and the names of fields that were ignored.

    Raises:
        InvalidError: a field has a wrong value.
        RecordNotFoundError: there is no such call, or the caller is not its agent.
    """
    parsed = parse_whole(DraftGiven, given, unit.conventions)
    if parsed.errors:
        raise InvalidError(parsed.errors)
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    values: dict[str, Any] = parsed.values
    outcome = "" if values["disposition"] is None else _outcome(values["disposition"], values["word"])
    rest = values["note"], values["call_back_date"], values["same_agent"], values["fields"] or {}
    agent_id = _agent(unit)
    check_columns(unit.connection, agent_id, callrequest_id, rest[-1])
    keep_draft(unit, agent_id, callrequest_id, OutcomeDraft(outcome, *rest), is_whole=True)
    kept = draft_of_call(unit.connection, callrequest_id, agent_id) or (agent_id, OutcomeDraft())
    return _shown(*kept), parsed.ignored


def delete_draft_of(unit: Unit, callrequest_id: int) -> None:
    """Delete the caller's own draft of a call.

    Raises:
        RecordNotFoundError: there is no such call or no draft of it by the caller.
    """
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    agent_id = _agent(unit)
    if draft_of_call(unit.connection, callrequest_id, agent_id) is None:
        raise RecordNotFoundError
    drop_draft(unit, agent_id, callrequest_id)


def _agent(unit: Unit) -> int:
    """Return the agent of the caller.

    Raises:
        RecordNotFoundError: the caller is no agent.
    """
    agent_id = agent_at_desk(unit.connection, unit.actor.id)
    if agent_id is None:
        raise RecordNotFoundError
    return agent_id


def _outcome(disposition: str, word: str) -> str:
    return Outcome(AgentDisposition(disposition), word).text


def _shown(agent_id: int, draft: OutcomeDraft) -> DraftRead:
    return DraftRead(*_members(agent_id, draft))


def _members(agent_id: int, draft: OutcomeDraft) -> tuple[Any, ...]:
    """Return the members of `AgentsDraftRead`."""
    word, _, disposition = (part.strip() for part in draft.disposition.rpartition("="))
    is_known = disposition in set(AgentDisposition)
    at = None if draft.call_back_ms is None else show_timestamp(draft.call_back_ms)
    known, own = (disposition, word) if is_known else (None, "")
    return agent_id, known, own, draft.note, at, draft.same_agent, dict(draft.fields)
