"""A list whose import in the console a kill cuts off: what is stored is said, and the rest is stored once."""

import re
import signal
from html import unescape
from pathlib import Path
from typing import Final

import httpx

from dialer.app.imports.imports import CHUNK_ROWS
from tests.console.test_importing import press, token_in, upload
from tests.console.visitor import Visitor, words
from tests.end_to_end.test_killed_import import numbers
from tests.end_to_end.test_storage import poll
from tests.test_server import ADMIN, PASSWORD, VIRTUAL, Served, serving

ROWS: Final = 24 * CHUNK_ROWS
FILE: Final = b"Phone\n" + b"".join(b"+1202%07d\n" % number for number in range(2_000_000, 2_000_000 + ROWS))
GROUPED: Final = "{:,}".format


def visitor_of(served: Served, browser: httpx.Client) -> Visitor:
    browser.base_url = httpx.URL(served.base.removesuffix("/rest-api/"))
    visitor = Visitor(browser)
    assert visitor.sign_in("root", PASSWORD).status_code == 303
    return visitor


def load(visitor: Visitor, address: str) -> str:
    """Follow redirects and wait for tasks until a page comes that is not about one, and return its words."""
    while True:
        answer = visitor.request("GET", address.removeprefix("/console/"))
        visitor.page = answer.text
        if answer.status_code == 303:
            address = answer.headers["location"]
        elif "is being" not in words(answer.text) and "Show the result" not in words(answer.text):
            return words(answer.text)


def test_a_killed_import_says_what_is_stored_and_goes_on_without_doubles(tmp_path: Path) -> None:
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served, httpx.Client(timeout=60) as browser:
        assert served.client.post("phonebook/", json={"name": "book"}).status_code == 201
        visitor = visitor_of(served, browser)
        uploaded = upload(visitor, "records/phonebook/1/import/", FILE)
        assert f"Will be stored {GROUPED(ROWS)}" in load(visitor, uploaded.headers["location"])
        begun = press(visitor, **{"import": "1"})
        poll(lambda: served.client.get("contact/?page_size=1").json()["count"], lambda count: count != 0)
        served.end(signal.SIGKILL)
    stored = len(numbers(tmp_path))
    assert 0 < stored < ROWS
    assert stored % CHUNK_ROWS == 0
    with serving(tmp_path, **VIRTUAL) as served, httpx.Client(timeout=60) as browser:
        visitor = visitor_of(served, browser)
        address = begun.headers.get("location") or f"/console/lists/{token_in(visitor.page)}/?id=1"
        text = load(visitor, address)
        assert (
            f"The import was cut off The service has restarted. {GROUPED(stored)} rows of the file are stored, and"
            " stay. You can import the same file again for the rest: nobody is stored twice. Import the rest"
        ) in text
        rest = re.search(r'href="(/console/lists/[^"]+)">Import the rest', visitor.page)
        assert rest is not None
        told = f"{GROUPED(ROWS - stored)} There already, or twice in the file {GROUPED(stored)} Refused 0"
        assert f"Will be stored {told}" in load(visitor, unescape(rest[1]))
        report = served.client.post(
            "phonebook/1/import/?dry_run=true&columns=Phone:contact", content=FILE, headers={"Content-Type": "text/csv"}
        ).json()
        assert (report["imported"], report["duplicates"]) == (ROWS - stored, stored)
        assert f"Stored {told}" in load(visitor, press(visitor, **{"import": "1"}).headers["location"])
        served.end(signal.SIGKILL)
    assert sorted(numbers(tmp_path)) == sorted(FILE.decode().split()[1:])
