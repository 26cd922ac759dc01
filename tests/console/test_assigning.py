"""Tests of numbers for calls in that wait for an admin, as managers and admins see them."""

from tests.api.harness import Caller
from tests.console.visitor import Visitor, words

NUMBER = "+12025550178"
WAITS = "Waits for an admin. Calls reach the number once an admin has assigned it."


def version_in(page: str) -> str:
    return page.split('name="version" value="')[1].partition('"')[0]


def test_a_manager_sees_that_a_number_waits_and_then_that_it_is_assigned(alice: Visitor, api: Caller) -> None:
    did = api.create("did", did_number=NUMBER)
    assert f"{NUMBER} \N{EN DASH} Waits for an admin alice" in alice.text("records/did/")
    assert "Calls reach a number once an admin has assigned it." in words(alice.page)
    shown = alice.text("records/did/1/")
    assert WAITS in shown
    assert "Assigned Waits for an admin" in shown
    assert "Assign to" not in shown
    Caller(api.client, "admin").change(did["url"], is_assigned=True)
    assert f"{NUMBER} \N{EN DASH} Assigned alice" in alice.text("records/did/")
    shown = alice.text("records/did/1/")
    assert "Assigned Assigned" in shown
    assert "Waits for an admin" not in shown


def test_a_manager_adds_and_changes_a_number_but_does_not_assign_it(alice: Visitor, api: Caller) -> None:
    assert 'name="is_assigned"' not in alice.get("records/did/new/")
    assert alice.send("records/did/", did_number=NUMBER, is_assigned="1").status_code == 303
    assert 'name="is_assigned"' not in alice.get("records/did/1/")
    assert alice.send("records/did/1/", is_assigned="1", version=version_in(alice.page)).status_code == 303
    assert api.get("did/1/")["is_assigned"] is False


def test_an_admin_assigns_a_number_with_a_button_and_the_audit_log_tells_it(admin: Visitor, api: Caller) -> None:
    api.create("did", did_number=NUMBER)
    assert f"{NUMBER} \N{EN DASH} Waits for an admin alice" in admin.text("records/did/")
    assert "Assign to alice" in admin.text("records/did/1/")
    button = {"is_assigned": "1", "version": version_in(admin.page)}
    done = admin.send("records/did/1/", **button)
    assert (done.status_code, done.headers["location"]) == (303, "/console/records/did/1/?saved=1")
    stored = api.get("did/1/")
    assert (stored["did_number"], stored["is_assigned"]) == (NUMBER, True)
    assert "Waits for an admin" not in admin.text("records/did/1/")
    entries = Caller(api.client, "admin").get("audit-log/")["results"]
    assert [one["action"] for one in entries if one["after"] == {"is_assigned": True}] == ["change"]


def test_a_number_that_was_changed_meanwhile_is_not_assigned(admin: Visitor, api: Caller) -> None:
    did = api.create("did", did_number=NUMBER)
    admin.get("records/did/1/")
    button = {"is_assigned": "1", "version": version_in(admin.page)}
    api.change(did["url"], did_number="+12025550179")
    assert admin.send("records/did/1/", **button).status_code == 409
    assert api.get("did/1/")["is_assigned"] is False


def test_a_number_of_two_accounts_is_assigned_to_one(admin: Visitor, api: Caller) -> None:
    bob = Caller(api.client, "bob")
    for one in (api, bob):
        one.create("did", did_number=NUMBER)
    Caller(api.client, "admin").change("did/1/", is_assigned=True)
    assert "Assign to bob" in admin.text("records/did/2/")
    answer = admin.send("records/did/2/", is_assigned="1", version=version_in(admin.page))
    assert (answer.status_code, "is assigned to another account" in words(answer.text)) == (400, True)
    assert (api.get("did/1/")["is_assigned"], bob.get("did/2/")["is_assigned"]) == (True, False)
