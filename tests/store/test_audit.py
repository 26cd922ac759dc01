"""Tests of the audit: a busy database passes, and every change by hand is found."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from sqlalchemy import Connection, text

from dialer.app.accounts.payments import refund_call
from dialer.store.database.database import Database
from dialer.store.reconciliation.reconcile import DIFFERENCES_SHOWN_MAX, Audited, audit
from dialer.store.tables import Cdr, User
from tests.runtime.centre import centre
from tests.runtime.house import House


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a database with calls of all kinds at several rates, some in progress, and a refund."""

    async def fill(folder: Path) -> None:
        house = await centre(folder)
        house.price("49", 5_000, connection_fee=700, first_increment=30, next_increment=6)
        await house.advance(400)
        charged = next(row["id"] for row in house.rows(Cdr) if row["call_cost"])
        house.perform(lambda unit: refund_call(unit, charged))
        house.database.close()

    folder = tmp_path_factory.mktemp("busy")
    anyio.run(fill, folder)
    return folder / "dialer.db"


@pytest.fixture
def database(busy: Path, tmp_path: Path) -> Iterator[Database]:
    shutil.copy(busy, tmp_path / "dialer.db")
    database = Database(f"sqlite:///{tmp_path / 'dialer.db'}")
    yield database
    database.close()


def one(database: Database, query: str) -> int:
    """Return the number that a query finds."""
    return int(database.read_now(lambda connection: connection.execute(text(query)).scalar_one()))


def run(database: Database, statement: str) -> None:
    """Execute a statement that changes rows by hand."""

    def work(connection: Connection) -> None:
        assert connection.execute(text(statement)).rowcount > 0, statement

    database.write_now(work)


def found(database: Database) -> list[str]:
    """Return the differences, except for counters of statistics that a change of their rows made wrong."""
    return [line for line in map(str, database.read_now(audit).differences) if "counter of" not in line]


MISCOUNTED = {
    "calls of a campaign": (
        "UPDATE campaign_hour SET calls = calls + 1 WHERE grouping = 0 AND campaign_id = 1",
        "campaign 1: counter of calls in hour 492348 is 1 too high",
    ),
    "calls of a user by time zone": (
        "UPDATE user_hour SET answered = answered - 1 WHERE grouping = 5 AND member = 'America/New_York'",
        "user 1: counter of answered in hour 492348 zone America/New_York is 1 too low",
    ),
    "messages": (
        "UPDATE campaign_hour SET messages = 0 WHERE grouping = 1 AND messages > 0 AND campaign_id = {sender}",
        "campaign {sender}: counter of messages in hour 492348 outcome",
    ),
    "the cost of a CDR": (
        "UPDATE cdr SET call_cost = call_cost + 7 WHERE id = {charged}",
        "campaign {campaign}: counter of cost in hour 492348 is 7 too low",
    ),
    "subscribers": (
        "UPDATE subscriber_count SET subscribers = subscribers + 2 WHERE status = 7",
        "campaign 1: counter of subscribers of phonebook 1 in 7 'dnc' is 2 too high",
    ),
    "subscribers that a step has not counted": (
        (
            "INSERT INTO subscriber_move (campaign_id, user_id, phonebook_id, status, status_reason, attempted)"
            " VALUES (1,1,1,5,'',1)"
        ),
        "campaign 1: counter of subscribers of phonebook 1 in 5 '' is 1 too high",
    ),
    "outcomes said by agents": (
        (
            "INSERT INTO call_disposition (callrequest_id, user_id, disposition, note, was_completed, created_date,"
            " updated_date) SELECT callrequest_id, user_id, 'success', '', 0, 1, 1 FROM cdr WHERE id = {charged}"
        ),
        "campaign {campaign}: counter of calls in hour 492348 disposition success is 1 too low",
    ),
    "calls of a queue": ("UPDATE queue_hour SET taken = 0", "queue 1: counter of calls in hour 492348 is"),
    "calls of an agent": ("UPDATE agent_hour SET begun = 0", "agent 1: counter of calls taken is"),
}


@pytest.mark.parametrize("what", MISCOUNTED)
def test_a_wrong_counter_of_statistics_is_found(what: str, database: Database) -> None:
    statement, expected = MISCOUNTED[what]
    names: dict[str, int] = {}
    for name, query in NAMES.items():
        names[name] = one(database, query.format(**names))
    run(database, statement.format(**names))
    lines = [str(line) for line in database.read_now(audit).differences if "counter of" in str(line)]
    assert lines
    assert lines[0].startswith(expected.format(**names)), lines


def test_a_busy_database_passes(database: Database) -> None:
    audited = database.read_now(audit)
    assert (audited.differences, audited.differing, audited.calls_without_rate) == ([], 0, 0)
    assert (audited.users, audited.payments, audited.campaigns) == (1, 2, 3)
    assert min(audited.ledger_entries, audited.calls, audited.messages) > 3
    assert one(database, "SELECT held FROM user_account") > 0


ENTER = "INSERT INTO ledger_entry (user_id, kind, amount, reference, created_date)"
CHARGED = (
    "SELECT id FROM cdr WHERE call_cost > 0 AND callid NOT IN (SELECT substr(reference, 8) FROM ledger_entry) LIMIT 1"
)
FREE = "SELECT id FROM cdr WHERE call_cost = 0 AND call_rate > 0 LIMIT 1"
TAMPERED = {
    "a balance": ("UPDATE user_account SET balance = balance + 1", ["user 1: balance"]),
    "what is held": ("UPDATE user_account SET held = held + 1", ["user 1: held"]),
    "a hold in progress": (
        "UPDATE callrequest SET hold = hold + 5 WHERE id = (SELECT min(id) FROM callrequest WHERE status = 7)",
        ["user 1: held"],
    ),
    "a hold of a call that is over": (
        "UPDATE callrequest SET hold = 5 WHERE id = (SELECT min(id) FROM callrequest WHERE status <> 7)",
        ["callrequest {requests}: hold is 0.00005, should be 0.00000, as it is over"],
    ),
    "a hold of a message that is over": (
        "UPDATE sms_message SET hold = 5 WHERE id = (SELECT min(id) FROM sms_message WHERE ended_ms IS NOT NULL)",
        ["sms-message {messages}: hold is 0.00005, should be 0.00000, as it is over"],
    ),
    "a billsec": (
        "UPDATE cdr SET billsec = duration + 600 WHERE id = {charged}",
        ["cdr {charged}: billsec", "cdr {charged}: billed_duration"],
    ),
    "a billed duration and with it the price": (
        "UPDATE cdr SET billed_duration = billed_duration + 60 WHERE id = {charged}",
        ["cdr {charged}: billed_duration", "cdr {charged}: call_cost"],
    ),
    "a rate": (
        "UPDATE cdr SET connection_fee = connection_fee + 3 WHERE id = {charged}",
        ["cdr {charged}: call_cost"],
    ),
    "a price": (
        "UPDATE cdr SET call_cost = call_cost + 1 WHERE id = {charged}",
        ["cdr {charged}: call_cost", "cdr {charged}: ledger entry call:", "campaign {campaign}: cost"],
    ),
    "the amount of an entry": (
        "UPDATE ledger_entry SET amount = amount - 1 WHERE id = {entry}",
        ["user 1: balance", "cdr {charged}: ledger entry call:"],
    ),
    "the kind of an entry": (
        "UPDATE ledger_entry SET kind = 'sms' WHERE id = {entry}",
        ["cdr {charged}: ledger entry call:", "ledger entry {entry}: kind is sms, should be call"],
    ),
    "an entry that is gone": (
        "DELETE FROM ledger_entry WHERE id = {entry}",
        ["user 1: balance", "cdr {charged}: ledger entry call:"],
    ),
    "an entry for a call that cost nothing": (
        f"{ENTER} SELECT 1, 'call', -7, 'call:' || callid, 0 FROM cdr WHERE id = {{free}}",  # noqa: S608 - a constant
        ["user 1: balance", "cdr {free}: ledger entry call:"],
    ),
    "an entry that nothing caused": (
        f"{ENTER} VALUES (1, 'call', 0, 'call:x', 0)",
        ["ledger entry {next}: the cause of call:x is missing, should be there"],
    ),
    "a payment that is none": (
        f"{ENTER} VALUES (1, 'payment', 0, 'payment:99', 0)",
        ["ledger entry {next}: the cause of payment:99 is missing, should be there"],
    ),
    "a reference that says nothing": (
        f"{ENTER} VALUES (1, 'call', 0, 'gift', 0)",
        ["ledger entry {next}: reference is gift, should be one o"],
    ),
    "a refund of more than the price": (
        "UPDATE ledger_entry SET amount = amount + 1 WHERE reference LIKE 'refund:%'",
        ["user 1: balance", "cdr {refunded}: ledger entry refund:"],
    ),
    "a refund of a call that is none": (
        f"{ENTER} VALUES (1, 'refund', 0, 'refund:x', 0)",
        ["ledger entry {next}: the cause of refund:x is missing, should be there"],
    ),
    "a payment": (
        "UPDATE payment SET amount = amount + 1 WHERE id = 1",
        ["payment 1: ledger entry payment:1 is payment 1000.00000 of user 1, should be payment 1000.00001 of user 1"],
    ),
    "the price of a message": (
        "UPDATE sms_message SET cost = cost * 2 WHERE id = (SELECT min(id) FROM sms_message WHERE cost > 0)",
        ["sms-message {paid}: ledger entry sms:", "campaign {sender}: cost"],
    ),
    "a message that never left": (
        "UPDATE sms_message SET status = 'Failed' WHERE id = (SELECT min(id) FROM sms_message WHERE cost > 0)",
        ["sms-message {paid}: cost is 0.03000, should be 0.00000, as it has not left"],
    ),
    "a message whose parts differ": (
        "UPDATE sms_message SET parts = 7 WHERE id = (SELECT min(id) FROM sms_message WHERE cost > 0)",
        ["sms-message {paid}: cost is 0.03000, should be the same for each of its 7 parts"],
    ),
    "a campaign's cost": ("UPDATE campaign SET cost = cost + 1 WHERE id = 1", ["campaign 1: cost"]),
    "a campaign's calls": ("UPDATE campaign SET calls = calls + 1 WHERE id = 2", ["campaign 2: calls"]),
    "a campaign's answers": ("UPDATE campaign SET answered = answered - 1 WHERE id = 3", ["campaign 3: answered"]),
    "a campaign's completions": (
        "UPDATE campaign SET completed = completed + 1 WHERE id = 1",
        ["campaign 1: completed"],
    ),
    "a call that never was": (
        "DELETE FROM cdr WHERE id = (SELECT min(id) FROM cdr WHERE call_cost > 0 AND leg_type = 2)",
        ["ledger entry {leg_entry}: the cause of call:", "campaign {leg_campaign}: cost"],
    ),
    "a transfer that outlives its call": (
        "UPDATE transfer SET status = 1 WHERE id = {transfer}",
        ["transfer {transfer}: status is open, should be over, as its call is"],
    ),
}
NAMES = {
    "requests": "SELECT min(id) FROM callrequest WHERE status <> 7",
    "messages": "SELECT min(id) FROM sms_message WHERE ended_ms IS NOT NULL",
    "paid": "SELECT min(id) FROM sms_message WHERE cost > 0",
    "sender": "SELECT campaign_id FROM sms_message WHERE cost > 0 ORDER BY id LIMIT 1",
    "charged": CHARGED,
    "campaign": "SELECT campaign_id FROM cdr WHERE id = {charged}",
    "entry": "SELECT ledger_entry.id FROM ledger_entry JOIN cdr ON reference = 'call:' || callid"
    " WHERE cdr.id = {charged}",
    "free": FREE,
    "next": "SELECT max(id) + 1 FROM ledger_entry",
    "refunded": "SELECT cdr.id FROM ledger_entry JOIN cdr ON reference = 'refund:' || callid",
    "leg_entry": "SELECT ledger_entry.id FROM ledger_entry JOIN cdr ON reference = 'call:' || callid"
    " WHERE leg_type = 2 AND call_cost > 0 ORDER BY cdr.id LIMIT 1",
    "leg_campaign": "SELECT campaign_id FROM cdr WHERE leg_type = 2 AND call_cost > 0 ORDER BY id LIMIT 1",
    "transfer": "SELECT min(id) FROM transfer WHERE status = 3 AND callrequest_id IN"
    " (SELECT id FROM callrequest WHERE status <> 7)",
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_change_by_hand_is_found_and_nothing_else(what: str, database: Database) -> None:
    statement, expected = TAMPERED[what]
    names: dict[str, int] = {}
    for name, query in NAMES.items():
        names[name] = one(database, query.format(**names))
    beginnings = [line.format(**names) for line in expected]
    run(database, statement.format(**names))
    lines = found(database)
    assert len(lines) == len(beginnings), lines
    assert [line[: len(begin)] for line, begin in zip(lines, beginnings, strict=True)] == beginnings


def test_a_balance_below_what_is_held_is_named(database: Database) -> None:
    """The audit also reports that it differs from the sum of its entries."""
    run(database, "UPDATE user_account SET balance = held - 1")
    assert len(found(database)) == 2
    assert "which is held" in found(database)[1]


def test_a_call_charged_before_rates_were_kept_is_counted_and_its_entry_checked(database: Database) -> None:
    cdr_id = one(database, CHARGED)
    run(database, f"UPDATE cdr SET call_rate = NULL WHERE id = {cdr_id}")  # noqa: S608 - a number
    audited = database.read_now(audit)
    assert (audited.differing, audited.calls_without_rate) == (0, 1)
    run(database, f"UPDATE cdr SET call_cost = call_cost + 1 WHERE id = {cdr_id}")  # noqa: S608 - a number
    assert found(database)[0].startswith(f"cdr {cdr_id}: ledger entry call:")


def test_counters_of_a_campaign_whose_subscribers_were_deleted_may_be_higher_but_not_lower(database: Database) -> None:
    """Their calls were deleted with them, and the CDRs stay."""
    run(
        database,
        "DELETE FROM subscriber"
        " WHERE id IN (SELECT subscriber_id FROM callrequest WHERE campaign_id = 1 AND status = 4)"
        " AND id NOT IN (SELECT subscriber_id FROM callrequest WHERE status = 7)",
    )
    assert found(database) == []
    run(database, "UPDATE campaign SET calls = 0 WHERE id = 1")
    assert [line.split(", should be ")[0] for line in found(database)] == ["campaign 1: calls is 0"]


def test_the_first_differences_are_told_and_the_others_counted(database: Database) -> None:
    def add(connection: Connection) -> None:
        row = {"kind": "call", "amount": 0, "created_date": 0, "user_id": 1}
        statement = f"{ENTER} VALUES (:user_id, :kind, :amount, :reference, :created_date)"
        connection.execute(
            text(statement), [{**row, "reference": f"call:{n}"} for n in range(DIFFERENCES_SHOWN_MAX + 9)]
        )

    database.write_now(add)
    audited: Audited = database.read_now(audit)
    assert (len(audited.differences), audited.differing) == (DIFFERENCES_SHOWN_MAX, DIFFERENCES_SHOWN_MAX + 9)


async def test_an_empty_database_passes(tmp_path: Path) -> None:
    house = House(tmp_path)
    assert house.database.read_now(audit).differing == 0
    assert house.rows(User)[0]["held"] == 0
    house.database.close()


def test_names_that_the_index_lacks_or_has_too_many_are_found(database: Database) -> None:
    contact = one(database, "SELECT min(id) FROM contact")
    run(database, f"UPDATE contact SET full_name = 'Ada Byron', full_name_key = 'ada byron' WHERE id = {contact}")  # noqa: S608
    assert found(database) == []
    run(database, f"DELETE FROM contact_word WHERE id = {contact}")  # noqa: S608 - an id
    assert found(database) == [f"contact {contact}: the entry of its name is missing, should be in the index of names"]
    run(database, "UPDATE contact SET full_name_key = ''")
    run(database, "INSERT INTO contact_word (user_id, word, id) VALUES (2, 'ada', 999999)")
    assert found(database) == ["contact 999999: the contact is missing, should be there, as the index of names has it"]
