"""Tests of the forms of carriers in Chromium: by keyboard alone, and on a screen that is 320 pixels wide."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import Watched
from tests.console.test_browser import CLOCK
from tests.console.test_served import printed_path
from tests.test_server import PASSWORD, Served, serving

TABS_MAX: Final = 60
NARROW: Final[dict[str, Any]] = {"viewport": {"width": 320, "height": 700}}
PAGES: Final = (
    "records/gateway/",
    "records/gateway/new/",
    "records/gateway/new/?protocol=sip",
    "records/sms-gateway/new/?protocol=http",
    "records/gateway/1/",
    "gateways/1/test-call/",
    "records/campaigns/new/",
    "records/users/new/",
    "records/subscriber-list/",
    "records/subscriber-list/1/",
    "records/queue/",
    "records/dnc-list/",
)
FITS: Final = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Served]:
    """Serve a campaign with a simulated gateway and one person."""
    with serving(tmp_path_factory.mktemp("carriers"), **CLOCK) as served:
        tab = Watched(browser, served.base.removesuffix("/rest-api/"))
        tab.page.goto(f"/console/{printed_path(served)}")
        tab.page.get_by_label("User name").fill("root")
        tab.page.get_by_label("Password", exact=True).fill(PASSWORD)
        tab.page.get_by_label("Password again").fill(PASSWORD)
        tab.page.get_by_role("button", name="Create the admin").click()
        tab.page.wait_for_url("**/console/overview/")
        tab.context.close()
        gateway, survey = (create(served, path, name="Simulator") for path in ("gateway", "survey-template"))
        campaign = create(
            *(served, "campaigns"),
            name="Reminder",
            object_id=str(survey["id"]),
            aleg_gateway=gateway["url"],
        )
        create(served, "subscriber-list", campaign=campaign["url"], duplicate_contact="+12025550177")
        yield served


def create(served: Served, path: str, **fields: Any) -> Any:  # noqa: ANN401 - JSON
    answer = served.client.post(f"{path}/", json=fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(TABS_MAX):
        if page.evaluate("one => document.activeElement === document.querySelector(one)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached by keyboard")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forms_have_no_barriers_and_fit_on_a_telephone(browser: Browser, served: Served, scheme: str) -> None:
    tab = Watched(browser, served.base.removesuffix("/rest-api/"), color_scheme=scheme, **NARROW)
    tab.sign_in()
    for path in PAGES:
        tab.page.goto(f"/console/{path}")
        for summary in tab.page.locator("details.more > summary").all():
            summary.click()
        assert (path, tab.barriers(*(("color-contrast",) if scheme == "dark" else ()))) == (path, [])
        assert (path, tab.page.evaluate(FITS)) == (path, True)
    tab.context.close()
    assert tab.complaints == []


def test_a_trunk_is_added_and_tried_by_keyboard(browser: Browser, served: Served) -> None:
    tab = Watched(browser, served.base.removesuffix("/rest-api/"), **NARROW)
    tab.sign_in()
    page = tab.page
    page.goto("/console/records/gateway/new/")
    tab_to(page, 'a[href$="protocol=sip"]')
    page.keyboard.press("Enter")
    page.wait_for_url("**protocol=sip")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("Trunk")
    tab_to(page, '[name="parameters.server"]')
    page.keyboard.type("carrier.example:99999")
    page.keyboard.press("Enter")
    server = page.get_by_label("Server", exact=True)
    expect(server).to_have_attribute("aria-invalid", "true")
    expect(server).to_have_value("carrier.example:99999")
    expect(page.get_by_text("has a port that does not exist")).to_be_visible()
    tab.complaints.clear()  # The browser notes the status of the refused form.
    server.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("192.0.2.10")
    page.keyboard.press("Enter")
    page.wait_for_url("**/records/gateway/2/")
    expect(page.get_by_role("heading", name="Trunk")).to_be_visible()
    expect(page.get_by_role("heading", name="The line")).to_be_visible()
    page.goto("/console/gateways/1/test-call/")
    expect(page.get_by_label("Number to call")).to_be_focused()
    page.keyboard.type("+12025550111")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The call did not get through")).to_be_visible()
    tab.context.close()
    assert tab.complaints == []
