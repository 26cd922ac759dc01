"""Tests of the service on a locked database and on a full disk: it reports both, and then goes on."""

import contextlib
import resource
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, cast

import httpx
import pytest
from litestar.testing import TestClient

from dialer.store.backends.database_files import check
from tests.api.harness import Caller
from tests.end_to_end.service import advance
from tests.test_server import ADMIN, Served, serving

PEOPLE: Final = [f"+1202555{number:04d}" for number in range(1_000, 1_020)]
REFUSED: Final = {"detail": "The database cannot be reached just now. Nothing was changed; try again."}
POLLS_MAX: Final = 5_000


@pytest.fixture
def busy_timeout_ms() -> int:
    """Return a short busy timeout, to keep the tests short."""
    return 100


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on the database."""
    with closing(sqlite3.connect(folder / "dialer.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def start_campaign(owner: Caller, admin: Caller, frequency: int) -> str:
    """Create and start a campaign with this frequency, and return its URL."""
    gateway = admin.create("gateway", name="sim")
    book = owner.create("phonebook", name="people")
    for number in PEOPLE:
        owner.create("contact", contact=number, phonebook=book["url"])
    survey = owner.create("survey-template", name="hello")
    owner.create("section-template", survey=survey["url"], question="hello", script="hello", completed=True)
    campaign = owner.create(
        "campaigns",
        name="hello",
        frequency=frequency,
        callmaxduration=60,
        aleg_gateway=gateway["url"],
        object_id=str(survey["id"]),
        phonebook=[book["url"]],
    )
    owner.change(campaign["url"], status=1)
    return str(campaign["url"])


def called(owner: Caller) -> list[str]:
    """Return the numbers that the campaigns have called."""
    return [call["phone_number"] for call in owner.get("callrequest/", page_size=100)["results"]]


def test_while_another_process_holds_the_database_writes_are_refused_and_nothing_is_lost(
    admin: Caller, ann: Caller, tmp_path: Path
) -> None:
    campaign = start_campaign(ann, admin, 60)
    advance(admin, 3)
    before = called(ann)
    assert len(before) == 4
    with held(tmp_path):
        attempts = [
            ann.request("POST", "phonebook/", json={"name": "never"}),
            ann.request("PATCH", campaign, json={"status": 2}),
            ann.request("DELETE", "phonebook/1/"),
            admin.request("POST", "clock/advance/", json={"seconds": 60}),
        ]
        answers = [(answer.status_code, answer.headers["retry-after"], answer.json()) for answer in attempts]
        assert answers == [(503, "5", REFUSED)] * 4
        assert called(ann) == before
        assert ann.get(campaign)["status"] == 1
        assert health(ann) == (503, "storage")
    assert health(ann) == (200, "ok")
    assert [book["name"] for book in ann.get("phonebook/")["results"]] == ["people"]
    advance(admin, 3_600)
    assert sorted(called(ann)) == PEOPLE


@contextlib.contextmanager
def remote(served: Served) -> Iterator[Caller]:
    """Return a client of a server in its own process, logged in as the administrator."""
    with httpx.Client(base_url=served.base.removesuffix("/rest-api/"), timeout=60) as client:
        yield Caller(cast("TestClient[Any]", client), "root")


def health(caller: Caller) -> tuple[int, str]:
    """Return the status and the text of the readiness check."""
    answer = caller.client.get("/health/ready")
    return answer.status_code, answer.json()["status"]


@contextlib.contextmanager
def full_disk(process_id: int) -> Iterator[None]:
    """Keep a process from writing to any file."""
    soft, hard = resource.prlimit(process_id, resource.RLIMIT_FSIZE)
    resource.prlimit(process_id, resource.RLIMIT_FSIZE, (1, hard))
    yield
    resource.prlimit(process_id, resource.RLIMIT_FSIZE, (soft, hard))


def poll(read: Callable[[], object], wanted: Callable[[object], bool]) -> object:
    """Read again and again until the result is as wanted, and return it."""
    return next(found for found in (read() for _ in range(POLLS_MAX)) if wanted(found))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can limit another process")
def test_on_a_full_disk_nothing_is_written_or_dialled_until_there_is_room(tmp_path: Path) -> None:
    """The clock runs at 60 times real time, and the campaign dials ten numbers a second."""
    clock = {"DIALER_CLOCK": "x60", "DIALER_CLOCK_START": "2026-03-02T12:00:00Z"}
    with serving(tmp_path, **ADMIN, **clock) as served, remote(served) as root:
        root.create("payment", amount=100, user="/rest-api/users/1/")
        campaign = start_campaign(root, root, 10)
        poll(lambda: len(called(root)), lambda calls: calls != 0)
        with full_disk(served.process.pid):
            answer = root.request("POST", "phonebook/", json={"name": "never"})
            assert (answer.status_code, answer.headers["retry-after"], answer.json()) == (503, "5", REFUSED)
            before = called(root)
            assert health(root) == (503, "storage")
            for _ in range(50):
                assert called(root) == before
            assert root.get(campaign)["status"] == 1
        poll(lambda: health(root), lambda found: found == (200, "ok"))
        poll(lambda: root.get(campaign)["status"], lambda status: status == 4)
        assert sorted(called(root)) == PEOPLE
        root.create("phonebook", name="after")
        served.end(signal.SIGKILL)
    assert check(tmp_path / "dialer.db") == []
    with closing(sqlite3.connect(tmp_path / "dialer.db")) as connection:
        assert connection.execute("SELECT name FROM phonebook").fetchall() == [("people",), ("after",)]
        assert connection.execute("SELECT held FROM user_account").fetchall() == [(0,)]
