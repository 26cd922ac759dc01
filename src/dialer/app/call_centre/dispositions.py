"""Dispositions: the outcome of a call in the words of its agent, with a note, and a time to call again."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, RowMapping, bindparam, delete, false, func, insert, select, update

from dialer.app.call_centre.wrap_ups import free_for_next_call
from dialer.app.campaigns.subscribers import refuse_without_contact
from dialer.app.contacts.contact_rules import refusal_said
from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError, UnknownRecordError
from dialer.app.work.events import CallDisposed, CampaignStarted, NumberCalledOff
from dialer.app.work.touched_records import touched_campaigns, users_of_dnc
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.outcomes import Outcome, offered_outcomes
from dialer.domain.numbers.emergency import is_emergency
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.queueing.plans import Promise
from dialer.domain.queueing.promises import promised
from dialer.domain.words.enums import AgentDisposition, CallRequestStatus, CampaignStatus, SubscriberStatus
from dialer.domain.words.proof import Proof, WishSource
from dialer.domain.words.reasons import CampaignReason
from dialer.domain.words.sentences import FieldName, Moment, Sentence
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.journal.call_counters import Said, move_disposition
from dialer.store.queries.calls_in_progress import has_other_call
from dialer.store.queries.do_not_call import lists_of, on_dnc
from dialer.store.rows.wishes import call_off, list_of_wish
from dialer.store.tables import CallDisposition, CallRequest, Campaign, Subscriber, Transfer

NOTE_MAX: Final = 1_000
"""Characters of a note."""
_SAID: Final = ("note", "call_back_ms", "word", "same_agent")
"""The columns with what was said beside the disposition, in the order of `Disposed`."""
SAID_COLUMNS: Final = (CallDisposition.disposition, *(CallDisposition.__table__.c[name] for name in _SAID))
"""The columns of a call's disposition."""
TERM_COLUMNS: Final = tuple(
    Campaign.__table__.c[name]
    for name in ("expirationdate", "status", "status_reason", "dispositions", "call_back_wait")
)
"""The columns of a call's campaign that say until when its callee can be called back."""
_TERM: Final = (
    select(*TERM_COLUMNS)
    .join(CallRequest, CallRequest.campaign_id == Campaign.id)
    .where(CallRequest.id == bindparam("call"))
)
_SAID_OF_CALL: Final = select(*SAID_COLUMNS).where(CallDisposition.callrequest_id == bindparam("call"))
_MAY_DIAL: Final = frozenset({CampaignStatus.START, CampaignStatus.PAUSE})


class Disposed(msgspec.Struct, frozen=True):
    """The disposition of a call."""

    disposition: AgentDisposition
    note: str = ""
    call_back_ms: int | None = None
    """The time at which the callee is called again; only for `CALL_BACK`."""
    word: str = ""
    """The campaign's own word for the outcome; empty for the usual one."""
    same_agent: bool = False
    """True if the agent of the call takes the call-back themselves."""


class CallBackTerm(NamedTuple):
    """The time until which the campaign of a call takes call-backs, and the outcomes among which agents choose."""

    ends_ms: int
    """The expiration of the campaign."""
    is_over: bool
    dispositions: str = ""
    """The outcomes of the campaign (`dialer.domain.calls.outcomes`)."""
    wait_s: int = 0
    """Seconds for which a call-back waits for the agent who takes it themselves."""


def term_of(connection: Connection, callrequest_id: int) -> CallBackTerm | None:
    """Return until when a callee can be called back; None if there is no such call."""
    row = connection.execute(_TERM, {"call": callrequest_id}).first()
    return None if row is None else term_in(tuple(row))


def term_in(values: Sequence[Any]) -> CallBackTerm:
    """Return until when a callee can be called back, from the values of `TERM_COLUMNS`."""
    ends_ms, status, reason, *outcomes = values
    return CallBackTerm(ends_ms, not _takes_call_backs(status, reason), *outcomes)


def _takes_call_backs(status: int, reason: str) -> bool:
    """Return whether a campaign goes on, or ended only because nobody was left to call."""
    return status in _MAY_DIAL or (status == CampaignStatus.END and reason == CampaignReason.COMPLETED)


def disposition_of(connection: Connection, callrequest_id: int) -> Disposed | None:
    """Return the disposition of a call; None without one."""
    row = connection.execute(_SAID_OF_CALL, {"call": callrequest_id}).first()
    return None if row is None else disposed_in(tuple(row))


def disposed_in(values: Sequence[Any]) -> Disposed | None:
    """Return a disposition from the values of `SAID_COLUMNS`; None if a call has none."""
    disposition, *said = values
    if disposition is None:
        return None
    is_known = disposition in set(AgentDisposition)  # A newer version may have written others.
    return Disposed(AgentDisposition(disposition) if is_known else AgentDisposition.OTHER, *said)


def dispose_of_call(unit: UnitOfWork, callrequest_id: int, disposed: Disposed) -> None:
    """Set the disposition of a call, in place of an earlier one, and do what it says.

    With a time to call back, the subscriber waits for that time and is then called as after a retry: within the
    calling hours, not if the number is on a do-not-call list, and by any agent of the queue. If a call that was placed
    goes on, the subscriber waits from its end on. With `same_agent`, the call first waits for the agent of this call.
    A campaign that ended because nobody was left to call goes on. An earlier time that has not come is forgotten.
    `DO_NOT_CALL` puts the number on the account's own do-not-call list, and on the first list that the campaign names.

    Raises:
        UnknownRecordError: there is no such call.
        InvalidFieldsError: the campaign has no such outcome, or the time is past, after its end, or goes with another
            disposition; or no agent can take the call-back themselves; or a note is about an erased person.
        RefusedError: the callee is in a call in which no agent has talked, or in another one, or must not be called
            again; or the campaign is over.
    """
    call = _read(unit.connection, callrequest_id)
    before = disposition_of(unit.connection, callrequest_id)
    if before is None or (before.disposition, before.word) != (disposed.disposition, disposed.word):
        _check_outcome(call, disposed)
    _check_same_agent(unit.connection, callrequest_id, disposed)
    _check_note(call, disposed)
    touched = _forget_call_back(unit, call, before) if before is not None else NOTHING
    if before is not None and before.call_back_ms not in {None, disposed.call_back_ms}:
        # It may have ended a rest that now lasts on, for whoever was read already.
        touched |= touched_campaigns(call["campaign_id"])
    call, promise = _read(unit.connection, callrequest_id), None
    if disposed.call_back_ms is not None:
        promise = _promise(unit.connection, callrequest_id, call, disposed)
        touched |= _call_back(unit, call, disposed, promise)
    elif disposed.disposition is AgentDisposition.DO_NOT_CALL:
        touched |= _call_off(unit, call, callrequest_id, disposed.note)
    if call["call_status"] == CallRequestStatus.CALLING:
        touched |= Touched(calls=frozenset({callrequest_id}))
    _write(unit, callrequest_id, disposed, promise, was_completed=call["status"] == SubscriberStatus.COMPLETED)
    earlier = None if before is None else Said(before.disposition.value, before.word)
    is_refusal = disposed.disposition is AgentDisposition.NOT_INTERESTED
    was_refusal = before is not None and before.disposition is AgentDisposition.NOT_INTERESTED
    if is_refusal is not was_refusal:
        touched |= refusal_said(unit, call["user_id"], call["number"], is_taken_back=was_refusal)
    move_disposition(unit.connection, callrequest_id, earlier, Said(disposed.disposition.value, disposed.word))
    free_for_next_call(unit, callrequest_id)
    event = CallDisposed(call["campaign_id"], callrequest_id)
    unit.note(touched, *([] if before == disposed else [event]))


def _read(connection: Connection, callrequest_id: int) -> RowMapping:
    """Return the subscriber and the campaign of a call. Callers who are no subscribers have an `id` of None."""
    columns = ("id", "duplicate_contact", "status", "due_ms", "contact_id", "phonebook_id")
    query = (
        select(
            *(Subscriber.__table__.c[name] for name in columns),
            func.coalesce(Subscriber.number, CallRequest.callerid).label("number"),
            Campaign.id.label("campaign_id"),
            Campaign.status.label("campaign_status"),
            Campaign.status_reason.label("campaign_reason"),
            Campaign.expirationdate,
            Campaign.dnc_id,
            CallRequest.id.label("callrequest_id"),
            CallRequest.status.label("call_status"),
            CallRequest.attempt,
            CallRequest.is_simulated,
            Campaign.call_back_wait,
            Campaign.dispositions,
            Campaign.user_id,
            func.coalesce(CallDisposition.was_completed, false()).label("was_completed"),
        )
        .select_from(CallRequest)
        .outerjoin(Subscriber, Subscriber.id == CallRequest.subscriber_id)
        .join(Campaign, Campaign.id == CallRequest.campaign_id)
        .outerjoin(CallDisposition, CallDisposition.callrequest_id == CallRequest.id)
        .where(CallRequest.id == callrequest_id)
    )
    row = connection.execute(query).mappings().first()
    if row is None:
        raise UnknownRecordError(f"There is no call {callrequest_id}.")
    return row


def _goes_on(call: RowMapping) -> bool:
    """Return whether a call that the campaign has placed is in progress. Its end decides about the subscriber."""
    return bool(call["call_status"] == CallRequestStatus.CALLING and call["attempt"] > 0)


def _forget_call_back(unit: UnitOfWork, call: RowMapping, before: Disposed) -> Touched:
    """Take back an earlier call-back that has not come: the subscriber was reached, and waits for nothing.

    A subscriber that had completed the survey before the call-back is COMPLETED again.
    """
    is_waiting = call["status"] == SubscriberStatus.PENDING and before.call_back_ms == call["due_ms"]
    if not is_waiting:
        return NOTHING
    _move(unit, call, SubscriberStatus.COMPLETED if call["was_completed"] else SubscriberStatus.SENT, due_ms=0)
    if call["was_completed"]:
        _count_completed(unit, call, 1)
    return touched_campaigns(call["campaign_id"])


def _call_back(unit: UnitOfWork, call: RowMapping, disposed: Disposed, promise: Promise | None) -> Touched:
    _check_time(unit, call, disposed)
    _check_person(unit.connection, call)
    if not _goes_on(call):
        _move(unit, call, SubscriberStatus.PENDING, due_ms=disposed.call_back_ms or 0, promise=promise)
    if call["campaign_status"] == CampaignStatus.END:
        _reopen(unit, call["campaign_id"])
    if call["status"] == SubscriberStatus.COMPLETED:
        _count_completed(unit, call, -1)
    return touched_campaigns(call["campaign_id"])


def _promise(connection: Connection, callrequest_id: int, call: RowMapping, disposed: Disposed) -> Promise | None:
    """Return the agent who takes a call-back themselves, and how long it waits for them; None for any agent."""
    agent_id = agent_who_talked(connection, callrequest_id) if disposed.same_agent else None
    if agent_id is None or disposed.call_back_ms is None:
        return None
    wait_ms, left_ms = call["call_back_wait"] * 1_000, call["expirationdate"] - disposed.call_back_ms
    return promised(agent_id, disposed.call_back_ms, wait_ms, left_ms)


def _check_same_agent(connection: Connection, callrequest_id: int, disposed: Disposed) -> None:
    wrong = None
    if disposed.same_agent and disposed.call_back_ms is None:
        wrong = "Set the time of the call-back, too."
    elif disposed.same_agent and agent_who_talked(connection, callrequest_id) is None:
        wrong = "No agent has talked in the call, so none can take the call-back themselves."
    if wrong is not None:
        raise InvalidFieldsError({"same_agent": [wrong]})


def agent_who_talked(connection: Connection, callrequest_id: int) -> int | None:
    """Return the last agent who talked in a call; None without one, or if the agent was deleted."""
    talked = select(Transfer.agent_id).where(Transfer.callrequest_id == callrequest_id)
    talked = talked.where(Transfer.answered_ms.is_not(None), Transfer.agent_id.is_not(None))
    return connection.scalar(talked.order_by(Transfer.place.desc()).limit(1))


def _reopen(unit: UnitOfWork, campaign_id: int) -> None:
    """Let a campaign go on that ended because nobody was left to call: now somebody is."""
    written = {"status": CampaignStatus.START, "status_reason": "", "updated_date": unit.now_ms}
    unit.connection.execute(update(Campaign).where(Campaign.id == campaign_id).values(written))
    unit.note(NOTHING, CampaignStarted(campaign_id))


def _count_completed(unit: UnitOfWork, call: RowMapping, difference: int) -> None:
    counted = update(Campaign).where(Campaign.id == call["campaign_id"])
    unit.connection.execute(counted.values(completed=Campaign.completed + difference))


def _check_outcome(call: RowMapping, disposed: Disposed) -> None:
    outcomes = offered_outcomes(call["dispositions"])
    if Outcome(disposed.disposition, disposed.word) not in outcomes:
        words = [one.word for one in outcomes if one.disposition is disposed.disposition]
        if words and not disposed.word:
            lacking = Sentence(
                "The campaign has words of its own for it. Give one of these: %(words)s.", words=", ".join(words)
            )
            raise InvalidFieldsError({"word": [lacking]})
        wrong = Sentence(
            "The campaign has no outcome %(outcome)s. Choose one of these: %(outcomes)s.",
            outcome=Outcome(disposed.disposition, disposed.word).text,
            outcomes=", ".join(one.text for one in outcomes),
        )
        raise InvalidFieldsError({"disposition": [wrong]})


def _check_note(call: RowMapping, disposed: Disposed) -> None:
    if disposed.note and ERASED in {call["duplicate_contact"], call["number"]}:
        raise InvalidFieldsError({"note": ["The person was erased. Leave the note empty."]})


def _check_time(unit: UnitOfWork, call: RowMapping, disposed: Disposed) -> None:
    at_ms = disposed.call_back_ms or 0
    wrong: str | None = None
    if disposed.disposition is not AgentDisposition.CALL_BACK:
        wrong = Sentence(
            "A time goes with the disposition %(call_back)s, not with %(disposition)s.",
            call_back=AgentDisposition.CALL_BACK,
            disposition=disposed.disposition,
        )
    elif at_ms <= unit.now_ms:
        wrong = "The time is past. Use a later one."
    elif at_ms >= call["expirationdate"]:
        ends = datetime.fromtimestamp(call["expirationdate"] // 1_000, UTC)
        wrong = Sentence(
            "The campaign ends before that time. Use one before %(ends)s UTC, or have a manager set a later"
            " %(field)s first.",
            ends=Moment(f"{ends:%Y-%m-%d %H:%M}"),
            field=FieldName("expirationdate"),
        )
    if wrong is not None:
        raise InvalidFieldsError({"call_back_date": [wrong]})


def _check_person(connection: Connection, call: RowMapping) -> None:
    """Refuse a call-back of somebody who is in a call, or must not be called again."""
    if call["id"] is None:
        raise RefusedError(
            "The caller is in no phonebook of the campaign. Add the number to one to have it called.",
            code=ErrorCode.NO_CONTACT,
        )
    if not _takes_call_backs(call["campaign_status"], call["campaign_reason"]):
        raise RefusedError(
            "The campaign is over, so nobody is called back. Clear the time. A manager can call the person again in a"
            " new campaign.",
            code=ErrorCode.CAMPAIGN_OVER,
        )
    if _is_in_another_call(connection, call):
        raise RefusedError(
            "The call is in progress. Save the time of the call-back when it is over.", code=ErrorCode.IN_PROGRESS
        )
    refuse_without_contact(call["contact_id"], call["phonebook_id"])
    if call["duplicate_contact"] == ERASED or is_emergency(call["number"]):
        raise RefusedError("The number must not be called again.", code=ErrorCode.DO_NOT_CALL)
    if on_dnc(connection, [call["id"]]):
        raise RefusedError(
            "The number is on a do-not-call list, so it is not called again.", code=ErrorCode.DO_NOT_CALL
        )


def _is_in_another_call(connection: Connection, call: RowMapping) -> bool:
    """Return whether the callee is in another call than one in which an agent promises the call-back."""
    is_over, identity = call["call_status"] != CallRequestStatus.CALLING, call["callrequest_id"]
    if not is_over and agent_who_talked(connection, identity) is None:
        return True
    if _goes_on(call):
        return False
    return bool(call["status"] == SubscriberStatus.IN_PROCESS) or has_other_call(connection, call["id"], identity)


def _call_off(unit: UnitOfWork, call: RowMapping, callrequest_id: int, note: str) -> Touched:
    """Put the number on the account's own list, and on the first list that the campaign names.

    The wish of a simulated person goes on the account's list of such wishes only.
    A wish is never refused. Nothing is left to do for people whose number is unknown, or was erased.
    """
    if call["duplicate_contact"] == ERASED or call["number"] in {"", ERASED}:
        return NOTHING
    is_simulated = call["is_simulated"]
    own = list_of_wish(unit.connection, call["user_id"], unit.now_ms, is_simulated=is_simulated)
    lists = lists_of(unit.connection, {call["campaign_id"]: call["dnc_id"]})[call["campaign_id"]]
    named = None if is_simulated else lists.first
    proof = Proof(WishSource.AGENT, call["campaign_id"], callrequest_id, said=note)
    entries = call_off(unit.connection, (named, own), call["number"], proof, unit.now_ms)
    of_account = users_of_dnc(unit.connection, own)
    touched = of_account if named is None else of_account | users_of_dnc(unit.connection, named)
    unit.note(touched, *(NumberCalledOff(dnc_id, entry_id) for dnc_id, entry_id in entries))
    return touched


def _move(
    unit: UnitOfWork, call: RowMapping, status: SubscriberStatus, *, due_ms: int, promise: Promise | None = None
) -> None:
    written: dict[str, object] = {"status": status, "status_reason": "", "halt_reason": "", "due_ms": due_ms}
    agent_id, until_ms = (None, 0) if promise is None else promise
    written |= {"promised_agent_id": agent_id, "promised_until_ms": until_ms}
    unit.connection.execute(
        update(Subscriber).where(Subscriber.id == call["id"]).values(**written, updated_date=unit.now_ms)
    )


def _write(
    unit: UnitOfWork, callrequest_id: int, disposed: Disposed, promise: Promise | None, *, was_completed: bool
) -> None:
    agent_id, until_ms = promise or (None, 0)
    is_of_call = CallDisposition.callrequest_id == callrequest_id
    since_ms = unit.connection.scalar(select(CallDisposition.created_date).where(is_of_call))
    unit.connection.execute(delete(CallDisposition).where(is_of_call))
    unit.connection.execute(
        insert(CallDisposition).values(
            callrequest_id=callrequest_id,
            disposition=disposed.disposition.value,
            word=disposed.word,
            note=disposed.note,
            call_back_ms=disposed.call_back_ms,
            same_agent=disposed.same_agent,
            was_completed=was_completed,
            promised_agent_id=agent_id,
            promised_until_ms=until_ms,
            created_date=unit.now_ms if since_ms is None else since_ms,
            updated_date=unit.now_ms,
        )
    )
