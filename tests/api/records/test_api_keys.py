"""Tests of API keys: what they open, when they stop, and that nobody reads their secret twice."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.app.accounts.api_keys import KEYS_MAX
from dialer.store.database.database import Database
from tests.api.harness import NOW_MS, Caller, FakeWorker, Json

REFUSED = (401, {"detail": "Invalid API key: it is wrong, revoked, disabled or expired."})


def ask(
    client: TestClient[Litestar], secret: str, path: str = "phonebook/", method: str = "GET", **fields: Json
) -> tuple[int, Json]:
    sent = None if method == "GET" else fields
    answer = client.request(method, f"/rest-api/{path}", json=sent, headers={"Authorization": f"Bearer {secret}"})
    return answer.status_code, answer.json() if answer.content else None


def test_a_key_acts_as_its_user(client: TestClient[Litestar], alice: Caller, bob: Caller) -> None:
    alice.create("phonebook", name="friends")
    key = alice.create("api-key", name="import", scopes=["read", "campaigns"])
    assert key["key"].startswith(key["prefix"])
    assert len(key["key"]) == 46
    assert ask(client, key["key"])[1] == alice.get("phonebook/")
    assert ask(client, key["key"], method="POST", name="more")[0] == 201
    assert bob.get("api-key/")["results"] == []


def test_a_wrong_key_is_not_answered_with_a_request_for_a_password(client: TestClient[Litestar]) -> None:
    answer = client.get("/rest-api/phonebook/", headers={"Authorization": "Bearer dk_x"})
    assert (answer.status_code, answer.json()) == REFUSED
    assert answer.headers["www-authenticate"] == 'Bearer realm="dialer", error="invalid_token"'


def test_the_secret_is_shown_once_and_stored_nowhere(
    client: TestClient[Litestar], alice: Caller, database: Database
) -> None:
    headers = {"Idempotency-Key": "once"}
    first = alice.request("POST", "api-key/", json={"name": "x"}, headers=headers).json()
    again = alice.request("POST", "api-key/", json={"name": "x"}, headers=headers)
    assert (again.status_code, again.headers["idempotent-replayed"]) == (201, "true")
    assert again.json() == {**first, "key": None}
    assert alice.get("api-key/")["results"] == [{**first, "key": None}]
    assert alice.get(first["url"])["key"] is None
    alice.change(first["url"], name="y")
    with closing(sqlite3.connect(str(database.url.database))) as connection:
        assert first["key"] not in "\n".join(connection.iterdump())
    folder = Path(str(database.url.database)).parent
    assert [file for file in folder.glob("dialer.db*") if first["key"].encode() in file.read_bytes()] == []
    assert ask(client, first["key"])[0] == 200


@pytest.mark.parametrize("secret", ["dk_", "dk_wrong", "dk_" + "A" * 43, "dk_" + "A" * 5_000])
def test_a_wrong_key_is_refused_and_blocks_nobody(client: TestClient[Litestar], alice: Caller, secret: str) -> None:
    key = alice.create("api-key", name="x")["key"]
    for _ in range(300):
        assert ask(client, secret) == REFUSED
    assert ask(client, key)[0] == 200
    assert alice.get("phonebook/")["count"] == 0


def test_wrong_passwords_do_not_block_a_right_key(client: TestClient[Litestar], alice: Caller) -> None:
    key = alice.create("api-key", name="x")["key"]
    for number in range(12):
        Caller(client, "alice", f"guess number {number}").refused("GET", "phonebook/")
    assert ask(client, key)[0] == 200


def test_a_key_that_is_disabled_or_revoked_is_refused_with_the_next_request(
    client: TestClient[Litestar], alice: Caller
) -> None:
    key = alice.create("api-key", name="x")
    alice.change(key["url"], enabled=False)
    assert ask(client, key["key"]) == REFUSED
    alice.change(key["url"], enabled=True)
    assert ask(client, key["key"])[0] == 200
    assert alice.request("DELETE", key["url"]).status_code == 204
    assert ask(client, key["key"]) == REFUSED


def test_a_key_expires(client: TestClient[Litestar], alice: Caller, worker: FakeWorker) -> None:
    key = alice.create("api-key", name="x", expirationdate="2026-11-18T12:00:00Z")
    worker.virtual.set(NOW_MS + 3_199_999)
    assert ask(client, key["key"])[0] == 200
    worker.virtual.set(NOW_MS + 3_200_000)
    assert ask(client, key["key"]) == REFUSED


def test_the_keys_of_a_disabled_user_are_refused(client: TestClient[Litestar], alice: Caller, admin: Caller) -> None:
    key = alice.create("api-key", name="x")["key"]
    admin.change("users/2/", enabled=False)
    assert ask(client, key) == REFUSED
    admin.change("users/2/", enabled=True)
    assert ask(client, key)[0] == 200


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [("read", {"GET phonebook/"}), ("campaigns", {"POST phonebook/"}), ("money", set()), ("admin", {"POST api-key/"})],
)
def test_a_key_of_a_manager_may_do_what_its_scope_says(
    client: TestClient[Litestar], alice: Caller, scope: str, allowed: set[str]
) -> None:
    key = alice.create("api-key", name="x", scopes=[scope])["key"]
    asked = {"GET phonebook/": "read", "POST phonebook/": "campaigns", "POST api-key/": "admin"}
    for request, needed in asked.items():
        method, path = request.split()
        status, body = ask(client, key, path, method, **({"name": "x", "scopes": scope} if method == "POST" else {}))
        if request in allowed:
            assert status in {200, 201}
        else:
            assert (status, body) == (
                403,
                {"detail": f"This API key lacks the scope '{needed}'. Use a key that has it."},
            )
    no_role = (403, {"detail": "You do not have permission to perform this action."})
    assert ask(client, key, "payment/", "POST", amount=1, user=2) == no_role
    assert ask(client, key, "clock/")[0] == 200


def test_a_key_cannot_give_another_what_it_lacks(client: TestClient[Litestar], alice: Caller) -> None:
    key = alice.create("api-key", name="x", scopes="admin,read")["key"]
    refusal = {"scopes": ["The key of this request lacks campaigns, so it cannot give it to another."]}
    assert ask(client, key, "api-key/", "POST", name="y", scopes=["read", "campaigns"]) == (400, refusal)


def test_what_makes_no_sense_is_refused(alice: Caller, bob: Caller) -> None:
    refusals = {
        "name": ["This field is required."],
        "scopes": ['"all" is not a scope. Known: read, campaigns, recordings, money, admin.'],
        "user": ["Invalid hyperlink - Object does not exist."],
    }
    assert alice.refused("POST", "api-key/", scopes=["all"], user=3) == (400, refusals)
    past = {"expirationdate": ["2026-11-18T11:06:40Z is in the past. Set a time after now, or null."]}
    assert alice.refused("POST", "api-key/", name="x", expirationdate="2026-11-18T11:06:40Z") == (400, past)
    key = alice.create("api-key", name="x")
    fixed = {"scopes": ["This field may not be changed."]}
    assert alice.refused("PATCH", key["url"], scopes=["read", "admin"]) == (400, fixed)
    assert bob.refused("PATCH", key["url"], name="mine")[0] == 404


def test_a_user_has_a_limited_number_of_keys(alice: Caller) -> None:
    for number in range(KEYS_MAX):
        alice.create("api-key", name=f"{number}")
    full = (409, {"detail": f"A user has at most {KEYS_MAX} API keys. Revoke one first."})
    assert alice.refused("POST", "api-key/", name="more") == full


def test_a_key_that_may_not_read_gets_no_record_back(alice: Caller, client: TestClient[Litestar]) -> None:
    url = alice.create("phonebook", name="friends")["url"]
    for scopes, expected in (("campaigns", (202, b"")), ("read,campaigns", (200, True))):
        key = alice.create("api-key", name=scopes, scopes=scopes)["key"]
        headers = {"Authorization": f"Bearer {key}", "Prefer": "return=representation"}
        answer = client.patch(url, json={}, headers=headers)
        shown = answer.json() == alice.get(url) if answer.content else answer.content
        assert (answer.status_code, shown, "preference-applied" in answer.headers) == (*expected, expected[0] == 200)
