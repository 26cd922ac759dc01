"""`make screenshots`: pictures of the console for README.md and docs/console.md, from the demonstration's day.

The day runs on a virtual clock, so the figures are equal in every run. Only the campaign's code differs.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page

from dialer.demo.preparation import CALL_RATE, OWNER, STARTS, prepare
from dialer.local_service.client import Client
from dialer.local_service.server import DemoAccount, Server, running_server
from tests.console.browser import running_browser

FORECAST_MS_MAX: Final = 120_000
FOLDER: Final = Path(__file__).parents[2] / "docs" / "screenshots"
FORECAST_AT: Final = "2026-11-16T08:30:00Z"
UNTIL: Final = "2026-11-16T13:37:20Z"
PAGES: Final[Mapping[str, str]] = {
    "overview": "/console/overview/",
    "campaign": "/console/campaigns/1/",
    "survey": "/console/surveys/1/?section=2",
}
SCREENS: Final[Mapping[str, dict[str, Any]]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 800}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 800}},
}


def main() -> None:
    """Write the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(Path(folder), seed=0, clock_start=STARTS) as server,
        running_browser() as browser,
    ):
        owner = _run_the_day(server, browser)
        for scheme, options in SCREENS.items():
            _take(browser, server, owner, scheme, options)


def _run_the_day(server: Server, browser: Browser) -> DemoAccount:
    account = server.create_account(OWNER, call_rate=CALL_RATE)
    with Client(server.url, server.admin) as admin, Client(server.url, account) as owner:
        prepare(admin, owner)
        admin.advance_to(FORECAST_AT)
        page = _signed_in(browser, server, account)
        page.goto(PAGES["campaign"])
        page.get_by_role("button", name="Forecast").click()
        page.get_by_text("Forecast of").wait_for()
        page.context.close()
        admin.advance_to(UNTIL)
    return account


def _take(browser: Browser, server: Server, owner: DemoAccount, scheme: str, options: dict[str, Any]) -> None:
    page = _signed_in(browser, server, owner, **options)
    for name, path in PAGES.items():
        page.goto(path)
        page.screenshot(path=FOLDER / f"{name}-{scheme}.png")
    page.context.close()


def _signed_in(browser: Browser, server: Server, owner: DemoAccount, **options: Any) -> Page:  # noqa: ANN401 - of Playwright
    """Return a tab of the owner with the overview."""
    context = browser.new_context(base_url=server.url, timezone_id="Europe/London", reduced_motion="reduce", **options)
    page = context.new_page()
    page.set_default_timeout(FORECAST_MS_MAX)
    page.goto("/console/")
    page.get_by_label("User name").fill(owner.username)
    page.get_by_label("Password").fill(owner.password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/console/overview/")
    return page


if __name__ == "__main__":
    main()
