"""Workbooks that become much are refused in words by the pages of the console, and nothing of them is stored."""

import re

import pytest

from dialer.console.lists import list_tasks
from tests.api.harness import Caller
from tests.app.imports.hostile_workbooks import CASES, EVERYWHERE, GRIN, NUMBER, plain, shared
from tests.console.test_importing import look, press
from tests.console.visitor import Visitor
from tests.console.workbooks import cells

END_S = 300.0
"""Seconds in which each file is read, on any machine."""
WAYS = {
    "phonebook": ("records/phonebook/1/import/", "contact/"),
    "dnc-list": ("records/dnc-list/1/import/", "dnc-contact/"),
}


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("name", EVERYWHERE)
def test_the_page_says_what_is_wrong_and_nothing_is_stored(
    alice: Visitor, api: Caller, monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    """However slow the machine is, the answer tells the end and not that the file is being read."""
    monkeypatch.setattr(list_tasks, "WAIT_S", END_S)
    path, stored = WAYS[kind]
    api.create(kind, name="Book")
    words = CASES[name].words
    assert words in look(alice, path, CASES[name].make(), "list.xlsx")
    checked = re.search(r'action="/console/(lists/[0-9a-f]{32}/)"', alice.page)
    assert checked is not None
    assert words in alice.text(f"{checked[1]}?into={kind}&id=1&check=1")
    assert press(alice, **{"import": "1"}).status_code == 400
    assert api.get(stored)["count"] == 0


@pytest.mark.parametrize("name", EVERYWHERE)
def test_the_page_of_a_new_campaign_says_what_is_wrong(alice: Visitor, name: str) -> None:
    assert CASES[name].words in look(alice, "new-campaign/", CASES[name].make(), "list.xlsx")


def test_a_page_shows_the_beginning_of_long_cells_only(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    assert "😀" in look(alice, WAYS["phonebook"][0], shared(GRIN * 32_767, 30, 5), "list.xlsx")
    assert len(alice.page) < 200_000
    assert NUMBER in look(alice, WAYS["phonebook"][0], plain(cells("contact") + cells(NUMBER)), "list.xlsx")
