"""Tests of user accounts over the API: only admins write them, and one admin always stays."""

from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.api.builders import Estate
from tests.api.harness import BASE, Caller, Json

NEW_PASSWORD = "another long password"
FORBIDDEN = (403, {"detail": "You do not have permission to perform this action."})
LAST = (409, {"detail": "admin is the last admin who may log in. Make another user an admin first."})
DORA: dict[str, Any] = {"username": "dora", "password": NEW_PASSWORD, "call_rate": "0.02", "email": "d@example.com"}


def test_an_admin_creates_a_user_who_logs_in(admin: Caller, client: TestClient[Litestar]) -> None:
    record = admin.create("users", **DORA)
    assert record == {
        "id": 4,
        "url": f"{BASE}/users/4/",
        "username": "dora",
        "last_name": "",
        "first_name": "",
        "email": "d@example.com",
        "balance": 0.0,
        "call_rate": 0.02,
        "sms_rate": 0.0,
        "role": "manager",
        "enabled": True,
        "allowed_countries": "",
        "allows_special": False,
        "recordings": False,
        "default_region": "",
        "currency": "",
        "currency_in_force": "",
        "language": "",
        "telephone": "",
        "manager": None,
    }
    assert Caller(client, "Dora", NEW_PASSWORD).get("users/")["results"] == [record]


WIDER: list[dict[str, Any]] = [{"allowed_countries": "US"}, {"allows_special": True}, {"allowed_countries": ""}]


@pytest.mark.parametrize("fields", WIDER)
def test_only_an_admin_says_where_a_user_may_call(admin: Caller, alice: Caller, fields: Json) -> None:
    """A manager has no way to change it for themselves, whether by the record, by a list, or by a new user."""
    admin.change("users/2/", allowed_countries="DE")
    for method, path, body in (
        ("PATCH", "users/2/", fields),
        ("PUT", "users/2/", {**DORA, "username": "alice", **fields}),
        ("POST", "users/", {**DORA, **fields}),
    ):
        assert alice.refused(method, path, **body) == FORBIDDEN
    record = admin.get("users/2/")
    assert (record["allowed_countries"], record["allows_special"]) == ("DE", False)
    admin.change("users/2/", **fields)
    assert {name: admin.get("users/2/")[name] for name in fields} == fields


def test_countries_are_named_by_their_codes(admin: Caller) -> None:
    status, errors = admin.refused("POST", "users/", **DORA, allowed_countries="DE, Atlantis")
    assert (status, list(errors)) == (400, ["allowed_countries"])


def test_no_answer_holds_a_password(admin: Caller) -> None:
    headers = {"Idempotency-Key": "dora"}
    first = admin.request("POST", "users/", json=DORA, headers=headers)
    assert first.status_code == 201
    again = admin.request("POST", "users/", json={**DORA, "password": "yet another password"}, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    changed = admin.request("POST", "users/", json={**DORA, "email": ""}, headers=headers)
    assert changed.status_code == 422
    assert NEW_PASSWORD not in first.text + admin.request("GET", "users/").text


def test_a_new_password_ends_the_old_one_at_once(admin: Caller, alice: Caller, client: TestClient[Litestar]) -> None:
    alice.get("phonebook/")
    admin.change("users/2/", password=NEW_PASSWORD)
    assert alice.refused("GET", "phonebook/") == (401, {"detail": "Invalid username/password."})
    assert Caller(client, "alice", NEW_PASSWORD).get("phonebook/")["count"] == 0


def test_a_new_password_ends_the_block_of_a_name(admin: Caller, client: TestClient[Litestar]) -> None:
    for number in range(11):
        Caller(client, "alice", f"guess number {number}").refused("GET", "phonebook/")
    admin.change("users/2/", password=NEW_PASSWORD)
    assert Caller(client, "alice", NEW_PASSWORD).get("phonebook/")["count"] == 0


def test_rates_and_details_are_changed(admin: Caller) -> None:
    admin.change("users/2/", sms_rate="0.05", first_name="Alice", manager=3)
    record = admin.get("users/2/")
    assert (record["sms_rate"], record["first_name"], record["manager"]) == (0.05, "Alice", f"{BASE}/users/3/")


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"password": "short"}, {"password": ["A password has 12 to 1024 characters."]}),
        ({"role": "king"}, {"role": ['"king" is not a valid choice. Use one of: admin, manager, agent, viewer.']}),
        ({"call_rate": -1}, {"call_rate": ["Ensure this value is greater than or equal to 0.00000."]}),
        ({"username": "ALICE"}, {"username": ["There is a user alice already. Choose another name."]}),
        ({"username": "a b"}, {"username": ["Enter 1 to 150 characters, without blanks and colons."]}),
        ({"manager": 99}, {"manager": ["Invalid hyperlink - Object does not exist."]}),
    ],
)
def test_wrong_fields_are_named(admin: Caller, fields: Json, errors: Json) -> None:
    assert admin.refused("POST", "users/", **{**DORA, **fields}) == (400, errors)


def test_a_user_is_not_their_own_manager_and_keeps_the_name(admin: Caller) -> None:
    errors = {
        "manager": ["A user cannot be their own manager. Name another user, or null."],
        "username": ["This field may not be changed."],
    }
    assert admin.refused("PATCH", "users/2/", manager=2, username="eve") == (400, errors)


@pytest.mark.parametrize("change", [{"role": "manager"}, {"enabled": False}])
def test_the_last_admin_stays(admin: Caller, change: Json) -> None:
    assert admin.refused("PATCH", "users/1/", **change) == LAST
    assert admin.refused("DELETE", "users/1/") == LAST
    admin.change("users/2/", role="admin", enabled=False)
    assert admin.refused("PATCH", "users/1/", **change) == LAST
    admin.change("users/2/", enabled=True)
    admin.change("users/1/", **change)


def test_only_admins_write_users(alice: Caller) -> None:
    assert alice.refused("POST", "users/", **DORA) == FORBIDDEN
    assert alice.refused("PATCH", "users/2/", role="admin") == FORBIDDEN
    assert alice.refused("DELETE", "users/2/") == FORBIDDEN


def test_a_user_with_records_is_not_deleted_and_all_are_named(admin: Caller, estate: Estate) -> None:
    status, refusal = admin.refused("DELETE", "users/2/")
    assert status == 409
    assert {"campaigns 1", "phonebook 1", "queue 1", "ledger 1", "cdr 1"} <= set(
        refusal["detail"].removeprefix("Still used by ").removesuffix(".").split(", ")
    )
    assert estate.owner.get("phonebook/")["count"] == 1


def test_a_user_with_money_is_not_deleted(admin: Caller) -> None:
    admin.create("payment", amount=5, user=3)
    status, refusal = admin.refused("DELETE", "users/3/")
    assert (status, "payment 1" in refusal["detail"]) == (409, True)


def test_a_user_who_owns_nothing_is_deleted_with_keys_and_rates(admin: Caller, bob: Caller) -> None:
    bob.create("api-key", name="x")
    admin.create("rate-card", user=3, prefix="1", rate=1)
    assert admin.request("DELETE", "users/3/").status_code == 204
    assert bob.refused("GET", "phonebook/")[0] == 401
    assert (admin.get("api-key/")["results"], admin.get("rate-card/")["results"]) == ([], [])
