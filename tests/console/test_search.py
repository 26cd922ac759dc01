"""Tests of the search at the head of every page, and of the search and the filters of the list of campaigns."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialer.console.pages.search import ROWS_MAX
from dialer.store.database.database import Database
from tests.api.harness import Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_calls import cdr
from tests.console.visitor import Visitor

HOSTILE_QUERIES = (
    '"',
    "*",
    "NEAR(",
    "a\0b",
    "\0",
    "x" * 10_000,
    "شركة",
    "\u202emüller",
    "'; --",
    "%",
    "_",
    "😀",
    "a AND b",
)
PATHS = ("search/?q={}", "campaigns/?search={}", "campaigns/?owner={}&state={}", "campaigns/?from={}&ordering={}")
PROPERTY = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def filled(api: Caller, database: Database) -> int:
    """Give Alice a phonebook, a campaign, and a call; return the id of the contact."""
    book = api.create("phonebook", name="Friends of Müller")
    contact = api.create("contact", contact="+12025550001", full_name="Zoë van Müller", phonebook=book["url"])
    campaign(api, name="Muller brothers", started="no")
    store(database, cdr(1))
    return int(contact["id"])


def test_a_search_finds_people_campaigns_phonebooks_and_calls(alice: Visitor, filled: int) -> None:
    text = alice.text("search/?q=muller")
    groups = [
        text.index(word)
        for word in ("People Zoë", "Campaigns Muller", "Phonebooks Friends of Müller", "Calls 18 Nov 2026")
    ]
    assert groups == sorted(groups)
    assert f'href="/console/records/contact/{filled}/"' in alice.page
    assert 'value="muller"' in alice.page
    for query in ("0001", "(202) 555-0001", "+1 202 555 00"):
        text = alice.text(f"search/?q={query.replace('+', '%2B')}")
        assert ("Zoë van Müller" in text, "18 Nov 2026, 11:06" in text) == (True, True)
    assert "Nothing matches “nobody”." in alice.text("search/?q=nobody")
    assert "Give the beginning of a name" in alice.text("search/")
    assert 'action="/console/search/"' in alice.get("campaigns/")


def test_more_than_the_page_shows_is_in_the_lists(alice: Visitor, api: Caller) -> None:
    for place in range(ROWS_MAX + 1):
        api.create("phonebook", name=f"Book {place}")
    assert alice.get("search/?q=book").count('<li><a class="cut" href="/console/records/phonebook/') == ROWS_MAX
    assert 'href="/console/records/phonebook/?search=book"' in alice.page


@pytest.mark.usefixtures("filled")
def test_nobody_finds_records_of_others(bob: Visitor, visitor: Visitor, admin: Visitor) -> None:
    names = ("Zoë", "brothers", "Friends", "11:06:41")
    for query in ("muller", "0001", "2025550001"):
        assert not [name for name in names if name in bob.text(f"search/?q={query}")]
        assert "Zoë" in admin.text(f"search/?q={query}")
    visitor.sign_in("gus")
    assert not [name for name in names if name in visitor.text("search/?q=muller")]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("query", [*HOSTILE_QUERIES, HOSTILE[:60]])
def test_hostile_queries_are_searched_for_or_refused(admin: Visitor, path: str, query: str) -> None:
    page, _, asked = path.partition("?")
    answer = admin.request(
        "GET",
        page,
        params=dict(part.partition("=")[::2] for part in asked.replace("{}", query).split("&") if "=" in part),
    )
    assert answer.status_code in {200, 400}
    assert HOSTILE[:60] not in answer.text


@PROPERTY
@given(text=st.text(max_size=70))
def test_any_text_is_searched_for_or_refused(alice: Visitor, text: str) -> None:
    if not any("\ud800" <= char <= "\udfff" for char in text):
        for path, name in (("search/", "q"), ("campaigns/", "search")):
            assert alice.request("GET", path, params={name: text}).status_code in {200, 400}


def test_campaigns_are_found_by_name_code_state_medium_and_date(alice: Visitor, api: Caller) -> None:
    first = campaign(api, name="Été 2026", started="no")
    campaign(api, name="Winter")
    code = api.get(f"campaigns/{first}/")["campaign_code"]
    cases = {
        "search=ete": True,
        "search=2026+ete": True,
        f"search={code.lower()}": True,
        "search=winter": False,
        "state=4": False,
        "medium=sms": False,
        "medium=voice&search=et": True,
        "from=2026-11-18T00:00": True,
        "from=2026-11-19T00:00": False,
        "until=2026-11-18T00:00": False,
    }
    for query, is_found in cases.items():
        assert ("Été 2026" in alice.text(f"campaigns/?{query}")) is is_found, query
    text = alice.text("campaigns/?search=nothing")
    assert "No campaign matches. Clear the filter" in text
    assert alice.get("campaigns/?search=ete&state=").count('value="ete"') == 1


def test_campaigns_are_ordered_by_each_column_and_keep_the_filter(alice: Visitor, api: Caller) -> None:
    for name in ("beta 1", "Alpha 1", "gamma 2"):
        campaign(api, name=name, started="no")
    text = alice.text("campaigns/?search=1&ordering=name")
    assert (text.index("Alpha 1") < text.index("beta 1"), "gamma 2" in text) == (True, False)
    assert 'aria-sort="ascending"><a href="/console/campaigns/?search=1&amp;ordering=-name"' in alice.page
    text = alice.text("campaigns/?ordering=-name")
    assert text.index("gamma 2") < text.index("beta 1") < text.index("Alpha 1")
    for column in ("state", "calls", "answered", "cost", "created", "-created", "nonsense"):
        assert alice.text(f"campaigns/?ordering={column}").count("of 4 reached") + 1


def test_admins_filter_by_owner_and_nobody_else_does(admin: Visitor, bob: Visitor, api: Caller) -> None:
    campaign(api, name="Of Alice", started="no")
    assert ("Of Alice" in admin.text("campaigns/?owner=2"), "Of Alice" in admin.text("campaigns/?owner=3")) == (
        True,
        False,
    )
    assert "There is no such owner." in admin.request("GET", "campaigns/?owner=x").text
    assert "Of Alice" not in bob.text("campaigns/?owner=2")
    assert 'name="owner"' not in bob.page
