"""The rows behind the invariants: the facts that a check reads, and the pause of a user whose rule was broken."""

from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import (
    Connection,
    Select,
    SQLColumnExpression,
    String,
    bindparam,
    case,
    exists,
    func,
    select,
    tuple_,
    update,
)
from sqlalchemy.orm import aliased

from dialer.domain.calls.plans import Call
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.store.backends.expressions import among
from dialer.store.database.bulk import PreparedQuery
from dialer.store.database.touched import Touched, touch
from dialer.store.queries.do_not_call import lists_that_hold
from dialer.store.tables import CallRequest, Campaign, Cdr, DncList, LedgerEntry, Subscriber, User

Key = TypeVar("Key")

CHUNK: Final = 500
"""Keys in one query."""
_GONE: Final = (0, 0, 0)
"""The status, the attempts and the next status of a subscriber that does not exist."""

_ids: Any = bindparam("ids", type_=String())
_MONEY: Final = PreparedQuery(select(User.id, User.balance, User.held).where(among(User.id, _ids)))
_seen: Final = aliased(Campaign, name="seen")
_STANDING: Final = PreparedQuery(
    select(
        _seen.id,
        _seen.status,
        _seen.startingdate,
        _seen.expirationdate,
        exists().where(DncList.id.in_(lists_that_hold(_seen.id, _seen))),
    ).where(among(_seen.id, _ids))
)


class CampaignStanding(NamedTuple):
    """The status of a campaign, its dates in milliseconds since the epoch, and if a do-not-call list holds for it."""

    status: int
    starting_ms: int
    expires_ms: int
    has_lists: bool


class Placed(NamedTuple):
    """The intended change of a subscriber, from one status to another; a refusal keeps the number of attempts."""

    subscriber_id: int
    status: int
    attempts: int | None
    was_status: int
    had_attempts: int | None
    call: Call | None
    """The call of the change. None for a refusal."""


class Added(NamedTuple):
    """A row that was to be added with a unique `key`. A ledger entry has no id before it is inserted."""

    key: object
    id: int | None
    user_id: int
    campaign_id: int | None = None
    call_id: int | None = None


def money_of(connection: Connection, user_ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return the balance of users and the amount held of it, in integers of 1e-5."""
    rows = _MONEY.rows(connection, {"ids": str(list(user_ids))})
    return {user_id: (balance, held) for user_id, balance, held in rows}


def standing_of(connection: Connection, campaign_ids: Collection[int]) -> dict[int, CampaignStanding]:
    """Return the status and the dates of campaigns by their ids."""
    rows = _STANDING.rows(connection, {"ids": str(list(campaign_ids))})
    return {row[0]: CampaignStanding(*row[1:]) for row in rows}


def pause_user(connection: Connection, user_id: int, now_ms: int) -> int:
    """Pause every campaign of a user that is in START, because a rule was broken; return their count."""
    pause = (
        update(Campaign)
        .where(Campaign.user_id == user_id, Campaign.status == CampaignStatus.START)
        .values(status=CampaignStatus.PAUSE, status_reason="invariant", updated_date=now_ms)
    )
    paused = connection.scalars(pause.returning(Campaign.id)).all()
    touch(connection, Touched(campaigns=frozenset(paused)))
    return len(paused)


def started_users(connection: Connection, user_ids: Collection[int]) -> set[int]:
    """Return the users, among those given, who have a campaign in START."""
    query = select(Campaign.user_id).where(Campaign.user_id.in_(user_ids), Campaign.status == CampaignStatus.START)
    return set(connection.scalars(query))


def misplaced_subscriber(connection: Connection, placed: Sequence[Placed]) -> BrokenInvariantError:
    """Return the error for the first subscriber whose row was not in the expected state, and is therefore unchanged."""
    becomes = case((Subscriber.halt_reason != "", SubscriberStatus.ABORT), else_=SubscriberStatus.PENDING)
    columns = (Subscriber.id, Subscriber.status, Subscriber.count_attempt, becomes)
    found: dict[int, tuple[int, int, int]] = {}
    for some in _chunks([one.subscriber_id for one in placed]):
        query = select(*columns).where(Subscriber.id.in_(some))
        found |= {subscriber_id: (status, made, to) for subscriber_id, status, made, to in connection.execute(query)}
    wrong = [one for one in placed if not _is_placed(one, *found.get(one.subscriber_id, _GONE))]
    one = wrong[0] if wrong else placed[0]
    status, attempts, _ = found.get(one.subscriber_id, _GONE)
    user_id, campaign_id = _owner(connection, one)
    is_called = one.had_attempts not in {None, attempts} or status == SubscriberStatus.IN_PROCESS
    return BrokenInvariantError(
        Rule.ATTEMPTS if is_called else Rule.MOVES,
        f"subscriber {one.subscriber_id} has status {status} after {attempts} attempts,"
        f" and was taken to have {one.was_status} after {one.had_attempts}",
        user_id=user_id,
        campaign_id=campaign_id,
        call_id=None if one.call is None else one.call.id,
    )


def _owner(connection: Connection, placed: Placed) -> tuple[int, int]:
    """Return the ids of the user and the campaign of a subscriber."""
    if placed.call is not None:
        return placed.call.plan.user_id, placed.call.plan.id
    query = (
        select(Campaign.user_id, Campaign.id)
        .join(Subscriber, Subscriber.campaign_id == Campaign.id)
        .where(Subscriber.id == placed.subscriber_id)
    )
    user_id, campaign_id = connection.execute(query).one()
    return user_id, campaign_id


def _is_placed(wanted: Placed, status: int, attempts: int, if_pending: int) -> bool:
    """Return whether a row has the intended status and attempts. A halted subscriber gets ABORT instead of PENDING."""
    expected = if_pending if wanted.status == SubscriberStatus.PENDING else wanted.status
    return status == expected and wanted.attempts in {None, attempts}


def ended_before(connection: Connection, ends: Sequence[tuple[Call, int]]) -> BrokenInvariantError:
    """Return the error for the first of some ended calls that was not in progress, so that its row is unchanged."""
    columns = (CallRequest.id, CallRequest.ended_ms, func.count(Cdr.id))
    found: dict[int, tuple[int | None, bool]] = {}
    for some in _chunks([call.id for call, _ in ends]):
        query = select(*columns).outerjoin(Cdr, Cdr.callrequest_id == CallRequest.id)
        rows = connection.execute(query.where(CallRequest.id.in_(some)).group_by(CallRequest.id))
        found |= {call_id: (ended_ms, cdrs > 0) for call_id, ended_ms, cdrs in rows}
    wrong = [call for call, ended_ms in ends if found.get(call.id) != (ended_ms, False)]
    call = wrong[0] if wrong else ends[0][0]
    what = f"call {call.id} was to be ended, and is not in progress"
    return BrokenInvariantError(
        Rule.ENDED_ONCE, what, user_id=call.plan.user_id, campaign_id=call.plan.id, call_id=call.id
    )


def added_twice(
    connection: Connection,
    requests: Sequence[Added],
    cdrs: Sequence[Added],
    entries: Sequence[Added],
    *,
    undone: bool = False,
) -> BrokenInvariantError | None:
    """Return the error for the first row that existed already; None if there is none, so that another problem exists.

    The rows were inserted in the given order. Rows before the failed one exist with their own ids, unless they were
    `undone`. Entries come last and have no ids: the last entry that exists is the duplicate, or the first if the others
    were undone.
    """
    attempt = (CallRequest.subscriber_id, CallRequest.attempt)
    batches = (
        (Rule.ATTEMPTS, tuple_(*attempt), select(CallRequest.id, *attempt), requests),
        (Rule.CDRS, Cdr.callid, select(Cdr.id, Cdr.callid), cdrs),
    )
    for rule, column, query, batch in batches:
        there = _there(connection, column, query, batch)
        twice = next((one for one in batch if there.setdefault(one.key, one.id or 0) != one.id), None)
        if twice is not None:
            return _twice(rule, twice)
    there = _there(connection, LedgerEntry.reference, select(LedgerEntry.id, LedgerEntry.reference), entries)
    if undone:
        again = next((entry for entry in entries if there.setdefault(entry.key, id(entry)) != id(entry)), None)
        return None if again is None else _twice(Rule.LEDGER, again)
    present = list(takewhile(lambda entry: entry.key in there, entries))
    return _twice(Rule.LEDGER, present[-1]) if present else None


def _there(
    connection: Connection, column: SQLColumnExpression[Any], query: Select[*tuple[Any, ...]], batch: Sequence[Added]
) -> dict[object, int]:
    """Return the ids of the rows that exist, by their keys."""
    found: dict[object, int] = {}
    for some in _chunks([one.key for one in batch]):
        for row_id, *key in connection.execute(query.where(column.in_(some))):
            found[tuple(key) if len(key) > 1 else key[0]] = row_id
    return found


def _twice(rule: Rule, one: Added) -> BrokenInvariantError:
    what = f"{one.key} is there already"
    return BrokenInvariantError(rule, what, user_id=one.user_id, campaign_id=one.campaign_id, call_id=one.call_id)


def wrong_move(connection: Connection, campaign_id: int, wanted: CampaignStatus) -> BrokenInvariantError:
    """Return the error for a campaign that was to move to a status that may not follow its present one."""
    query = select(Campaign.user_id, Campaign.status).where(Campaign.id == campaign_id)
    user_id, status = connection.execute(query).one()
    what = f"campaign {campaign_id} was to go from {status} to {int(wanted)}"
    return BrokenInvariantError(Rule.MOVES, what, user_id=user_id, campaign_id=campaign_id)


def _chunks(keys: Sequence[Key]) -> Iterator[Sequence[Key]]:
    return (keys[place : place + CHUNK] for place in range(0, len(keys), CHUNK))
