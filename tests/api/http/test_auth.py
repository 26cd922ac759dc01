"""Who is asking: credentials, what is remembered of them, and those who guess."""

import base64
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.app import create_app
from dialer.api.http import auth
from dialer.api.http.auth import Authenticator
from dialer.passwords import hash_password, verify_password
from dialer.settings import Settings
from dialer.store.database import Database
from dialer.store.tables import User
from tests.api.harness import PASSWORD, Caller, FakeWorker, Json

INVALID = (401, {"detail": "Invalid username/password."})
GUESSED = (429, {"detail": "Too many wrong passwords; try again later."})


def basic(text: bytes) -> str:
    return f"Basic {base64.b64encode(text).decode()}"


def answer(client: TestClient[Litestar], header: str | None) -> tuple[int, Any]:
    found = client.get("/rest-api/phonebook/", headers={} if header is None else {"Authorization": header})
    return found.status_code, found.json()


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Basic",
        "Basic ",
        "Basic !!!!",
        "Basic YWxpY2U",
        "Bearer abc",
        basic(b"alice"),
        basic(b":" + PASSWORD.encode()),
        basic(b"alice:"),
        basic(b"alice:wrong password"),
        basic(b"nobody:" + PASSWORD.encode()),
        basic(b"ALICE:" + PASSWORD.encode()),
        basic(b"alice\x00:" + PASSWORD.encode()),
        basic(b"\xff\xfe:" + PASSWORD.encode()),
        basic(b"a" * 151 + b":x"),
        basic(b"alice:" + b"x" * 9_000),
        basic(b"alice:" + b"x" * 2_000),
        basic(b"' OR 1=1 --:x"),
    ],
    ids=lambda header: str(header)[:24],
)
def test_without_right_credentials_nobody_gets_in(client: TestClient[Litestar], header: str | None) -> None:
    assert answer(client, header) == INVALID
    found = client.get("/rest-api/phonebook/", headers={} if header is None else {"Authorization": header})
    assert found.headers["www-authenticate"] == 'Basic realm="dialer"'


def test_credentials_are_asked_for_before_the_body_is_looked_at(client: TestClient[Litestar]) -> None:
    found = client.post("/rest-api/phonebook/", content=b"{", headers={"Content-Type": "text/plain"})
    assert (found.status_code, found.json()) == INVALID


class Verifier:
    """Counts verifications, and verifies for real."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, password_hash: str, password: str) -> bool:
        self.count += 1
        return verify_password(password_hash, password)


@pytest.fixture
def verifier(monkeypatch: pytest.MonkeyPatch) -> Verifier:
    verifier = Verifier()
    monkeypatch.setattr(auth, "verify_password", verifier)
    return verifier


class Time:
    """A monotonic clock that is moved by hand."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def client(database: Database, worker: FakeWorker, time: Time) -> Json:
    app = create_app(Settings(), database=database, worker=worker, authenticator=Authenticator(database, time))
    with TestClient(app, raise_server_exceptions=True) as client:
        yield client


def test_a_credential_is_verified_once_a_minute(client: TestClient[Litestar], verifier: Verifier, time: Time) -> None:
    caller = Caller(client, "alice")
    for _ in range(3):
        caller.get("phonebook/")
    assert verifier.count == 1
    time.now_s += 60
    caller.get("phonebook/")
    assert verifier.count == 2


def test_those_who_ask_for_the_same_at_once_share_one_verification(
    client: TestClient[Litestar], verifier: Verifier
) -> None:
    caller = Caller(client, "alice")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: caller.get("phonebook/")["count"], range(16)))
    assert (answers, verifier.count) == ([0] * 16, 1)


def test_a_changed_password_is_forgotten_at_once(client: TestClient[Litestar], database: Database) -> None:
    old, new = Caller(client, "alice"), Caller(client, "alice", "another long password")
    old.get("phonebook/")
    table, changed = User.__table__, hash_password("another long password")
    database.write_now(
        lambda connection: connection.execute(
            table.update().where(table.c.username == "alice").values(password_hash=changed)
        )
    )
    assert old.refused("GET", "phonebook/") == INVALID
    assert new.get("phonebook/")["count"] == 0


def test_unknown_users_cost_a_verification_too(client: TestClient[Litestar], verifier: Verifier) -> None:
    assert Caller(client, "nobody").refused("GET", "phonebook/") == INVALID
    assert Caller(client, "alice", "wrong password").refused("GET", "phonebook/") == INVALID
    assert verifier.count == 2


def test_after_ten_failures_nobody_is_heard_for_five_minutes(client: TestClient[Litestar], time: Time) -> None:
    for number in range(10):
        assert Caller(client, "alice", f"guess number {number}").refused("GET", "phonebook/") == INVALID
    right = Caller(client, "alice")
    assert right.refused("GET", "phonebook/") == GUESSED
    assert right.request("GET", "phonebook/").headers["retry-after"] == "300"
    assert Caller(client, "bob").refused("GET", "phonebook/") == GUESSED
    time.now_s += 299
    assert right.refused("GET", "phonebook/") == GUESSED
    time.now_s += 1
    assert right.get("phonebook/")["count"] == 0


def test_failures_that_are_far_apart_do_not_add_up(client: TestClient[Litestar], time: Time) -> None:
    for number in range(12):
        time.now_s += 40
        assert Caller(client, "alice", f"guess number {number}").refused("GET", "phonebook/") == INVALID
    assert Caller(client, "alice").get("phonebook/")["count"] == 0


def test_many_guesses_at_once_are_no_more_guesses(client: TestClient[Litestar], verifier: Verifier) -> None:
    callers = [Caller(client, "alice", f"guess number {number}") for number in range(40)]
    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(lambda caller: caller.refused("GET", "phonebook/")[0], callers))
    assert set(statuses) == {401, 429}
    assert verifier.count < 13
