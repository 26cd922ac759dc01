"""Calling again: the people of a campaign that is over become subscribers of a new campaign, a slice at a time.

Slices follow the numbers, which are unique in a campaign. The outcome of each person is judged when its slice is read.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    SQLColumnExpression,
    and_,
    delete,
    exists,
    func,
    literal,
    select,
    update,
)

from dialer.domain.numbers.emergency import is_emergency
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.rules.call_again import NO_CALLS, AgainOutcome, CallsOfPerson, NotAgain, PlayedTo, judge
from dialer.domain.words.enums import AmdStatus, CampaignStatus, LegType, SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.store.queries.contact_rules import covered_now
from dialer.store.queries.do_not_call import on_dnc
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.sealed_surveys import sealed_survey
from dialer.store.rows.joining.new_subscribers import COLUMNS, joining, subscribe
from dialer.store.rows.old_calls import removed_before_ms
from dialer.store.tables import (
    CallDisposition,
    CallRequest,
    Campaign,
    Cdr,
    PeopleToCopy,
    SmsMessage,
    Subscriber,
    Transfer,
)

SLICE: Final = 1_000
"""People of a campaign that are read and judged at once."""
_JUDGED: Final = (
    *("id", "number", "duplicate_contact", "status", "status_reason", "count_attempt", "contact_id", "phonebook_id"),
    *("created_date", "zone"),
)
_FILLING: Final = (CampaignStatus.NEW, CampaignStatus.START, CampaignStatus.PAUSE)


class Judged(NamedTuple):
    """The people of one slice: those to call again, by their outcomes, and the others, by the reasons."""

    people: dict[int, AgainOutcome]
    """The outcomes of subscribers, by id."""
    kept: Counter[NotAgain]
    after: str | None
    """The number after which the next slice begins. None after the last one."""
    read: int


class _Slice(NamedTuple):
    """The subscribers of a campaign after one number, and up to another. Queries of ranges beat lists of ids."""

    source_id: int
    after: str
    last: str

    def holds(self) -> ColumnElement[bool]:
        """Return the condition that a subscriber is in the slice."""
        return and_(
            Subscriber.campaign_id == self.source_id, Subscriber.number > self.after, Subscriber.number <= self.last
        )


def judge_slice(
    connection: Connection, source_id: int, after: str, *, now_ms: int, into: int = 0, most: int = SLICE
) -> Judged:
    """Judge the people of a campaign after a number, for a new campaign `into` that may have some of them already."""
    columns = [Subscriber.__table__.c[name] for name in _JUDGED]
    query = select(*columns).where(Subscriber.campaign_id == source_id, Subscriber.number > after)
    rows = connection.execute(query.order_by(Subscriber.number).limit(most)).all()
    if not rows:
        return Judged({}, Counter(), None, 0)
    slice_ = _Slice(source_id, after, rows[-1].number)
    must_not = _refusals(connection, slice_, rows, into)
    calls = _calls_of(connection, slice_)
    played_to = _played_to(connection, source_id)
    refused = [row for row in rows if row.status_reason == SubscriberReason.NO_CONSENT]
    consented = covered_now(connection, source_id, {row.number: row.zone for row in refused}, now_ms)
    people: dict[int, AgainOutcome] = {}
    kept: Counter[NotAgain] = Counter()
    for row in rows:
        verdict = must_not.get(row.id) or judge(
            row.status,
            row.status_reason,
            row.count_attempt,
            calls.get(row.id, NO_CALLS)._replace(has_consented=row.number in consented),
            played_to,
        )
        if isinstance(verdict, AgainOutcome):
            people[row.id] = verdict
        else:
            kept[verdict] += 1
    return Judged(people, kept, rows[-1].number if len(rows) == most else None, len(rows))


def copy_people(connection: Connection, campaign_id: int, now_ms: int, most: int) -> int:
    """Copy people whom a campaign calls again, out of up to `most` subscribers of the earlier campaign.

    Return the number of subscribers looked at: `most` if some are left. A campaign that is over copies nobody.
    """
    query = select(PeopleToCopy.outcomes, PeopleToCopy.after_number, Campaign.source_campaign_id, Campaign.status)
    query = query.join(Campaign, Campaign.id == PeopleToCopy.id).where(PeopleToCopy.id == campaign_id)
    progress = connection.execute(query).first()
    if progress is None:
        return 0
    outcomes, source_id = frozenset(progress.outcomes.split(",")), progress.source_campaign_id
    after = progress.after_number if progress.status in _FILLING and source_id is not None else None
    looked_at = 0
    while looked_at < most and after is not None:
        judged = judge_slice(
            connection, source_id, after, now_ms=now_ms, into=campaign_id, most=min(SLICE, most - looked_at)
        )
        chosen = [subscriber_id for subscriber_id, outcome in judged.people.items() if outcome in outcomes]
        if chosen:
            rows = joining(_as_new(campaign_id, chosen, now_ms))
            subscribe(connection, campaign_id, rows, many=len(chosen))
        looked_at, after = looked_at + judged.read, judged.after
    this = PeopleToCopy.id == campaign_id
    if after is None:
        connection.execute(delete(PeopleToCopy).where(this))
        return looked_at
    connection.execute(update(PeopleToCopy).where(this).values(after_number=after))
    return most


def was_called_before(campaign_id: int, number: SQLColumnExpression[str]) -> ColumnElement[bool]:
    """Return the condition that a number is in a campaign whose people another one calls again, maybe indirectly.

    Contacts with these numbers do not join the other campaign: only the people who were chosen for it do.
    """
    line = (
        select(Campaign.source_campaign_id.label("id"))
        .where(Campaign.id == campaign_id)
        .cte(recursive=True, nesting=True)
    )
    earlier = select(Campaign.source_campaign_id).join(line, line.c.id == Campaign.id)
    line = line.union(earlier.where(Campaign.source_campaign_id.is_not(None)))
    return exists().where(Subscriber.number == number, Subscriber.campaign_id.in_(select(line.c.id)))


def _as_new(campaign_id: int, chosen: Collection[int], now_ms: int) -> Select[Any]:
    """Return a query of subscribers as new ones of a campaign. They must be of its account."""
    owner = select(Campaign.user_id).where(Campaign.id == campaign_id).scalar_subquery()
    anew: dict[str, str | int] = {
        "campaign_id": campaign_id,
        **dict.fromkeys(("created_date", "updated_date"), now_ms),
        "status": int(SubscriberStatus.PENDING),
        **dict.fromkeys(("status_reason", "halt_reason"), ""),
        **dict.fromkeys(("count_attempt", "failure_count", "completion_count", "due_ms"), 0),
    }
    columns = [literal(anew[name]) if name in anew else Subscriber.__table__.c[name] for name in COLUMNS]
    return select(*columns).where(Subscriber.id.in_(chosen), Subscriber.user_id == owner).order_by(Subscriber.id)


def _refusals(connection: Connection, slice_: _Slice, rows: Sequence[Row[Any]], into: int) -> dict[int, NotAgain]:
    """Return the people who are not called again whatever came of their calls, by the ids of their subscribers."""
    busy, listed = _under_way(connection, slice_), on_dnc(connection, [row.id for row in rows])
    elsewhere, removed_ms = _called_again(connection, slice_, into), removed_before_ms(connection)
    refusals: dict[int, NotAgain] = {}
    for row in rows:
        if row.duplicate_contact == ERASED or (row.contact_id is None and row.phonebook_id is not None):
            refusals[row.id] = NotAgain.DELETED
        elif is_emergency(row.number):
            refusals[row.id] = NotAgain.EMERGENCY
        elif row.id in listed:
            refusals[row.id] = NotAgain.DNC
        elif row.id in busy:
            refusals[row.id] = NotAgain.IN_PROGRESS
        elif row.number in elsewhere:
            refusals[row.id] = NotAgain.CALLED_AGAIN
        elif row.created_date < removed_ms:
            refusals[row.id] = NotAgain.TOO_OLD
    return refusals


def _under_way(connection: Connection, slice_: _Slice) -> set[int]:
    """Return the subscribers in a call, which may be inbound, or with a message on its way."""
    calls = select(Subscriber.id).join(CallRequest, CallRequest.subscriber_id == Subscriber.id)
    messages = select(Subscriber.id).join(SmsMessage, SmsMessage.subscriber_id == Subscriber.id)
    return {
        *connection.scalars(calls.where(slice_.holds(), IS_CALLING)),
        *connection.scalars(messages.where(slice_.holds(), SmsMessage.ended_ms.is_(None))),
    }


def _called_again(connection: Connection, slice_: _Slice, into: int) -> set[str]:
    """Return the numbers that another campaign calls again already."""
    others = select(Campaign.id).where(Campaign.source_campaign_id == slice_.source_id, Campaign.id != into)
    query = select(Subscriber.number).where(Subscriber.campaign_id.in_(others))
    return set(connection.scalars(query.where(Subscriber.number > slice_.after, Subscriber.number <= slice_.last)))


def _calls_of(connection: Connection, slice_: _Slice) -> Mapping[int, CallsOfPerson]:
    """Return what is known of the calls of subscribers, by id; those without a call have no entry."""
    said = func.coalesce(CallDisposition.disposition, "")
    # A call that was taken later than the rule of abandoned calls allows did not wait in vain.
    was_taken = exists().where(Transfer.callrequest_id == CallRequest.id, Transfer.answered_ms.is_not(None))
    in_vain = Cdr.is_abandoned & ~was_taken
    query = (
        select(
            Subscriber.id,
            Cdr.amd_status,
            in_vain,
            said,
            (CallRequest.attempt < 0) & Cdr.is_completed,
            Cdr.is_completed & (Cdr.amd_status == int(AmdStatus.MACHINE)),
        )
        .join(CallRequest, CallRequest.subscriber_id == Subscriber.id)
        .outerjoin(Cdr, and_(Cdr.callrequest_id == CallRequest.id, Cdr.leg_type == int(LegType.A_LEG)))
        .outerjoin(CallDisposition, CallDisposition.callrequest_id == CallRequest.id)
        .where(slice_.holds())
        .order_by(CallRequest.id)
    )
    found: dict[int, CallsOfPerson] = {}
    for subscriber_id, amd_status, waited_in_vain, disposition, has_called_in, by_machine in connection.execute(query):
        earlier = found.get(subscriber_id, NO_CALLS)
        dispositions = earlier.dispositions | {disposition} if disposition else earlier.dispositions
        found[subscriber_id] = CallsOfPerson(
            amd_status,
            bool(waited_in_vain),
            disposition,
            dispositions,
            earlier.has_called_in or bool(has_called_in),
            bool(by_machine),
        )
    return found


def _played_to(connection: Connection, source_id: int) -> PlayedTo:
    survey = sealed_survey(connection, source_id)
    query = select(Campaign.amd_behavior, Campaign.machine_is_reached).where(Campaign.id == source_id)
    behavior, machine_is_reached = connection.execute(query).one_or_none() or (0, False)
    has_completion = survey is not None and survey.has_completion
    return PlayedTo(has_completion, behavior, bool(machine_is_reached))


def copying_from(connection: Connection, source_id: int) -> list[int]:
    """Return the campaigns that still have to copy people of this one, the oldest first."""
    is_filling = Campaign.status.in_(_FILLING)
    query = select(PeopleToCopy.id).join(Campaign, Campaign.id == PeopleToCopy.id)
    query = query.where(Campaign.source_campaign_id == source_id, is_filling).order_by(PeopleToCopy.id)
    return list(connection.scalars(query))
