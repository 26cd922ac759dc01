"""Tests that a database can outgrow one machine: tables in parts, and updates that change no index."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Connection, text

from dialer.domain.words.enums import Cause
from dialer.store.journal.request_rows import RequestEnd
from dialer.store.journal.statements import FINISH_REQUESTS
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import CallInProgress, CallRequest, Cdr
from tests.runtime.house import House
from tests.store.later import filled

HOUR_MS: Final = 3_600_000
IN_PARTS: Final = """
    ALTER TABLE cdr RENAME TO cdr_before;
    CREATE TABLE cdr (LIKE cdr_before INCLUDING DEFAULTS INCLUDING IDENTITY, PRIMARY KEY (id, user_id, starting_date))
        PARTITION BY RANGE (starting_date);
    CREATE TABLE cdr_first PARTITION OF cdr FOR VALUES FROM (MINVALUE) TO ({border});
    CREATE TABLE cdr_second PARTITION OF cdr FOR VALUES FROM ({border}) TO (MAXVALUE);
    CREATE UNIQUE INDEX uq_cdr_first_callid ON cdr_first (callid, user_id);
    CREATE UNIQUE INDEX uq_cdr_second_callid ON cdr_second (callid, user_id);
    INSERT INTO cdr SELECT * FROM cdr_before;
    DROP TABLE cdr_before;
    ALTER TABLE ledger_entry RENAME TO ledger_before;
    CREATE TABLE ledger_entry (LIKE ledger_before INCLUDING DEFAULTS INCLUDING IDENTITY, PRIMARY KEY (id, user_id),
        UNIQUE (reference, user_id)) PARTITION BY HASH (user_id);
    CREATE TABLE ledger_even PARTITION OF ledger_entry FOR VALUES WITH (MODULUS 2, REMAINDER 0);
    CREATE TABLE ledger_odd PARTITION OF ledger_entry FOR VALUES WITH (MODULUS 2, REMAINDER 1);
    INSERT INTO ledger_entry SELECT * FROM ledger_before;
    DROP TABLE ledger_before
"""
"""CDRs by time, and the ledger by account, as `docs/operate/postgresql.md` says."""


@pytest.fixture
async def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    one = await filled(tmp_path, monkeypatch)
    yield one
    one.database.close()


async def test_the_program_runs_on_tables_in_parts(house: House) -> None:
    """Calls end before and after the border between two parts."""
    statements = IN_PARTS.format(border=house.now_ms() + 1)
    house.database.write_now(lambda unit: [unit.execute(text(one)) for one in statements.split(";")])
    house.restart()
    await house.advance(HOUR_MS / 1_000)
    assert len(house.rows(Cdr)) == len(house.rows(CallRequest)) == 4

    def parts(unit: Connection) -> list[int]:
        return [unit.scalar(text(f"SELECT count(*) FROM {one}")) or 0 for one in ("cdr_first", "cdr_second")]  # noqa: S608

    assert 0 not in house.database.read_now(parts)
    assert house.database.read_now(audit).differences == []


async def test_the_end_of_a_call_changes_no_index(house: House) -> None:
    (call_id, *_) = [row["id"] for row in house.rows(CallInProgress)]
    ended = RequestEnd(0, 4, "", house.now_ms(), int(Cause.NORMAL_CLEARING), "", call_id)

    def updates(unit: Connection) -> list[int]:
        counters = ("pg_stat_get_xact_tuples_updated", "pg_stat_get_xact_tuples_hot_updated")
        return [unit.scalar(text(f"SELECT {one}('callrequest'::regclass)")) or 0 for one in counters]

    def end(unit: Connection) -> list[int]:
        before = updates(unit)
        FINISH_REQUESTS.run(unit, [ended])
        return [now - was for now, was in zip(updates(unit), before, strict=True)]

    assert house.database.write_now(end) == [1, 1]
