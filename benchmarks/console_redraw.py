"""The work of a browser on live parts of the console, if Chromium is there."""

import shutil
from collections.abc import Iterable
from typing import Final

from playwright.sync_api import Browser, CDPSession, sync_playwright

from benchmarks.load import Address

ARGUMENTS: Final = ("--headless", "--no-sandbox", "--disable-gpu")
SETTLE_MS: Final = 2_000
_COUNT: Final = """
window.redraws = 0;
window.EventSource = class extends EventSource {
  constructor(url) { super(url); this.addEventListener("message", () => { window.redraws += 1; }); }
};
"""


def redraws_ms(address: Address, cookie: str, pages: Iterable[str], seconds: float) -> dict[str, float]:
    """Return how long the main thread of a browser works on a new live part of each page, in milliseconds.

    It counts the processor's time for script, layout and paint. It is empty without Chromium.
    """
    path = shutil.which("chromium")
    if path is None:
        return {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        found = {page: _redraw_ms(browser, address, cookie, page, seconds) for page in pages}
        browser.close()
    return found


def _redraw_ms(browser: Browser, address: Address, cookie: str, page: str, seconds: float) -> float:
    base = f"http://{address[0]}:{address[1]}"
    context = browser.new_context(base_url=base, viewport={"width": 1440, "height": 900})
    parts = [part.partition("=") for part in cookie.split("; ")]
    context.add_cookies([{"name": name, "value": value, "url": base} for name, _, value in parts])
    tab = context.new_page()
    tab.add_init_script(_COUNT)
    tab.goto(f"/console/{page}")
    tab.wait_for_timeout(SETTLE_MS)
    session = context.new_cdp_session(tab)
    session.send("Performance.enable")
    before_s, before = _worked_s(session), tab.evaluate("window.redraws")
    tab.wait_for_timeout(seconds * 1_000)
    worked_s = _worked_s(session) - before_s
    redraws = tab.evaluate("window.redraws") - before
    context.close()
    return worked_s / max(1, int(redraws)) * 1_000


def _worked_s(session: CDPSession) -> float:
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics["ThreadTime"])
