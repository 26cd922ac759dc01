"""Users, and the payments that move their balances."""

from typing import Any

import pytest
from sqlalchemy import func, select

from dialer.store.database.database import Database
from dialer.store.tables import LedgerEntry
from tests.api.crud.test_statements import heard
from tests.api.harness import BASE, NOW, Caller, FakeWorker


def balance(admin: Caller, database: Database, user_id: int) -> tuple[Any, int]:
    """Return the balance as the API shows it, and the sum of the ledger's entries."""
    shown = admin.request("GET", f"users/{user_id}/").text.split('"balance":')[1].split(",")[0]
    query = select(func.sum(LedgerEntry.amount)).where(LedgerEntry.user_id == user_id)
    return shown, database.read_now(lambda connection: int(connection.scalar(query) or 0))


def test_a_user_shows_who_they_are_and_numbers_for_money(alice: Caller, admin: Caller) -> None:
    record = {
        "id": 2,
        "url": f"{BASE}/users/2/",
        "username": "alice",
        "last_name": "",
        "first_name": "",
        "email": "",
        "balance": 0,
        "call_rate": 0,
        "sms_rate": 0,
        "role": "manager",
        "enabled": True,
        "allowed_countries": "",
        "allows_special": False,
        "recordings": False,
        "currency": "",
        "currency_in_force": "",
        "language": "",
        "telephone": "",
        "default_region": "",
        "manager": None,
    }
    assert alice.get("users/2/") == record
    assert admin.get("users/", username="alice")["results"] == [record]
    assert [user["username"] for user in admin.get("users/")["results"]] == ["admin", "alice", "bob"]


def test_a_payment_moves_the_balance_exactly(admin: Caller, database: Database, worker: FakeWorker) -> None:
    answer = admin.request("POST", "payment/", json={"amount": 12.34567, "user": "/rest-api/users/2/"})
    record = {
        "id": 1,
        "url": f"{BASE}/payment/1/",
        "amount": "12.34567",
        "user": f"{BASE}/users/2/",
        "description": "",
        "created_date": NOW,
        "currency": "",
    }
    assert (answer.status_code, answer.json(), answer.headers["location"]) == (201, record, record["url"])
    assert balance(admin, database, 2) == ("12.34567", 1_234_567)
    assert worker.settled == 1


def test_a_payment_that_is_refused_is_not_written(admin: Caller, database: Database) -> None:
    admin.get("users/")  # From here on the password is known.
    with heard(database) as statements:
        assert admin.refused("POST", "payment/", amount="-1", user=2)[0] == 400
    assert [text for text, _ in statements if text.startswith(("INSERT", "UPDATE"))] == []


def test_a_refund_takes_no_more_than_there_is(admin: Caller, database: Database) -> None:
    admin.create("payment", amount="10", user=2)
    admin.create("payment", amount=-4, user=2, description="sorry")
    answer = admin.refused("POST", "payment/", amount="-6.00001", user=2)
    assert answer == (400, {"amount": ["6.00001 is more than the free balance. Refund at most 6.00000."]})
    assert balance(admin, database, 2) == ("6.00000", 600_000)
    assert [payment["amount"] for payment in admin.get("payment/", user_id=2)["results"]] == ["10.00000", "-4.00000"]


@pytest.mark.parametrize("amount", ["NaN", "Infinity", 1e7, "1e400", "0.000001", None, "", True, "1" * 400])
def test_what_is_no_amount_is_refused(admin: Caller, amount: object) -> None:
    status, errors = admin.refused("POST", "payment/", amount=amount, user=2)
    assert (status, list(errors)) == (400, ["amount"])
    assert admin.get("payment/")["count"] == 0


def test_payments_are_neither_changed_nor_deleted(admin: Caller) -> None:
    payment = admin.create("payment", amount=1, user=2)
    assert admin.refused("PATCH", payment["url"], amount=2)[0] == 405
    assert admin.refused("DELETE", payment["url"])[0] == 405


def test_a_password_that_is_easy_to_guess_is_refused_along_with_other_errors(admin: Caller) -> None:
    for fields, names in (({}, {"password"}), ({"role": "king"}, {"password", "role"})):
        status, body = admin.refused("POST", "users/", username="carl", password="password1234", **fields)
        assert (status, set(body)) == (400, names)
        assert "too easy to guess" in body["password"][0]
