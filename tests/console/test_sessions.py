"""Tests of sessions: their ends, their cookies, and their list."""

import pytest
from sqlalchemy import select

from dialer.app.sessions import SESSIONS_MAX
from dialer.store.database import Database
from dialer.store.tables import ConsoleSession
from tests.api.harness import Caller
from tests.console.conftest import Machine
from tests.console.visitor import Visitor

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


def is_signed_in(visitor: Visitor) -> bool:
    status = visitor.request("GET", "account/").status_code
    assert status in {200, 303}
    return status == 200


def test_a_session_ends_after_twelve_hours_without_use(alice: Visitor, machine: Machine) -> None:
    machine.now_ms += 12 * HOUR_MS - 1
    assert is_signed_in(alice)
    machine.now_ms += 12 * HOUR_MS - 1
    assert is_signed_in(alice)
    machine.now_ms += 12 * HOUR_MS
    assert not is_signed_in(alice)


def test_a_session_ends_after_seven_days_of_use(alice: Visitor, machine: Machine) -> None:
    for _ in range(7 * 4 - 1):
        machine.now_ms += 6 * HOUR_MS
        assert is_signed_in(alice)
    machine.now_ms += 6 * HOUR_MS
    assert not is_signed_in(alice)


def test_the_clock_of_the_service_ends_no_session(alice: Visitor, api: Caller) -> None:
    Caller(api.client, "admin").request("POST", "clock/advance/", json={"seconds": 30 * 86_400})
    assert is_signed_in(alice)


def test_a_new_password_and_disabling_end_all_sessions_of_the_user_alone(
    alice: Visitor, bob: Visitor, api: Caller
) -> None:
    other = Visitor(alice.client)
    other.sign_in("alice")
    admin = Caller(api.client, "admin")
    admin.change("users/2/", password="another long password")
    assert [is_signed_in(one) for one in (alice, other, bob)] == [False, False, True]
    admin.change("users/3/", enabled=False)
    admin.change("users/3/", enabled=True)
    assert not is_signed_in(bob)


def test_other_changes_of_a_user_end_no_session(alice: Visitor, api: Caller) -> None:
    Caller(api.client, "admin").change("users/2/", first_name="Alice")
    assert is_signed_in(alice)


def test_a_new_role_holds_at_once(alice: Visitor, api: Caller) -> None:
    assert alice.request("GET", "overview/").status_code == 200
    Caller(api.client, "admin").change("users/2/", role="agent")
    assert alice.request("GET", "overview/").status_code == 403


def test_sign_out_ends_the_session_and_no_other(alice: Visitor) -> None:
    other = Visitor(alice.client)
    other.sign_in("alice")
    stolen = Visitor(alice.client)
    stolen.cookies = dict(alice.cookies)
    alice.get("account/")
    done = alice.send("account/sign-out/")
    assert (done.status_code, done.headers["location"]) == (303, "/console/sign-in/")
    assert "dialer_session" not in alice.cookies
    assert [is_signed_in(one) for one in (stolen, other)] == [False, True]


def test_sessions_are_listed_and_can_be_ended(alice: Visitor, bob: Visitor) -> None:
    other = Visitor(alice.client)
    other.get("sign-in/")
    other.request("POST", "sign-in/")  # without a token: nothing
    other.sign_in("alice")
    page = alice.get("account/")
    (value,) = {part.split('"')[0] for part in page.split('name="session" value="')[1:]}
    bob.get("account/")
    assert bob.send("account/sessions/", session=value).status_code == 404
    assert [alice.send("account/sessions/", session=wrong).status_code for wrong in ("", "0", "x", "9" * 30)] == [
        404
    ] * 4
    assert alice.send("account/sessions/", session=value).status_code == 303
    assert [is_signed_in(one) for one in (alice, other, bob)] == [True, False, True]


def test_a_user_has_a_limited_number_of_sessions(alice: Visitor, machine: Machine) -> None:
    for _ in range(SESSIONS_MAX):
        machine.now_ms += 1
        Visitor(alice.client).sign_in("alice")
    assert not is_signed_in(alice)


def test_the_cookie_is_for_this_site_alone_and_the_token_is_not_stored(visitor: Visitor, database: Database) -> None:
    line = visitor.sign_in("alice").headers.get_list("set-cookie")[0]
    token = visitor.cookies["dialer_session"]
    assert line == f"dialer_session={token}; HttpOnly; Max-Age=604800; Path=/console; SameSite=strict"
    (row,) = database.read_now(lambda connection: connection.execute(select(ConsoleSession.__table__)).all())
    assert token.encode() not in bytes(row.token_hash)
    assert (row.user_id, len(row.token_hash), len(token)) == (2, 32, 43)


def test_over_https_the_cookie_is_secure(visitor: Visitor) -> None:
    visitor.client.base_url = str(visitor.client.base_url).replace("http:", "https:")
    try:
        line = visitor.sign_in("alice").headers.get_list("set-cookie")[0]
    finally:
        visitor.client.base_url = str(visitor.client.base_url).replace("https:", "http:")
    assert "; Secure" in line


@pytest.mark.parametrize("token", ["", "x", "é" * 43, "a" * 43, "a" * 100_00])
def test_a_made_up_token_is_no_session(visitor: Visitor, token: str) -> None:
    visitor.cookies = {"dialer_session": token.encode("ascii", "ignore").decode()}
    assert not is_signed_in(visitor)
