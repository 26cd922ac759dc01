"""Tests in Chromium of what helps: the example campaign, notes, and the help, in both schemes, also 320 pixels wide."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser import Watched
from tests.console.test_browser import CLOCK, FITS
from tests.console.test_served import printed_path
from tests.test_server import PASSWORD, Served, serving

PATHS: Final = (
    "overview/",
    "campaigns/1/",
    "number/?number=%2B12025550100",
    "help/",
    "help/console/",
    "help/sip-trunk/",
)
SCREENS: Final[dict[str, dict[str, Any]]] = {
    "wide": {"viewport": {"width": 1280, "height": 900}},
    "narrow": {"viewport": {"width": 320, "height": 700}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 320, "height": 700}},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Served]:
    """Serve an empty account whose first page made an example."""
    with serving(tmp_path_factory.mktemp("help"), **CLOCK) as served:
        tab = Watched(browser, served.base.removesuffix("/rest-api/"))
        page = tab.page
        page.goto(f"/console/{printed_path(served)}")
        page.get_by_label("User name").fill("root")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("Password again").fill(PASSWORD)
        page.get_by_role("button", name="Create the admin").click()
        page.get_by_role("button", name="Make an example campaign").click()
        expect(page.get_by_role("heading", name="Example campaign")).to_be_visible()
        expect(page.get_by_text("20 people join it at the start.")).to_be_visible()
        page.goto("/console/number/?number=%2B12025550100")
        page.get_by_role("textbox", name="Note").fill("Calls back on Mondays. " + "W" * 400)
        page.get_by_role("button", name="Keep the note").click()
        expect(page.get_by_text("The note is kept.")).to_be_visible()
        page.get_by_role("link", name="Help", exact=True).click()
        expect(page.get_by_role("heading", name="How do I note something about a number?")).to_be_in_viewport()
        tab.context.close()
        assert tab.complaints == []
        yield served


@pytest.mark.parametrize("screen", SCREENS)
def test_pages_that_help_have_no_barriers_and_fit(browser: Browser, served: Served, screen: str) -> None:
    tab = Watched(browser, served.base.removesuffix("/rest-api/"), **SCREENS[screen])
    tab.sign_in()
    for path in PATHS:
        tab.page.goto(f"/console/{path}")
        for summary in tab.page.locator("details.sure > summary").all():
            summary.click()
        assert (path, tab.barriers()) == (path, [])
        assert (path, tab.page.evaluate(FITS)) == (path, True)
    assert tab.complaints == []
    tab.context.close()
