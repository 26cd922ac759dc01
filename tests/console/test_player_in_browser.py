"""Tests in Chromium: the recording of a call is played by mouse, by keyboard, and without scripts."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import Watched
from tests.console.test_browser import CLOCK, FITS, SCREENS
from tests.test_server import ADMIN, Served, serving

LENGTH: Final = "document.querySelector('audio').duration"
PLACE: Final = "document.querySelector('audio').currentTime"
IS_PAUSED: Final = "document.querySelector('audio').paused"
STRICT: Final[dict[str, Any]] = {**SCREENS["light"], "bypass_csp": False}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Served]:  # noqa: ARG001 - needed
    """Serve a campaign that records its simulated calls."""
    with serving(tmp_path_factory.mktemp("served"), **ADMIN, **CLOCK) as served:

        def create(path: str, **fields: Any) -> Any:  # noqa: ANN401 - JSON
            return served.client.post(f"{path}/", json=fields).raise_for_status().json()

        gateway = create("gateway", name="Carrier", protocol="sim")
        survey = create("survey-template", name="Survey")
        create("section-template", survey=survey["url"], type=1, question="News", script="Much is new. " * 60, order=1)
        create(
            "section-template",
            survey=survey["url"],
            type=2,
            question="Satisfied?",
            script="Press 1",
            key_1="yes",
            order=2,
        )
        book = create("phonebook", name="Book")
        for number in range(30):
            create("contact", phonebook=book["url"], contact=f"+44207946{number:04}")
        parts = {"object_id": str(survey["id"]), "aleg_gateway": gateway["url"], "phonebook": [book["url"]]}
        made = create("campaigns", name="Departures", callerid="+442079460000", record="all", **parts)
        served.client.patch(f"campaigns/{made['id']}/", json={"status": 1}).raise_for_status()
        served.client.post("clock/advance/", json={"seconds": 600}).raise_for_status()
        yield served


@pytest.fixture
def tab(browser: Browser, served: Served, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """Open a tab with the options of the test; at its end, nobody may have complained."""
    watched = Watched(browser, served.base.removesuffix("/rest-api/"), **getattr(request, "param", STRICT))
    watched.sign_in()
    yield watched
    watched.context.close()
    assert watched.complaints == []


def plays(page: Page) -> None:
    """Wait until the sound has gone on by itself."""
    expect(page.get_by_role("slider")).not_to_have_attribute("aria-valuenow", "0")


def open_longest(tab: Watched, served: Served) -> None:
    """Open the page of the longest call from the list of recordings."""
    found = served.client.get("call-recording/", params={"page_size": 100}).json()["results"]
    number = max(found, key=lambda one: float(one["seconds"]))["phone_number"]
    tab.page.goto("/console/calls/")
    tab.page.get_by_role("link", name="Recordings of calls").click()
    tab.page.locator("#number").fill(number)
    tab.page.locator("#number").press("Enter")
    tab.page.wait_for_url("**/call-recordings/?number=*")
    tab.page.locator("td a[href^='/console/calls/']").first.click()
    expect(tab.page.get_by_role("heading", name="Recording of the call")).to_be_visible()


def test_a_recording_is_heard_by_mouse(tab: Watched, served: Served) -> None:
    open_longest(tab, served)
    page = tab.page
    player = page.locator("[data-player]")
    player.get_by_role("button").first.click()
    plays(page)
    assert abs(page.evaluate(LENGTH) - float(player.get_attribute("data-seconds") or 0)) < 0.01
    page.evaluate("document.querySelector('audio').pause()")
    box = page.get_by_role("slider").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + box["height"] / 2)
    assert page.evaluate(PLACE) > page.evaluate(LENGTH) / 2
    heard = served.client.get("audit-log/", params={"action": "recording_heard"}).json()["results"]
    assert [entry["actor"] for entry in heard] == ["root"]


def test_a_recording_is_heard_by_keyboard_alone(tab: Watched, served: Served) -> None:
    open_longest(tab, served)
    page = tab.page
    slider = page.get_by_role("slider", name="Place in the recording")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "5")
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuenow", slider.get_attribute("aria-valuemax") or "")
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("Space")
    plays(page)
    page.keyboard.press("Space")
    assert page.evaluate(IS_PAUSED) is True
    page.locator("[data-player] li button").last.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-player] li").last).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize("tab", [{**STRICT, "java_script_enabled": False}], indirect=True)
def test_without_scripts_it_is_a_sound_and_a_list_of_moments(tab: Watched, served: Served) -> None:
    open_longest(tab, served)
    player = tab.page.locator("[data-player]")
    expect(player.locator("audio[controls]")).to_be_visible()
    expect(player.locator("li").first).to_have_text("0:00 Answered")
    expect(player.get_by_role("button")).to_have_count(0)


@pytest.mark.parametrize("tab", SCREENS.values(), ids=SCREENS, indirect=True)
def test_the_pages_have_no_barriers_and_fit_on_the_screen(tab: Watched, served: Served) -> None:
    page = tab.page
    page.goto("/console/call-recordings/")
    assert (tab.barriers(), page.evaluate(FITS)) == ([], True)
    open_longest(tab, served)
    assert (tab.barriers(), page.evaluate(FITS)) == ([], True)
