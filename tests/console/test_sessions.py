"""Tests of sessions: their ends, their cookies, and their list."""

import pytest
from sqlalchemy import select

from dialer.api.http.throttle import PAIR_FAILURES_MAX
from dialer.app.accounts.sessions import SESSIONS_MAX
from dialer.console.words.browsers import browser_name
from dialer.store.database.database import Database
from dialer.store.tables import ConsoleSession
from tests.api.harness import PASSWORD, Caller
from tests.console.conftest import Machine
from tests.console.visitor import Visitor, words

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
    token = visitor.cookies["__Host-dialer_session"]
    assert line == f"__Host-dialer_session={token}; HttpOnly; Max-Age=604800; Path=/; SameSite=strict; Secure"


def test_over_https_a_cookie_that_another_host_may_have_set_is_no_session(alice: Visitor) -> None:
    """A host beside this one, or anybody on the way of a plain request, can set a cookie without the prefix."""
    alice.client.base_url = str(alice.client.base_url).replace("http:", "https:")
    try:
        assert not is_signed_in(alice)
        alice.cookies = {f"__Host-{name}": value for name, value in alice.cookies.items()}
        assert is_signed_in(alice)
    finally:
        alice.client.base_url = str(alice.client.base_url).replace("https:", "http:")


def test_live_parts_do_not_keep_a_session_awake(alice: Visitor, machine: Machine) -> None:
    """A page that is left open asks by itself. That is no use of the session."""
    machine.now_ms += 12 * HOUR_MS - 1
    assert alice.request("GET", "overview/live/").status_code == 200
    machine.now_ms += 1
    assert not is_signed_in(alice)


@pytest.mark.parametrize("token", ["", "x", "é" * 43, "a" * 43, "a" * 100_00])
def test_a_made_up_token_is_no_session(visitor: Visitor, token: str) -> None:
    visitor.cookies = {"dialer_session": token.encode("ascii", "ignore").decode()}
    assert not is_signed_in(visitor)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
            "Chrome on Linux",
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1",
            "Safari on iPhone",
        ),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox on macOS"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", "Unknown"),
    ],
)
def test_browsers_are_named_as_people_know_them(user_agent: str, name: str) -> None:
    assert browser_name(user_agent) == name


NEW_PASSWORD = "tickets please, all aboard"


def test_users_change_their_password_and_stay_signed_in_where_they_did(alice: Visitor, visitor: Visitor) -> None:
    other = Visitor(alice.client)
    other.sign_in("alice")
    alice.get("account/")
    before = alice.cookies["dialer_session"]
    changed = alice.send("account/password/", current=PASSWORD, password=NEW_PASSWORD, again=NEW_PASSWORD)
    assert (changed.status_code, changed.headers["location"]) == (303, "/console/account/?changed=1")
    assert "Your password is changed. Your other sessions have ended." in alice.text("account/?changed=1")
    assert [is_signed_in(one) for one in (alice, other)] == [True, False]
    assert alice.cookies["dialer_session"] != before
    assert visitor.sign_in("alice").status_code == 401
    assert visitor.sign_in("alice", NEW_PASSWORD).status_code == 303


@pytest.mark.parametrize(
    ("current", "again", "message"),
    [
        ("not her password", NEW_PASSWORD, "This is not your password."),
        (PASSWORD, "something else", "The two passwords differ."),
        (PASSWORD, "", "The two passwords differ."),
    ],
)
def test_a_new_password_needs_the_old_one_and_no_mistake(
    alice: Visitor, visitor: Visitor, current: str, again: str, message: str
) -> None:
    alice.get("account/")
    refused = alice.send("account/password/", current=current, password=NEW_PASSWORD, again=again)
    assert refused.status_code == 400
    assert message in words(refused.text)
    assert is_signed_in(alice)
    assert visitor.sign_in("alice").status_code == 303


def test_whoever_finds_an_open_browser_cannot_try_many_passwords(visitor: Visitor, api: Caller) -> None:
    Caller(api.client, "admin").create("users", username="dora", password="a right password")
    visitor.sign_in("dora", "a right password")
    visitor.get("account/")
    guess = {"password": NEW_PASSWORD, "again": NEW_PASSWORD}
    for _ in range(PAIR_FAILURES_MAX):
        assert visitor.send("account/password/", current="a guess", **guess).status_code == 400
    refused = visitor.send("account/password/", current="another guess", **guess)
    assert (refused.status_code, refused.headers["retry-after"].isdigit()) == (429, True)
    assert "Too many wrong passwords" in words(refused.text)
