"""Removal of old calls, text messages and days of agents: rows, recordings and charges, a slice at a time.

A month's charges of an account become one entry of the ledger, so balances stay. Counters of statistics stay, too.
Subscribers and contacts stay: `dialer erase` is for people.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    SQLColumnExpression,
    Table,
    and_,
    bindparam,
    delete,
    exists,
    false,
    literal,
    or_,
    select,
    true,
    update,
)

from dialer.domain.words.enums import CampaignStatus
from dialer.store.backends.expressions import insert_or
from dialer.store.database.bulk import Bulk
from dialer.store.database.touched import NOTHING, touch
from dialer.store.rows import ledger
from dialer.store.rows.call_recordings import end_recordings, is_held
from dialer.store.tables import (
    AgentPeriod,
    CallRecording,
    CallRequest,
    Campaign,
    Cdr,
    ContactWait,
    LedgerEntry,
    ServiceState,
    SmsMessage,
    SmsReceived,
    SurveyResult,
    WaitingText,
)

SLICE: Final = 100
"""Calls, messages or other rows that one unit of work looks at."""
_SECOND_MS: Final = 1_000
_CAN_CALL_IN: Final = (CampaignStatus.NEW, CampaignStatus.START, CampaignStatus.PAUSE)
# A caller's next call is numbered after the lowest number that is there, and its name follows from this number.
_numbers_next_call: Final = (
    exists()
    .where(Campaign.id == CallRequest.campaign_id, Campaign.status.in_(_CAN_CALL_IN))
    .where(CallRequest.attempt < 0, CallRequest.subscriber_id.is_not(None))
)
_waits_to_be_sent: Final = exists().where(WaitingText.callrequest_id == CallRequest.id)
_is_on_its_way: Final = exists().where(SmsMessage.callrequest_id == CallRequest.id, SmsMessage.ended_ms.is_(None))

_before_ms = bindparam("before_ms", type_=SmsMessage.__table__.c.send_date.type)
_names_of_kept = select(literal("sms:") + SmsMessage.message_id).where(SmsMessage.send_date < _before_ms)
_entries = insert_or(LedgerEntry.__table__)
_ADD_TO_MONTHS: Final = Bulk(
    _entries.values({name: bindparam(name) for name in ledger.Entry._fields}).on_conflict_do_update(
        index_elements=["reference", "user_id"], set_={"amount": LedgerEntry.amount + _entries.excluded["amount"]}
    ),
    ledger.Entry._fields,
)

DeleteFile = Callable[[str], None]
"""Deletes a file of the media directory, if it exists."""


class RemovalPlace(NamedTuple):
    """A place in the order of removal. All removable rows before it have been removed."""

    source: int = 0
    at_ms: int = 0
    row_id: int = 0


class _Source(NamedTuple):
    """Rows that are removed in the order of their time, with all that belongs to them."""

    time: SQLColumnExpression[int]
    row_id: SQLColumnExpression[int]
    is_removable: ColumnElement[bool]
    remove: Callable[[Connection, Sequence[int], DeleteFile], None]


class Removed(NamedTuple):
    """The result of one slice of removals: counts, and the position to go on from."""

    rows: int
    """Number of calls, messages, CDRs, answers or charges that were removed, without what belongs to them."""
    after: RemovalPlace | None
    """The place at which the next slice begins. None if nothing old is left."""


def remove_old_calls(
    connection: Connection, before_ms: int, place: RemovalPlace, delete_file: DeleteFile, most: int = SLICE
) -> Removed:
    """Remove finished calls that began before a time, looking at up to `most` rows from a position on.

    Files are deleted at once. If the unit of work fails, it is repeated, and they had to be deleted anyway.
    """
    touch(connection, NOTHING)
    source = _SOURCES[place.source]
    is_later = or_(source.time > place.at_ms, source.row_id > place.row_id)
    query = select(source.time, source.row_id, source.is_removable)
    query = query.where(source.time >= place.at_ms, source.time < _before_ms, is_later)
    query = query.order_by(source.time, source.row_id).limit(most)
    rows = connection.execute(query, {_before_ms.key: before_ms}).all()
    ids = [row_id for _, row_id, is_removable in rows if is_removable]
    if ids:
        _mark(connection, before_ms)
        source.remove(connection, ids, delete_file)
    if len(rows) == most:
        return Removed(len(ids), RemovalPlace(place.source, *rows[-1][:2]))
    is_last = place.source + 1 == len(_SOURCES)
    return Removed(len(ids), None if is_last else RemovalPlace(place.source + 1))


def removed_before_ms(connection: Connection) -> int:
    """Return the moment before which calls may have been removed; 0 if none ever were."""
    return connection.scalar(select(ServiceState.calls_removed_ms)) or 0


def _mark(connection: Connection, before_ms: int) -> None:
    is_news = ServiceState.calls_removed_ms < before_ms
    connection.execute(update(ServiceState).where(is_news).values(calls_removed_ms=before_ms))


def _remove_received(connection: Connection, ids: Sequence[int], _delete_file: DeleteFile) -> None:
    """Remove text messages that came in. Those that somebody has yet to look at stay."""
    _delete(connection, SmsReceived.__table__, ids)


def _remove_periods(connection: Connection, ids: Sequence[int], _delete_file: DeleteFile) -> None:
    """Remove periods of the days of agents."""
    _delete(connection, AgentPeriod.__table__, ids)


def _remove_waits(connection: Connection, ids: Sequence[int], _delete_file: DeleteFile) -> None:
    """Remove waits for contact rules."""
    _delete(connection, ContactWait.__table__, ids)


def _end_recordings(connection: Connection, ids: Sequence[int], _delete_file: DeleteFile) -> None:
    """Let recordings be removed whose calls are gone. Their rows stay."""
    end_recordings(connection, CallRecording.id.in_(ids))


def _remove_calls(connection: Connection, ids: Sequence[int], delete_file: DeleteFile) -> None:
    """Remove calls with their legs, transfers, answers and messages, and charges."""
    legs = connection.execute(select(Cdr.id, Cdr.callid).where(Cdr.callrequest_id.in_(ids))).all()
    texts = connection.scalars(select(SmsMessage.id).where(SmsMessage.callrequest_id.in_(ids))).all()
    answers = connection.scalars(select(SurveyResult.id).where(SurveyResult.callrequest_id.in_(ids))).all()
    _remove_answers(connection, answers, delete_file)
    end_recordings(connection, CallRecording.callrequest_id.in_(ids))
    _remove_messages(connection, texts, delete_file)
    _remove_legs(connection, [leg.id for leg in legs], delete_file)
    _delete(connection, CallRequest.__table__, ids)


def _remove_legs(connection: Connection, ids: Sequence[int], _: DeleteFile) -> None:
    if callids := connection.scalars(select(Cdr.callid).where(Cdr.id.in_(ids))).all():
        _sum_up(connection, [f"{cause}:{callid}" for callid in callids for cause in ("call", "refund")])
        _delete(connection, Cdr.__table__, ids)


def _remove_messages(connection: Connection, ids: Sequence[int], _: DeleteFile) -> None:
    if names := connection.scalars(select(SmsMessage.message_id).where(SmsMessage.id.in_(ids))).all():
        _sum_up(connection, [f"sms:{name}" for name in names])
        _delete(connection, SmsMessage.__table__, ids)


def _sum_up_lost(connection: Connection, ids: Sequence[int], _: DeleteFile) -> None:
    _sum_up(connection, connection.scalars(select(LedgerEntry.reference).where(LedgerEntry.id.in_(ids))).all())


def _remove_answers(connection: Connection, ids: Sequence[int], delete_file: DeleteFile) -> None:
    if not ids:
        return
    files = select(SurveyResult.record_file).where(SurveyResult.id.in_(ids), SurveyResult.record_file != "")
    for name in connection.scalars(files):
        delete_file(name)
    _delete(connection, SurveyResult.__table__, ids)


def _delete(connection: Connection, table: Table, ids: Sequence[int]) -> None:
    connection.execute(delete(table).where(table.c.id.in_(ids)))


def _sum_up(connection: Connection, references: Sequence[str]) -> None:
    """Replace entries of the ledger by one entry for each account, kind and month (in UTC)."""
    columns = LedgerEntry.id, LedgerEntry.user_id, LedgerEntry.kind, LedgerEntry.amount, LedgerEntry.created_date
    entries = connection.execute(select(*columns).where(LedgerEntry.reference.in_(references))).all()
    if not entries:
        return
    sums: defaultdict[tuple[int, str, datetime], int] = defaultdict(int)
    for entry in entries:
        sums[entry.user_id, entry.kind, _month_of(entry.created_date)] += entry.amount
    _delete(connection, LedgerEntry.__table__, [entry.id for entry in entries])
    rows = [
        ledger.Entry(
            user_id, kind, amount, f"{ledger.MONTHLY[kind]}:{month:%Y-%m}", int(month.timestamp()) * _SECOND_MS
        )
        for (user_id, kind, month), amount in sorted(sums.items())
    ]
    _ADD_TO_MONTHS.run(connection, rows)


def _month_of(at_ms: int) -> datetime:
    """Return the first moment of a month. It is the time of the month's entry, which so never changes."""
    return datetime.fromtimestamp(at_ms // _SECOND_MS, UTC).replace(day=1, hour=0, minute=0, second=0)


_SOURCES: Final = (
    _Source(
        CallRequest.started_ms,
        CallRequest.id,
        and_(CallRequest.ended_ms.is_not(None), ~_numbers_next_call, ~_waits_to_be_sent, ~_is_on_its_way),
        _remove_calls,
    ),
    # Those of deleted campaigns, of campaigns of text messages, and of calls that were refused as they came in.
    _Source(Cdr.starting_date, Cdr.id, Cdr.callrequest_id.is_(None), _remove_legs),
    _Source(
        SmsMessage.send_date,
        SmsMessage.id,
        and_(SmsMessage.callrequest_id.is_(None), SmsMessage.ended_ms.is_not(None)),
        _remove_messages,
    ),
    _Source(
        SmsReceived.created_date,
        SmsReceived.id,
        SmsReceived.needs_person == false(),
        _remove_received,
    ),
    _Source(SurveyResult.created_date, SurveyResult.id, SurveyResult.callrequest_id.is_(None), _remove_answers),
    # Of calls that went with their campaigns. One that was removed so has no number any more, and one that is held is
    # due when its hold ends.
    _Source(
        CallRecording.start_date,
        CallRecording.id,
        and_(
            CallRecording.callrequest_id.is_(None),
            CallRecording.phone_number != "",
            or_(~is_held(), CallRecording.kept_until_ms.is_(None), CallRecording.kept_until_ms != 0),
        ),
        _end_recordings,
    ),
    _Source(ContactWait.at_ms, ContactWait.id, true(), _remove_waits),
    _Source(AgentPeriod.until_ms, AgentPeriod.id, true(), _remove_periods),
    # Messages are deleted with their campaign, and their charges are not.
    _Source(
        LedgerEntry.created_date,
        LedgerEntry.id,
        and_(LedgerEntry.reference.like("sms:%"), LedgerEntry.reference.not_in(_names_of_kept)),
        _sum_up_lost,
    ),
)
