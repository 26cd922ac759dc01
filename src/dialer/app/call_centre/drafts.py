"""Drafts: the outcomes that agents are typing, kept by call until they are saved or discarded."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, delete, select

from dialer.app.call_centre.contact_fields import (
    FIELD_COLUMNS,
    IS_CONTACT,
    FieldsOfCall,
    fields_in,
    fields_of_call,
    fill_in_what_fits,
    too_long,
    unknown_column,
)
from dialer.app.call_centre.dispositions import (
    NOTE_MAX,
    SAID_COLUMNS,
    TERM_COLUMNS,
    CallBackTerm,
    Disposed,
    disposed_in,
    disposition_of,
    term_in,
)
from dialer.app.work.errors import InvalidFieldsError, UnknownRecordError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.agent_fields import FIELDS_MAX, VALUE_MAX, offered_fields
from dialer.domain.calls.outcomes import Outcome
from dialer.domain.messages.templates import NAME_MAX, name_of
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.sentences import Sentence
from dialer.store.backends.expressions import insert_or
from dialer.store.database.touched import NOTHING
from dialer.store.queries.wall_board import NUMBER
from dialer.store.tables import Agent, CallDisposition, CallDraft, CallRequest, Campaign, Contact, Subscriber, Transfer

OUTCOME_MAX: Final = 160
"""Characters of an outcome with its word."""
COLUMNS_MAX: Final = 2 * FIELDS_MAX
"""Columns of the contact in a draft: those of the form, and some that it has no longer."""
DRAFTS_SHOWN: Final = 5
"""Drafts of other calls that a desk shows, the newest ones. Those before them appear once these are saved."""
DRAFTS_OF_CALL_MAX: Final = 20
"""Drafts of one call that managers read, those of the agents who typed last."""
_TYPED: Final = ("disposition", "note", "call_back_ms", "same_agent", "fields")
_VARS_AT: Final = select(*FIELD_COLUMNS).selected_columns.keys().index("person_vars")
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_OF_CALL: Final = (
    select(Agent.id, Agent.name, CallDraft.updated_date, *[CallDraft.__table__.c[name] for name in _TYPED])
    .join(Agent, Agent.id == CallDraft.agent_id)
    .where(CallDraft.callrequest_id == bindparam("call"))
    .order_by(CallDraft.updated_date.desc(), CallDraft.id.desc())
    .limit(DRAFTS_OF_CALL_MAX)
)
_is_on_desk = CallDraft.callrequest_id == bindparam("call")
_DRAFTS: Final = (
    select(
        CallDraft.callrequest_id,
        NUMBER,
        Subscriber.full_name,
        *FIELD_COLUMNS,
        *(CallDraft.__table__.c[name] for name in _TYPED),
        *SAID_COLUMNS,
        *TERM_COLUMNS,
    )
    .select_from(CallDraft)
    .join(CallRequest, CallRequest.id == CallDraft.callrequest_id)
    .join(Campaign, Campaign.id == CallRequest.campaign_id)
    .outerjoin(Subscriber, Subscriber.id == CallRequest.subscriber_id)
    .outerjoin(Contact, IS_CONTACT)
    .outerjoin(CallDisposition, CallDisposition.callrequest_id == CallRequest.id)
    .where(CallDraft.agent_id == bindparam("agent"))
    .order_by(_is_on_desk.desc(), CallDraft.callrequest_id.desc())
    .limit(DRAFTS_SHOWN + 1)
)


class OutcomeDraft(NamedTuple):
    """The outcome of a call as far as it is typed."""

    disposition: str = ""
    """As forms have it: with the campaign's own word before a sign `=`. Empty for none."""
    note: str = ""
    call_back_ms: int | None = None
    same_agent: bool = False
    fields: Mapping[str, str] = _NOTHING
    """The columns of the contact that are typed, by name."""


class CallWithDraft(NamedTuple):
    """A call of an agent whose outcome is typed and not saved."""

    callrequest_id: int
    number: str
    full_name: str
    draft: OutcomeDraft
    disposed: Disposed | None
    """The outcome that is saved already."""
    term: CallBackTerm
    """Until when the callee can be called back."""
    filled: FieldsOfCall
    """The columns of the contact that the agent may fill in."""


def keep_draft(
    unit: UnitOfWork, agent_id: int, callrequest_id: int, draft: OutcomeDraft, *, is_whole: bool = False
) -> None:
    """Keep what an agent has typed about a call, in place of an earlier draft. An empty draft deletes it.

    Columns that the form has no longer, but had when the agent typed, stay until they are discarded or cleared.
    `is_whole` tells that the draft is all there is, as that of a program that sees these columns: they go too.

    Raises:
        UnknownRecordError: the agent has not talked in such a call, or its person was erased.
    """
    _asked_in(unit.connection, agent_id, callrequest_id)
    shown = {field.column for field in fields_of_call(unit.connection, callrequest_id).fields}
    left = {} if is_whole else fields_out_of_form(unit.connection, agent_id, callrequest_id)
    typed = {**left, **draft.fields}
    lasting = [(name, value) for name, value in typed.items() if name in shown or (value and len(name) <= NAME_MAX)]
    fields = {name: value[:VALUE_MAX] for name, value in lasting[:COLUMNS_MAX]}
    kept = draft._replace(disposition=draft.disposition[:OUTCOME_MAX], note=draft.note[:NOTE_MAX], fields=fields)
    if kept == OutcomeDraft():
        drop_draft(unit, agent_id, callrequest_id)
    else:
        _write(unit, agent_id, callrequest_id, kept)


def fields_out_of_form(connection: Connection, agent_id: int, callrequest_id: int) -> dict[str, str]:
    """Return the columns in an agent's draft about a call that the form has no longer, by name."""
    before = draft_of_call(connection, callrequest_id, agent_id)
    if before is None:
        return {}
    shown = {field.column for field in fields_of_call(connection, callrequest_id).fields}
    return {name: typed for name, typed in before[1].fields.items() if typed and name not in shown}


def fill_in_or_keep(
    unit: UnitOfWork, agent_id: int, callrequest_id: int, typed: Mapping[str, str], seen: Mapping[str, str]
) -> None:
    """Write what an agent has typed into columns of the contact with an outcome, and keep the rest as their draft.

    Raises:
        InvalidFieldsError: a value is too long, or none of its choices; or there are too many others to keep.
    """
    left = fill_in_what_fits(unit, callrequest_id, typed, seen)
    if len(left) > COLUMNS_MAX:
        wrong = Sentence(
            "%(count)s columns cannot be written to the contact, and at most %(most)s are kept. Copy into the note what"
            " is to be kept, and discard the rest.",
            count=len(left),
            most=COLUMNS_MAX,
        )
        raise InvalidFieldsError({"fields": [wrong]})
    if left:
        _write(unit, agent_id, callrequest_id, OutcomeDraft(fields=left))


def _write(unit: UnitOfWork, agent_id: int, callrequest_id: int, kept: OutcomeDraft) -> None:
    values = {"callrequest_id": callrequest_id, "agent_id": agent_id, **kept._asdict()}
    values["fields"] = msgspec.json.encode(kept.fields).decode() if kept.fields else ""
    new = insert_or(CallDraft.__table__).values(**values, created_date=unit.now_ms, updated_date=unit.now_ms)
    changed = {name: new.excluded[name] for name in (*_TYPED, "updated_date")}
    key = ["callrequest_id", "agent_id", "user_id"]
    unit.connection.execute(new.on_conflict_do_update(index_elements=key, set_=changed))
    unit.note(NOTHING)


def drop_draft(unit: UnitOfWork, agent_id: int, callrequest_id: int) -> None:
    """Delete the draft of an agent about a call, because the agent wants none."""
    theirs = (CallDraft.agent_id == agent_id) & (CallDraft.callrequest_id == callrequest_id)
    unit.connection.execute(delete(CallDraft).where(theirs))
    unit.note(NOTHING)


def drop_draft_of_user(unit: UnitOfWork, login_id: int, callrequest_id: int) -> None:
    """Delete the draft about a call of the agent who signs in as a user, because this user has saved the outcome."""
    agents = select(Agent.id).where(Agent.login_id == login_id)
    theirs = CallDraft.agent_id.in_(agents) & (CallDraft.callrequest_id == callrequest_id)
    unit.connection.execute(delete(CallDraft).where(theirs))
    unit.note(NOTHING)


def keep_unsaved(
    unit: UnitOfWork, login_id: int, callrequest_id: int, saved: Disposed, fields: Mapping[str, str]
) -> None:
    """Delete of the draft what was saved with an outcome, by a program of the agent who signs in as a user.

    A note, a call-back or columns that are typed otherwise stay, since the program has not seen them.
    """
    agents = select(Agent.id).where(Agent.login_id == login_id)
    for agent_id in list(unit.connection.scalars(agents.order_by(Agent.id))):
        found = draft_of_call(unit.connection, callrequest_id, agent_id)
        if found is None:
            continue
        draft = found[1]
        promises = draft.call_back_ms is not None and draft.call_back_ms != saved.call_back_ms
        kept = OutcomeDraft(
            note="" if draft.note.strip() == saved.note.strip() else draft.note,
            call_back_ms=draft.call_back_ms if promises else None,
            same_agent=draft.same_agent and promises,
            fields={name: typed for name, typed in draft.fields.items() if fields.get(name) != typed},
        )
        if kept == OutcomeDraft():
            drop_draft(unit, agent_id, callrequest_id)
        else:
            _write(unit, agent_id, callrequest_id, kept)


def check_columns(connection: Connection, agent_id: int, callrequest_id: int, fields: Mapping[str, str]) -> None:
    """Check the columns that a program types for an agent. The desk cuts what is too long, and offers no others.

    Raises:
        UnknownRecordError: the agent has not talked in such a call, or its person was erased.
        InvalidFieldsError: agents fill in no such column, or a value is too long.
    """
    asked = _asked_in(connection, agent_id, callrequest_id)
    offered = [field.column for field in offered_fields(asked)]
    wrong: list[str] = [unknown_column(name, offered) for name in fields if name not in offered]
    wrong += [too_long(name) for name, value in fields.items() if name in offered and len(value) > VALUE_MAX]
    if wrong:
        raise InvalidFieldsError({"fields": wrong})


def draft_of_call(connection: Connection, callrequest_id: int, agent_id: int | None) -> tuple[int, OutcomeDraft] | None:
    """Return the draft of an agent about a call with the agent's id, or the newest one of all; None without one."""
    query = select(CallDraft.agent_id, *(CallDraft.__table__.c[name] for name in _TYPED))
    query = query.where(CallDraft.callrequest_id == callrequest_id)
    if agent_id is not None:
        query = query.where(CallDraft.agent_id == agent_id)
    row = connection.execute(query.order_by(CallDraft.updated_date.desc(), CallDraft.id.desc()).limit(1)).first()
    return None if row is None else (row[0], _draft_in(row[1:]))


def typed_or_saved(connection: Connection, agent_id: int, callrequest_id: int) -> OutcomeDraft:
    """Return the outcome of a call as the desk of an agent shows it: the draft, and without one what is saved."""
    found = draft_of_call(connection, callrequest_id, agent_id)
    draft = OutcomeDraft() if found is None else found[1]
    saved = disposition_of(connection, callrequest_id) if draft == OutcomeDraft(fields=draft.fields) else None
    if saved is None:
        return draft
    outcome = Outcome(saved.disposition, saved.word).text
    return OutcomeDraft(outcome, saved.note, saved.call_back_ms, saved.same_agent, draft.fields)


class AgentsDraft(NamedTuple):
    """The draft of an agent about a call, for others to read."""

    agent_id: int
    agent: str
    typed_ms: int
    """The time at which it was typed last."""
    draft: OutcomeDraft


def drafts_of_call(connection: Connection, callrequest_id: int) -> list[AgentsDraft]:
    """Return what agents have typed about a call and not saved, the newest first, at most `DRAFTS_OF_CALL_MAX`."""
    rows = map(tuple, connection.execute(_OF_CALL, {"call": callrequest_id}))
    return [AgentsDraft(agent_id, agent, at_ms, _draft_in(values)) for agent_id, agent, at_ms, *values in rows]


class Drafts(NamedTuple):
    """The outcomes that an agent has typed and not saved."""

    on_desk: OutcomeDraft | None
    """The outcome of the call on the desk; None if nothing is typed."""
    others: list[CallWithDraft]
    """The other calls, the newest first."""


def drafts_of(connection: Connection, agent_id: int, on_desk: int | None) -> Drafts:
    """Return what an agent has typed about the call on the desk, and about others."""
    rows = connection.execute(_DRAFTS, {"agent": agent_id, "call": on_desk or 0})
    found = [_call_with_draft(tuple(row)) for row in rows]
    if found and found[0].callrequest_id == on_desk:
        return Drafts(found[0].draft, found[1:])
    return Drafts(None, found[:DRAFTS_SHOWN])


def _call_with_draft(row: tuple[Any, ...]) -> CallWithDraft:
    identity, number, name, *values = row
    typed_at = len(FIELD_COLUMNS)
    said_at = typed_at + len(_TYPED)
    term_at = said_at + len(SAID_COLUMNS)
    draft = _draft_in(values[typed_at:said_at])
    name = name_of(name or "", values[_VARS_AT] or "")
    said, term = disposed_in(values[said_at:term_at]), term_in(values[term_at:])
    return CallWithDraft(identity, number, name, draft, said, term, fields_in(values[:typed_at]))


def _draft_in(values: Sequence[Any]) -> OutcomeDraft:
    """Return a draft from the values of `_TYPED`."""
    disposition, note, call_back_ms, same_agent, text = values
    fields = msgspec.json.decode(text, type=dict[str, str]) if text else _NOTHING
    return OutcomeDraft(disposition, note, call_back_ms, same_agent, fields)


def _asked_in(connection: Connection, agent_id: int, callrequest_id: int) -> str:
    """Return the columns that agents fill in, by the campaign of a call in which an agent has talked."""
    talked = select(NUMBER, Campaign.agent_fields)
    talked = talked.join_from(Transfer, CallRequest, CallRequest.id == Transfer.callrequest_id)
    talked = talked.join(Campaign, Campaign.id == CallRequest.campaign_id)
    talked = talked.where(Transfer.callrequest_id == callrequest_id, Transfer.agent_id == agent_id)
    row = connection.execute(talked.where(Transfer.answered_ms.is_not(None)).limit(1)).first()
    if row is None or row[0] == ERASED:
        raise UnknownRecordError(f"The agent has not talked in a call {callrequest_id} whose person is known.")
    return str(row.agent_fields)
