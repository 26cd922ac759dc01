"""Tests in Chromium: the desk never loses what an agent types, and its orders never leave the page."""

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from tests.console.browser import Watched
from tests.console.desk_building import CLOCK, call_now, create, furnish, go_on, sign_in
from tests.test_server import ADMIN, PASSWORD, Served, serving

HEIGHT = "element => element.offsetHeight"
NARROW: Final[dict[str, Any]] = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture
def served(tmp_path: Path, browser: Browser) -> Iterator[Served]:  # noqa: ARG001 - or no server
    with serving(tmp_path, **ADMIN, **CLOCK) as served:
        furnish(served)
        yield served


@pytest.fixture
def tab(browser: Browser, served: Served) -> Iterator[Watched]:
    """Open the desk of an agent who talks; at the end, nobody may have complained."""
    watched = open_desk(browser, served)
    watched.page.get_by_role("button", name="Log in").click()
    expect(watched.page.get_by_text("You are ready for the next call.")).to_be_visible()
    go_on(served, 20)
    expect(watched.page.get_by_role("button", name="Hang up")).to_be_visible()
    yield watched
    watched.context.close()
    assert [one for one in watched.complaints if not is_of_network(one)] == []


def is_of_network(complaint: str) -> bool:
    """Return whether the browser tells of a request that failed or was refused, which some tests cause."""
    return "Failed to load resource" in complaint or "ERR_" in complaint


def is_stream(request: Request) -> bool:
    return request.resource_type == "eventsource"


def open_desk(browser: Browser, served: Served, **options: object) -> Watched:
    watched = Watched(browser, served.base.removesuffix("/rest-api/"), **options)
    watched.page.goto("/console/desk/")
    sign_in(watched.page)
    return watched


def type_outcome(page: Page, call: int, text: str) -> None:
    """Type a note, and choose an outcome. The focus stays on the outcome."""
    page.locator(f"#note-{call}").fill(text)
    page.locator(f"#call-{call}").get_by_label("Not interested").check()


def expect_typed(page: Page, call: int, text: str) -> None:
    expect(page.locator(f"#note-{call}")).to_have_value(text)
    expect(page.locator(f"#call-{call} [value=not_interested]")).to_be_checked()


def expect_kept(page: Page, call: int) -> None:
    """Expect that the server has all that is typed about a call. A reload before that may find less of it."""
    expect(page.locator(f"#call-{call}:not([data-typed]) [data-kept]")).to_have_text("Typed, and not saved yet.")


def test_what_is_typed_outlives_orders_ends_of_calls_and_the_next_call(tab: Watched, served: Served) -> None:
    page, call = tab.page, call_now(served)
    address = page.url
    type_outcome(page, call, "Wants the offer")
    page.keyboard.press("p")  # The focus is on an outcome.
    expect(page.get_by_text("The callee has been on hold for")).to_be_visible()
    expect_typed(page, call, "Wants the offer")
    page.keyboard.press("p")
    expect(page.get_by_text("The callee has been on hold for")).to_be_hidden()
    page.locator(f"#note-{call}").focus()
    page.keyboard.press("End")
    page.keyboard.type(" by m")
    served.client.post(f"callrequest/{call}/hang-up/").raise_for_status()
    expect(page.get_by_role("button", name="Hang up")).to_be_hidden()
    go_on(served, 20)
    expect(page.get_by_role("button", name="Hang up")).to_be_visible()
    other = call_now(served)
    page.keyboard.type("ail")  # The field has kept the focus.
    expect_typed(page, call, "Wants the offer by mail")
    expect(page.locator(f"#outcome-of-{call} h2")).to_contain_text("Not saved yet: Ada Byron, +")
    type_outcome(page, other, "About the next one")
    expect_typed(page, call, "Wants the offer by mail")
    expect_kept(page, call)
    assert tab.barriers() == []
    page.locator(f"#call-{call}").get_by_role("button", name="Save outcome").click()
    expect(page.locator(f"#call-{call}")).to_be_hidden()
    expect_typed(page, other, "About the next one")
    saved = served.client.get(f"callrequest/{call}/disposition/").json()
    assert (saved["disposition"], saved["note"], page.url) == ("not_interested", "Wants the offer by mail", address)
    page.locator(f"#call-{other}").get_by_role("button", name="Discard what is typed").click()
    expect(page.locator(f"#note-{other}")).to_have_value("")


def test_lines_that_come_and_go_move_nothing(tab: Watched, served: Served) -> None:
    """The form of the outcome stays where it is, and its button is seen on a laptop."""
    page, call = tab.page, call_now(served)
    page.set_viewport_size({"width": 1366, "height": 768})
    save = page.locator(f"#call-{call}").get_by_role("button", name="Save outcome")
    place = save.bounding_box()
    type_outcome(page, call, "Wants the offer")
    page.keyboard.press("p")
    expect(page.get_by_text("The callee has been on hold for")).to_be_visible()
    assert save.bounding_box() == place
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out when the call is over.")).to_be_visible()
    assert save.bounding_box() == place
    expect(save).to_be_in_viewport(ratio=1)


def test_a_telephone_shows_the_last_calls_whole(tab: Watched, served: Served) -> None:
    page = tab.page
    page.set_viewport_size(NARROW["viewport"])
    page.keyboard.press("h")
    expect(page.get_by_role("button", name="Hang up")).to_have_count(0)
    go_on(served, 2)
    page.reload()
    last = page.locator("#past-card")
    expect(last).to_contain_text("How it ended")
    cut = "card => [...card.querySelectorAll('.scroll, td')].filter((one) => one.scrollWidth > one.clientWidth).length"
    assert (last.evaluate(cut), tab.barriers()) == (0, [])


def test_a_refusal_stays_beside_its_button_until_it_is_read(tab: Watched, served: Served) -> None:
    page, call = tab.page, call_now(served)
    page.keyboard.press("t")
    page.get_by_label("To a number").fill("112")
    page.get_by_role("button", name="Transfer the callee").click()
    refusal = page.get_by_text("Transfer the callee: An emergency number is never dialled.")
    expect(refusal).to_be_visible()
    page.locator(f"#note-{call}").fill("Another part changes")
    expect_kept(page, call)
    page.get_by_text("Transfer…").click()
    expect(refusal).to_be_visible()
    assert tab.barriers() == []
    page.get_by_role("button", name="Close").click()
    expect(refusal).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.get_by_label("To a number")).to_be_hidden()
    page.locator(f"#call-{call}").get_by_role("button", name="Save outcome").click()
    expect(page.get_by_text("Save outcome: Choose the outcome of the call.")).to_be_visible()
    column = page.locator(f"#call-{call}")
    heights = [column.get_by_role("button", name=name).evaluate(HEIGHT) for name in ("Close", "Save outcome")]
    assert heights[0] == heights[1]  # Its word is on one line.
    expect(page.locator(f"#note-{call}")).to_have_value("Another part changes")


def test_without_a_connection_the_desk_says_so_and_sends_what_was_typed_and_ordered_later(
    tab: Watched, served: Served
) -> None:
    page, call = tab.page, call_now(served)
    tab.context.set_offline(True)
    type_outcome(page, call, "Typed in the tunnel")
    expect(page.get_by_text(re.compile(r"No connection since \d\d:\d\d\. A call goes on"))).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator(f"#call-{call} [data-kept]")).to_have_text("Not sent yet: there is no connection.")
    tab.context.set_offline(False)
    expect(page.get_by_text("The callee has been on hold for")).to_be_visible()
    expect(page.get_by_text("No connection since")).to_be_hidden()
    expect_kept(page, call)
    expect_typed(page, call, "Typed in the tunnel")


def test_a_desk_without_connection_tries_again_at_once_and_then_less_often(tab: Watched, served: Served) -> None:
    """So it is connected within a moment of a restart. The browser itself would wait for seconds each time."""
    page = tab.page
    with page.expect_event("request", is_stream):
        served.process.kill()
        served.process.wait()
    began = time.monotonic()
    for _ in range(3):
        page.wait_for_event("request", is_stream)
    assert time.monotonic() - began < 5
    expect(page.get_by_text("No connection since")).to_be_visible()


def test_a_service_that_does_not_answer_counts_as_no_connection(tab: Watched, served: Served) -> None:
    os.kill(served.process.pid, signal.SIGSTOP)
    try:
        tab.page.keyboard.press("p")
        expect(tab.page.get_by_text("No connection since")).to_be_visible(timeout=30_000)
    finally:
        os.kill(served.process.pid, signal.SIGCONT)
    expect(tab.page.get_by_text("The callee has been on hold for")).to_be_visible(timeout=30_000)
    expect(tab.page.get_by_text("No connection since")).to_be_hidden(timeout=30_000)


def test_of_orders_about_the_status_the_last_one_counts(tab: Watched, served: Served) -> None:
    page, sent = tab.page, list[str]()
    tab.context.set_offline(True)
    page.get_by_text("Break…").click()
    page.get_by_role("button", name="Take a break").click()
    expect(page.get_by_text("No connection since")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    page.on("request", lambda one: sent.append(one.post_data or "") if "desk/status" in one.url else None)
    tab.context.set_offline(False)
    expect(page.get_by_text("You are logged out when the call is over.")).to_be_visible()
    served.client.post(f"callrequest/{call_now(served)}/hang-up/").raise_for_status()
    expect(page.get_by_text("You are logged out.")).to_be_visible()
    assert [order for order in sent if "status=out" not in order] == []


def create_agents(served: Served, *names: str) -> None:
    """Create agents on a break, to whom a call can be transferred."""
    (queue,) = served.client.get("queue/").json()["results"]
    for name in names:
        made = create(served, "agent", name=name, status=4)
        create(served, "tier", queue=queue["url"], agent=made["url"])


def test_a_transfer_is_of_the_call_in_progress_and_not_of_the_one_before(tab: Watched, served: Served) -> None:
    page, call = tab.page, call_now(served)
    page.keyboard.press("t")
    page.get_by_label("To a number").fill("+12025550160")
    served.client.post(f"callrequest/{call}/hang-up/").raise_for_status()
    go_on(served, 20)
    other = call_now(served)
    button = page.get_by_role("button", name="Transfer the callee", include_hidden=True)
    expect(button).to_have_attribute("value", str(other))
    expect(page.get_by_label("To a number")).to_have_value("")


def test_letters_do_nothing_while_a_panel_is_open_and_a_choice_stays(tab: Watched, served: Served) -> None:
    page, call = tab.page, call_now(served)
    create_agents(served, "Bea", "Dot")
    page.reload()
    page.keyboard.press("t")
    expect(page.get_by_label("To a number")).to_be_focused()
    who = page.get_by_label("Or to a queue or an agent")
    dot = who.get_by_role("option", name="Dot", include_hidden=True)
    who.select_option(value=dot.get_attribute("value"))
    page.get_by_role("button", name="Transfer the callee").focus()
    page.keyboard.press("h")
    page.keyboard.press("p")
    create_agents(served, "Abe")
    expect(who.get_by_role("option", name="Abe", include_hidden=True)).to_have_count(1)
    page.keyboard.press("Escape")
    create_agents(served, "Aby")
    expect(who.get_by_role("option", name="Aby", include_hidden=True)).to_have_count(1)
    expect(who).to_have_value(str(dot.get_attribute("value")))
    assert call_now(served) == call
    expect(page.get_by_role("button", name="Hold")).to_be_visible()


def test_a_transfer_goes_to_nobody_else_if_the_chosen_agent_logs_out(tab: Watched, served: Served) -> None:
    page = tab.page
    create_agents(served, "Bea", "Dot", "Eve")
    page.reload()
    page.keyboard.press("t")
    who = page.get_by_label("Or to a queue or an agent")
    options = who.get_by_role("option", include_hidden=True)
    dot = str(options.filter(has_text="Dot").get_attribute("value"))
    who.select_option(value=dot)
    served.client.patch(f"agent/{dot.removeprefix('agent:')}/", json={"status": 1}).raise_for_status()
    expect(options.filter(has_text="Dot")).to_have_count(0)
    expect(options.filter(has_text="Eve")).to_have_count(1)
    expect(who).to_have_value("")


def test_what_is_typed_while_an_outcome_is_being_saved_stays(tab: Watched, served: Served) -> None:
    page, call, held = tab.page, call_now(served), list[Route]()
    type_outcome(page, call, "Saved")
    expect_kept(page, call)
    page.route("**/desk/disposition/", lambda route: held.append(route))  # noqa: PLW0108 - it wants a function
    with page.expect_request("**/desk/disposition/"):
        page.locator(f"#call-{call}").get_by_role("button", name="Save outcome").click()
    page.locator(f"#note-{call}").fill("Saved, and more")
    held[0].continue_()
    expect_kept(page, call)
    expect_typed(page, call, "Saved, and more")
    page.reload()
    expect_typed(page, call, "Saved, and more")
    assert served.client.get(f"callrequest/{call}/disposition/").json()["note"] == "Saved"


def test_another_agent_in_the_same_tab_leaves_alone_what_was_not_sent(tab: Watched, served: Served) -> None:
    page, call = tab.page, call_now(served)
    create(served, "users", username="eva", password=PASSWORD, role="agent", manager="/rest-api/users/1/")
    for name in ("eva", "ida"):
        tab.context.clear_cookies(name="dialer_session")
        if name == "eva":
            type_outcome(page, call, "Of Ida")
        page.goto("/console/sign-in/?next=%2Fconsole%2Fdesk%2F")
        sign_in(page, name)
        expect(page.locator("h1")).to_be_visible()
    expect_kept(page, call)
    expect_typed(page, call, "Of Ida")


def test_an_ended_session_says_so_and_keeps_what_is_typed(tab: Watched, served: Served) -> None:
    page, call = tab.page, call_now(served)
    tab.context.clear_cookies(name="dialer_session")
    type_outcome(page, call, "Typed after the end")
    expect(page.get_by_text("Your session has ended. Sign in again: what you typed is kept.")).to_be_visible()
    expect_typed(page, call, "Typed after the end")
    page.locator("#connection").get_by_role("link", name="Sign in").click()
    sign_in(page)
    expect_kept(page, call)
    expect_typed(page, call, "Typed after the end")


def test_what_is_typed_outlives_the_browser_and_the_service(
    tab: Watched, served: Served, browser: Browser, tmp_path: Path
) -> None:
    call = call_now(served)
    type_outcome(tab.page, call, "Kept by the server")
    expect_kept(tab.page, call)
    served.process.kill()
    served.process.wait()
    with serving(tmp_path, **ADMIN, **CLOCK) as again:
        other = open_desk(browser, again, **NARROW)
        expect_typed(other.page, call, "Kept by the server")
        expect(other.page.get_by_role("button", name="Hang up")).to_be_visible()
        assert other.barriers() == []
        assert other.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        other.context.close()


def test_an_agent_whose_browser_is_gone_takes_no_more_calls(browser: Browser, served: Served) -> None:
    desk = open_desk(browser, served)
    desk.page.get_by_role("button", name="Log in").click()
    expect(desk.page.get_by_text("You are ready for the next call.")).to_be_visible()
    board = Watched(browser, served.base.removesuffix("/rest-api/"))
    board.sign_in()
    board.page.goto("/console/board/")
    expect(board.page.get_by_role("row", name="Ida Available")).to_be_visible()
    with desk.page.expect_response("**/console/desk/live/") as said:  # Another page says that the agent is there, too.
        desk.page.goto("/console/account/")
    assert (said.value.request.method, said.value.status) == ("POST", 204)
    desk.page.goto("about:blank")
    expect(board.page.get_by_text("the desk was closed")).to_be_visible(timeout=90_000)
    assert board.barriers() == []
    desk.page.goto("/console/desk/")
    expect(desk.page.get_by_text("You are on a break, because your desk was closed.")).to_be_visible()
    desk.page.get_by_role("button", name="Back to work").click()
    expect(board.page.get_by_text("the desk was closed")).to_be_hidden()
    desk.context.close()
    board.context.close()
