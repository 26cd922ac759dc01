"""A dry run of an import ends with its client: nobody reads a large file for somebody who has left."""

from base64 import b64encode
from typing import Any

import anyio
import pytest

from dialer.api.actions import imports
from dialer.api.actions.imports import CONTACTS
from dialer.api.answers.spreadsheets import XLSX
from dialer.api.app import create_app
from dialer.app.imports.imports import WATCHED_ROWS
from dialer.settings import Settings
from dialer.store.database.database import Database
from tests.api.harness import HOST, PASSWORD, Caller, FakeWorker
from tests.console.workbooks import workbook

ROWS = WATCHED_ROWS * 5
BOOK = workbook(["contact"], *([f"+1202555{place:04}"] for place in range(ROWS)))


@pytest.mark.parametrize(("query", "stored"), [(b"dry_run=true", 0), (b"", ROWS)])
async def test_a_dry_run_ends_with_its_client_and_an_import_goes_on(
    alice: Caller, database: Database, worker: FakeWorker, monkeypatch: pytest.MonkeyPatch, query: bytes, stored: int
) -> None:
    alice.create("phonebook", name="Book")
    stopped: list[bool] = []
    original = imports.go_on_unless

    def noted(is_gone: Any) -> None:  # noqa: ANN401 - an event of a thread
        is_gone.wait(30)
        stopped.append(is_gone.is_set())
        original(is_gone)

    monkeypatch.setattr(imports, "go_on_unless", noted)
    arriving = iter([{"type": "http.request", "body": BOOK, "more_body": False}])
    answers: list[int] = []

    async def receive() -> Any:  # noqa: ANN401 - a message of ASGI
        await anyio.lowlevel.checkpoint()
        return next(arriving, {"type": "http.disconnect"})

    async def send(message: Any) -> None:  # noqa: ANN401
        await anyio.lowlevel.checkpoint()
        if message["type"] == "http.response.start":
            answers.append(message["status"])

    credentials = b64encode(f"{alice.auth[0]}:{PASSWORD}".encode())
    path = f"/rest-api/{CONTACTS.parents.path}/1/import/"
    headers = [(b"host", HOST.encode()), (b"authorization", b"Basic " + credentials), (b"content-type", XLSX.encode())]
    scope: Any = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": query,
        "headers": headers, "client": ("testclient", 50_000), "scheme": "http", "server": (HOST, 80),
        "http_version": "1.1", "root_path": "",
    }  # fmt: skip
    await create_app(Settings(), database=database, worker=worker)(scope, receive, send)
    assert (answers, stopped) == (([400], [True]) if query else ([200], []))
    assert alice.get("contact/")["count"] == stored
