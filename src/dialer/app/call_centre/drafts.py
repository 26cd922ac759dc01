"""Drafts: the outcomes that agents are typing, kept by call until they are saved or discarded."""

from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, select

from dialer.app.call_centre.dispositions import (
    NOTE_MAX,
    SAID_COLUMNS,
    TERM_COLUMNS,
    CallBackTerm,
    Disposed,
    disposed_in,
    term_in,
)
from dialer.app.work.errors import UnknownRecordError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.numbers.spellings import ERASED
from dialer.store.backends.expressions import insert_or
from dialer.store.database.touched import NOTHING
from dialer.store.queries.wall_board import NUMBER
from dialer.store.tables import Agent, CallDisposition, CallDraft, CallRequest, Campaign, Subscriber, Transfer

OUTCOME_MAX: Final = 160
"""Characters of an outcome with its word."""
DRAFTS_SHOWN: Final = 5
"""Drafts of other calls that a desk shows, the newest ones. Those before them appear once these are saved."""
_TYPED: Final = ("disposition", "note", "call_back_ms", "same_agent")
_is_on_desk = CallDraft.callrequest_id == bindparam("call")
_DRAFTS: Final = (
    select(
        CallDraft.callrequest_id,
        NUMBER,
        Subscriber.full_name,
        *(CallDraft.__table__.c[name] for name in _TYPED),
        *SAID_COLUMNS,
        *TERM_COLUMNS,
    )
    .select_from(CallDraft)
    .join(CallRequest, CallRequest.id == CallDraft.callrequest_id)
    .join(Campaign, Campaign.id == CallRequest.campaign_id)
    .outerjoin(Subscriber, Subscriber.id == CallRequest.subscriber_id)
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


def keep_draft(unit: UnitOfWork, agent_id: int, callrequest_id: int, draft: OutcomeDraft) -> None:
    """Keep what an agent has typed about a call, in place of an earlier draft. An empty draft deletes it.

    Raises:
        UnknownRecordError: the agent has not talked in such a call, or its person was erased.
    """
    _require_talk(unit.connection, agent_id, callrequest_id)
    kept = draft._replace(disposition=draft.disposition[:OUTCOME_MAX], note=draft.note[:NOTE_MAX])
    if kept == OutcomeDraft():
        drop_draft(unit, agent_id, callrequest_id)
        return
    values = {"callrequest_id": callrequest_id, "agent_id": agent_id, **kept._asdict()}
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
    said_at, term_at = len(_TYPED), len(_TYPED) + len(SAID_COLUMNS)
    typed, said, term = values[:said_at], values[said_at:term_at], values[term_at:]
    return CallWithDraft(identity, number, name or "", OutcomeDraft(*typed), disposed_in(said), term_in(term))


def _require_talk(connection: Connection, agent_id: int, callrequest_id: int) -> None:
    talked = select(NUMBER).join_from(Transfer, CallRequest, CallRequest.id == Transfer.callrequest_id)
    talked = talked.where(Transfer.callrequest_id == callrequest_id, Transfer.agent_id == agent_id)
    number = connection.scalar(talked.where(Transfer.answered_ms.is_not(None)).limit(1))
    if number is None or number == ERASED:
        raise UnknownRecordError(f"The agent has not talked in a call {callrequest_id} whose person is known.")
