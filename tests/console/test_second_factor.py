"""Tests of the second factor: a code of a telephone (RFC 6238) besides the password."""

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import httpx
import pyotp
import pytest
from sqlalchemy import select

from dialer.api.http.auth import Authenticator
from dialer.api.http.throttle import PAIR_FAILURES_MAX
from dialer.app.accounts.second_factor import RECOVERY_CODES, SETUP_MS, STEP_MS
from dialer.app.accounts.sessions import SIGN_IN_MS, is_as_verified
from dialer.store.database.database import Database
from dialer.store.tables import RecoveryCode, SecondFactor
from tests.api.harness import PASSWORD, PASSWORD_HASH, Caller, FakeWorker
from tests.console.conftest import Machine
from tests.console.test_sessions import is_signed_in
from tests.console.visitor import Visitor, token_of, words
from tests.test_server import ADMIN, VIRTUAL, serving

FACTOR = "account/second-factor/"
CODE = "sign-in/code/"
SECRET = re.compile(r'<code class="secret">([A-Z2-7 ]+)</code>')
RECOVERY = re.compile(r'<code class="secret">([a-z2-7-]+)</code>')


class Telephone:
    """A telephone that shows codes, and the recovery codes on a sheet of paper."""

    def __init__(self, secret: str, machine: Machine, recovery: list[str]) -> None:
        self._codes = pyotp.TOTP(secret)
        self._machine = machine
        self.recovery = recovery

    def code(self, steps: int = 0) -> str:
        return self._codes.at(self._machine.now_ms // 1000 + steps * STEP_MS // 1000)


def set_up(visitor: Visitor, machine: Machine) -> Telephone:
    """Set up a second factor, and let its first code be over."""
    found = SECRET.search(visitor.get(FACTOR))
    assert found is not None
    secret = found[1].replace(" ", "")
    code = pyotp.TOTP(secret).at(machine.now_ms // 1000)
    done = visitor.send(FACTOR, current=PASSWORD, code=code)
    assert done.status_code == 200, words(done.text)
    machine.now_ms += STEP_MS
    return Telephone(secret, machine, RECOVERY.findall(done.text))


@pytest.fixture(autouse=True)
def forgetful(authenticator_of_session: Authenticator, database: Database, worker: FakeWorker) -> None:
    """Forget the wrong codes of other tests."""
    Authenticator.__init__(authenticator_of_session, database, clock_ms=worker.clock.now_ms)


@pytest.fixture
def telephone(alice: Visitor, machine: Machine) -> Telephone:
    """Return the telephone of Alice, who has set up a second factor."""
    return set_up(alice, machine)


def test_the_picture_and_the_key_are_shown_until_a_code_was_right(alice: Visitor, machine: Machine) -> None:
    first, second = alice.get(FACTOR), alice.get(FACTOR)
    assert SECRET.findall(first) == SECRET.findall(second) != []
    assert '<div role="img" aria-label="QR code with the key"><svg' in first
    assert "style=" not in first
    for fields in ({"current": "wrong", "code": "000000"}, {"current": PASSWORD, "code": "000000"}, {}):
        assert alice.send(FACTOR, **fields).status_code == 400
    other = Visitor(alice.client)
    assert other.sign_in("alice").headers["location"] == "/console/"
    telephone = set_up(alice, machine)
    assert len(set(telephone.recovery)) == RECOVERY_CODES
    assert SECRET.findall(alice.get(FACTOR)) == []
    assert (is_signed_in(alice), is_signed_in(other)) == (True, False)


def test_a_sign_in_needs_the_password_and_then_a_code(visitor: Visitor, telephone: Telephone) -> None:
    visitor.get("sign-in/")
    first = visitor.send("sign-in/", username="alice", password=PASSWORD, next="/console/account/")
    assert (first.status_code, first.headers["location"]) == (
        303,
        "/console/sign-in/code/?next=%2Fconsole%2Faccount%2F",
    )
    assert "dialer_session" not in visitor.cookies
    assert not is_signed_in(visitor)
    visitor.get("sign-in/code/?next=/console/account/")
    assert visitor.send(CODE, code="123", next="/console/account/").status_code == 403
    assert not is_signed_in(visitor)
    done = visitor.send(CODE, code=telephone.code(), next="/console/account/")
    assert (done.status_code, done.headers["location"]) == (303, "/console/account/")
    assert is_signed_in(visitor)
    assert "dialer_code" not in visitor.cookies


def test_the_proof_of_the_password_opens_nothing_else(visitor: Visitor, telephone: Telephone) -> None:
    assert telephone.recovery
    visitor.sign_in("alice")
    visitor.cookies["dialer_session"] = visitor.cookies["dialer_code"]
    assert not is_signed_in(visitor)


def step(visitor: Visitor, code: str) -> int:
    """Sign in with the password and a code, and return the status of the second step."""
    visitor.cookies.clear()
    visitor.sign_in("alice")
    visitor.get(CODE)
    return int(visitor.send(CODE, code=code).status_code)


def test_a_code_is_never_accepted_twice_nor_after_a_later_one(
    visitor: Visitor, telephone: Telephone, machine: Machine
) -> None:
    """RFC 6238, 5.2: a verifier must not accept a second attempt of a code that was right."""
    code = telephone.code()
    assert [step(visitor, code) for _ in range(2)] == [303, 403]
    machine.now_ms += STEP_MS
    late, now, early = telephone.code(-1), telephone.code(), telephone.code(1)
    assert [step(visitor, one) for one in (late, early, now, early)] == [403, 303, 403, 403]
    machine.now_ms += 10 * STEP_MS
    assert [step(visitor, telephone.code(steps)) for steps in (-2, 2, -1, 0, 1)] == [403, 403, 303, 303, 303]


def test_a_recovery_code_works_once_in_any_spelling(visitor: Visitor, telephone: Telephone, database: Database) -> None:
    one, other = telephone.recovery[:2]
    spelt = one.upper().replace("-", " ")
    assert [step(visitor, spelt), step(visitor, one), step(visitor, other)] == [303, 403, 303]
    left = database.read_now(lambda connection: connection.execute(select(RecoveryCode.__table__)).all())
    assert len(left) == RECOVERY_CODES - 2
    plain = [code.replace("-", "").encode() for code in telephone.recovery]
    assert not any(code in bytes(row.code_hash) for row in left for code in plain)


def test_wrong_codes_are_limited_from_all_addresses_and_sign_ins_together(
    visitor: Visitor, telephone: Telephone, api: Caller
) -> None:
    assert [step(visitor, f"{number:06}") for number in range(PAIR_FAILURES_MAX)] == [403] * PAIR_FAILURES_MAX
    assert step(visitor, telephone.code()) == 429
    assert step(visitor, telephone.recovery[0]) == 429
    assert Caller(api.client, "bob").get("phonebook/")["count"] == 0


def test_the_time_for_the_code_is_limited(visitor: Visitor, telephone: Telephone, machine: Machine) -> None:
    visitor.sign_in("alice")
    visitor.get(CODE)
    machine.now_ms += SIGN_IN_MS
    late = visitor.send(CODE, code=telephone.code())
    assert (late.status_code, late.headers["location"]) == (303, "/console/sign-in/")
    assert not is_signed_in(visitor)


def test_a_new_password_ends_the_first_step_too(visitor: Visitor, telephone: Telephone, api: Caller) -> None:
    visitor.sign_in("alice")
    visitor.get(CODE)
    Caller(api.client, "admin").change("users/2/", password="another long password")
    assert visitor.send(CODE, code=telephone.code()).headers["location"] == "/console/sign-in/"


def test_without_the_first_step_there_is_no_second(visitor: Visitor, telephone: Telephone) -> None:
    assert visitor.request("GET", CODE).headers["location"] == "/console/sign-in/"
    visitor.get("sign-in/")
    assert visitor.send(CODE, code=telephone.code()).headers["location"] == "/console/sign-in/"
    visitor.cookies["dialer_code"] = "made up"
    assert visitor.send(CODE, code=telephone.code()).headers["location"] == "/console/sign-in/"


def test_a_password_alone_opens_the_api_no_more_but_a_key_does(alice: Visitor, api: Caller, machine: Machine) -> None:
    key = api.create("api-key", name="program", scopes=["read"])["key"]
    set_up(alice, machine)
    status, body = api.refused("GET", "phonebook/")
    assert (status, "second factor" in body["detail"], "API key" in body["detail"]) == (403, True, True)
    assert Caller(api.client, "alice", "a wrong password").refused("GET", "phonebook/")[0] == 401
    bearer = {"Authorization": f"Bearer {key}"}
    assert api.client.get("/rest-api/phonebook/", headers=bearer).status_code == 200
    assert Caller(api.client, "bob").get("phonebook/")["count"] == 0


def test_turning_it_off_takes_the_password_and_a_code(alice: Visitor, telephone: Telephone, api: Caller) -> None:
    alice.get(FACTOR)
    off = f"{FACTOR}off/"
    assert alice.send(off, current=PASSWORD, code="000000").status_code == 400
    assert alice.send(off, current="wrong", code=telephone.code()).status_code == 400
    assert alice.send(off, current=PASSWORD, code=telephone.code()).headers["location"] == "/console/account/"
    assert Visitor(alice.client).sign_in("alice").headers["location"] == "/console/"
    assert api.get("phonebook/")["count"] == 0


def test_an_admin_turns_off_the_factor_of_another_user(admin: Visitor, telephone: Telephone, alice: Visitor) -> None:
    assert telephone.recovery
    admin.get("records/users/2/")
    assert admin.send("users/2/second-factor/off/").status_code == 303
    assert [admin.send(f"users/{one}/second-factor/off/").status_code for one in ("2", "9", "x", "1")] == [
        409,
        409,
        404,
        403,
    ]
    assert Visitor(alice.client).sign_in("alice").headers["location"] == "/console/"
    entries = Caller(admin.client, "admin").get("audit-log/")["results"]
    assert {("second_factor_set", "alice"), ("second_factor_removed", "admin")} <= {
        (entry["action"], entry["actor"]) for entry in entries
    }
    alice.get("account/")
    assert alice.send("users/3/second-factor/off/").status_code == 403


def test_a_user_with_a_session_and_a_second_factor_can_be_deleted(bob: Visitor, api: Caller, machine: Machine) -> None:
    set_up(bob, machine)
    deleted = Caller(api.client, "admin").request("DELETE", "users/3/")
    assert deleted.status_code == 204, deleted.text
    assert not is_signed_in(bob)


def test_the_secret_is_encrypted_in_the_database(telephone: Telephone, database: Database) -> None:
    assert telephone.recovery
    found = database.read_now(
        lambda connection: connection.exec_driver_sql("SELECT secret FROM second_factor").scalar_one()
    )
    assert found.startswith("gAAAA")
    (row,) = database.read_now(lambda connection: connection.execute(select(SecondFactor.__table__)).all())
    assert len(row.secret) == 32


@pytest.mark.parametrize("rule", ["admins", "everybody"])
def test_a_service_can_ask_for_a_second_factor(tmp_path: Path, rule: str) -> None:
    """Until it is set up, the console shows the page that does it alone, and a password opens no API."""
    with serving(tmp_path, **ADMIN, **VIRTUAL, DIALER_SECOND_FACTOR=rule) as served:
        refused = served.client.get("users/")
        assert (refused.status_code, "second factor" in refused.json()["detail"]) == (403, True)
        with httpx.Client(base_url=served.base.removesuffix("/rest-api/"), timeout=60) as client:
            visitor = Visitor(client)
            assert visitor.sign_in("root").headers["location"] == "/console/"
            for path in ("", "overview/", "records/users/", "records/api-key/new/"):
                away = visitor.request("GET", path)
                assert (away.status_code, away.headers["location"]) == (303, f"/console/{FACTOR}")
            assert visitor.request("GET", "overview/live/").status_code in {303, 403}
            found = SECRET.search(visitor.get(FACTOR))
            assert found is not None
            assert visitor.send("records/phonebook/", name="book").status_code == 403
            code = pyotp.TOTP(found[1].replace(" ", "")).now()
            assert visitor.send(FACTOR, current=PASSWORD, code=code).status_code == 200
            assert "Users" in visitor.text("records/users/")
        assert served.client.get("users/").status_code == 403


def test_codes_that_are_sent_at_once_are_counted_one_by_one(tmp_path: Path) -> None:
    """Otherwise somebody who knows the password could try thousands of codes before the first wrong one counts."""
    tries = 4 * PAIR_FAILURES_MAX
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        pool = httpx.Limits(max_connections=tries)
        with httpx.Client(base_url=served.base.removesuffix("/rest-api/"), timeout=60, limits=pool) as client:
            visitor = Visitor(client)
            visitor.sign_in("root")
            found = SECRET.search(visitor.get(FACTOR))
            assert found is not None
            code = pyotp.TOTP(found[1].replace(" ", "")).now()
            assert visitor.send(FACTOR, current=PASSWORD, code=code).status_code == 200
            visitor.cookies.clear()
            visitor.sign_in("root")
            visitor.get(CODE)
        cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
        ready = Barrier(tries)

        def guess(number: int) -> int:
            data = {"csrf": token_of(visitor.page), "code": f"{number:06}"}
            url = f"{served.base.removesuffix('/rest-api/')}/console/{CODE}"
            with httpx.Client(timeout=60) as client:
                ready.wait()
                return client.post(url, data=data, headers={"Cookie": cookies}).status_code

        with ThreadPoolExecutor(tries) as people:
            statuses = Counter(people.map(guess, range(tries)))
    assert statuses == {403: PAIR_FAILURES_MAX, 429: tries - PAIR_FAILURES_MAX}


def test_a_key_that_nobody_confirmed_gets_too_old(alice: Visitor, machine: Machine) -> None:
    """Somebody who saw the picture long ago must not know the codes of the user who reads it today."""
    first = SECRET.findall(alice.get(FACTOR))
    code = pyotp.TOTP(first[0].replace(" ", "")).at((machine.now_ms + SETUP_MS) // 1000)
    machine.now_ms += SETUP_MS
    late = alice.send(FACTOR, current=PASSWORD, code=code)
    assert (late.status_code, "too old" in words(late.text)) == (409, True)
    second = SECRET.findall(alice.get(FACTOR))
    assert second != first
    set_up(alice, machine)


def test_a_new_password_ends_a_set_up_that_was_not_confirmed(alice: Visitor, api: Caller) -> None:
    first = SECRET.findall(alice.get(FACTOR))
    Caller(api.client, "admin").change("users/2/", password="another long password")
    alice.sign_in("alice", "another long password")
    assert SECRET.findall(alice.get(FACTOR)) not in ([], first)


def test_a_sign_in_does_not_outlive_a_change_while_its_password_was_verified(
    alice: Visitor, api: Caller, database: Database, machine: Machine
) -> None:
    """A session that began with a password just before a new one, or a second factor, would be open for days."""

    def is_good(password_hash: str) -> bool:
        return database.read_now(
            lambda connection: is_as_verified(connection, 2, password_hash, has_second_factor=False)
        )

    assert is_good(PASSWORD_HASH)
    set_up(alice, machine)
    assert not is_good(PASSWORD_HASH)
    bob = database.read_now(lambda connection: is_as_verified(connection, 3, PASSWORD_HASH, has_second_factor=False))
    Caller(api.client, "admin").change("users/3/", password="another long password")
    later = database.read_now(lambda connection: is_as_verified(connection, 3, PASSWORD_HASH, has_second_factor=False))
    assert (bob, later) == (True, False)
