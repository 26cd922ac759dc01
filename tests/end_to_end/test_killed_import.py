"""A test that an import after a kill has stored whole chunks, and that a second run completes it."""

import contextlib
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import httpx

from dialer.app.imports.imports import CHUNK_ROWS
from tests.end_to_end.test_storage import poll
from tests.test_server import ADMIN, VIRTUAL, Served, serving

ROWS: Final = 2 * CHUNK_ROWS + 100
BAD_LINES: Final = (7, CHUNK_ROWS + 50)
LINES: Final = [
    "no number" if line in BAD_LINES else f"+1202{2_000_000 + line}"
    for line in range(2, ROWS + 2)  # the report counts the header as line 1
]
REMARK: Final = {
    "reason": "contact: 'no number' has no digits. Enter 3 to 15 digits with an optional leading +.",
    "kind": "no_digits",
    "value": "no number",
}
CSV: Final = {"Content-Type": "text/csv"}


def load(served: Served, pieces: Iterator[bytes]) -> httpx.Response:
    return served.client.post("phonebook/1/import/", content=pieces, headers=CSV)


def body(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def numbers(folder: Path) -> list[str]:
    """Return the stored contacts, in the order of the import."""
    with closing(sqlite3.connect(folder / "dialer.db")) as connection:
        return [row[0] for row in connection.execute("SELECT contact FROM contact ORDER BY id")]


def test_whole_chunks_are_there_and_a_second_run_adds_the_rest_once(tmp_path: Path) -> None:
    good = [line for line in LINES if line.startswith("+")]
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        assert served.client.post("phonebook/", json={"name": "book"}).status_code == 201
        dead = threading.Event()

        def until_dead() -> Iterator[bytes]:
            """Yield a chunk and a half, then wait."""
            yield body(["contact", *LINES[: CHUNK_ROWS * 3 // 2]])
            dead.wait()

        def upload() -> None:
            with contextlib.suppress(httpx.HTTPError):
                load(served, until_dead())

        hanging = threading.Thread(target=upload)
        hanging.start()
        poll(lambda: served.client.get("contact/?page_size=1").json()["count"], lambda count: count != 0)
        served.end(signal.SIGKILL)
        dead.set()
        hanging.join()
    assert numbers(tmp_path) == good[:CHUNK_ROWS]
    with serving(tmp_path, **VIRTUAL) as served:
        report = load(served, iter([body(["contact", *LINES])])).json()
        served.end(signal.SIGKILL)
    assert report == {
        "imported": len(good) - CHUNK_ROWS,
        "duplicates": CHUNK_ROWS,
        "not_to_be_called": 0,
        "rejected": len(BAD_LINES),
        "errors": [{"line": line, **REMARK} for line in BAD_LINES],
        "warned": 0,
        "hidden": 0,
        "totals": 0,
        "on_dnc": 0,
        "on_other_dnc": 0,
        "warnings": [],
        "kinds": {},
        "file_warnings": [],
    }
    assert numbers(tmp_path) == good
