"""The ledger of a user, and refunds of calls, which it tells of."""

from typing import Any

from sqlalchemy import func, select

from dialer.store.database.database import Database
from dialer.store.tables import Cdr, LedgerEntry, User
from tests.api.builders import Estate, stored
from tests.api.harness import BASE, NOW, NOW_MS, Caller, FakeWorker

FORBIDDEN = (403, {"detail": "You do not have permission to perform this action."})
CALL: dict[str, Any] = {
    "user_id": 2,
    "callerid": "",
    "phone_number": "+12025550122",
    "starting_date": NOW_MS,
    "duration": 70,
    "billsec": 61,
    "billed_duration": 120,
    "hangup_cause_q850": 16,
    "leg_type": 1,
    "amd_status": 1,
    "subscriber_id": 1,
}


def balance(database: Database, user_id: int = 2) -> tuple[int, int]:
    """Return the balance in the user's row, and the sum of the ledger."""
    shown = select(User.balance).where(User.id == user_id)
    total = select(func.sum(LedgerEntry.amount)).where(LedgerEntry.user_id == user_id)
    return database.read_now(lambda c: (c.execute(shown).scalar_one(), c.scalar(total) or 0))


def test_every_user_reads_their_own_entries_and_nobody_writes(admin: Caller, alice: Caller, bob: Caller) -> None:
    admin.create("payment", amount=10, user=2)
    admin.create("payment", amount="-2.5", user=2)
    admin.create("payment", amount=1, user=3)
    entry = {
        "id": 2,
        "url": f"{BASE}/ledger/2/",
        "user": f"{BASE}/users/2/",
        "kind": "refund",
        "amount": "-2.50000",
        "reference": "payment:2",
        "created_date": NOW,
        "currency": "",
    }
    assert [one["amount"] for one in alice.get("ledger/")["results"]] == ["10.00000", "-2.50000"]
    assert alice.get("ledger/2/") == entry
    assert alice.get("ledger/", kind="refund")["results"] == alice.get("ledger/", reference="payment:2")["results"]
    assert alice.get("ledger/", created_date_after=NOW, created_date_before=NOW)["count"] == 2
    assert alice.get("ledger/", created_date_before="2026-11-18T11:06:39Z")["count"] == 0
    said = '"gift" is not a valid choice. Use one of: payment, call, sms, refund.'
    assert alice.refused("GET", "ledger/?kind=gift") == (400, {"kind": [said]})
    assert (admin.get("ledger/")["count"], admin.get("ledger/", user_id=2)["count"]) == (3, 2)
    assert bob.refused("GET", "ledger/2/") == (404, {"detail": "Not found."})
    for method in ("POST", "PATCH", "DELETE"):
        path = "ledger/" if method == "POST" else "ledger/2/"
        assert (alice.request(method, path, json={}).status_code, alice.get("ledger/2/")) == (405, entry)


def test_the_ledger_is_exported(admin: Caller, alice: Caller) -> None:
    admin.create("payment", amount=10, user=2)
    lines = alice.request("GET", "ledger/", params={"format": "csv", "kind": "payment"}).text.splitlines()
    assert lines == [
        "id,url,user,kind,amount,reference,created_date,currency",
        f"1,{BASE}/ledger/1/,{BASE}/users/2/,payment,10.00000,payment:1,{NOW},",
    ]
    assert alice.request("GET", "ledger/", headers={"Accept": "application/x-ndjson"}).json() == alice.get("ledger/1/")


def test_a_call_is_refunded_once_and_exactly(
    admin: Caller, alice: Caller, database: Database, worker: FakeWorker
) -> None:
    admin.create("payment", amount=10, user=2)
    cdr_id = stored(database, Cdr, **CALL, callid="one", call_cost=123_456)
    answer = admin.request("POST", f"cdr/{cdr_id}/refund/")
    entry = {
        "id": 2,
        "url": f"{BASE}/ledger/2/",
        "user": f"{BASE}/users/2/",
        "kind": "refund",
        "amount": "1.23456",
        "reference": "refund:one",
        "created_date": NOW,
        "currency": "",
    }
    assert (answer.status_code, answer.json(), answer.headers["location"]) == (201, entry, entry["url"])
    assert (balance(database), worker.settled) == ((1_123_456, 1_123_456), 2)
    assert admin.refused("POST", f"cdr/{cdr_id}/refund/") == (
        409,
        {"detail": "This call has been refunded already."},
    )
    assert (balance(database), alice.get("ledger/", kind="refund")["results"]) == ((1_123_456, 1_123_456), [entry])


def test_the_answer_that_was_lost_is_given_again(admin: Caller, database: Database) -> None:
    cdr_id = stored(database, Cdr, **CALL, callid="one", call_cost=5)
    key = {"Idempotency-Key": "again"}
    first, second = (admin.request("POST", f"cdr/{cdr_id}/refund/", headers=key) for _ in range(2))
    assert (first.status_code, second.status_code, first.json()) == (201, 201, second.json())
    assert second.headers["idempotent-replayed"] == "true"
    assert balance(database) == (5, 5)


def test_what_cost_nothing_is_not_there_or_is_asked_for_by_a_user_is_not_refunded(
    estate: Estate, admin: Caller, alice: Caller, database: Database
) -> None:
    before = balance(database)
    free = stored(database, Cdr, **CALL, callid="free", call_cost=0)
    assert admin.refused("POST", f"cdr/{free}/refund/") == (
        409,
        {"detail": "This call cost nothing, so there is nothing to refund."},
    )
    for path in ("cdr/999/refund/", "cdr/x/refund/"):
        assert admin.refused("POST", path) == (404, {"detail": "Not found."})
    assert alice.refused("POST", f"cdr/{estate.cdr_id}/refund/") == FORBIDDEN
    assert balance(database) == before
