"""Tests of the help in the console: each page links to the part that explains it, and each link leads somewhere."""

import re
import subprocess
import zipfile
from pathlib import Path
from typing import Final

import pytest

from dialer.console.pages import help_pages
from dialer.console.pages.help_pages import TITLES, address_of, anchor_of, help_page
from dialer.console.serving.services import DESK, NAVIGATION
from dialer.console.words.help_places import BY_PLACE, BY_TEMPLATE, HELP, help_for
from tests.console.visitor import Visitor, words

ROOT: Final = Path(__file__).parents[2]
TEMPLATES: Final = ROOT / "src" / "dialer" / "console" / "templates"
LINK: Final = re.compile(r'href="(/console/help/[^"]*)"')
IDS: Final = re.compile(r'<h\d id="([^"]+)"')


def is_there(address: str) -> bool:
    """Return whether an address of the help names a page and, if it names a part, a heading of it."""
    name, _, anchor = address.removeprefix(HELP).partition("/#")
    name = name.rstrip("/")
    return name in TITLES and (not anchor or anchor in IDS.findall(help_page(name).html))


@pytest.mark.parametrize("address", sorted({*BY_PLACE.values(), *BY_TEMPLATE.values()}))
def test_every_help_link_leads_to_a_heading(address: str) -> None:
    assert is_there(HELP + address)


def test_every_place_and_page_is_a_real_one() -> None:
    assert {one.name for one in (DESK, *NAVIGATION)} <= BY_PLACE.keys()
    assert [name for name in BY_TEMPLATE if not (TEMPLATES / name).is_file()] == []
    assert help_for("number.html", "people") == f"{HELP}console/#how-do-i-note-something-about-a-number"
    assert help_for("record.html", "nowhere") == HELP


def test_the_main_pages_link_to_their_part(admin: Visitor) -> None:
    for item in NAVIGATION:
        page = admin.get(item.url.removeprefix("/console/"))
        (link,) = LINK.findall(page)
        assert (item.name, is_there(link)) == (item.name, True)


@pytest.mark.parametrize("name", TITLES)
def test_links_inside_the_help_lead_to_headings(name: str) -> None:
    shown = help_page(name)
    broken = [link for link in LINK.findall(shown.html) if not is_there(link)]
    assert (shown.title != "", broken, re.findall(r"<(?:img|script)", shown.html)) == (True, [], [])
    others = [link for link in re.findall(r'href="([^"]*)"', shown.html) if not link.startswith((HELP, "https://"))]
    assert others == []


def test_help_is_for_those_who_are_signed_in(alice: Visitor, visitor: Visitor) -> None:
    assert "Importing lists" in alice.text("help/")
    shown = alice.get("help/do-not-call/")
    assert shown.count("<h1") == 1
    assert 'lang="en"' in shown
    for name in ("architecture", "../console", "nothing"):
        assert alice.request("GET", f"help/{name}/").status_code == 404
    assert visitor.request("GET", "help/console/").status_code == 303
    german = words(alice.request("GET", "help/importing/", headers={"Accept-Language": "de"}).text)
    assert ("Die Hilfe ist auf Englisch." in german, "The help is in English." in alice.get("help/")) == (True, False)


def test_an_installation_without_its_pages_says_so(
    alice: Visitor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As `uvx --from .` makes it: the builder of packages takes files from beside the modules only."""
    alice.get("overview/")
    monkeypatch.setattr(help_pages, "_PACKAGE", tmp_path / "site-packages" / "dialer")
    help_page.cache_clear()
    for path in ("help/", "help/console/"):
        answer = alice.request("GET", path)
        assert answer.status_code == 404
        assert "This installation has no pages of help" in words(answer.text)


def test_names_and_addresses() -> None:
    assert anchor_of("What if `{Stadt}`, is missing?") == "what-if-stadt-is-missing"
    assert address_of("lists.md#order", "console") == "/console/help/lists/#order"
    assert address_of("#order", "console") == "/console/help/console/#order"
    assert [address_of(one, "console") for one in ("decisions/0001-x.md", "javascript:alert(1)", "../README.md")] == [
        "",
        "",
        "",
    ]


def test_the_wheel_has_the_help(tmp_path: Path) -> None:
    command = ["sh", "setup/wheel.sh", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in TITLES if f"dialer/help/{name}.md" not in names] == []
