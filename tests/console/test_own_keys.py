"""Tests of API keys in the console: they are made with the password alone, are seen, and go with an old password."""

import pytest

from tests.api.harness import PASSWORD, Caller
from tests.console.visitor import Visitor, words

NEW_PASSWORD = "tickets please, all aboard"


def is_right(visitor: Visitor, key: str) -> bool:
    answer = visitor.client.get("/rest-api/phonebook/", headers={"Authorization": f"Bearer {key}"})
    return bool(answer.status_code == 200)


def made_key(caller: Caller, name: str = "nightly import") -> str:
    return str(caller.create("api-key", name=name, scopes=["read"])["key"])


@pytest.mark.parametrize("given", [{}, {"current": ""}, {"current": "not the password"}])
def test_a_key_is_made_only_with_the_password(alice: Visitor, api: Caller, given: dict[str, str]) -> None:
    """A key outlasts the session. Somebody at a browser that was left open must not get one."""
    assert "Your password" in alice.text("records/api-key/new/")
    refused = alice.send("records/api-key/", name="stolen", scopes="read", **given)
    assert refused.status_code == 400
    assert "This is not your password." in words(refused.text)
    assert api.get("api-key/")["count"] == 0
    made = alice.send("records/api-key/", name="mine", scopes="read", current=PASSWORD)
    assert (made.status_code, "Copy it now" in made.text, PASSWORD in made.text) == (200, True, False)
    assert api.get("api-key/")["count"] == 1


def test_keys_are_on_the_account_page_and_can_be_revoked_there(alice: Visitor, bob: Visitor, api: Caller) -> None:
    key = made_key(api)
    page = alice.get("account/")
    assert ("nightly import" in page, key[:11] in page, key in page) == (True, True, False)
    assert "nightly import" not in bob.get("account/")
    assert [bob.send("account/keys/", key=one).status_code for one in ("1", "", "x")] == [404] * 3
    assert is_right(alice, key)
    assert alice.send("account/keys/", key="1").status_code == 303
    assert not is_right(alice, key)


@pytest.mark.parametrize(("kept", "stays"), [({}, False), ({"keep_keys": "1"}, True)])
def test_a_change_of_the_own_password_revokes_keys_unless_they_are_to_be_kept(
    alice: Visitor, api: Caller, kept: dict[str, str], *, stays: bool
) -> None:
    keys, other = [made_key(api), made_key(api)], made_key(Caller(api.client, "bob"))
    alice.get("account/")
    fields = {"current": PASSWORD, "password": NEW_PASSWORD, "again": NEW_PASSWORD}
    assert alice.send("account/password/", **fields, **kept).status_code == 303
    assert [is_right(alice, key) for key in [*keys, other]] == [stays, stays, True]


@pytest.mark.parametrize(("kept", "stays"), [({}, False), ({"keep_keys": "1"}, True)])
def test_an_admins_reset_revokes_keys_unless_they_are_to_be_kept(
    admin: Visitor, api: Caller, kept: dict[str, str], *, stays: bool
) -> None:
    key = made_key(api)
    assert "Otherwise a new password revokes them." in admin.text("records/users/2/")
    assert admin.send("records/users/2/", first_name="Alice").status_code == 303
    assert is_right(admin, key)
    assert admin.send("records/users/2/", password=NEW_PASSWORD, **kept).status_code == 303
    assert is_right(admin, key) == stays


def test_a_new_password_over_the_api_keeps_keys_as_it_always_did(admin: Visitor, api: Caller) -> None:
    """Programs that change passwords go on working. They revoke keys by a request of its own."""
    key = made_key(api)
    Caller(api.client, "admin").change("users/2/", password=NEW_PASSWORD)
    assert is_right(admin, key)


def test_revoked_keys_are_in_the_audit_log(alice: Visitor, api: Caller) -> None:
    made_key(api)
    alice.get("account/")
    alice.send("account/password/", current=PASSWORD, password=NEW_PASSWORD, again=NEW_PASSWORD)
    entries = Caller(api.client, "admin").get("audit-log/")["results"]
    assert "api_key_revoked" in {entry["action"] for entry in entries}
