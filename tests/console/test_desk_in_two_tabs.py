"""Tests in Chromium: two tabs of one desk show the same, and what is typed in one overwrites nothing of the other."""

from playwright.sync_api import Page, expect

from tests.console.browser import Watched
from tests.console.desk_building import call_now
from tests.console.test_desk_in_browser import expect_kept
from tests.console.test_desk_in_browser import served as served  # noqa: PLC0414 - a fixture
from tests.console.test_desk_in_browser import tab as tab  # noqa: PLC0414 - a fixture
from tests.test_server import Served


def test_two_tabs_of_a_desk_show_the_same_and_overwrite_nothing(tab: Watched, served: Served) -> None:
    first, call = tab.page, call_now(served)
    second: Page = tab.context.new_page()
    second.goto("/console/desk/")
    note = f"#note-{call}"
    first.locator(note).fill("Wants the offer")
    expect(second.locator(note)).to_have_value("Wants the offer")
    second.locator(f"#call-{call}").get_by_label("Not interested").check()
    expect_kept(second, call)
    expect(first.locator(f"#call-{call} [value=not_interested]")).to_be_checked()
    first.locator(note).fill("Wants the offer by mail")
    expect_kept(first, call)
    expect(second.locator(note)).to_have_value("Wants the offer by mail")
    first.keyboard.press("Tab")
    first.locator(f"#call-{call}").get_by_role("button", name="Save outcome").focus()
    second.get_by_role("button", name="Hold").click()
    expect(first.get_by_text("The callee has been on hold for")).to_be_visible()
    second.close()
    first.locator(f"#call-{call}").get_by_role("button", name="Save outcome").click()
    expect(first.locator(f"#call-{call} [data-kept]")).to_have_text("Saved: Not interested")
    said = served.client.get(f"callrequest/{call}/disposition/").raise_for_status().json()
    assert (said["disposition"], said["note"]) == ("not_interested", "Wants the offer by mail")
    expect(first.locator(note)).to_have_value("Wants the offer by mail")


def test_a_tab_that_was_left_follows_the_other_one(tab: Watched, served: Served) -> None:
    first, call = tab.page, call_now(served)
    note = f"#note-{call}"
    first.locator(note).fill("Old words")
    expect_kept(first, call)
    first.evaluate("document.hasFocus = () => false")
    first.evaluate("window.dispatchEvent(new Event('blur'))")
    second = tab.context.new_page()
    second.goto("/console/desk/")
    expect(second.locator(note)).to_have_value("Old words")
    second.locator(note).fill("New words")
    expect(first.locator(note)).to_have_value("New words")
    first.locator(f"#call-{call}").get_by_label("Not interested").check()
    expect_kept(first, call)
    expect(second.locator(f"#call-{call} [value=not_interested]")).to_be_checked()
    expect(second.locator(note)).to_have_value("New words")


def test_a_field_that_was_left_follows_another_screen(tab: Watched, served: Served) -> None:
    """No word is lost where one agent has two screens: whoever types goes on from what the other one has typed."""
    first, call = tab.page, call_now(served)
    note = f"#note-{call}"
    first.locator(note).fill("One")
    expect_kept(first, call)
    second = tab.context.new_page()
    second.goto("/console/desk/")
    expect(second.locator(note)).to_have_value("One")
    first.get_by_role("button", name="Hold").focus()
    second.locator(note).press("End")
    second.locator(note).press_sequentially(" two")
    expect(first.locator(note)).to_have_value("One two")
    expect_kept(second, call)
    second.get_by_role("button", name="Hold").focus()
    first.locator(note).press("End")
    first.locator(note).press_sequentially(" three")
    expect(second.locator(note)).to_have_value("One two three")
