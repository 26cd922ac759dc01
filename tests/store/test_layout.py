"""The size, keys and updates of each table, so that a database can outgrow one machine.

A new table must be entered in `LAYOUT`. Decision 44 says why each of these matters.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, Final, NamedTuple

import pytest
from sqlalchemy import Index, Table, UniqueConstraint
from sqlalchemy.dialects import postgresql

from dialer.store.journal import statements
from dialer.store.journal.call_counters import COUNTERS
from dialer.store.tables import Row


class Size(Enum):
    """The causes by which a table grows."""

    LARGE = auto()
    """People and calls, for ever. The rows belong to accounts, and those of an account can be kept together."""
    WORKING = auto()
    """Calls, messages and requests in progress, and those of the last days."""
    COUNTERS = auto()
    """Hours, and groups in them."""
    SMALL = auto()
    """Settings that people make, and processes."""
    LOG = auto()
    """Actions of people. Old rows can be removed."""


class Layout(NamedTuple):
    """The properties of a table."""

    size: Size
    updates: tuple[str, ...] = ()
    """Columns that the commonest update changes, where there is one that is common."""
    fillfactor: int = 100
    month: str = ""
    """The time by whose month the table can be partitioned: it is known when the row is written."""
    is_hot: bool = True
    """True if the commonest update leaves all indexes as they are (heap-only tuples)."""


LARGE, WORKING, COUNTED, SMALL, LOG = Size.LARGE, Size.WORKING, Size.COUNTERS, Size.SMALL, Size.LOG
CALL_ENDS: Final = ("hold", "status", "status_reason", "ended_ms", "hangup_cause_q850", "heard", "parameters")
GATEWAY_USED: Final = ("failures", "rest_ms", "rests_until_ms", "line_down", "line_since_ms")
AGENT_CLOCK: Final = ("counted_ms", "wraps_until_ms", "began_ms")
LAYOUT: Final = {
    "contact": Layout(LARGE),
    "contact_word": Layout(LARGE),
    # The order in which subscribers are called, and that of a list, are indexes over what each call changes.
    "subscriber": Layout(LARGE, ("status", "count_attempt", "last_attempt", "due_ms"), is_hot=False),
    "dnc_contact": Layout(LARGE),
    "number_note": Layout(LARGE),
    "consent": Layout(LARGE, ("last_used_date",), 90),
    "callrequest": Layout(LARGE, CALL_ENDS, 70, "started_ms"),
    "transfer": Layout(LARGE, ("status", "offers", "agent_id", "ended_ms"), month="joined_ms", is_hot=False),
    "call_disposition": Layout(LARGE),
    "cdr": Layout(LARGE, month="starting_date"),
    "contact_wait": Layout(LARGE, month="at_ms"),
    "survey_result": Layout(LARGE, month="created_date"),
    "sms_message": Layout(LARGE, ("status", "ended_ms"), month="send_date", is_hot=False),
    "sms_received": Layout(LARGE, month="created_date"),
    # Not by month: the balance is the sum of all rows, and no cause may have two entries in different months.
    "ledger_entry": Layout(LARGE),
    "audit_log": Layout(LOG, month="created_date"),
    "agent_period": Layout(LOG, month="until_ms"),
    "account_event": Layout(WORKING),
    "webhook_delivery": Layout(WORKING, ("status", "attempts", "last_ms", "next_ms"), is_hot=False),
    "report_delivery": Layout(WORKING, ("status", "attempts", "next_ms", "problem"), is_hot=False),
    "call_back": Layout(WORKING),
    "call_recording": Layout(LARGE, month="start_date"),
    "call_draft": Layout(WORKING, ("disposition", "note", "call_back_ms", "same_agent", "fields"), 50),
    "call_in_progress": Layout(WORKING),
    "console_session": Layout(WORKING),
    "cps_returned": Layout(WORKING),
    "fleet_change": Layout(WORKING),
    "idempotent_response": Layout(WORKING),
    "people_to_copy": Layout(WORKING, ("after_number",), 50),
    "live_leg": Layout(WORKING, ("heard_ms", "standing", "handle", "handed_ms"), 50),
    "request_allowance": Layout(WORKING, ("restored_us",), 50),
    "set_aside_report": Layout(WORKING),
    "subscriber_move": Layout(WORKING),
    "text_news": Layout(WORKING),
    "text_part": Layout(WORKING),
    "waiting_text": Layout(WORKING),
    "wrong_password": Layout(WORKING),
    "agent_hour": Layout(COUNTED, ("spent_ms", "begun", "missed"), 50),
    "campaign_hour": Layout(COUNTED, COUNTERS, 50),
    "contact_name": Layout(COUNTED, ("contacts", "filled"), 50),
    "queue_hour": Layout(COUNTED, ("taken", "abandoned", "timed_out", "taken_wait_ms", "longest_ms"), 50),
    "subscriber_count": Layout(COUNTED, ("subscribers", "attempted"), 50),
    "user_hour": Layout(COUNTED, COUNTERS, 50),
    "agent": Layout(
        SMALL,
        ("figures", "status", "is_talking", *AGENT_CLOCK, "hang_up_call_id", "hold_call_id"),
        50,
    ),
    "campaign": Layout(SMALL, ("calls", "answered", "completed", "cost", "next_dial_us", "pacing_figures"), 50),
    "campaign_phonebook": Layout(SMALL, ("collected_contact_id",), 50),
    "fleet_worker": Layout(SMALL, ("lease_until_ms",), 50),
    "gateway": Layout(SMALL, GATEWAY_USED, 50),
    "gateway_slice": Layout(SMALL, ("channels", "channels_in_use", "cps", "cps_in_use", "waiting"), 50),
    "queue": Layout(SMALL, ("last_agent_id", "no_agent_from_ms"), 50),
    "report_link": Layout(SMALL, ("opened", "last_opened_date", "minute", "opened_in_minute", "expirationdate"), 50),
    "report_schedule": Layout(
        SMALL,
        ("next_due_ms", "failing_since_ms", "problem", "last_sent_date"),
        50,
        is_hot=False,
    ),
    "seat": Layout(SMALL, ("now_ms", "last_callrequest_id", "last_cdr_id", "seen", "wishes"), 50),
    "service_state": Layout(SMALL, ("now_ms", "last_callrequest_id", "last_cdr_id"), 50),
    "shard": Layout(SMALL, ("done_ms",), 50),
    "user_account": Layout(SMALL, ("balance", "held"), 50),
    "webhook": Layout(
        SMALL, ("after_event_id", "failures", "failing_since_ms", "next_attempt_ms", "lease_until_ms"), 50
    ),
    **dict.fromkeys(
        (
            "api_key",
            "audio_file",
            "branching_template",
            "callerid",
            "callerid_group",
            "campaign_dnc_list",
            "contact_rule",
            "gateway_counter",
        ),
        Layout(SMALL),
    ),
    **dict.fromkeys(
        (
            "campaign_forecast",
            "did",
            "dnc_list",
            "example_campaign",
            "key_check",
            "own_telephone",
            "payment",
            "phonebook",
            "rate_card_line",
        ),
        Layout(SMALL),
    ),
    **dict.fromkeys(
        (
            "recovery_code",
            "sealed_survey",
            "second_factor",
            "section_template",
            "survey_change",
            "survey_template",
            "tier",
        ),
        Layout(SMALL),
    ),
}
TABLES: Final = Row.metadata.tables


def unique_keys(table: Table) -> Iterator[set[str]]:
    """Yield the columns of each unique key, without that of the id."""
    for one in (*table.indexes, *table.constraints):
        if isinstance(one, UniqueConstraint) or (isinstance(one, Index) and one.unique):
            yield {column.name for column in one.columns}


def indexed(table: Table) -> set[str]:
    """Return the columns that an index or its condition names. PostgreSQL counts both."""
    names = {column.name for index in table.indexes for column in index.columns}
    conditions = " ".join(str(_condition(index)) for index in table.indexes)
    return names | {name for name in table.c.keys() if re.search(rf"\b{name}\b", conditions)}  # noqa: SIM118 - names


def _condition(index: Index) -> Any:  # noqa: ANN401 - SQL or None
    return index.dialect_options["postgresql"]["where"]


def test_every_table_is_entered() -> None:
    assert sorted(LAYOUT) == sorted(TABLES)


@pytest.mark.parametrize("name", [name for name, layout in LAYOUT.items() if layout.size is LARGE])
def test_a_large_table_has_its_account_in_every_row_and_unique_key(name: str) -> None:
    table = TABLES[name]
    assert not table.c.user_id.nullable
    assert [key for key in unique_keys(table) if "user_id" not in key] == []


@pytest.mark.parametrize("name", ["contact", "callrequest", "cdr", "survey_result", "sms_message", "ledger_entry"])
def test_a_page_of_an_account_reads_no_rows_of_others(name: str) -> None:
    """PostgreSQL would read all earlier rows by the primary key, for an account that began late."""
    assert ["user_id", "id"] in [[column.name for column in index.columns] for index in TABLES[name].indexes]


@pytest.mark.parametrize("name", [name for name, layout in LAYOUT.items() if layout.month])
def test_the_time_of_a_month_is_always_known(name: str) -> None:
    assert not TABLES[name].c[LAYOUT[name].month].nullable
    assert LAYOUT[name].month not in LAYOUT[name].updates


@pytest.mark.parametrize("name", LAYOUT)
def test_the_commonest_update_changes_no_index_and_has_room(name: str) -> None:
    table, layout = TABLES[name], LAYOUT[name]
    assert set(layout.updates) <= set(table.c.keys())
    assert set(layout.updates).isdisjoint(indexed(table)) is layout.is_hot
    options = table.dialect_options[postgresql.dialect.name]["with"] or {}
    assert options.get("fillfactor", 100) == layout.fillfactor
    if layout.is_hot:
        assert bool(layout.updates) is (layout.fillfactor < 100)


def test_the_end_of_a_call_changes_these_columns() -> None:
    changed = statements.FINISH_REQUESTS._statement.compile().params  # noqa: SLF001 - to know what it sets
    assert set(CALL_ENDS) - {"parameters"} == set(changed) - {"request_id"}


@pytest.mark.parametrize("name", TABLES)
def test_no_index_is_the_beginning_of_another(name: str) -> None:
    """Such an index is written for each row, and the longer one serves as well."""
    whole = [index for index in TABLES[name].indexes if _condition(index) is None]
    columns = {str(index.name): [column.name for column in index.columns] for index in whole}
    for first, short in columns.items():
        longer = [other for other, long in columns.items() if other != first and long[: len(short)] == short]
        assert longer == [], first
