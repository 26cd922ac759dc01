"""Tests in Chromium: a small window opens the page of each call in the CRM by itself, after one click."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import Watched
from tests.console.desk_building import CLOCK, call_now, furnish, go_on
from tests.console.test_desk_in_browser import tab as tab  # noqa: PLC0414 - a fixture
from tests.test_server import ADMIN, Served, serving

CRM = "https://crm.example/people"


@pytest.fixture
def served(tmp_path: Path, browser: Browser) -> Iterator[Served]:  # noqa: ARG001 - or no server
    with serving(tmp_path, **ADMIN, **CLOCK) as served:
        furnish(served, crm_url=f"{CRM}?call={{call_id}}")
        yield served


def small_window(tab: Watched) -> Page:
    """Open the small window from the desk, and the tab of the CRM in it."""
    tab.context.route(f"{CRM}*", lambda route: route.fulfill(body=f"<title>{route.request.url}</title>Somebody"))
    with tab.context.expect_page() as opened:
        tab.page.get_by_role("link", name="By itself").click()
    window = opened.value
    expect(window.get_by_text("Press the button once")).to_be_visible()
    return window


def press(window: Page) -> Page:
    """Press the button of the small window, and return the tab that it opens."""
    with window.context.expect_page() as opened:
        window.get_by_role("button", name="Open the tab").click()
    expect(window.get_by_text("The page of each call opens in the other tab.")).to_be_visible()
    return opened.value


def next_call(tab: Watched, served: Served) -> int:
    """End the call on the desk, let the agent be ready, and return the call that follows."""
    before = call_now(served)
    tab.page.keyboard.press("h")
    expect(tab.page.get_by_text("your last call", exact=True)).to_be_visible()
    go_on(served, 120)
    expect(tab.page.get_by_role("button", name="Hang up")).to_be_visible()
    after = call_now(served)
    assert after != before
    return after


def test_the_page_of_each_call_opens_after_one_click(tab: Watched, served: Served) -> None:
    window = small_window(tab)
    crm = press(window)
    crm.wait_for_url(f"{CRM}?call={call_now(served)}")
    crm.wait_for_load_state()
    crm.wait_for_url(f"{CRM}?call={next_call(tab, served)}")
    assert len(tab.context.pages) == 3


def test_a_tab_that_was_closed_is_opened_by_another_click(tab: Watched, served: Served) -> None:
    window = small_window(tab)
    press(window).close()
    call = next_call(tab, served)
    expect(window.get_by_text("The other tab was closed")).to_be_visible()
    press(window).wait_for_url(f"{CRM}?call={call}")
