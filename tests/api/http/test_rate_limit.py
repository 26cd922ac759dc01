"""Tests of the rate limit: off by default; a request beyond it has no effect, and is told when to retry."""

import base64
from collections.abc import Iterator
from typing import Final

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.app import create_app
from dialer.api.http.auth import Authenticator
from dialer.api.http.rate_limit import SUBJECTS_MAX, RateLimit
from dialer.resources.words.errors import AnsweredError
from dialer.settings import Settings
from dialer.store.database.database import Database
from tests.api.harness import HOST, PASSWORD, Caller, FakeWorker

LIMIT: Final = 6
"""Requests a minute, so one in ten seconds."""


class Watch:
    """A clock in seconds, set by the test."""

    def __init__(self) -> None:
        self.at_s = 1_000.0

    def now_s(self) -> float:
        """Return the time of the clock."""
        return self.at_s


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def limited(database: Database, worker: FakeWorker, watch: Watch) -> Iterator[TestClient[Litestar]]:
    authenticator = Authenticator(database, watch.now_s, requests_a_minute=LIMIT)
    app = create_app(Settings(), database=database, worker=worker, authenticator=authenticator)
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=True) as client:
        yield client


def test_ten_times_the_limit_is_answered_429_without_any_effect(limited: TestClient[Litestar], watch: Watch) -> None:
    alice = Caller(limited, "alice")
    answers = [alice.request("POST", "phonebook/", json={"name": "x"}) for _ in range(10 * LIMIT)]
    assert [answer.status_code for answer in answers] == [201] * LIMIT + [429] * 9 * LIMIT
    refusals = {(answer.headers["retry-after"], answer.text) for answer in answers[LIMIT:]}
    assert refusals == {("10", '{"detail":"Too many requests; try again later."}')}
    watch.at_s += 60
    assert alice.get("phonebook/")["count"] == LIMIT


def test_a_client_that_waits_for_retry_after_is_served(limited: TestClient[Litestar], watch: Watch) -> None:
    alice = Caller(limited, "alice")
    for _ in range(LIMIT):
        alice.get("phonebook/")
    refused = alice.request("GET", "phonebook/")
    watch.at_s += int(refused.headers["retry-after"])
    assert [alice.request("GET", "phonebook/").status_code for _ in range(2)] == [200, 429]


def test_an_address_is_limited_before_authentication(limited: TestClient[Litestar]) -> None:
    answers = [limited.get("/rest-api/phonebook/").status_code for _ in range(LIMIT + 1)]
    assert answers == [401] * LIMIT + [429]
    assert Caller(limited, "bob").request("GET", "phonebook/").status_code == 429


def test_health_is_not_limited(limited: TestClient[Litestar]) -> None:
    assert {limited.get("/health/live").status_code for _ in range(10 * LIMIT)} == {200}


def test_a_setting_turns_it_on(database: Database, worker: FakeWorker) -> None:
    app = create_app(Settings(rate_limit=1), database=database, worker=worker)
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=True) as client:
        assert [client.get("/rest-api/phonebook/").status_code for _ in range(2)] == [401, 429]


def test_without_the_setting_there_is_no_limit(client: TestClient[Litestar]) -> None:
    assert {client.get("/rest-api/phonebook/").status_code for _ in range(100)} == {401}


async def test_a_user_is_limited_over_all_their_addresses(database: Database, watch: Watch) -> None:
    authenticator = Authenticator(database, watch.now_s, requests_a_minute=LIMIT)
    header = f"Basic {base64.b64encode(f'alice:{PASSWORD}'.encode()).decode()}"
    for number in range(LIMIT):
        assert (await authenticator.identify(header, f"10.0.0.{number}")).username == "alice"
    with pytest.raises(AnsweredError) as refusal:
        await authenticator.identify(header, "10.0.1.1")
    assert (refusal.value.status, refusal.value.headers) == (429, {"Retry-After": "10"})


def test_over_a_long_time_nobody_gets_more_than_the_limit(watch: Watch) -> None:
    limit = RateLimit(LIMIT, watch.now_s)
    taken = 0
    for _ in range(3_600):
        taken += limit.take("user 2") == 0
        watch.at_s += 1
    assert taken == LIMIT + 3_599 // 10


def test_the_table_of_subjects_is_bounded(watch: Watch) -> None:
    limit = RateLimit(1, watch.now_s)
    assert (limit.take("first"), limit.take("first")) == (0, 60)
    for number in range(SUBJECTS_MAX):
        limit.take(f"address {number}")
    assert limit.take("first") == 0
    assert limit.take(f"address {SUBJECTS_MAX - 1}") == 60
