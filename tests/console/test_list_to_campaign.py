"""From a messy spreadsheet to a campaign that dials, in Chromium: a manager clicks seldom, and types no code."""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.console.browser import Watched
from tests.console.test_served import printed_path
from tests.test_server import PASSWORD, Served, serving

CLICKS_MAX: Final = 25
STEP_MS: Final = 60_000
NOON_IN_BERLIN: Final = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-01-30T11:00:00Z"}
ROWS: Final = "".join(f"030/230 {place:02} 74;Jörg;Müller {place};K-{place}\r\n" for place in range(40))
SPREADSHEET: Final[FilePayload] = {
    "name": "Kunden Frühjahr.csv",
    "mimeType": "text/csv",
    "buffer": f"Telefonnummer;Vorname;Nachname;Kundennummer\r\n{ROWS};;;\r\nkeine;Eva;Ohne;K-99\r\n".encode("cp1252"),
}
SCREENS: Final[dict[str, dict[str, Any]]] = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "narrow": {"viewport": {"width": 320, "height": 700}},
    "no scripts": {"viewport": {"width": 1280, "height": 800}, "java_script_enabled": False},
}
FITS: Final = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


class Hand:
    """A hand that clicks, and counts. Each control that is filled in is clicked first."""

    def __init__(self, tab: Watched, *, has_scripts: bool) -> None:
        self.page: Page = tab.page
        self.tab = tab
        self.has_scripts = has_scripts
        self.clicks = 0

    def press(self, name: str) -> None:
        self.clicks += 1
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def follow(self, name: str) -> None:
        self.clicks += 1
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def fill(self, label: str, text: str) -> None:
        self.clicks += 1
        self.page.get_by_label(re.compile(rf"^{label}( optional)?$")).fill(text)

    def choose(self, label: str, option: str) -> None:
        self.clicks += 2
        self.page.get_by_label(label, exact=True).select_option(label=option)

    def look(self) -> None:
        """Check that the page fits on the screen and has no barriers."""
        if self.has_scripts:
            assert self.page.evaluate(FITS), self.page.url
            assert self.tab.barriers() == []


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), **NOON_IN_BERLIN) as served:
        tab = Watched(browser, served.base.removesuffix("/rest-api/"))
        tab.page.goto(f"/console/{printed_path(served)}")
        for label in ("User name", "Password", "Password again"):
            text = "root" if label == "User name" else PASSWORD
            tab.page.get_by_label(label, exact=True).fill(text)
        tab.page.get_by_role("button", name="Create the admin").click()
        expect(tab.page.get_by_role("heading", name="Overview")).to_be_visible()
        tab.context.close()
        served.client.post("gateway/", json={"name": "Simulator", "protocol": "sim"}).raise_for_status()
        yield served


@pytest.mark.parametrize("screen", SCREENS)
def test_a_manager_goes_from_a_messy_spreadsheet_to_a_campaign_that_dials(
    browser: Browser, served: Served, screen: str
) -> None:
    tab = Watched(browser, served.base.removesuffix("/rest-api/"), **SCREENS[screen])
    tab.sign_in()
    hand = Hand(tab, has_scripts=screen != "no scripts")
    page = tab.page
    hand.look()
    if screen == "narrow":
        hand.clicks += 1
        page.get_by_text("Menu", exact=True).click()
    hand.follow("Campaigns")
    hand.follow("New campaign")
    expect(page.get_by_text("Whom shall it call?")).to_be_visible()
    hand.look()
    hand.clicks += 2  # The dialog in which the file is chosen.
    page.get_by_label("File", exact=True).set_input_files(SPREADSHEET)
    hand.press("Upload and go on")
    expect(page.get_by_text("What an import would do")).to_be_visible()
    hand.look()
    hand.choose("Country of numbers without one", "Germany")
    hand.press("Read the file again")
    expect(page.get_by_text("→ +49302300074")).to_be_visible()
    expect(page.get_by_text("Jörg Müller 0", exact=True).first).to_be_visible()
    hand.look()
    hand.press("Import 40 people")
    expect(page.get_by_text("40 people imported. 1 line was refused.")).to_be_visible()
    hand.look()
    hand.fill("Name", f"Frühjahr {screen}")
    hand.fill("Message", "Guten Tag {full_name}, Ihre Nummer ist {Kundennummer}.")
    hand.press("Go on")
    hand.fill("Caller ID", "+4930230000")
    hand.press("Create")
    hand.press("Start")
    expect(page.locator(".activity .badge.good")).to_be_visible(timeout=STEP_MS)
    assert hand.clicks < CLICKS_MAX
    tab.context.close()
    assert tab.complaints == []
    served.client.post("clock/advance/", json={"seconds": 600}).raise_for_status()
    (campaign,) = [
        one for one in served.client.get("campaigns/").json()["results"] if one["name"] == f"Frühjahr {screen}"
    ]
    called = served.client.get(f"callrequest/?campaign_id={campaign['id']}").json()
    assert campaign["totalcontact"] == 40
    assert called["count"] > 0


FRENCH_ROWS: Final = "".join(
    f"Dupont;Anne {place};06 39 98 0{place} {20 + 3 * place};{int(place == 3)}\n" for place in range(10)
)
FRENCH: Final[FilePayload] = {
    "name": "clients.csv",
    "mimeType": "text/csv",
    "buffer": f"Nom;Prénom;Téléphone;Ne pas appeler\n{FRENCH_ROWS}".encode(),
}


def test_a_manager_in_berlin_answers_from_which_country_a_list_is(browser: Browser, served: Served) -> None:
    tab = Watched(browser, served.base.removesuffix("/rest-api/"), timezone_id="Europe/Berlin")
    tab.sign_in()
    page, hand = tab.page, Hand(tab, has_scripts=True)
    page.goto("/console/new-campaign/")
    page.get_by_label("File", exact=True).set_input_files(FRENCH)
    hand.press("Upload and go on")
    expect(page.get_by_role("heading", name="From which country are the numbers without one?")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Import "))).to_have_count(0)
    hand.look()
    page.get_by_role("button", name=re.compile("^Read them as numbers of France")).click()
    expect(page.get_by_text("→ +33639980020")).to_be_visible()
    expect(page.get_by_role("button", name="Import 9 people")).to_be_visible()
    hand.look()
    page.get_by_label("Ne pas appeler", exact=True).select_option(label="A column for texts")
    expect(page.get_by_role("button", name="Import 10 people")).to_be_visible()
    page.get_by_label("Ne pas appeler", exact=True).select_option(label="Must not be called: yes")
    hand.press("Import 9 people")
    expect(page.get_by_text("9 people imported.")).to_be_visible()
    tab.context.close()
    assert tab.complaints == []
    (entry,) = served.client.get("dnc-contact/").json()["results"]
    assert (entry["phone_number"], entry["said"]) == ("06 39 98 03 29", "Ne pas appeler: 1")


TEXT_CLICKS_MAX: Final = 13


@pytest.mark.parametrize("options", [{**SCREENS["narrow"], "color_scheme": "dark"}], ids=["narrow and dark"])
def test_a_manager_goes_from_a_spreadsheet_to_texts_in_few_clicks(
    browser: Browser, served: Served, options: dict[str, Any]
) -> None:
    tab = Watched(browser, served.base.removesuffix("/rest-api/"), **options)
    tab.sign_in()
    hand, page = Hand(tab, has_scripts=True), tab.page
    hand.clicks += 1
    page.get_by_text("Menu", exact=True).click()
    hand.follow("Campaigns")
    hand.follow("New campaign of text messages")
    expect(page.get_by_text("Who shall get the text?")).to_be_visible()
    hand.look()
    hand.clicks += 2  # The dialog in which the file is chosen.
    rows = b"number,full_name,Plan\n+12025550111,Ann,Gold\n+12025550112,Bob,Blue\n"
    page.get_by_label("File", exact=True).set_input_files({"name": "Texts.csv", "mimeType": "text/csv", "buffer": rows})
    hand.press("Upload and go on")
    hand.press("Import 2 people")
    expect(page.get_by_text("2 people imported.")).to_be_visible()
    hand.press("Make a simulated carrier")
    hand.fill("Name", "Spring texts")
    hand.fill("Text message", "Dear {full_name}, ")
    hand.press("{Plan}")
    expect(page.locator("[data-received]")).to_have_text("Dear Ann, Gold")
    expect(page.locator("[data-length]")).to_contain_text("For 2 people that makes about 2 parts.")
    hand.look()
    hand.press("Create")
    expect(page.get_by_text("Ann reads:")).to_be_visible()
    hand.look()
    hand.press("Start")
    expect(page.get_by_role("button", name="Pause").first).to_be_visible()
    assert hand.clicks <= TEXT_CLICKS_MAX
    tab.context.close()
    assert tab.complaints == []
