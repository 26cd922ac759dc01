"""Tests that a request whose commit was lost is executed once if it is repeated with its key."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialer.api.app import create_app
from dialer.settings import Settings
from tests.api.harness import HOST, Caller, FakeWorker, Json
from tests.api.quick_client import QuickClient
from tests.store.lossy import LossyDatabase, Lost

DETAIL = "The database was lost during this. It may have been done: look, or repeat it with its Idempotency-Key."
LOSSES = pytest.mark.parametrize(("lost", "there"), [(Lost.BEFORE, 0), (Lost.AFTER, 1)])


@pytest.fixture
def lossy(users_only: Path, tmp_path: Path) -> Iterator[LossyDatabase]:
    shutil.copy(users_only, tmp_path / "dialer.db")
    database = LossyDatabase(f"sqlite:///{tmp_path}/dialer.db")
    yield database
    database.close()


@pytest.fixture
def root(lossy: LossyDatabase, worker: FakeWorker) -> Iterator[Caller]:
    app = create_app(Settings(), database=lossy, worker=worker)
    with QuickClient(app, base_url=f"http://{HOST}", raise_server_exceptions=True) as client:
        yield Caller(client, "admin")


def pay(root: Caller) -> Json:
    body = {"user": 2, "amount": "12.50", "description": "cash"}
    return root.request("POST", "payment/", json=body, headers={"Idempotency-Key": "receipt 17"})


@LOSSES
def test_a_payment_is_entered_once(root: Caller, lossy: LossyDatabase, lost: Lost, there: int) -> None:
    lossy.lost = lost
    answer = pay(root)
    assert (answer.status_code, answer.headers["retry-after"], answer.json()) == (503, "5", {"detail": DETAIL})
    assert root.get("payment/")["count"] == there
    lossy.lost = None
    again = pay(root)
    assert (again.status_code, "idempotent-replayed" in again.headers) == (201, bool(there))
    assert [payment["url"] for payment in root.get("payment/")["results"]] == [again.headers["location"]]
    assert root.get("users/2/")["balance"] == 12.5


@LOSSES
def test_without_a_key_the_answer_says_that_it_may_have_been_done(
    root: Caller, lossy: LossyDatabase, lost: Lost, there: int
) -> None:
    lossy.lost = lost
    assert root.refused("POST", "phonebook/", name="friends") == (503, {"detail": DETAIL})
    lossy.lost = None
    assert root.get("phonebook/")["count"] == there


@LOSSES
def test_an_import_is_run_again(root: Caller, lossy: LossyDatabase, lost: Lost, there: int) -> None:
    root.create("phonebook", name="friends")
    numbers = "contact\n+12025550100\n"
    lossy.lost = lost

    def load() -> Json:
        return root.request("POST", "phonebook/1/import/", content=numbers, headers={"Content-Type": "text/csv"})

    assert load().status_code == 503
    lossy.lost = None
    report = load().json()
    assert (report["imported"], report["duplicates"]) == (1 - there, there)
    assert root.get("contact/")["count"] == 1
