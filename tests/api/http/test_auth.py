"""Tests of authentication: credentials, their cache, and guessed passwords."""

import base64
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import update

from dialer.api.app import create_app
from dialer.api.http import auth
from dialer.api.http.auth import Authenticator
from dialer.api.http.throttle import ADDRESS_FAILURES_MAX, NAME_FAILURES_MAX, NAME_WAIT_S
from dialer.passwords import hash_password, verify_password
from dialer.resources.words.errors import AnsweredError
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import User
from tests import loops
from tests.api.harness import PASSWORD, Caller, FakeWorker, Json
from tests.databases.choice import restore

INVALID = (401, {"detail": "Invalid username/password."})
NOT_PROVIDED = (401, {"detail": "Authentication credentials were not provided."})
GUESSED = (429, {"detail": "Too many wrong passwords; try again later."})


def basic(text: bytes) -> str:
    return f"Basic {base64.b64encode(text).decode()}"


def answer(client: TestClient[Litestar], header: str | None) -> tuple[int, Any]:
    found = client.get("/rest-api/phonebook/", headers={} if header is None else {"Authorization": header})
    return found.status_code, found.json()


@pytest.mark.parametrize("header", [None, "", "Basic", "Basic ", "Basic   ", "Bearer", "Bearer ", "Negotiate"])
def test_a_request_without_credentials_is_told_that_it_has_none(
    client: TestClient[Litestar], header: str | None
) -> None:
    assert answer(client, header) == NOT_PROVIDED


@pytest.mark.parametrize(
    "header",
    [
        "Basic !!!!",
        "Basic YWxpY2U",
        basic(b"alice"),
        basic(b":" + PASSWORD.encode()),
        basic(b"alice:"),
        basic(b"alice:wrong password"),
        basic(b"nobody:" + PASSWORD.encode()),
        basic(b"alicia:" + PASSWORD.encode()),
        basic(b"alice\x00:" + PASSWORD.encode()),
        basic(b"\xff\xfe:" + PASSWORD.encode()),
        basic(b"a" * 151 + b":x"),
        basic(b"alice:" + b"x" * 9_000),
        basic(b"alice:" + b"x" * 2_000),
        basic(b"' OR 1=1 --:x"),
    ],
    ids=lambda header: str(header)[:24],
)
def test_without_right_credentials_nobody_gets_in(client: TestClient[Litestar], header: str) -> None:
    assert answer(client, header) == INVALID
    found = client.get("/rest-api/phonebook/", headers={"Authorization": header})
    assert found.headers["www-authenticate"] == 'Basic realm="dialer"'


@pytest.mark.parametrize("name", ["alice", "ALICE", "Alice", "\uff21\uff4c\uff49\uff43\uff45"])
def test_a_user_name_is_right_in_any_case_and_unicode_form(client: TestClient[Litestar], name: str) -> None:
    assert answer(client, basic(f"{name}:{PASSWORD}".encode()))[0] == 200


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("Bearer abc", "Invalid API key: it does not begin with dk_."),
        ("bearer  DK_abc", "Invalid API key: it does not begin with dk_."),
        ("Bearer dk_" + 5_000 * "a", "Invalid API key: it is wrong, revoked, disabled or expired."),
        ("dk_abc", "Send the API key as `Authorization: Bearer dk_…`."),
        ("dk_abc Bearer", "Send the API key as `Authorization: Bearer dk_…`."),
    ],
)
def test_a_key_that_is_sent_in_another_way_is_refused_with_the_right_one(
    client: TestClient[Litestar], header: str, said: str
) -> None:
    found = client.get("/rest-api/phonebook/", headers={"Authorization": header})
    assert (found.status_code, found.json()) == (401, {"detail": said})
    assert found.headers["www-authenticate"] == 'Bearer realm="dialer", error="invalid_token"'


def test_credentials_are_asked_for_before_the_body_is_looked_at(client: TestClient[Litestar]) -> None:
    found = client.post("/rest-api/phonebook/", content=b"{", headers={"Content-Type": "text/plain"})
    assert (found.status_code, found.json()) == NOT_PROVIDED


class Verifier:
    """A verifier that counts verifications and performs them."""

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


@pytest.fixture(scope="module")
def authenticator(database_of_session: Database) -> Authenticator:
    return Authenticator(database_of_session)


@pytest.fixture(scope="module")
def client_of_module(
    authenticator: Authenticator, worker_of_session: FakeWorker, database_of_session: Database
) -> Json:
    app = create_app(Settings(), database=database_of_session, worker=worker_of_session, authenticator=authenticator)
    with TestClient(app, raise_server_exceptions=True) as client:
        yield client


@pytest.fixture
def client(client_of_module: Json, authenticator: Authenticator, database: Database, time: Time) -> Json:
    """Return a client of an application whose authenticator knows nobody yet. To build another takes half a second."""
    Authenticator.__init__(authenticator, database, time)
    return client_of_module


def test_a_credential_is_verified_once_a_minute(client: TestClient[Litestar], verifier: Verifier, time: Time) -> None:
    caller = Caller(client, "alice")
    for _ in range(3):
        caller.get("phonebook/")
    assert verifier.count == 1
    time.now_s += 60
    caller.get("phonebook/")
    assert verifier.count == 2


def test_concurrent_requests_with_equal_credentials_share_one_verification(
    client: TestClient[Litestar], verifier: Verifier
) -> None:
    caller = Caller(client, "alice")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: caller.get("phonebook/")["count"], range(16)))
    assert (answers, verifier.count) == ([0] * 16, 1)


def test_a_changed_password_is_forgotten_at_once(client: TestClient[Litestar], database: Database) -> None:
    old, new = Caller(client, "alice"), Caller(client, "alice", "another long password")
    old.get("phonebook/")
    changed = hash_password("another long password")
    database.write_now(
        lambda connection: connection.execute(
            update(User).where(User.username == "alice").values(password_hash=changed)
        )
    )
    assert old.refused("GET", "phonebook/") == INVALID
    assert new.get("phonebook/")["count"] == 0


def test_unknown_users_cost_a_verification_too(client: TestClient[Litestar], verifier: Verifier) -> None:
    assert Caller(client, "nobody").refused("GET", "phonebook/") == INVALID
    assert Caller(client, "alice", "wrong password").refused("GET", "phonebook/") == INVALID
    assert verifier.count == 2


def test_after_ten_failures_a_name_is_not_heard_at_this_address_for_five_minutes(
    client: TestClient[Litestar], time: Time
) -> None:
    for number in range(10):
        assert Caller(client, "alice", f"guess number {number}").refused("GET", "phonebook/") == INVALID
    right = Caller(client, "alice")
    assert right.refused("GET", "phonebook/") == GUESSED
    assert right.request("GET", "phonebook/").headers["retry-after"] == "300"
    assert Caller(client, "ALICE").refused("GET", "phonebook/") == GUESSED
    assert Caller(client, "bob").get("phonebook/")["count"] == 0
    time.now_s += 299
    assert right.refused("GET", "phonebook/") == GUESSED
    time.now_s += 1
    assert right.get("phonebook/")["count"] == 0


def test_a_password_that_was_right_here_before_goes_on_working(client: TestClient[Litestar], time: Time) -> None:
    right = Caller(client, "alice")
    right.get("phonebook/")
    for number in range(12):
        Caller(client, "alice", f"guess number {number}").refused("GET", "phonebook/")
    assert right.get("phonebook/")["count"] == 0
    time.now_s += 61
    assert right.get("phonebook/")["count"] == 0
    assert Caller(client, "alice", "one more guess").refused("GET", "phonebook/") == GUESSED


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


NAMES, HOSTS = ("alice", "bob", "admin", "nobody"), ("10.0.0.1", "10.0.0.2", "2001:db8::1")
bursts = st.tuples(st.sampled_from(NAMES), st.sampled_from(HOSTS), st.integers(1, 15), st.sampled_from([0, 1, 400]))


class Door:
    """An authenticator with cheap verifications, and its clients."""

    def __init__(self, database: Database) -> None:
        self.time = Time()
        self._authenticator = Authenticator(database, self.time)
        self.failures: Counter[tuple[str, str]] = Counter()

    async def knock(self, name: str, host: str, password: str) -> int:
        """Authenticate, and return the status of the response."""
        try:
            await self._authenticator.identify(basic(f"{name}:{password}".encode()), host)
        except AnsweredError as refusal:
            self.failures[name, host] += 1
            return refusal.status
        return 200

    async def guess(self, name: str, host: str, times: int) -> None:
        for number in range(times):
            await self.knock(name, host, f"guess number {number}")


@pytest.fixture(scope="module")
def cheap_verification(database_of_session: Database, users_only: Any) -> Iterator[None]:  # noqa: ANN401 - a saved database
    restore(database_of_session, users_only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auth, "verify_password", lambda _, password: password == PASSWORD)
        yield


@pytest.mark.usefixtures("cheap_verification")
@given(guesses=st.lists(bursts, max_size=12), name=st.sampled_from(NAMES[:3]), host=st.sampled_from(HOSTS))
def test_a_right_password_is_let_in_despite_failures_of_others(
    database_of_session: Database,
    guesses: list[tuple[str, str, int, int]],
    name: str,
    host: str,
) -> None:
    """The other failures are of other names at this address, up to its limit, and of all names elsewhere."""

    async def live() -> bool:
        door = Door(database_of_session)
        for guessed, from_host, times, seconds in guesses:
            if (guessed, from_host) != (name, host):
                await door.guess(guessed, from_host, times)
            door.time.now_s += seconds
        has_few = sum(count for (_, at), count in door.failures.items() if at == host) < ADDRESS_FAILURES_MAX
        return not has_few or await door.knock(name, host, PASSWORD) == 200

    assert loops.run(database_of_session, live)


@pytest.mark.usefixtures("cheap_verification")
@given(guesses=st.lists(bursts, min_size=1, max_size=20))
def test_a_right_password_from_an_address_keeps_working_despite_failures_there(
    database_of_session: Database, guesses: list[tuple[str, str, int, int]]
) -> None:
    async def live() -> None:
        door = Door(database_of_session)
        assert await door.knock("alice", HOSTS[0], PASSWORD) == 200
        await door.guess("nobody", HOSTS[0], 10)
        for guessed, from_host, times, seconds in guesses:
            await door.guess(guessed, from_host, times)
            door.time.now_s += seconds
            assert await door.knock("alice", HOSTS[0], PASSWORD) == 200

    loops.run(database_of_session, live)


@pytest.mark.usefixtures("cheap_verification")
def test_an_address_with_very_many_failures_is_not_heard_but_for_passwords_it_knows(
    database_of_session: Database,
) -> None:
    async def live() -> None:
        door = Door(database_of_session)
        assert await door.knock("alice", HOSTS[0], PASSWORD) == 200
        for number in range(ADDRESS_FAILURES_MAX):
            assert await door.knock(f"nobody{number}", HOSTS[0], PASSWORD) == 401
        assert await door.knock("bob", HOSTS[0], PASSWORD) == 429
        assert await door.knock("alice", HOSTS[0], PASSWORD) == 200
        assert await door.knock("bob", HOSTS[1], PASSWORD) == 200

    loops.run(database_of_session, live)


@pytest.mark.usefixtures("cheap_verification")
def test_a_name_that_is_guessed_from_everywhere_is_still_heard_at_addresses_that_it_knows(
    database_of_session: Database,
) -> None:
    """A client that makes up an address for each guess gains nothing, and locks nobody out."""

    async def live() -> None:
        door = Door(database_of_session)
        assert await door.knock("alice", "10.0.0.1", PASSWORD) == 200
        statuses = [await door.knock("alice", f"10.1.0.{number}", f"guess {number}") for number in range(150)]
        assert statuses == [401] * NAME_FAILURES_MAX + [429] * (150 - NAME_FAILURES_MAX)
        assert await door.knock("alice", "10.2.0.1", PASSWORD) == 429
        assert await door.knock("alice", "10.0.0.1", "a slip of the finger") == 401
        assert await door.knock("alice", "10.0.0.1", PASSWORD) == 200
        assert await door.knock("bob", "10.2.0.1", PASSWORD) == 200
        door.time.now_s += NAME_WAIT_S
        assert await door.knock("alice", "10.2.0.1", PASSWORD) == 200

    loops.run(database_of_session, live)
