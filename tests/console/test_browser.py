"""Tests in Chromium: every page in both schemes and on a narrow screen, live parts, and pages without scripts."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from dialer.console.serving.services import NAVIGATION
from dialer.console.words.catalogue import PAGES as RECORDS
from tests.console.browser import Watched
from tests.console.test_served import printed_path
from tests.test_server import PASSWORD, Served, serving

PAGES: Final = (
    "account/second-factor/",
    "records/api-key/new/",
    "overview/",
    "campaigns/",
    "campaigns/2/",
    "campaigns/2/recycle/",
    "campaigns/3/",
    "campaigns/3/call-again/",
    "campaigns/2/figures/?by=hour&period=all",
    "campaigns/2/report/",
    "figures/?by=agent&period=all",
    "figures/?by=agent_disposition&period=all",
    "figures/?by=agent_hour&period=all",
    "figures/?by=outcome&period=all",
    "new-campaign/",
    "new-campaign/survey/",
    "records/campaigns/2/",
    "records/contact/",
    "records/phonebook/1/import/",
    "surveys/2/",
    "surveys/2/try/",
    "number/?number=%2B12025550100",
    "board/?agent=1",
    "board/?queue=1&sort=time&wait=5&talk=1",
    "board/?tv=1",
    "agents/1/",
    "agents/1/day/",
    "agent-days/",
    "records/agent/",
    "agent-list/",
    "records/queue/1/",
    "queues/1/staffing/",
    "gateways/1/test-call/",
    "calls/",
    "calls/?outcome=1",
    "calls/1/",
    "recordings/new/",
    "records/audio-files/",
    "money/",
    "service/",
    "desk/",
    "account/",
)
FILE: Final[FilePayload] = {
    "name": "people.csv",
    "mimeType": "text/csv",
    "buffer": b"Name,Phone,City\nAda Byron,+12025550177,Boston\nGrace Hopper,+1 202 555 0178,New York\nBad,x,\n",
}
CLOCK: Final = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-01-30T09:00:00Z"}
HOSTILE: Final = '<script>document.title="taken"</script>\u202e" onload="x' + "W" * 40
OVER: Final = "Over"
UNSEEN: Final = """
[...document.querySelectorAll("select, textarea, button, input:not([type=hidden], [autocomplete=username][hidden])")]
  .filter((one) => !one.checkVisibility() && !one.closest("[hidden], details:not([open])")).map((one) => one.outerHTML)
"""
"""A script that finds controls that nobody can see, except those that a page hides until they are of use."""
FITS: Final = "document.documentElement.scrollWidth <= innerWidth"
NARROW: Final = {"viewport": {"width": 320, "height": 640}}
SCREENS: Final[dict[str, dict[str, Any]]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1440, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1440, "height": 900}},
    "narrow": {"color_scheme": "light", "viewport": {"width": 320, "height": 640}},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Served]:
    """Serve two campaigns that dial on a virtual clock. The first one was made by hand, from an empty database."""
    with serving(tmp_path_factory.mktemp("served"), **CLOCK) as served:
        begin(Watched(browser, served.base.removesuffix("/rest-api/")), printed_path(served))
        build_campaign(served)
        build_campaign(served, name=OVER)
        served.client.patch("campaigns/3/", json={"status": 4}).raise_for_status()
        take_long_break(served)
        advance(served, 600)
        yield served


def begin(tab: Watched, first_admin: str) -> None:
    """Go from an empty database and a file to a campaign that dials, without anything that is not on the pages."""
    page = tab.page
    page.goto("/")
    expect(page.get_by_role("heading", name="This server has no users yet")).to_be_visible()
    tab.complaints.clear()  # The browser notes the status of the page that is closed without the token.
    page.goto(f"/console/{first_admin}")
    page.get_by_label("User name").fill("root")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Create the admin").click()
    page.get_by_role("link", name="Upload a file").click()
    page.get_by_label("Name of the phonebook").fill("Spring")
    page.get_by_label("File", exact=True).set_input_files(FILE)
    page.get_by_role("button", name="Upload and go on").click()
    page.get_by_role("button", name="Import 2 people").click()
    expect(page.get_by_text("2 people imported. 1 line was refused.")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Reminder")
    page.get_by_label("Message", exact=True).fill("Hello {full_name}, see you in {City}")
    page.get_by_role("button", name="Go on").first.click()
    page.get_by_role("button", name="Make a simulated carrier").click()
    page.get_by_label("Caller ID").first.fill("+12025550199")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("2 people join it at the start.")).to_be_visible()
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".activity")).to_contain_text("first call 14:00")
    tab.context.close()
    assert tab.complaints == []


def build_campaign(served: Served, name: str = HOSTILE) -> None:
    """Create a campaign, with a hostile name unless another one is given, and start it."""

    def create(path: str, **fields: Any) -> Any:  # noqa: ANN401 - JSON
        answer = served.client.post(f"{path}/", json=fields)
        assert answer.status_code == 201, answer.text
        return answer.json()

    gateway = create("gateway", name=HOSTILE, protocol="sim", max_channels=20)
    survey = create("survey-template", name="Survey")
    create("section-template", survey=survey["url"], type=1, question=HOSTILE, script="Hello")
    book = create("phonebook", name="Book")
    numbers = "".join(f"+44207946{number:04}\n" for number in range(300))
    served.client.post(
        f"phonebook/{book['id']}/import/", content=f"contact\n{numbers}", headers={"Content-Type": "text/csv"}
    ).raise_for_status()
    campaign = create(
        "campaigns",
        name=name,
        callerid="+442079460000",
        object_id=str(survey["id"]),
        aleg_gateway=gateway["url"],
        phonebook=[book["url"]],
        frequency=5,
    )
    served.client.patch(f"campaigns/{campaign['id']}/", json={"status": 1}).raise_for_status()


def take_long_break(served: Served) -> None:
    """Send an agent with a hostile name on a break that lasts too long."""
    for path, fields in (
        ("queue", {"name": HOSTILE, "max_break_time": 60}),
        ("agent", {"name": HOSTILE, "status": 4, "break_reason": HOSTILE}),
        ("tier", {"queue": "/rest-api/queue/1/", "agent": "/rest-api/agent/1/"}),
    ):
        answer = served.client.post(f"{path}/", json=fields)
        assert answer.status_code == 201, answer.text


def advance(served: Served, seconds: int) -> None:
    served.client.post("clock/advance/", json={"seconds": seconds}).raise_for_status()


@pytest.fixture
def tab(browser: Browser, served: Served, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """Open a tab with the options of the test; at its end, nobody may have complained."""
    options = getattr(request, "param", SCREENS["light"])
    watched = Watched(browser, served.base.removesuffix("/rest-api/"), **options)
    yield watched
    watched.context.close()
    assert watched.complaints == []


@pytest.mark.parametrize("tab", SCREENS.values(), ids=SCREENS, indirect=True)
def test_pages_have_no_barriers_and_fit_on_the_screen(tab: Watched, request: pytest.FixtureRequest) -> None:
    """In the dark, only the colours differ."""
    rules = ("color-contrast",) if request.node.callspec.id == "dark" else ()
    tab.page.goto("/console/sign-in/")
    assert tab.barriers(*rules) == []
    tab.sign_in()
    for path in PAGES:
        tab.page.goto(f"/console/{path}")
        assert (path, tab.barriers(*rules)) == (path, [])
        assert (path, tab.page.evaluate(FITS)) == (path, True)
        assert (path, tab.page.evaluate(UNSEEN)) == (path, [])
        assert tab.page.title() != "taken"


@pytest.mark.parametrize("tab", [{"color_scheme": "dark", "viewport": {"width": 320, "height": 640}}], indirect=True)
def test_figures_fit_on_the_narrowest_screen(tab: Watched) -> None:
    tab.sign_in()
    for path in ("campaigns/2/", "campaigns/2/figures/?by=hour&period=all", "campaigns/2/report/", "calls/", "board/"):
        tab.page.goto(f"/console/{path}")
        assert (path, tab.page.evaluate("document.documentElement.scrollWidth")) == (path, 320)


@pytest.mark.parametrize("tab", [{"color_scheme": "dark", "viewport": {"width": 700, "height": 900}}], indirect=True)
def test_a_report_is_printed_black_on_white_and_whole(tab: Watched) -> None:
    """700 pixels are the width of A4 within its margins."""
    page = tab.page
    tab.sign_in()
    page.goto("/console/campaigns/2/report/")
    page.emulate_media(media="print")
    colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('h1')).color]"
    assert page.evaluate(colours) == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    for hidden in (page.get_by_role("navigation"), page.locator("footer")):
        expect(hidden).to_be_hidden()
    cut = "[...document.querySelectorAll('table, svg')].filter((one) => one.getBoundingClientRect().right > 700).length"
    assert page.evaluate(cut) == 0
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert page.pdf(format="Letter").startswith(b"%PDF")


@pytest.mark.parametrize("tab", [{**NARROW, "locale": "de"}], ids=["German"], indirect=True)
def test_no_page_is_wider_than_a_telephone(tab: Watched, served: Served) -> None:
    served.client.patch("users/1/", json={"language": "de"}).raise_for_status()
    tab.page.goto("/console/sign-in/")
    tab.sign_in(labels=("Benutzername", "Passwort", "Anmelden"))
    lists = [path for page in RECORDS.values() for path in (f"records/{page.path}/", f"records/{page.path}/1/")]
    forms = [f"records/{path}/new/" for path in ("gateway", "queue", "agent", "users", "did")]
    wide = []
    for path in (*PAGES, *lists, *forms):
        tab.page.goto(f"/console/{path}")
        if not tab.page.evaluate(FITS) or tab.barriers("target-size"):
            wide.append(path)
    served.client.patch("users/1/", json={"language": ""}).raise_for_status()
    tab.complaints.clear()  # Some lists have no record with the id 1.
    assert wide == []


@pytest.mark.parametrize(
    "tab", [NARROW, {**NARROW, "java_script_enabled": False}], ids=["", "no scripts"], indirect=True
)
def test_the_menu_of_a_telephone_shows_all_pages(tab: Watched) -> None:
    tab.sign_in()
    page = tab.page
    money = page.get_by_role("link", name="Money")
    expect(money).to_be_hidden()
    page.get_by_text("Menu", exact=True).focus()
    page.keyboard.press("Enter")
    for item in NAVIGATION:
        expect(page.get_by_role("link", name=item.title, exact=True)).to_be_in_viewport()
    page.get_by_role("link", name="Money").click()
    expect(page.get_by_role("heading", name="Money")).to_be_visible()
    expect(money).to_be_hidden()


@pytest.mark.parametrize("tab", [NARROW], ids=["narrow"], indirect=True)
def test_the_menu_closes_itself(tab: Watched) -> None:
    tab.sign_in()
    menu = tab.page.get_by_text("Menu", exact=True)
    money = tab.page.get_by_role("link", name="Money")
    menu.click()
    expect(money).to_be_visible()
    tab.page.keyboard.press("Escape")
    expect(money).to_be_hidden()
    expect(menu).to_be_focused()
    menu.click()
    tab.page.mouse.click(160, 630)
    expect(money).to_be_hidden()


def test_the_overview_moves_with_the_clock_and_keeps_the_focus(tab: Watched, served: Served) -> None:
    tab.sign_in()
    row = tab.page.locator("tr", has=tab.page.locator("a[href='/console/campaigns/2/']"))
    reached = row.locator(".legend")
    before = reached.inner_text()
    region = tab.page.get_by_role("group", name="Campaigns in progress")
    region.focus()
    advance(served, 600)
    expect(reached).not_to_have_text(before)
    expect(region).to_be_focused()


def test_a_campaign_is_paused_and_continued_by_its_buttons(tab: Watched, served: Served) -> None:
    tab.sign_in()
    tab.page.goto("/console/campaigns/2/")
    calls = tab.page.locator("dd", has_text="talked")
    before = calls.inner_text()
    advance(served, 600)
    expect(calls).not_to_have_text(before)
    tab.page.get_by_role("button", name="Pause").click()
    expect(tab.page.get_by_text("Reason: set by a user.")).to_be_visible()
    tab.page.get_by_role("button", name="Continue").click()
    expect(tab.page.locator(".activity .badge.good")).to_be_visible()


@pytest.mark.parametrize("tab", [{"java_script_enabled": False}], ids=["no scripts"], indirect=True)
def test_everything_works_without_scripts(tab: Watched) -> None:
    tab.sign_in()
    expect(tab.page.get_by_role("heading", name="Overview")).to_be_visible()
    tab.page.get_by_role("link", name="root").click()
    tab.page.get_by_role("button", name="Sign out").click()
    expect(tab.page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_file_becomes_a_campaign_that_dials_beginning_with_an_empty_database(tab: Watched, served: Served) -> None:
    """The walk itself is part of the fixture, as all other tests look at its outcome, too."""
    (first,) = [one for one in served.client.get("campaigns/").json()["results"] if one["name"] == "Reminder"]
    assert first["totalcontact"] == 2
    page = tab.page
    tab.sign_in()
    page.goto("/console/campaigns/2/")
    page.get_by_role("link", name="Call again").click()
    page.get_by_role("button", name="Count them").click()
    expect(page.get_by_text("These would be called again")).to_be_visible()
    page.get_by_role("link", name="People").first.click()
    page.get_by_role("link", name="Spring").click()
    page.get_by_role("link", name="Import a file").click()
    page.get_by_label("File", exact=True).set_input_files({**FILE, "buffer": b"contact\n+12025550177\n"})
    page.get_by_role("button", name="Upload and look at it").click()
    expect(page.get_by_text("What an import would do")).to_be_visible()
    page.get_by_role("button", name="Import 0 people").click()
    expect(page.get_by_role("heading", name="Imported")).to_be_visible()


def test_a_wrong_password_is_told_beside_the_form(tab: Watched) -> None:
    tab.page.goto("/console/")
    tab.page.get_by_label("User name").fill("root")
    tab.page.get_by_label("Password").fill("wrong")
    tab.page.get_by_role("button", name="Sign in").click()
    expect(tab.page.get_by_role("alert")).to_have_text("The user name or the password is wrong.")
    expect(tab.page.get_by_label("User name")).to_have_value("root")
    tab.complaints.clear()  # Chromium logs the status 401 of the page.


NARROWEST: Final = {"color_scheme": "light", "viewport": {"width": 320, "height": 640}}


@pytest.mark.parametrize("tab", [NARROWEST], ids=["320 pixels"], indirect=True)
def test_those_who_were_not_reached_are_called_again_by_keyboard(tab: Watched) -> None:
    page = tab.page
    tab.sign_in()
    page.goto("/console/campaigns/3/")
    page.get_by_role("link", name="Call again").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/campaigns/3/call-again/")
    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(fits) is True
    total = page.get_by_text("People to call again:")
    everybody = "People to call again: 299"  # One was called at the start.
    expect(total).to_have_text(everybody)
    page.get_by_label("Not called yet").focus()
    page.keyboard.press("Space")
    expect(total).to_have_text("People to call again: 0")
    page.keyboard.press("Space")
    expect(total).to_have_text(everybody)
    name = page.get_by_label("Name", exact=True)
    name.focus()
    name.fill("Second round")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Second round")).to_be_visible()
    expect(page.get_by_text("299 people are in it.")).to_be_visible()
    page.get_by_role("link", name=OVER, exact=True).click()
    expect(page.get_by_role("link", name="Second round")).to_be_visible()
    page.goto("/console/campaigns/3/call-again/")
    expect(page.get_by_text("Nobody of this campaign can be called again.")).to_be_visible()
