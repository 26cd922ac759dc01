"""Tests in Chromium: a survey is built on its graph by mouse, by keyboard alone, and without scripts."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.console.browser import Watched
from tests.test_server import ADMIN, Served, serving

HOSTILE: Final = '<script>document.title="taken"</script>\u202e" onload="x' + "W" * 40
FITS: Final = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
SCREENS: Final[dict[str, dict[str, Any]]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1440, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1440, "height": 900}},
    "narrow": {"color_scheme": "light", "viewport": {"width": 320, "height": 740}},
    "narrow and dark": {"color_scheme": "dark", "viewport": {"width": 320, "height": 740}},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Served]:  # noqa: ARG001 - needed
    with serving(tmp_path_factory.mktemp("served"), **ADMIN) as served:
        yield served


@pytest.fixture
def tab(browser: Browser, served: Served, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """Open a tab with the options of the test; at its end, nobody may have complained."""
    watched = Watched(browser, served.base.removesuffix("/rest-api/"), **getattr(request, "param", SCREENS["light"]))
    watched.sign_in()
    yield watched
    watched.context.close()
    assert watched.complaints == []


@pytest.fixture
def survey(served: Served) -> int:
    """Create an empty survey, and return its id."""
    return int(served.client.post("survey-template/", json={"name": "Survey"}).json()["id"])


def create(served: Served, survey: int, question: str, **fields: Any) -> int:  # noqa: ANN401 - fields
    section = {"survey": f"/rest-api/survey-template/{survey}/", "type": 1, "question": question, "script": question}
    return int(served.client.post("section-template/", json=section | fields).raise_for_status().json()["id"])


def box(page: Page, name: str) -> Locator:
    return page.locator("svg.graph a.box", has_text=name)


def kind(page: Page, name: str) -> Locator:
    return page.locator(".kind-choice", has=page.get_by_text(name, exact=True))


def lines(served: Served, survey: int) -> dict[str, dict[str, str | None]]:
    """Return the questions to which each key leads, by question."""
    found = served.client.get("section-template/", params={"survey_id": survey, "page_size": 100}).json()["results"]
    names = {one["url"]: one["question"] for one in found}
    branches: dict[str, dict[str, str | None]] = {name: {} for name in names.values()}
    for one in served.client.get("branching-template/", params={"page_size": 100}).json()["results"]:
        if one["section"] in names:
            branches[names[one["section"]]][one["keys"]] = names.get(one["goto"])
    return branches


EVERY: Final = ("any", "invalid", "timeout")


def test_a_survey_with_a_loop_is_built_by_mouse(tab: Watched, served: Served, survey: int) -> None:
    page = tab.page
    page.goto(f"/console/surveys/{survey}/")
    kind(page, "Message").click()
    page.get_by_label("Title").fill("Hello")
    page.get_by_role("textbox", name="Text").fill("Hello there")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_role("link", name="Insert a section after Hello, then").first.click()
    kind(page, "Choice").click()
    expect(box(page, "Choice")).to_be_visible()
    expect(page).to_have_url(f"{tab.address}/console/surveys/{survey}/?section={ids(served, survey)[-1]}")
    page.get_by_label("Title").fill("Tea?")
    page.get_by_label("Answer of key 2").fill("Again")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_role("link", name="Insert a section after Tea?, 1: Yes").first.click()
    kind(page, "Hang up").click()
    expect(box(page, "Hang up")).to_be_visible()
    # From a key to a box, which closes a loop; and from a box to a box, for what is still open.
    page.locator(".port", has_text="2 Again").drag_to(box(page, "Hello"))
    expect(page.locator(".branch.back")).to_have_count(1)
    box(page, "Tea?").drag_to(box(page, "Hang up"))
    expected = {"Hello": {"0": "Tea?"}, "Tea?": {"1": "Hang up", "2": "Hello", "invalid": "Hang up"}, "Hang up": {}}
    expected["Tea?"] |= {"timeout": "Hang up"}
    expect(page.locator(".port", has_text="else")).to_be_visible()
    expect(page.locator(".branch.open")).to_have_count(0)
    assert lines(served, survey) == expected
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".branch.open")).to_have_count(1)
    page.reload()
    page.get_by_role("button", name="Redo").click()
    expect(page.locator(".branch.open")).to_have_count(0)
    assert lines(served, survey) == expected
    box(page, "Tea?").click()
    expect(page.get_by_label("Title")).to_have_value("Tea?")
    page.get_by_role("link", name="Delete…").click()
    expect(page.get_by_text("They will lead to “Hang up”, as it does.")).to_be_visible()
    page.get_by_role("button", name="Delete it").click()
    expect(box(page, "Tea?")).to_have_count(0)
    assert lines(served, survey) == {"Hello": {"0": "Hang up"}, "Hang up": {}}


def ids(served: Served, survey: int) -> list[int]:
    found = served.client.get("section-template/", params={"survey_id": survey, "page_size": 100}).json()["results"]
    return sorted(one["id"] for one in found)


def test_a_survey_with_a_loop_is_built_by_keyboard_alone(tab: Watched, served: Served, survey: int) -> None:
    page = tab.page
    page.goto(f"/console/surveys/{survey}/")
    kind(page, "Message").focus()
    page.keyboard.press("Enter")
    box(page, "Message").focus()
    page.keyboard.press("+")
    expect(kind(page, "Message")).to_be_focused()
    page.keyboard.press("Tab")  # To the choice.
    page.keyboard.press("Enter")
    expect(box(page, "Choice")).to_be_visible()
    box(page, "Choice").focus()
    page.keyboard.press("Insert")
    expect(page.get_by_text("After “Choice”, 1: Yes.")).to_be_visible()
    kind(page, "Hang up").focus()
    page.keyboard.press("Enter")
    expect(box(page, "Hang up")).to_be_visible()
    box(page, "Message").focus()
    page.keyboard.press("ArrowDown")
    expect(box(page, "Choice")).to_be_focused()
    page.keyboard.press("Enter")
    leads = page.get_by_label("Key 2 leads to")
    expect(leads).to_be_visible()
    leads.focus()
    page.keyboard.type("Message")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    expected = {"Message": {"0": "Choice"}, "Choice": {"1": "Hang up", "2": "Message"}, "Hang up": {}}
    assert lines(served, survey) == expected
    box(page, "Choice").focus()
    page.keyboard.press("Control+z")
    expect(page.locator(".branch.back")).to_have_count(0)
    box(page, "Choice").focus()
    page.keyboard.press("Control+Shift+z")
    expect(page.locator(".branch.back")).to_have_count(1)
    assert lines(served, survey) == expected
    box(page, "Choice").focus()
    page.keyboard.press("Delete")
    expect(page.get_by_role("button", name="Delete it")).to_be_focused()
    page.keyboard.press("Enter")
    expect(box(page, "Choice")).to_have_count(0)
    assert lines(served, survey) == {"Message": {"0": "Hang up"}, "Hang up": {}}


@pytest.mark.parametrize("tab", [{"java_script_enabled": False}], ids=["no scripts"], indirect=True)
def test_a_survey_is_built_without_scripts(tab: Watched, served: Served, survey: int) -> None:
    page = tab.page
    page.goto(f"/console/surveys/{survey}/")
    kind(page, "Message").click()
    page.get_by_role("link", name="Insert a section after Message, then").first.click()
    kind(page, "Rating").click()
    page.get_by_label("no input leads to").select_option("Message")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert lines(served, survey) == {"Message": {"0": "Rating"}, "Rating": {"timeout": "Message"}}
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    assert lines(served, survey) == {"Message": {}}
    page.get_by_role("button", name="Redo").click()
    assert lines(served, survey) == {"Message": {"0": "Rating"}, "Rating": {}}


def test_clicks_while_the_service_answers_slowly_are_not_lost(tab: Watched, served: Served, survey: int) -> None:
    for name in ("One", "Two", "Three"):
        create(served, survey, name)
    page = tab.page
    page.goto(f"/console/surveys/{survey}/")
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/surveys/**", hold, times=1)
    with page.expect_request("**/surveys/**"):
        box(page, "One").click()
    box(page, "Two").click()
    box(page, "Three").click()
    waiting[0].continue_()
    expect(page.get_by_label("Title")).to_have_value("Three")
    for title in ("Changed", "Changed again"):
        page.get_by_label("Title").fill(title)
        page.get_by_role("button", name="Save").click()
        expect(box(page, title)).to_have_count(1)
    page.route("**/undo/", hold, times=1)
    with page.expect_request("**/undo/"):
        page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    waiting[1].continue_()
    expect(box(page, "Three")).to_be_visible()


def test_changes_that_are_not_saved_are_not_lost_without_a_question(tab: Watched, served: Served, survey: int) -> None:
    create(served, survey, "One")
    create(served, survey, "Two")
    page = tab.page
    page.goto(f"/console/surveys/{survey}/")
    box(page, "One").click()
    page.get_by_label("Title").fill("Changed")
    page.once("dialog", lambda dialog: dialog.dismiss())
    box(page, "Two").click()
    expect(page.get_by_label("Title")).to_have_value("Changed")
    page.once("dialog", lambda dialog: dialog.accept())
    box(page, "Two").click()
    expect(page.get_by_label("Title")).to_have_value("Two")
    page.get_by_label("Title").fill("Changed, too")
    page.evaluate("location.hash = 'main'")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.evaluate("history.go(-2)")
    expect(page.get_by_label("Title")).to_have_value("Changed, too")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("link", name="Close the section").click()
    expect(page.get_by_role("heading", name="Check")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Title")).to_have_value("Two")


def test_a_large_graph_is_scaled_and_scrolled(tab: Watched, served: Served, survey: int) -> None:
    for number in range(12):
        create(served, survey, str(number), type=2, **{f"key_{key}": f"Answer {key}" for key in range(10)})
    page = tab.page
    page.goto(f"/console/surveys/{survey}/")
    graph = page.locator("svg.graph")
    before = float(graph.get_attribute("width") or 0)
    page.get_by_role("button", name="Larger").click()
    assert float(graph.get_attribute("width") or 0) > before
    page.get_by_role("button", name="Smaller").click()
    page.get_by_role("button", name="Smaller").click()
    assert float(graph.get_attribute("width") or 0) < before
    page.get_by_role("button", name="Fit").click()
    assert float(graph.get_attribute("width") or 0) == before


def test_sections_are_dragged_to_another_place_in_their_list(tab: Watched, served: Served, survey: int) -> None:
    for question in ("One", "Two", "Three"):
        create(served, survey, question)
    page = tab.page
    page.goto(f"/console/surveys/{survey}/")
    page.get_by_text("All sections").click()
    sections = page.locator("[data-order] > li")
    sections.nth(2).drag_to(sections.nth(0), target_position={"x": 10, "y": 2})
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    expect(sections.nth(0)).to_contain_text("Three")
    expect(sections.nth(1)).to_contain_text("One")
    found = served.client.get("section-template/", params={"survey_id": survey, "ordering": "order"}).json()
    assert [one["question"] for one in found["results"]] == ["Three", "One", "Two"]


@pytest.mark.parametrize("tab", SCREENS.values(), ids=SCREENS, indirect=True)
def test_the_editor_has_no_barriers_and_fits_on_the_screen(
    tab: Watched, served: Served, survey: int, request: pytest.FixtureRequest
) -> None:
    first = create(served, survey, HOSTILE, type=2, key_1="yes", key_2="W" * 100, key_3=HOSTILE)
    second = create(served, survey, "Second", type=6)
    for keys, goto in (("1", second), ("timeout", first), ("3", first)):
        branch = {"section": f"/rest-api/section-template/{first}/", "keys": keys, "goto": goto}
        served.client.post("branching-template/", json=branch).raise_for_status()
    rules = ("color-contrast",) if "dark" in request.node.callspec.id else ()
    for path in (
        *(f"surveys/{survey}/{query}" for query in ("", f"?section={first}", f"?section={second}")),
        *(f"surveys/{survey}/{query}" for query in (f"?after={first}&keys=1", f"?remove={first}")),
        "surveys/new/",
    ):
        tab.page.goto(f"/console/{path}")
        for details in tab.page.locator("details").all():
            details.evaluate("one => { one.open = true }")
        assert (path, tab.barriers(*rules)) == (path, [])
        assert (path, tab.page.evaluate(FITS)) == (path, True)
        assert tab.page.title() != "taken"
