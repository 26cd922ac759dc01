"""Tests in Chromium: the main tasks by keyboard alone. Only Tab, arrow keys and the pages move the focus."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.browser import Watched, running_browser
from tests.console.test_prompts import MICROPHONE
from tests.console.test_survey_browser import box, lines
from tests.test_server import ADMIN, PASSWORD, Served, serving

CLOCK: Final = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-01-30T09:00:00Z"}
TABS_MAX: Final = 80
PEOPLE: Final = "Name,Phone\nAda Byron,+12025550177\nGrace Hopper,+1 202 555 0178\nBad,x\n"
AGENT: Final = "gus"
TRAINEE: Final = "ida"
CALLED: Final = "The person is being called."


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser(*MICROPHONE) as browser:
        yield browser


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Served]:  # noqa: ARG001 - or no server
    with serving(tmp_path_factory.mktemp("keyboard"), **ADMIN, **CLOCK) as served:
        yield served


@pytest.fixture
def tab(browser: Browser, served: Served) -> Iterator[Watched]:
    """Open a tab; at its end, nobody may have complained."""
    watched = Watched(browser, served.base.removesuffix("/rest-api/"), permissions=["microphone"])
    watched.page.on("filechooser", lambda _: None)  # From now on no dialog of the system opens.
    yield watched
    watched.context.close()
    assert watched.complaints == []


def create(served: Served, path: str, **fields: Any) -> Any:  # noqa: ANN401 - JSON
    answer = served.client.post(f"{path}/", json=fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


def sign_in(page: Page, username: str = "root") -> None:
    page.goto("/console/")
    reach(page, page.get_by_label("User name"))
    page.keyboard.type(username)
    reach(page, page.get_by_label("Password"))
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name=username, exact=True)).to_be_visible()


def reach(page: Page, wanted: Locator) -> None:
    """Press Tab until an element has the focus."""
    wanted = wanted.first
    wanted.wait_for(state="attached")
    for _ in range(TABS_MAX):
        if wanted.evaluate("one => document.activeElement === one"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} cannot be reached by keyboard")


def press(page: Page, wanted: Locator) -> None:
    """Go to a link or a button, and press it."""
    reach(page, wanted)
    page.keyboard.press("Enter")


def choose(page: Page, radio: Locator) -> None:
    """Go to a group of radio buttons, and move to one of them."""
    name = radio.get_attribute("name")
    for _ in range(TABS_MAX):
        if page.evaluate("document.activeElement.name") == name:
            break
        page.keyboard.press("Tab")
    for _ in range(TABS_MAX):
        if radio.is_checked():
            return
        page.keyboard.press("Space" if not page.locator(f"[name={name}]:checked").count() else "ArrowDown")
    raise AssertionError(f"{radio} cannot be chosen by keyboard")


def fill(page: Page, field: Locator, text: str) -> None:
    """Go to a field, and type a text in place of what it has."""
    reach(page, field)
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def test_a_list_becomes_a_campaign_that_dials_over_a_new_gateway(tab: Watched, served: Served, tmp_path: Path) -> None:
    page, people = tab.page, tmp_path / "people.csv"
    people.write_text(PEOPLE, "utf-8")
    sign_in(page)
    press(page, page.get_by_role("link", name="Lines"))
    press(page, page.get_by_role("link", name="Add a carrier"))
    press(page, page.get_by_role("link", name="Simulated calls"))
    fill(page, page.get_by_label("Name", exact=True), "Simulator")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Simulator")).to_be_visible()
    press(page, page.get_by_role("link", name="Overview"))
    press(page, page.get_by_role("link", name="Upload a file"))
    fill(page, page.get_by_label("Name of the phonebook"), "Spring")
    reach(page, page.get_by_label("File", exact=True))
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(people)
    press(page, page.get_by_role("button", name="Upload and go on"))
    press(page, page.get_by_role("button", name="Import 2 people"))
    expect(page.get_by_text("2 people imported. 1 line was refused.")).to_be_visible()
    fill(page, page.get_by_label("Name", exact=True), "Reminder")
    fill(page, page.get_by_label("Message", exact=True), "Hello {full_name}")
    press(page, page.get_by_role("button", name="Go on").first)
    fill(page, page.get_by_label("Caller ID").first, "+12025550199")
    press(page, page.get_by_role("button", name="Create"))
    press(page, page.get_by_role("button", name="Start"))
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    (campaign,) = served.client.get("campaigns/").json()["results"]
    assert (campaign["name"], campaign["totalcontact"]) == ("Reminder", 2)


def test_a_survey_with_a_loop_and_a_recorded_prompt_is_built(tab: Watched, served: Served) -> None:
    page = tab.page
    sign_in(page)
    page.goto("/console/records/audio-files/")
    press(page, page.get_by_role("link", name="New recording"))
    press(page, page.get_by_role("button", name="Record", exact=True))
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    expect(page.locator("[data-part=time]")).to_have_text("0:01")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Listen")).to_be_focused()
    fill(page, page.locator("#take-name"), "Greeting")
    page.keyboard.press("Enter")
    page.wait_for_url("**/console/records/audio-files/")
    press(page, page.get_by_role("link", name="Surveys"))
    press(page, page.get_by_role("link", name="New survey"))
    press(page, page.get_by_role("button", name="Begin empty"))
    press(page, page.locator(".kind-choice", has=page.get_by_text("Message", exact=True)))
    fill(page, page.get_by_label("Title"), "Hello")
    choose(page, page.get_by_label("a recording"))
    reach(page, page.locator("select[name=audiofile]"))
    page.keyboard.type("Greeting")
    press(page, page.get_by_role("button", name="Save"))
    expect(page.get_by_text("Saved.")).to_be_visible()
    reach(page, box(page, "Hello"))
    page.keyboard.press("+")
    press(page, page.locator(".kind-choice", has=page.get_by_text("Choice", exact=True)))
    fill(page, page.get_by_label("Answer of key 2"), "Again")
    reach(page, page.get_by_label("Key 2 leads to"))
    page.keyboard.type("Hello")
    press(page, page.get_by_role("button", name="Save"))
    expect(page.get_by_text("Saved.")).to_be_visible()
    survey = int(page.url.split("/surveys/")[1].split("/")[0])
    assert lines(served, survey) == {"Hello": {"0": "Choice"}, "Choice": {"2": "Hello"}}
    (greeting,) = served.client.get("audio-files/").json()["results"]
    sections = served.client.get("section-template/", params={"survey_id": survey}).json()["results"]
    assert [one["audiofile"] for one in sections] == [greeting["url"], None]


def test_an_agent_says_the_outcome_of_a_call(tab: Watched, served: Served) -> None:
    talk(served)
    page = tab.page
    sign_in(page, AGENT)
    press(page, page.get_by_role("button", name="Log in"))
    expect(page.get_by_text("You are ready for the next call.")).to_be_visible()
    served.client.post("clock/advance/", json={"seconds": 120}).raise_for_status()
    expect(page.get_by_role("button", name="Save outcome")).to_be_visible()
    choose(page, page.get_by_label("Success"))
    fill(page, page.get_by_label("Note"), "Wants tea")
    press(page, page.get_by_role("button", name="Save outcome"))
    expect(page.get_by_label("Success")).to_be_checked()
    expect(page.get_by_label("Note")).to_have_value("Wants tea")


def test_a_person_works_a_simulated_preview_campaign(tab: Watched, served: Served) -> None:
    """Skip, call, hold, resume, transfer, hang up and dial by hand; the callees are simulated."""
    campaign = previewed(served)
    page, keys = tab.page, tab.page.keyboard
    sign_in(page, TRAINEE)
    press(page, page.get_by_role("button", name="Log in"))
    person = page.locator("#person")
    expect(person).to_have_text("Ada Byron")
    keys.press("s")
    expect(person).to_have_text("Grace Hopper")
    keys.press("c")
    expect(page.get_by_text(CALLED)).to_be_visible()
    go_on(served, 20)
    expect(page.locator("#callee")).to_have_text("Grace Hopper")
    keys.press("p")
    expect(page.get_by_text("The callee has been on hold for")).to_be_visible()
    keys.press("p")
    expect(page.get_by_text("The callee has been on hold for")).to_be_hidden()
    keys.press("h")
    expect(page.get_by_role("button", name="Hang up")).to_be_hidden()
    choose(page, page.get_by_label("Success"))
    press(page, page.get_by_role("button", name="Save outcome"))
    go_on(served, 20)
    expect(person).to_have_text("Joan Clarke")
    fill(page, page.locator("#dial-number"), "+12025550303")
    press(page, page.get_by_role("button", name="Dial", exact=True))
    expect(page.get_by_text(CALLED)).to_be_visible()
    go_on(served, 20)
    expect(page.locator("#callee")).to_have_text("+12025550303")
    page.locator("body").focus()
    keys.press("t")
    fill(page, page.get_by_label("To a number"), "+12025550404")
    press(page, page.get_by_role("button", name="Transfer the callee"))
    expect(page.get_by_role("button", name="Hang up")).to_be_hidden()
    people = served.client.get("subscriber-list/", params={"campaign_id": campaign}).json()
    assert {one["duplicate_contact"]: one["count_attempt"] for one in people} == {
        "+12025550301": 0,
        "+12025550302": 1,
        "+12025550303": 1,
        "+12025550304": 0,
    }


def go_on(served: Served, seconds: int) -> None:
    """Move the clock on."""
    served.client.post("clock/advance/", json={"seconds": seconds}).raise_for_status()


def previewed(served: Served) -> int:
    """Start a campaign whose only agent is a person, and return its id. All callees answer."""
    user = create(served, "users", username=TRAINEE, password=PASSWORD, role="agent", manager="/rest-api/users/1/")
    agent = create(served, "agent", name="Ida", login=user["url"], parameters={"person": True})
    queue = create(served, "queue", name="Training")
    create(served, "tier", queue=queue["url"], agent=agent["url"])
    survey = create(served, "survey-template", name="To training")
    create(served, "section-template", survey=survey["url"], type=6, question="To training", queue=queue["url"])
    book = create(served, "phonebook", name="Trainees' callees")
    for number, name in (("301", "Ada Byron"), ("302", "Grace Hopper"), ("304", "Joan Clarke")):
        create(served, "contact", phonebook=book["url"], contact=f"+12025550{number}", full_name=name)
    nobody = dict.fromkeys(("busy", "rejected", "invalid", "congestion", "machine"), 0)
    parameters = {"answer": 1, **nobody, "ring": 2, "patience": 3_600}
    gateway = create(served, "gateway", name="Training", protocol="sim", parameters=parameters)
    campaign = create(
        *(served, "campaigns"),
        name="Training",
        callerid="+12025550199",
        object_id=str(survey["id"]),
        aleg_gateway=gateway["url"],
        phonebook=[book["url"]],
        dial_method=4,
        manual_dialling=True,
        preview_seconds=600,
    )
    served.client.patch(f"campaigns/{campaign['id']}/", json={"status": 1}).raise_for_status()
    return int(campaign["id"])


def talk(served: Served) -> None:
    """Start a campaign that connects everybody with an agent."""
    user = create(served, "users", username=AGENT, password=PASSWORD, role="agent", manager="/rest-api/users/1/")
    agent = create(served, "agent", name="Gus", contact="+12025550150", login=user["url"])
    queue = create(served, "queue", name="Sales")
    create(served, "tier", queue=queue["url"], agent=agent["url"])
    survey = create(served, "survey-template", name="To sales")
    create(served, "section-template", survey=survey["url"], type=6, question="To sales", queue=queue["url"])
    book = create(served, "phonebook", name="Callers")
    for number in range(20):
        create(served, "contact", phonebook=book["url"], contact=f"+120255501{number:02}")
    gateway = create(served, "gateway", name="Agents", protocol="sim")
    campaign = create(
        *(served, "campaigns"),
        name="Sales",
        callerid="+12025550199",
        object_id=str(survey["id"]),
        aleg_gateway=gateway["url"],
        phonebook=[book["url"]],
    )
    served.client.patch(f"campaigns/{campaign['id']}/", json={"status": 1}).raise_for_status()
