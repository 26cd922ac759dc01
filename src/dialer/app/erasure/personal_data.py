"""Traces of a number in the texts of any table.

Every column with text is searched, including columns of future tables. Exceptions are listed by name.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    LargeBinary,
    RowMapping,
    String,
    Table,
    or_,
    select,
    update,
)
from sqlalchemy.orm import InstrumentedAttribute

from dialer.domain.numbers.spellings import ERASED, Spellings
from dialer.store.backends.expressions import text_of_bytes
from dialer.store.database.database import Database
from dialer.store.database.touched import EVERYTHING, NOTHING, touch
from dialer.store.rows.call_recordings import is_held
from dialer.store.tables import (
    Agent,
    AudioFile,
    BranchingTemplate,
    CallerId,
    CallerIdGroup,
    CallRecording,
    Campaign,
    Did,
    DncList,
    Gateway,
    Phonebook,
    Queue,
    ReportLink,
    ReportSchedule,
    Row,
    SealedSurvey,
    SectionTemplate,
    SurveyTemplate,
    User,
    Webhook,
)
from dialer.store.tables.carriers import kind_of

ROWS_AT_ONCE: Final = 500
"""Rows with traces that one unit of work changes."""
USERS_NAMED_MAX: Final = 10
"""Records that an error names as users of a number."""
MACHINE_MADE: Final = frozenset(
    {
        # Events hold ids, states and amounts.
        *(f"account_event.{name}" for name in ("data", "subject", "type")),
        "api_key.prefix",
        "api_key.scopes",
        "api_key.secret_hash",
        "audio_file.audio_file",
        # The writer of the audit log masks numbers, because its rows cannot be changed later.
        *(f"audit_log.{name}" for name in ("action", "actor", "address", "after", "before")),
        *(f"audit_log.{name}" for name in ("key_prefix", "previous", "resource", "via")),
        *(f"call_recording.{name}" for name in ("callid", "file", "sound_key", "state", "stored_where")),
        *(f"call_recording.{name}" for name in ("text_language", "text_state")),
        "callrequest.callid",
        # Numbers in the browser's name are masked.
        *(f"console_session.{name}" for name in ("address", "browser", "token_hash")),
        "campaign.campaign_code",
        "campaign.record",
        *(f"{name}.medium" for name in ("campaign", "cps_returned", "gateway", "gateway_counter", "gateway_slice")),
        *("campaign.sms_medium", "live_leg.medium", "set_aside_report.medium", "text_news.medium"),
        "campaign_forecast.document",
        "campaign_hour.member",
        "cdr.callid",
        # Triggers write it from the name of the contact, and delete it with the contact.
        "contact_wait.row",
        "contact_word.word",
        *(f"consent.{name}" for name in ("evidence_sha256", "hours", "hours_date", "how", "kind", "purposes")),
        "cdr.zone",
        "fleet_change.touched",
        *(f"fleet_worker.{name}" for name in ("mark", "name")),
        "idempotent_response.body_hash",
        # Hashes of a user name and an address.
        *(f"{table}.subject" for table in ("request_allowance", "wrong_password")),
        "ledger_entry.reference",
        "live_leg.key",
        "service_state.leg_key",
        "service_state.number_key",
        *("service_state.recordings_bucket", "service_state.recordings_id"),
        *(f"report_delivery.{name}" for name in ("problem", "status")),
        *(f"report_link.{name}" for name in ("report", "token_hash")),
        *(f"report_schedule.{name}" for name in ("problem", "report", "sent_as", "sent_when", "send_time")),
        "report_schedule.time_zone",
        *(f"set_aside_report.{name}" for name in ("identity", "key", "kind")),
        "sms_message.message_id",
        *(f"sms_received.{name}" for name in ("understood", "verdict")),
        "subscriber.status_reason",
        "subscriber_count.status_reason",
        "subscriber_move.status_reason",
        "subscriber_move.was_reason",
        "survey_result.callid",
        "survey_result.record_file",
        # A receipt holds no number. A message that came in is deleted by the next step of a worker, and a part of one
        # that waits for others with its person.
        *(f"text_news.{name}" for name in ("heard", "key", "part_of")),
        "text_part.name",
        "user_account.password_hash",
        "user_hour.member",
        "waiting_text.callid",
        *(f"webhook.{name}" for name in ("base", "lease_holder", "problem", "types")),
        *(f"webhook_delivery.{name}" for name in ("problem", "status")),
    }
)
"""Columns with texts that the service makes at random, from ids or from its own words, so they hold no phone number."""
_ANSWERS: Final = "idempotent_response.content"
"""The column of stored answers. An answer with the number may also hold a name and variables, so all of it is
erased."""
_ANSWER_ERASED: Final = msgspec.json.encode({"detail": ERASED})
CONFIGURATION: Final = frozenset(
    model.__table__
    for model in (
        *(Agent, AudioFile, BranchingTemplate, CallerId, CallerIdGroup, Campaign, Did, DncList, Gateway, Phonebook),
        *(Queue, ReportLink, ReportSchedule, SealedSurvey, SectionTemplate, SurveyTemplate, User, Webhook),
    )
)
"""Tables of the configuration. A number in them is in use, so it is not erased; a user must change it."""


class Batch(NamedTuple):
    """Rows of one table that may hold a trace."""

    table: Table
    ids: list[int]


def text_columns(table: Table) -> list[Column[Any]]:
    """Return the columns of a table that may hold a number as text."""
    return [
        column
        for column in table.c
        if isinstance(column.type, String | LargeBinary) and f"{table.name}.{column.name}" not in MACHINE_MADE
    ]


def users_of(connection: Connection, spellings: Spellings) -> list[str]:
    """Return the configuration records that use a number, as table and id, at most `USERS_NAMED_MAX`."""
    users: list[str] = []
    for table in Row.metadata.sorted_tables:
        if table in CONFIGURATION:
            for batch in _batches(connection, table, spellings):
                rows = _rows(connection, batch)
                users.extend(f"{kind_of(table, row)} {row['id']}" for row in rows if _cleared(table, row, spellings))
    return users[:USERS_NAMED_MAX]


def batches(database: Database, spellings: Spellings) -> Iterator[Batch]:
    """Yield the rows that may hold a trace, outside of the configuration; `clear` checks them again under a lock."""
    for table in Row.metadata.sorted_tables:
        if table not in CONFIGURATION:
            yield from database.read_now(partial(_batches, table=table, spellings=spellings))


def clear(connection: Connection, batch: Batch, spellings: Spellings) -> int:
    """Replace the number in these rows by `ERASED`; return the count of rows that held it."""
    table, cleared = batch.table, 0
    for row in _rows(connection, batch):
        values = _cleared(table, row, spellings)
        if values:
            connection.execute(update(table).where(table.c["id"] == row["id"]).values(values))
            cleared += 1
    touch(connection, EVERYTHING if cleared else NOTHING)
    return cleared


def whose_number(connection: Connection, column: InstrumentedAttribute[str], spellings: Spellings) -> list[RowMapping]:
    """Return the rows of a column's table whose number this is, in any spelling."""
    table: Table = column.class_.__table__
    query = select(table).where(column.like(spellings.like)).order_by(table.c["id"])
    rows = connection.execute(query).mappings()
    return [row for row in rows if spellings.is_all_of(row[column.key])]


def _batches(connection: Connection, table: Table, spellings: Spellings) -> list[Batch]:
    columns = text_columns(table)
    if not columns:
        return []
    is_candidate = or_(*[_as_text(column).like(spellings.like) for column in columns])
    ids = list(connection.scalars(select(table.c["id"]).where(is_candidate, *_is_open(table)).order_by(table.c["id"])))
    return [Batch(table, ids[place : place + ROWS_AT_ONCE]) for place in range(0, len(ids), ROWS_AT_ONCE)]


def _is_open(table: Table) -> list[ColumnElement[bool]]:
    """Return the condition that no legal hold keeps a row as it is, in the table that has such holds."""
    return [~is_held()] if table is CallRecording.__table__ else []


def _as_text(column: Column[Any]) -> ColumnElement[str]:
    return text_of_bytes(column) if isinstance(column.type, LargeBinary) else column


def _rows(connection: Connection, batch: Batch) -> list[RowMapping]:
    is_one = batch.table.c["id"].in_(batch.ids)
    query = select(batch.table).where(is_one, *_is_open(batch.table)).order_by(batch.table.c["id"])
    return list(connection.execute(query).mappings())


def _cleared(table: Table, row: RowMapping, spellings: Spellings) -> dict[str, str | bytes]:
    """Return new values for the columns of a row that hold the number."""
    cleared: dict[str, str | bytes] = {}
    for column in text_columns(table):
        before: str | bytes | None = row[column.name]
        after = None if before is None else _without(before, spellings)
        if after is not None and after != before:
            cleared[column.name] = _in_place(table, column, row["id"], after)
    return cleared


def _in_place(table: Table, column: Column[Any], row_id: int, after: str | bytes) -> str | bytes:
    """Return the replacement of a value that would be `after` without the number."""
    if f"{table.name}.{column.name}" == _ANSWERS:
        return _ANSWER_ERASED
    return f"{ERASED}-{row_id}" if _is_unique(table, column) else after


def _without(value: str | bytes, spellings: Spellings) -> str | bytes:
    if isinstance(value, bytes):
        return _text_without(value.decode(errors="surrogateescape"), spellings).encode(errors="surrogateescape")
    return _text_without(value, spellings)


def _text_without(text: str, spellings: Spellings) -> str:
    """Return a text without the number; JSON stays valid, even if the number is an unquoted value or a key."""
    if text[:1] not in {"{", "["}:
        return spellings.without(text)
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return spellings.without(text)
    after = _document_without(document, spellings)
    return text if after == document else msgspec.json.encode(after).decode()


def _document_without(value: object, spellings: Spellings) -> object:
    if isinstance(value, dict):
        return {spellings.without(key): _document_without(item, spellings) for key, item in value.items()}
    if isinstance(value, list):
        return [_document_without(item, spellings) for item in value]
    if isinstance(value, str):
        return spellings.without(value)
    is_number = isinstance(value, int) and not isinstance(value, bool) and spellings.is_all_of(str(value))
    return ERASED if is_number else value


def _is_unique(table: Table, column: Column[Any]) -> bool:
    return bool(column.unique) or any(index.unique and column in list(index.columns) for index in table.indexes)
