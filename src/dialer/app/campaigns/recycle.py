"""Recycling: subscribers of a campaign who are done are set back to PENDING, to be called again.

The work is done in chunks, each in a transaction of its own, because a campaign may have a million subscribers. A
subscriber who was recycled is PENDING, so a repetition after a crash recycles only the others.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import BindParameter, Connection, Row, bindparam, case, literal_column, select, update

from dialer.app.campaigns.subscribers import lost_contact
from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.events import SubscribersRecycled
from dialer.app.work.touched_records import touched_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.numbers.emergency import is_emergency
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.domain.words.sentences import Sentence, StateName
from dialer.domain.words.states import RECYCLABLE_CAMPAIGNS, RECYCLABLE_SUBSCRIBERS
from dialer.store.database.bulk import Bulk
from dialer.store.database.touched import NOTHING
from dialer.store.queries.contact_rules import covered_in
from dialer.store.queries.do_not_call import on_dnc
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.tables import CallRequest, Campaign, SmsMessage, Subscriber

RECYCLE_CHUNK: Final = 1_000
"""Subscribers that one transaction looks at."""

_now: BindParameter[int] = bindparam("now_ms", type_=Subscriber.__table__.c.due_ms.type)
_ABANDONED: Final = frozenset(
    {SubscriberReason.CONTACT_DELETED, SubscriberReason.NUMBER_CORRECTED, SubscriberReason.ERASED}
)
_RECYCLE: Final = Bulk(
    update(Subscriber)
    .where(Subscriber.id == bindparam("subscriber_id"))
    .values(
        status=literal_column(str(int(SubscriberStatus.PENDING))),
        status_reason=literal_column("''"),
        halt_reason=literal_column("''"),
        due_ms=case((Subscriber.count_attempt == literal_column("0"), literal_column("0")), else_=_now),
        updated_date=_now,
    ),
    ("subscriber_id", "now_ms"),
)
_ONE: Final = select(Subscriber.__table__).where(Subscriber.id == bindparam("id"))
_SOME: Final = select(Subscriber.__table__).where(Subscriber.id.in_(bindparam("ids", expanding=True)))
_STATES: Final = select(Campaign.id, Campaign.status).where(Campaign.id.in_(bindparam("ids", expanding=True)))
_STATUS: Final = select(Campaign.status).where(Campaign.id == bindparam("id"))
_ids: BindParameter[Any] = bindparam("ids", expanding=True)
_IN_CALLS: Final = select(CallRequest.subscriber_id).where(CallRequest.subscriber_id.in_(_ids), IS_CALLING)
_IN_MESSAGES: Final = select(SmsMessage.subscriber_id).where(
    SmsMessage.subscriber_id.in_(_ids), SmsMessage.ended_ms.is_(None)
)


_WHY_KEPT: Final = {
    "deleted": (ErrorCode.NO_CONTACT, Sentence("The contact was deleted, or the person erased.")),
    "emergency": (ErrorCode.NOT_DIALLED, Sentence("The number is an emergency number.")),
    "dnc": (ErrorCode.DO_NOT_CALL, Sentence("The number is on a do-not-call list of the campaign.")),
    "no_consent": (ErrorCode.NO_CONSENT, Sentence("There is no consent of the person that the campaign needs.")),
    "in_progress": (ErrorCode.IN_PROGRESS, Sentence("A call or a message to the person is in progress.")),
}
"""The reasons why somebody is not called again, each with the code and the sentence of an error."""


class RecycleFilter(msgspec.Struct, frozen=True):
    """The subscribers to recycle: those in one of the statuses, with one of the reasons, and one of the last causes.

    Without reasons, subscribers with any reason are recycled; without causes, those whose last call had any cause.
    """

    statuses: frozenset[int]
    reasons: frozenset[str] = frozenset()
    causes: frozenset[int] = frozenset()


class RecycledChunk(NamedTuple):
    """The result of one chunk: how many subscribers of each status were recycled, and how many were not, by reason."""

    recycled: Counter[int]
    kept: Counter[str]
    after: str | None
    """The number after which the next chunk begins. None after the last chunk."""


def recycle_chunk(unit: UnitOfWork, campaign_id: int, wanted: RecycleFilter, after: str = "") -> RecycledChunk:
    """Set the subscribers of one chunk back to PENDING, with the numbers of their attempts kept.

    Raises:
        UnknownRecordError: there is no such campaign.
        RefusedError: the campaign is over.
    """
    chunk, rows = _select(unit, campaign_id, wanted, after)
    if not rows:
        unit.note(NOTHING)
        return chunk
    _RECYCLE.run(unit.connection, [(row.id, unit.now_ms) for row in rows])
    completed = Campaign.completed - chunk.recycled[SubscriberStatus.COMPLETED]
    unit.connection.execute(update(Campaign).where(Campaign.id == campaign_id).values(completed=completed))
    unit.note(touched_campaigns(campaign_id), SubscribersRecycled(campaign_id, len(rows)))
    return chunk


def count_chunk(unit: UnitOfWork, campaign_id: int, wanted: RecycleFilter, after: str = "") -> RecycledChunk:
    """Return the result that `recycle_chunk` would have, without changing rows.

    Raises:
        UnknownRecordError: there is no such campaign.
        RefusedError: the campaign is over.
    """
    return _select(unit, campaign_id, wanted, after)[0]


def recycle_one(unit: UnitOfWork, subscriber_id: int) -> None:
    """Set one subscriber back to PENDING, with the number of their attempts kept.

    Raises:
        UnknownRecordError: there is no such subscriber.
        RefusedError: they cannot be called again by this campaign, or wait already.
    """
    row = _one(unit.connection, subscriber_id)
    refusal = _refusal_of(unit.connection, row, unit.now_ms)
    if refusal is not None:
        raise refusal
    _RECYCLE.run(unit.connection, [(row.id, unit.now_ms)])
    if row.status == SubscriberStatus.COMPLETED:
        counted = update(Campaign).where(Campaign.id == row.campaign_id)
        unit.connection.execute(counted.values(completed=Campaign.completed - 1))
    unit.note(touched_campaigns(row.campaign_id), SubscribersRecycled(row.campaign_id, 1))


def why_not_again(connection: Connection, subscriber_id: int, now_ms: int) -> RefusedError | None:
    """Return the error with which `recycle_one` would refuse a subscriber; None if it would not.

    Raises:
        UnknownRecordError: there is no such subscriber.
    """
    return _refusal_of(connection, _one(connection, subscriber_id), now_ms)


def why_not_again_of(
    connection: Connection, subscriber_ids: Collection[int], now_ms: int
) -> dict[int, RefusedError | None]:
    """Return what `why_not_again` does for each of some people of several campaigns, with few statements for all."""
    rows = connection.execute(_SOME, {"ids": list(subscriber_ids)}).all() if subscriber_ids else []
    states = connection.execute(_STATES, {"ids": list({row.campaign_id for row in rows})}) if rows else ()
    over = {campaign_id: _why_over(status) for campaign_id, status in map(tuple, states)}
    open_rows = [row for row in rows if over[row.campaign_id] is None]
    kept = _reasons_to_keep(connection, open_rows, now_ms) if open_rows else {}
    return {row.id: over[row.campaign_id] or _why_kept(row, kept.get(row.id)) for row in rows}


def _one(connection: Connection, subscriber_id: int) -> Row[Any]:
    row = connection.execute(_ONE, {"id": subscriber_id}).first()
    if row is None:
        raise UnknownRecordError(f"There is no subscriber {subscriber_id}.")
    return row


def _refusal_of(connection: Connection, row: Row[Any], now_ms: int) -> RefusedError | None:
    try:
        _refuse_if_over(connection, row.campaign_id)
    except RefusedError as error:
        return error
    waits = row.status == SubscriberStatus.PENDING
    return _why_kept(row, None if waits else _reasons_to_keep(connection, [row], now_ms).get(row.id))


def _why_kept(row: Row[Any], reason: str | None) -> RefusedError | None:
    """Return the refusal of a person whom there may be a reason to keep, in a campaign that is not over."""
    if row.status == SubscriberStatus.PENDING:
        return RefusedError("The person waits for a call already.", code=ErrorCode.IN_PROGRESS)
    if reason is None and row.status not in RECYCLABLE_SUBSCRIBERS:
        reason = "in_progress"
    if reason is None:
        return None
    code, message = _WHY_KEPT[reason]
    return RefusedError(message, code=code)


def _select(
    unit: UnitOfWork, campaign_id: int, wanted: RecycleFilter, after: str
) -> tuple[RecycledChunk, list[Row[Any]]]:
    """Return the result of a chunk, and the subscribers to recycle. Chunks follow the numbers, which are unique."""
    connection = unit.connection
    _refuse_if_over(connection, campaign_id)
    columns = (
        "id",
        "campaign_id",
        "number",
        "zone",
        "duplicate_contact",
        "status",
        "status_reason",
        "contact_id",
        "phonebook_id",
    )
    query = select(*[Subscriber.__table__.c[name] for name in columns]).where(
        Subscriber.campaign_id == campaign_id, Subscriber.number > after
    )
    seen = connection.execute(query.order_by(Subscriber.number).limit(RECYCLE_CHUNK)).all()
    selected = [row for row in seen if row.status in wanted.statuses]
    if wanted.reasons:
        selected = [row for row in selected if row.status_reason in wanted.reasons]
    if wanted.causes and selected:
        called = _with_last_cause(connection, [row.id for row in selected], wanted.causes)
        selected = [row for row in selected if row.id in called]
    kept = _reasons_to_keep(connection, selected, unit.now_ms) if selected else {}
    chosen = [row for row in selected if row.id not in kept]
    last = seen[-1].number if len(seen) == RECYCLE_CHUNK else None
    return RecycledChunk(Counter(row.status for row in chosen), Counter(kept.values()), last), chosen


def _refuse_if_over(connection: Connection, campaign_id: int) -> None:
    status = connection.scalar(_STATUS, {"id": campaign_id})
    if status is None:
        raise UnknownRecordError(f"There is no campaign {campaign_id}.")
    if (error := _why_over(status)) is not None:
        raise error


def _why_over(status: int) -> RefusedError | None:
    """Return why a campaign with this status calls nobody again; None if it may."""
    if status in RECYCLABLE_CAMPAIGNS:
        return None
    message = Sentence(
        "The campaign is in %(state)s, so it calls nobody any more. Call its people again in a new campaign"
        " (call-again/).",
        state=StateName(CampaignStatus, status),
    )
    return RefusedError(message, code=ErrorCode.CAMPAIGN_OVER)


def _with_last_cause(connection: Connection, ids: Sequence[int], causes: Collection[int]) -> set[int]:
    """Return the subscribers whose last call by the campaign ended with one of the causes."""
    last = (
        select(CallRequest.subscriber_id)
        .join(Subscriber, Subscriber.id == CallRequest.subscriber_id)
        .where(Subscriber.id.in_(ids), CallRequest.attempt == Subscriber.count_attempt)
        .where(CallRequest.hangup_cause_q850.in_(causes))
    )
    return set(connection.scalars(last))


def _reasons_to_keep(connection: Connection, selected: Sequence[Row[Any]], now_ms: int) -> dict[int, str]:
    """Return the subscribers who must not be called again, each with the reason."""
    ids = [row.id for row in selected]
    busy, listed = _under_way(connection, ids), on_dnc(connection, ids)
    people: dict[int, dict[str, str]] = {}
    for row in selected:
        people.setdefault(row.campaign_id, {})[row.number] = row.zone
    consented = covered_in(connection, people, now_ms)
    kept: dict[int, str] = {}
    for row in selected:
        if (
            row.duplicate_contact == ERASED
            or row.status_reason in _ABANDONED
            or lost_contact(row.contact_id, row.phonebook_id)
        ):
            kept[row.id] = "deleted"
        elif is_emergency(row.number):
            kept[row.id] = "emergency"
        elif row.id in listed:
            kept[row.id] = "dnc"
        elif row.id in busy:
            kept[row.id] = "in_progress"
        elif row.number not in consented[row.campaign_id]:
            kept[row.id] = "no_consent"
    return kept


def _under_way(connection: Connection, ids: Collection[int]) -> set[int]:
    """Return those of some subscribers in a call, which may be inbound, or with a message on its way."""
    asked = {"ids": list(ids)}
    return {*connection.scalars(_IN_CALLS, asked), *connection.scalars(_IN_MESSAGES, asked)}
