"""Tests in Chromium: columns that agents fill in survive as notes do, and only what was typed is written."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.console.browser import Watched
from tests.console.desk_building import CLOCK, call_now, furnish, go_on
from tests.console.test_desk_in_browser import expect_kept, open_desk
from tests.test_server import ADMIN, Served, serving

ASKED: Final = "email, interest = hot | warm | cold"


@pytest.fixture
def served(tmp_path: Path, browser: Browser) -> Iterator[Served]:  # noqa: ARG001 - or no server
    with serving(tmp_path, **ADMIN, **CLOCK) as served:
        furnish(served, agent_fields=ASKED)
        yield served


def person_of(served: Served, call: int) -> dict[str, Any]:
    """Return the contact with whom a call is."""
    number = served.client.get(f"callrequest/{call}/").json()["phone_number"]
    (found,) = served.client.get("contact/", params={"contact": number}).json()["results"]
    return dict(found)


def talk(browser: Browser, served: Served) -> tuple[Watched, int]:
    """Open the desk of an agent who talks. Return it with the id of the call."""
    watched = open_desk(browser, served, viewport={"width": 390, "height": 844})
    watched.page.get_by_role("button", name="Log in").click()
    expect(watched.page.get_by_text("You are ready for the next call.")).to_be_visible()
    go_on(served, 20)
    expect(watched.page.get_by_role("button", name="Hang up")).to_be_visible()
    return watched, call_now(served)


def test_columns_are_kept_as_they_are_typed_and_written_with_the_outcome(browser: Browser, served: Served) -> None:
    watched, call = talk(browser, served)
    page = watched.page
    contact = person_of(served, call)
    page.get_by_label("email", exact=True).fill("ada@example.com")
    page.get_by_label("interest", exact=True).select_option("hot")
    expect_kept(page, call)
    assert watched.barriers() == []
    page.get_by_role("button", name="Hang up").click()
    expect(page.get_by_role("button", name="Hang up")).to_be_hidden()
    page.reload()
    expect(page.get_by_label("email", exact=True)).to_have_value("ada@example.com")
    expect(page.get_by_label("interest", exact=True)).to_have_value("hot")
    page.get_by_label("interest", exact=True).select_option("")  # As it was: nothing is typed there any more.
    expect_kept(page, call)
    served.client.patch(contact["url"], json={"additional_vars": {"interest": "cold"}}).raise_for_status()
    box = page.locator(f"#call-{call}")
    box.get_by_label("Not interested").check()
    box.get_by_role("button", name="Save outcome").click()
    expect(box).to_be_hidden()
    assert person_of(served, call)["additional_vars"] == '{"interest":"cold","email":"ada@example.com"}'
    assert watched.complaints == []
    watched.context.close()


def test_a_column_typed_again_while_it_is_being_saved_is_written_by_the_next_saving(
    browser: Browser, served: Served
) -> None:
    """The first value is the agent's own, and not one of somebody else that the second must not replace."""
    watched, call = talk(browser, served)
    page, held = watched.page, list[Route]()
    box, email = page.locator(f"#call-{call}"), page.get_by_label("email", exact=True)
    box.get_by_label("Not interested").check()
    email.fill("ada@example.com")
    expect_kept(page, call)
    page.route("**/desk/disposition/", lambda route: held.append(route), times=1)  # noqa: PLW0108 - it wants a function
    with page.expect_request("**/desk/disposition/"):
        box.get_by_role("button", name="Save outcome").click()
    email.fill("ada@example.org")
    held[0].continue_()
    expect(box.locator(f"[name=was-{call}-email]")).to_have_value("ada@example.com")
    expect(email).to_have_value("ada@example.org")
    box.get_by_role("button", name="Save outcome").click()
    expect(box.locator("[data-kept]")).to_have_text("Saved: Not interested")
    assert person_of(served, call)["additional_vars"] == '{"email":"ada@example.org"}'
    assert watched.complaints == []
    watched.context.close()


def test_a_column_that_somebody_else_changed_meanwhile_is_not_overwritten(browser: Browser, served: Served) -> None:
    """The page shows newer values of other fields while the agent types, and still knows what stood in this one."""
    watched, call = talk(browser, served)
    page, contact = watched.page, person_of(served, call)
    box, email = page.locator(f"#call-{call}"), page.get_by_label("email", exact=True)
    email.fill("ada@example.com")
    expect_kept(page, call)
    theirs = {"email": "eve@example.com", "interest": "cold"}
    served.client.patch(contact["url"], json={"additional_vars": theirs}).raise_for_status()
    expect(page.get_by_label("interest", exact=True)).to_have_value("cold")
    expect(email).to_have_value("ada@example.com")
    expect(box.locator(f"[name=was-{call}-email]")).to_have_value("")
    box.get_by_label("Not interested").check()
    with page.expect_response("**/desk/disposition/"):
        box.get_by_role("button", name="Save outcome").click()
    assert person_of(served, call)["additional_vars"] == '{"email":"eve@example.com","interest":"cold"}'
    watched.context.close()
