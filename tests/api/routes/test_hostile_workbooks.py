"""Workbooks that become much are refused in words by imports over the API, in little memory; others are served."""

import os
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
import pytest

from dialer.api.answers.spreadsheets import XLSX
from dialer.app.imports import sheet_readers
from dialer.store.database.database import Database
from tests.api.at_once import app_on_this_loop, client_on_this_loop
from tests.api.harness import Caller, FakeWorker
from tests.app.imports.hostile_workbooks import CASES, EVERYWHERE, GRIN, people, plain, shared

WAYS: Final = {"phonebook": "contact", "dnc-list": "dnc-contact"}
MEMORY_BYTES: Final = 12_000_000
"""More than the service keeps of any of these files, and less than a hundredth of what some become."""
GATED: Final = """\
import runpy, sys
gate = sys.argv.pop(1)
with open(gate, "rb") as file:
    file.read()
runpy.run_module("dialer.app.imports.sheet_process", run_name="__main__")
"""


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def sent(caller: Caller, path: str, content: bytes, **query: str) -> tuple[int, str, int]:
    """Return the status of an import, what is wrong, and how many numbers it has, or would have, imported."""
    answer = caller.request("POST", f"{path}/1/import/", content=content, headers={"Content-Type": XLSX}, params=query)
    told = answer.json()
    return answer.status_code, told.get("detail", ""), told.get("imported", 0)


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("name", CASES)
def test_a_dry_run_says_what_is_wrong_and_takes_little_memory(alice: Caller, name: str) -> None:
    alice.create("phonebook", name="Book")
    content, words = CASES[name].make(), CASES[name].words
    assert sent(alice, "phonebook", plain(), dry_run="true") == (200, "", 1)
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    status, detail, imported = sent(alice, "phonebook", content, dry_run="true")
    _, peak = tracemalloc.get_traced_memory()
    assert (status, imported) == ((400, 0) if words else (200, 1))
    assert detail.startswith(words)
    assert bool(detail) is bool(words)
    assert peak - before < MEMORY_BYTES


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize(
    ("content", "counts"),
    [(shared(GRIN * 32_767, 31, 60), {"imported": 0, "rejected": 60}), (people(900), {"imported": 900})],
    ids=["rows of a million characters", "people who share a long text"],
)
def test_long_rows_are_not_kept_together(alice: Caller, content: bytes, counts: dict[str, int]) -> None:
    alice.create("phonebook", name="Book")
    sent(alice, "phonebook", plain(), dry_run="true")
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    headers = {"Content-Type": XLSX}
    answer = alice.request("POST", "phonebook/1/import/", content=content, headers=headers, params={"dry_run": "true"})
    _, peak = tracemalloc.get_traced_memory()
    assert (answer.status_code, {name: answer.json()[name] for name in counts}) == (200, counts)
    assert peak - before < 3 * MEMORY_BYTES


@pytest.mark.parametrize("path", WAYS)
@pytest.mark.parametrize("name", EVERYWHERE)
def test_an_import_says_what_is_wrong_and_stores_nothing(alice: Caller, path: str, name: str) -> None:
    alice.create(path, name="Book")
    status, detail, imported = sent(alice, path, CASES[name].make())
    assert (status, detail.startswith(CASES[name].words), imported) == (400, True, 0)
    assert alice.get(f"{WAYS[path]}/")["count"] == 0


async def test_others_are_answered_while_a_workbook_is_read(
    alice: Caller, database: Database, worker: FakeWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.create("phonebook", name="Book")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    monkeypatch.setattr(sheet_readers, "_COMMAND", (sys.executable, "-P", "-c", GATED, str(gate)))
    answers: list[int] = []
    async with client_on_this_loop(app_on_this_loop(database, worker), "alice") as client:

        async def send() -> None:
            content = CASES[EVERYWHERE[1]].make()
            answer = await client.post("phonebook/1/import/", content=content, headers={"Content-Type": XLSX})
            answers.append(answer.status_code)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send)
            # It opens as soon as the process waits for it, which holds the import.
            held = await anyio.to_thread.run_sync(gate.open, "wb")
            found = await client.get("phonebook/")
            assert (found.json()["count"], answers) == (1, [])
            held.close()
    assert answers == [400]
