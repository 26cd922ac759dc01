"""Lists of managers in Chromium: each is uploaded, looked at and imported by what the pages show."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from dialer.store.database.database import Database
from dialer.store.tables import Contact, DncContact
from tests.console.browser import Watched
from tests.console.manager_lists import ROWS_OF_LARGE, WALKS, Walk, large_workbook
from tests.console.test_browser import CLOCK
from tests.console.test_served import printed_path
from tests.test_server import PASSWORD, Served, serving

IN_BERLIN = {"timezone_id": "Europe/Berlin", "locale": "en-GB"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lists")


@pytest.fixture(scope="module")
def served(folder: Path, browser: Browser) -> Iterator[Served]:
    """Serve an empty database with an admin."""
    with serving(folder, **CLOCK) as served:
        tab = Watched(browser, served.base.removesuffix("/rest-api/"), **IN_BERLIN)
        tab.page.goto(f"/console/{printed_path(served)}")
        tab.page.get_by_label("User name").fill("root")
        tab.page.get_by_label("Password", exact=True).fill(PASSWORD)
        tab.page.get_by_label("Password again").fill(PASSWORD)
        tab.page.get_by_role("button", name="Create the admin").click()
        tab.page.wait_for_url("**/console/overview/")
        tab.context.close()
        yield served


@pytest.fixture
def tab(browser: Browser, served: Served) -> Iterator[Watched]:
    """Sign in from Berlin; at the end, nobody may have complained."""
    watched = Watched(browser, served.base.removesuffix("/rest-api/"), **IN_BERLIN)
    watched.sign_in()
    yield watched
    watched.context.close()
    assert watched.complaints == []


def new_book(served: Served, name: str) -> int:
    answer = served.client.post("phonebook/", json={"name": name})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def stored_in(folder: Path, book: int) -> tuple[dict[str, str], set[str]]:
    """Return the people of a phonebook, names by number, and all numbers that must not be called."""
    database = Database(f"sqlite+aiosqlite:///{folder / 'dialer.db'}")
    people = select(Contact.number, Contact.full_name).where(Contact.phonebook_id == book)
    found = database.read_now(lambda connection: {row.number: row.full_name for row in connection.execute(people)})
    listed = database.read_now(lambda connection: set(connection.scalars(select(DncContact.number))))
    database.close()
    return found, listed


def upload(page: Page, book: int, file: str, content: bytes) -> None:
    page.goto(f"/console/records/phonebook/{book}/import/")
    page.get_by_label("File", exact=True).set_input_files(
        {"name": file, "mimeType": "application/octet-stream", "buffer": content}
    )
    page.get_by_role("button", name="Upload and look at it").click()


@pytest.mark.parametrize("name", WALKS)
def test_a_list_of_a_manager_becomes_its_people(tab: Watched, served: Served, folder: Path, name: str) -> None:
    walk: Walk = WALKS[name]
    book, page = new_book(served, name), tab.page
    upload(page, book, walk.file, walk.content)
    page.get_by_role("heading", name="How the file is read").wait_for()
    expect(page.get_by_role("heading", name="What an import would do")).to_be_visible()
    shown = " ".join(page.locator("main").inner_text().split())
    assert [text for text in walk.before if text not in shown] == [], shown
    people = f"Import {len(walk.people)} people"
    page.get_by_role("button", name=people, exact=True).click()
    page.get_by_role("heading", name="Imported", exact=True).wait_for()
    result = " ".join(page.locator("main").inner_text().split())
    assert [text for text in walk.after if text not in result] == [], result
    stored, listed = stored_in(folder, book)
    assert stored == walk.people
    assert listed & {*walk.people, *walk.not_called} == set(walk.not_called)


def test_a_large_workbook_shows_its_progress_can_be_stopped_and_is_imported(tab: Watched, served: Served) -> None:
    """List 26. Other pages answer meanwhile, and nobody waits for an answer without a word."""
    book, page = new_book(served, "26, a large workbook"), tab.page
    upload(page, book, "26-big.xlsx", large_workbook())
    page.get_by_role("heading", name="A large list").wait_for()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("heading", name="The check was stopped")).to_be_visible()
    expect(page.get_by_text("Nothing is stored.")).to_be_visible()
    page.get_by_role("link", name="Back to the list").click()
    page.get_by_role("button", name="Import the file").click()
    page.get_by_role("heading", name="Imported", exact=True).wait_for()
    expect(page.locator("main")).to_contain_text(f"{ROWS_OF_LARGE:,}")
    assert served.client.get("contact/", params={"phonebook_id": book, "page_size": 1}).json()["count"] == ROWS_OF_LARGE
