"""Tests in Chromium: thirty agents on the wall board, on a laptop, a television and a telephone, and by keyboard."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser import Watched
from tests.console.desk_building import CLOCK, create, furnish, go_on
from tests.test_server import ADMIN, Served, serving

LAPTOP: Final = {"width": 1366, "height": 768}
NARROW: Final = {"width": 390, "height": 844}
AGENTS: Final = 30
TELEPHONE_SCREENS: Final = 5
"""The screens of a telephone that thirty agents and ten queues take at most."""
ROWS: Final = "[...document.querySelectorAll('.staff tbody tr')].map((row) => row.getBoundingClientRect())"
QUEUES: Final = 10
SEEN_QUEUES: Final = """() => {
  const rows = [...document.querySelectorAll(".waiting tbody tr")].map((row) => row.getBoundingClientRect().bottom);
  const end = Math.min(document.querySelector(".waiting").getBoundingClientRect().bottom, innerHeight) + 1;
  return [rows.length, rows.filter((bottom) => bottom <= end).length];
}"""
"""The queues of the board, and those that are seen without scrolling."""
TELEVISIONS: Final = ((1920, 1080), (1366, 768), (1280, 720))
TEXT_SHARE: Final = "parseFloat(getComputedStyle(document.querySelector('.staff th')).fontSize) / innerHeight"
"""The size of the agents' names, as a share of the screen's height."""
WRAPPED: Final = """() => {
  const lines = (one) => Math.round(one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight));
  const top = (one) => one.getBoundingClientRect().top;
  const rows = [...document.querySelectorAll(".staff tbody tr")];
  const signs = [...document.querySelectorAll(".staff .late .late, .staff b.bad")].filter((one) => lines(one) > 1);
  const torn = rows.filter((row) => !row.querySelector(".talks").hasChildNodes()
    && new Set([...row.querySelectorAll(".today")].map((one) => Math.round(top(one) / 4))).size > 1);
  return [...signs, ...torn].map((one) => one.innerText);
}"""
"""Signs that take two lines with their words, and agents without a call whose figures of today do."""
FITS: Final = "document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Served]:  # noqa: ARG001 - or no server
    """Serve a call centre of thirty agents, of whom some are on a break."""
    with serving(tmp_path_factory.mktemp("board"), **ADMIN, **CLOCK) as served:
        furnish(served)
        for number in range(2, AGENTS + 1):
            agent = create(served, "agent", name=f"Agent {number:02}", status=(2, 4)[number % 5 == 0])
            create(served, "tier", queue="/rest-api/queue/1/", agent=agent["url"])
        for name in ("Service", "Support"):
            create(served, "queue", name=name)
        served.client.patch("agent/7/", json={"status": 4, "break_reason": "Lunch"}).raise_for_status()
        go_on(served, 30)
        yield served


def board(browser: Browser, served: Served, viewport: dict[str, int], query: str = "") -> Watched:
    watched = Watched(browser, served.base.removesuffix("/rest-api/"), viewport=viewport)
    watched.sign_in()
    watched.page.goto(f"/console/board/{query}")
    return watched


def close(watched: Watched) -> None:
    watched.context.close()
    assert watched.complaints == []


@pytest.mark.parametrize("height", [768, 720])
@pytest.mark.parametrize("width", [1366, 1280])
def test_thirty_agents_are_seen_on_a_laptop_without_scrolling(
    browser: Browser, served: Served, width: int, height: int
) -> None:
    """Below the figures of the day and three queues."""
    watched = board(browser, served, {"width": width, "height": height})
    rows: list[dict[str, Any]] = watched.page.evaluate(ROWS)
    seen = [row for row in rows if row["bottom"] <= height]
    assert (len(rows), len(seen)) == (AGENTS, AGENTS)
    expect(watched.page.get_by_role("row", name="Agent 07")).to_contain_text("Lunch")
    assert (watched.barriers(), watched.page.evaluate(FITS)) == ([], True)
    close(watched)


@pytest.mark.parametrize("size", TELEVISIONS)
def test_a_television_shows_thirty_agents_without_scrolling(
    browser: Browser, served: Served, size: tuple[int, int]
) -> None:
    """On a small one, too. The larger the screen is, the larger is what it shows."""
    watched = board(browser, served, {"width": size[0], "height": size[1]}, "?tv=1&sort=state")
    rows: list[dict[str, Any]] = watched.page.evaluate(ROWS)
    assert (len(rows), rows[-1]["bottom"] <= size[1]) == (AGENTS, True)
    assert watched.page.evaluate(TEXT_SHARE) == pytest.approx(0.0188, abs=0.0005)
    assert (watched.barriers(), watched.page.evaluate(FITS)) == ([], True)
    close(watched)


def test_the_orders_to_an_agent_move_nothing_on_the_board(browser: Browser, served: Served) -> None:
    watched = board(browser, served, LAPTOP)
    page = watched.page
    rows = page.evaluate(ROWS)
    page.get_by_role("link", name="Actions for Agent 07").click()
    expect(page.get_by_role("heading", name="Agent 07")).to_be_visible()
    assert page.evaluate(ROWS) == rows
    page.get_by_role("group").get_by_text("Log out").click()
    expect(page.get_by_role("button", name="Log the agent out")).to_be_in_viewport(ratio=1)
    assert (page.evaluate(ROWS), watched.barriers()) == (rows, [])
    close(watched)


def test_ten_queues_are_seen_on_a_television_and_four_of_them_on_a_laptop(browser: Browser, served: Served) -> None:
    """Nobody scrolls a television, however small it is."""
    for number in range(served.client.get("queue/").json()["count"] + 1, QUEUES + 1):
        create(served, "queue", name=f"Queue {number:02}")
    laptop = board(browser, served, LAPTOP)
    assert laptop.page.evaluate(SEEN_QUEUES) == [QUEUES, 4]
    close(laptop)
    for width, height in TELEVISIONS:
        television = board(browser, served, {"width": width, "height": height}, "?tv=1")
        rows: list[dict[str, Any]] = television.page.evaluate(ROWS)
        assert television.page.evaluate(SEEN_QUEUES) == [QUEUES, QUEUES]
        assert (len(rows), rows[-1]["bottom"] <= height) == (AGENTS, True)
        close(television)


@pytest.mark.parametrize("query", ["?talk=1", "?tv=1&talk=1"])
def test_signs_and_figures_are_on_one_line_with_their_words(browser: Browser, served: Served, query: str) -> None:
    """After minutes, when times take more room: breaks of today, breaks that are too long, and talks above a limit."""
    served.client.patch("queue/1/", json={"max_break_time": 60}).raise_for_status()
    go_on(served, 135)
    watched = board(browser, served, {"width": 1280, "height": 720}, query)
    assert watched.page.evaluate(WRAPPED) == []
    assert watched.page.locator(".staff .icon").count() >= len(range(5, AGENTS + 1, 5))
    close(watched)


def test_a_telephone_shows_cards_and_does_not_scroll_sideways(browser: Browser, served: Served) -> None:
    watched = board(browser, served, NARROW, "?sort=time&wait=5&talk=1")
    assert (watched.barriers(), watched.page.evaluate(FITS)) == ([], True)
    screens: float = watched.page.evaluate("document.documentElement.scrollHeight / innerHeight")
    assert screens < TELEPHONE_SCREENS
    close(watched)


def test_a_scrolled_board_stays_where_it_is_when_an_agent_gets_orders(browser: Browser, served: Served) -> None:
    """Another page between begins at its top again."""
    watched = board(browser, served, NARROW)
    page = watched.page
    actions = page.get_by_role("link", name="Actions for Agent 20")
    actions.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    actions.click()
    expect(page.get_by_role("heading", name="Agent 20")).to_be_visible()
    assert (place > NARROW["height"], page.evaluate("scrollY")) == (True, place)
    page.get_by_role("link", name="Close").click()
    expect(page.get_by_role("heading", name="Agent 20")).to_have_count(0)
    assert page.evaluate("scrollY") == place
    page.goto("/console/overview/")
    page.goto("/console/board/")
    assert page.evaluate("scrollY") == 0
    close(watched)


def test_the_board_is_arranged_by_keyboard(browser: Browser, served: Served) -> None:
    watched = board(browser, served, LAPTOP)
    page = watched.page
    summary = page.get_by_text("What the board shows")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Queue", exact=True)).to_be_focused()
    page.keyboard.type("Sales")
    page.keyboard.press("Tab")
    page.keyboard.type("How")
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    page.wait_for_url("**/console/board/?queue=1&sort=time&wait=&talk=1")
    expect(page.locator(".staff tbody tr")).to_have_count(AGENTS)
    close(watched)
