"""Chromium for tests, and the finder of barriers (axe-core)."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.optional_tools import find_tool, install_packages
from tests.test_server import PASSWORD

ARGUMENTS: Final = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
STEP_S_MAX: Final = 120
_AXE: Final = Path(__file__).parents[1] / "clients" / "axe"
_SCRIPT: Final = _AXE / "node_modules" / "axe-core" / "axe.min.js"
_FIND: Final = "rules => axe.run(document, {resultTypes: ['violations'], ...(rules.length && {runOnly: rules})})"


@contextlib.contextmanager
def running_browser(*arguments: str) -> Iterator[Browser]:
    """Start Chromium with further arguments, or leave the test out."""
    path = find_tool("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *arguments])
        try:
            yield browser
        finally:
            browser.close()


def axe_script() -> str:
    """Return the script that finds barriers; leave the test out if npm cannot install it."""
    install_packages(_AXE)
    return _SCRIPT.read_text("utf-8")


class Watched:
    """A tab that notes errors of the console and requests to other hosts."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:  # noqa: ANN401 - options of Playwright
        self.address = address
        self.complaints: list[str] = []
        # The policy of the pages forbids scripts from elsewhere, the finder of barriers among them.
        settings = {"timezone_id": "Europe/London", "bypass_csp": True, **options}
        self.context = browser.new_context(base_url=address, **settings)
        self.context.set_default_timeout(STEP_S_MAX * 1_000)
        self.page: Page = self.context.new_page()
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._check(request.url))

    def sign_in(
        self, username: str = "root", labels: tuple[str, str, str] = ("User name", "Password", "Sign in")
    ) -> None:
        """Sign in, and wait for the first page. `labels` are those of the form in the language of the tab."""
        self.page.goto("/console/")
        self.page.get_by_label(labels[0]).fill(username)
        self.page.get_by_label(labels[1]).fill(PASSWORD)
        self.page.get_by_role("button", name=labels[2]).click()
        self.page.wait_for_url("**/console/overview/")

    def barriers(self, *rules: str) -> list[str]:
        """Return the barriers on the page, by all rules or by some."""
        self.page.evaluate(axe_script())
        found = self.page.evaluate(_FIND, rules)["violations"]
        return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def _check(self, url: str) -> None:
        if urlsplit(url).netloc != urlsplit(self.address).netloc:
            self.complaints.append(f"a request to {url}")
