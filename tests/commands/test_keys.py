"""Tests of `dialer keys` and `dialer users change`."""

from tests.commands.conftest import Run
from tests.commands.test_users import create


def test_a_key_is_created_listed_and_revoked(run: Run) -> None:
    create(run, "anna")
    created = run("keys", "create", "anna", "--name", "import", "--scope", "campaigns", "--scope", "read", "--json")
    assert created.code == 0
    prefix, secret = created.data["prefix"], created.data["key"]
    assert created.data == {"id": 1, "prefix": prefix, "scopes": ["read", "campaigns"], "key": secret}
    assert secret.startswith(prefix)
    listed = run("keys", "list", "anna", "--json").data
    assert [(key["name"], key["username"], key["scopes"], key["enabled"]) for key in listed] == [
        ("import", "anna", ["read", "campaigns"], True)
    ]
    assert secret not in run("keys", "list").out
    assert run("keys", "revoke", prefix, "--json").data == {"id": 1, "prefix": prefix}
    assert run("keys", "list", "--json").data == []
    assert run("keys", "revoke", prefix).code == 1


def test_the_secret_alone_is_on_standard_output(run: Run) -> None:
    create(run, "anna")
    created = run("keys", "create", "anna", "--days", "90")
    assert created.out.strip().startswith("dk_")
    assert "not shown again" in created.err
    assert run("keys", "list", "--json").data[0]["expirationdate"] is not None


def test_a_key_for_nobody_is_refused(run: Run) -> None:
    create(run, "anna")
    assert run("keys", "create", "ben").code == 1
    assert run("keys", "create", "anna", "--name", " ").code == 2
    assert run("keys", "create", "anna", "--scope", "all").code == 2


def test_a_user_gets_another_role_and_is_disabled(run: Run) -> None:
    create(run, "anna", "--admin")
    create(run, "vera", "--role", "viewer")
    assert run("users", "change", "vera", "--manager", "anna", "--disable", "--role", "agent").code == 0
    listed = {user["username"]: user for user in run("users", "list", "--json").data}
    assert (listed["vera"]["role"], listed["vera"]["enabled"]) == ("agent", False)
    last = run("users", "change", "anna", "--disable")
    assert (last.code, "last admin" in last.err) == (1, True)
    assert run("users", "change", "anna").code == 2
    assert run("users", "change", "anna", "--manager", "anna").code == 2
