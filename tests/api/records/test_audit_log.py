"""Tests of the audit log: who changed what, from where; nothing secret; nothing that can be rewritten."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from dialer.api.app import create_app
from dialer.api.http.refusals import REFUSALS_A_MINUTE_MAX, Refusals
from dialer.app.telling.audit_log import REMOVED_AT_ONCE, Origin, masked, remove_old_entries
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import AuditLog
from tests.api.harness import BASE, HOST, NOW, NOW_MS, Caller, FakeWorker, Json

PASSWORD = "another long password"
DAY_MS = 86_400_000


def entries(caller: Caller, **filters: Json) -> list[Json]:
    found: list[Json] = caller.get("audit-log/", page_size=100, **filters)["results"]
    return found


def test_a_change_is_logged_with_its_actor_and_the_values_before_and_after(alice: Caller) -> None:
    alice.create("phonebook", name="friends")
    alice.change("phonebook/1/", name="family", description="")
    assert alice.request("DELETE", "phonebook/1/").status_code == 204
    first, second, third = entries(alice)
    assert second == {
        "id": 2,
        "url": f"{BASE}/audit-log/2/",
        "created_date": NOW,
        "actor_id": 2,
        "actor": "alice",
        "via": "password",
        "key_prefix": "",
        "address": "testclient",
        "action": "change",
        "resource": "phonebook",
        "record_id": 1,
        "user_id": 2,
        "before": {"name": "friends"},
        "after": {"name": "family"},
    }
    assert (first["action"], first["after"]) == ("create", {"name": "friends"})
    assert (third["action"], third["before"]) == ("delete", {"name": "family"})


def test_a_key_is_named_by_its_prefix(alice: Caller, client: TestClient[Litestar]) -> None:
    key = alice.create("api-key", name="x", scopes="campaigns")
    client.post("/rest-api/phonebook/", json={"name": "y"}, headers={"Authorization": f"Bearer {key['key']}"})
    newest = entries(alice)[-1]
    assert (newest["via"], newest["key_prefix"], newest["resource"]) == ("key", key["prefix"], "phonebook")


def test_a_new_key_is_logged_with_its_name_scopes_and_prefix(alice: Caller) -> None:
    made = [alice.create("api-key", name="x", **given) for given in ({}, {"scopes": ["campaigns", "read"]})]
    found = [entry["after"] for entry in entries(alice)]
    assert found == [
        {"name": "x", "prefix": made[0]["prefix"], "scopes": ["read"]},
        {"name": "x", "prefix": made[1]["prefix"], "scopes": ["read", "campaigns"]},
    ]


def test_money_and_users_are_logged_for_their_user_and_nobody_else(admin: Caller, alice: Caller, bob: Caller) -> None:
    admin.create("payment", amount=5, user=2)
    admin.change("users/2/", password=PASSWORD, call_rate="0.02")
    newest = Caller(alice.client, "alice", PASSWORD)
    paid, changed = entries(newest)
    assert (paid["actor"], paid["resource"], paid["after"]) == (
        "admin",
        "payment",
        {"amount": "5.00000", "user": "/rest-api/users/2/"},
    )
    assert changed["after"] == {"call_rate": 0.02, "password": "[not logged]"}
    assert entries(bob) == []
    assert len(entries(admin)) == 2


def test_a_manager_sees_what_an_admin_did_to_their_records(admin: Caller, alice: Caller, bob: Caller) -> None:
    alice.create("phonebook", name="friends")
    alice.create("contact", phonebook=1, contact="+12025550187")
    alice.create("survey-template", name="poll")
    seen = len(entries(alice))
    admin.change("contact/1/", full_name="Ada")
    admin.create("section-template", survey=1, question="How are you?")
    admin.create("branching-template", section=1, keys="1")
    admin.request(
        "POST", "phonebook/1/import/", content=b"contact\n+12025550188\n", headers={"Content-Type": "text/csv"}
    )
    for path in ("branching-template/1/", "contact/1/"):
        assert admin.request("DELETE", path).status_code == 204
    assert [
        (entry["actor"], entry["user_id"], entry["action"], entry["resource"]) for entry in entries(alice)[seen:]
    ] == [
        ("admin", 2, "change", "contact"),
        ("admin", 2, "create", "section-template"),
        ("admin", 2, "create", "branching-template"),
        ("admin", 2, "contacts_imported", "phonebook"),
        ("admin", 2, "delete", "branching-template"),
        ("admin", 2, "delete", "contact"),
    ]
    assert entries(bob) == []


def test_an_advance_of_the_clock_is_logged(admin: Caller) -> None:
    for headers in ({}, {"Idempotency-Key": "k"}, {"Idempotency-Key": "k"}):
        assert admin.request("POST", "clock/advance/", json={"seconds": 60}, headers=headers).status_code == 200
    assert admin.request("POST", "clock/advance/", json={"seconds": 0}).status_code == 200
    assert admin.request("POST", "clock/advance/", json={"seconds": -1}).status_code == 400
    found = entries(admin)
    assert [(entry["actor"], entry["action"], entry["resource"]) for entry in found] == [
        ("admin", "advance", "clock")
    ] * 2
    moments = [NOW, "2026-11-18T11:07:40Z", "2026-11-18T11:08:40Z"]
    assert [(entry["before"]["now"], entry["after"]["now"]) for entry in found] == list(pairwise(moments))


def test_refused_requests_reach_the_log(database: Database, worker: FakeWorker) -> None:
    app = create_app(Settings(), database=database, worker=worker)
    with TestClient(app, base_url=f"http://{HOST}") as client:
        alice = Caller(client, "alice")
        assert alice.refused("GET", "payment/")[0] == 403
        key = alice.create("api-key", name="x", scopes="read")
        bearer = {"Authorization": f"Bearer {key['key']}"}
        assert client.post("/rest-api/phonebook/", json={"name": "y"}, headers=bearer).status_code == 403
        assert Caller(client, "alice", "wrong").refused("GET", "phonebook/7/")[0] == 401
        wrong = {"Authorization": "Bearer dk_wrong"}
        assert client.get("/rest-api/phonebook/", headers=wrong).status_code == 401
        # A request without credentials is no attempt.
        assert client.get("/rest-api/phonebook/").status_code == 401
    columns = ("actor_id", "actor", "via", "key_prefix", "address", "after")
    query = (
        select(*(AuditLog.__table__.c[name] for name in columns))
        .where(AuditLog.action == "refused")
        .order_by(AuditLog.id)
    )
    rows = [tuple(row) for row in database.read_now(lambda connection: connection.execute(query).all())]
    address = "testclient"
    assert rows == [
        (2, "alice", "password", "", address, '{"status":403,"request":"GET /rest-api/payment"}'),
        (2, "alice", "key", key["prefix"], address, '{"status":403,"request":"POST /rest-api/phonebook"}'),
        (None, "alice", "none", "", address, '{"status":401,"request":"GET /rest-api/phonebook/{record_id}"}'),
        (None, "", "none", "", address, '{"status":401,"request":"GET /rest-api/phonebook"}'),
    ]


def test_neither_secrets_nor_personal_data_are_logged(admin: Caller, alice: Caller, database: Database) -> None:
    alice.create("phonebook", name="call +1 (202) 555-0187", description="12025550187")
    alice.create("contact", phonebook=1, contact="+12025550187", full_name="Ada Byron")
    alice.change("contact/1/", full_name="Ada Lovelace")
    alice.create("dnc-list", name="x")
    alice.create("dnc-contact", dnc=1, phone_number="+12025550187")
    admin.create("users", username="12025550187", password=PASSWORD)
    admin.create("gateway", name="g", parameters={"answer": 0.5})
    rows = database.read_now(lambda connection: connection.execute(select(AuditLog.__table__)).all())
    text = msgspec.json.encode([tuple(row) for row in rows]).decode()
    assert [word for word in ("5550187", "555-0187", "Ada", PASSWORD, "0.5") if word in text] == []
    assert [entry["resource"] for entry in entries(alice)] == ["phonebook", "contact", "dnc-list", "dnc-contact"]


@given(st.text(), st.from_regex(r"\+?[0-9]{7,15}", fullmatch=True), st.text(), st.sampled_from(["", " ", "-", ") "]))
def test_a_phone_number_never_stays_in_a_text(before: str, number: str, after: str, gap: str) -> None:
    assert gap.join(number) not in masked(before + gap.join(number) + after)


def test_a_change_that_fails_is_not_logged(alice: Caller) -> None:
    assert alice.refused("POST", "phonebook/", name="")[0] == 400
    assert alice.refused("PATCH", "phonebook/9/", name="x")[0] == 404
    assert entries(alice) == []


@pytest.mark.parametrize("statement", [update(AuditLog).values(actor="nobody"), delete(AuditLog)])
def test_no_statement_rewrites_the_log(alice: Caller, database: Database, statement: Any) -> None:  # noqa: ANN401 - of two kinds
    alice.create("phonebook", name="friends")
    with pytest.raises(IntegrityError, match="an entry of the audit log is"):
        database.write_now(lambda connection: connection.execute(statement))
    assert len(entries(alice)) == 1


def test_old_entries_are_removed(alice: Caller, database: Database) -> None:
    old = {"created_date": NOW_MS - 400 * DAY_MS, "via": "password", "action": "create"}
    database.write_now(lambda connection: connection.execute(insert(AuditLog).values(old)))
    alice.create("phonebook", name="friends")
    database.write_now(lambda connection: remove_old_entries(connection, NOW_MS - 365 * DAY_MS))
    kept = database.read_now(lambda connection: connection.scalars(select(AuditLog.created_date)).all())
    assert kept == [NOW_MS]


def test_entries_that_the_triggers_keep_stop_no_write(alice: Caller, worker: FakeWorker) -> None:
    """The clock jumps by a year, and the next write logs nothing, so the only entry is old and the newest one."""
    alice.create("phonebook", name="friends")
    worker.virtual.set(NOW_MS + 366 * DAY_MS)
    alice.change("phonebook/1/", name="friends")
    assert [entry["action"] for entry in entries(alice)] == ["create"]


def test_old_entries_are_removed_as_fast_as_they_are_written(
    alice: Caller, database: Database, worker: FakeWorker
) -> None:
    now_ms = NOW_MS + 800 * DAY_MS
    old = {"created_date": NOW_MS, "via": "password", "action": "create"}
    rows = [old] * (2 * REMOVED_AT_ONCE + 1)
    database.write_now(lambda connection: connection.execute(insert(AuditLog), rows))
    worker.virtual.set(now_ms)
    for name in ("friends", "family", "others"):
        alice.create("phonebook", name=name)
    kept = database.read_now(lambda connection: connection.scalars(select(AuditLog.created_date)).all())
    assert kept == [now_ms] * 3


async def test_refusals_are_logged_and_bounded(database: Database) -> None:
    refusals = Refusals(database, lambda: NOW_MS)
    for _ in range(1_000):
        refusals.note(Origin(via="none", actor="alice", address="192.0.2.1"), 401, "GET /rest-api/phonebook")
    await refusals.store()
    await refusals.store()
    query = select(AuditLog.actor, AuditLog.action, AuditLog.after).order_by(AuditLog.id)
    rows = [tuple(row) for row in database.read_now(lambda connection: connection.execute(query).all())]
    one = ("alice", "refused", '{"status":401,"request":"GET /rest-api/phonebook"}')
    assert rows == [one] * REFUSALS_A_MINUTE_MAX + [("", "refused", '{"others":990}')]
