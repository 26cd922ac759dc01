"""Lists: pages, links, filters, and the plain array of subscribers."""

from urllib.parse import parse_qs, urlsplit

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import insert

from dialer.api.app import create_app
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import Contact, Phonebook, Subscriber
from tests.api.builders import Estate, stored
from tests.api.harness import BASE, NOW_MS, Caller, FakeWorker, Json


@pytest.fixture
def book(database: Database) -> int:
    """Create a phonebook of Alice's with 25 contacts, ids 1 to 25, and return its id."""
    book = stored(database, Phonebook, user_id=2, name="friends")
    for number in range(25):
        digits = f"+1202555{number:04d}"
        stored(database, Contact, phonebook_id=book, contact=digits, number=digits, zone="")
    return book


def ids(page: Json) -> list[int]:
    return [record["id"] for record in page["results"]]


@pytest.mark.usefixtures("book")
def test_a_page_has_ten_records_and_links_to_its_neighbours(alice: Caller) -> None:
    first = alice.get("contact/")
    assert (first["count"], ids(first), first["previous"]) == (25, list(range(1, 11)), None)
    second = alice.get(first["next"])
    assert (second["count"], ids(second)) == (25, list(range(11, 21)))
    third = alice.get(second["next"])
    assert (third["count"], ids(third), third["next"]) == (25, list(range(21, 26)), None)
    assert alice.get(third["previous"]) == second
    assert alice.get(second["previous"]) == first


@pytest.mark.usefixtures("book")
def test_a_page_is_found_by_number_too(alice: Caller) -> None:
    linked = alice.get(alice.get("contact/")["next"])
    assert alice.get("contact/", page=2) == linked
    assert parse_qs(urlsplit(linked["next"]).query)["page"] == ["3"]


def test_links_keep_filters_and_size(alice: Caller, book: int) -> None:
    page = alice.get("contact/", phonebook_id=book, full_name="", page_size=4, junk="a&b")
    assert page["next"] == f"{BASE}/contact/?phonebook_id={book}&full_name=&junk=a%26b&page=2&page_size=4&cursor=a4"
    assert ids(alice.get(page["next"])) == [5, 6, 7, 8]


@pytest.mark.usefixtures("book")
def test_following_next_misses_nothing_when_records_go(alice: Caller) -> None:
    page = alice.get("contact/")
    for number in (1, 2, 3):
        assert alice.request("DELETE", f"contact/{number}/").status_code == 204
    assert ids(alice.get(page["next"])) == list(range(11, 21))


@pytest.mark.usefixtures("book")
def test_following_next_comes_to_the_end_however_many_have_gone(alice: Caller) -> None:
    second = alice.get(alice.get("contact/")["next"])
    for number in range(1, 11):
        assert alice.request("DELETE", f"contact/{number}/").status_code == 204
    third = alice.get(second["next"])
    assert (third["count"], third["next"], ids(third)) == (15, None, [21, 22, 23, 24, 25])


@pytest.mark.usefixtures("book")
def test_a_page_behind_what_was_the_last_record_is_not_found(alice: Caller) -> None:
    following = alice.get("contact/", page=2)["next"]
    for number in range(21, 26):
        assert alice.request("DELETE", f"contact/{number}/").status_code == 204
    assert alice.refused("GET", following.removeprefix(f"{BASE}/")) == (404, {"detail": "Invalid page."})


@pytest.mark.parametrize("page", ["0", "-1", "x", "4", "1.5", "9" * 30, "", "%00"])
@pytest.mark.usefixtures("book")
def test_a_page_that_is_none_is_not_found(alice: Caller, page: str) -> None:
    assert alice.refused("GET", f"contact/?page={page}") == (404, {"detail": "Invalid page."})


@pytest.mark.parametrize("cursor", ["x", "a", "a0", "b-1", "c5", "a" + "9" * 30])
@pytest.mark.usefixtures("book")
def test_a_forged_cursor_is_no_page(alice: Caller, cursor: str) -> None:
    assert alice.refused("GET", f"contact/?page=2&cursor={cursor}") == (404, {"detail": "Invalid page."})


def test_an_empty_list_has_one_page(alice: Caller) -> None:
    empty: Json = {"count": 0, "next": None, "previous": None, "results": []}
    assert alice.get("contact/") == alice.get("contact/", page=1) == empty


@pytest.mark.usefixtures("book")
def test_a_page_has_at_most_a_thousand_records(alice: Caller) -> None:
    assert len(ids(alice.get("contact/", page_size=100_000))) == 25
    refusal = (400, {"page_size": ["A valid integer is required."]})
    assert alice.refused("GET", "contact/?page_size=all") == refusal
    assert alice.refused("GET", "contact/?page_size=0")[0] == 400


@pytest.mark.usefixtures("book")
def test_numbers_are_found_in_any_spelling(alice: Caller) -> None:
    assert ids(alice.get("contact/", contact="+1 (202) 555-0003")) == [4]
    assert alice.refused("GET", "contact/?contact=nobody")[0] == 400


def test_a_filter_of_the_wrong_type_is_an_error_of_its_name(alice: Caller) -> None:
    answer = alice.refused("GET", "cdr/?campaign_id=x&leg_type=9&starting_date_after=soon&hangup_cause_q850=-1")
    assert answer == (
        400,
        {
            "campaign_id": ["A valid integer is required."],
            "leg_type": ['"9" is not a valid choice. Use one of: 1 (a_leg), 2 (b_leg).'],
            "starting_date_after": ["Datetime has wrong format. Use YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."],
            "hangup_cause_q850": ["Ensure this value is greater than or equal to 0."],
        },
    )


def test_filters_narrow_together(estate: Estate, alice: Caller) -> None:
    wanted: dict[str, Json] = {
        "phone_number": "+12025550122",
        "campaign_id": estate.campaign["id"],
        "hangup_cause_q850": 16,
        "leg_type": 1,
        "amd_status": 1,
        "starting_date_after": "2026-11-18T11:06:40Z",
        "starting_date_before": "2026-11-18T11:06:40Z",
    }
    assert ids(alice.get("cdr/", **wanted)) == [estate.cdr_id]
    next_year = dict.fromkeys(("starting_date_after", "starting_date_before"), "2027-01-01T00:00:00Z")
    others: list[dict[str, Json]] = [next_year, *({name: 2} for name in wanted.keys() - next_year.keys())]
    for other in others:
        assert ids(alice.get("cdr/", **{**wanted, **other})) == []


def test_campaigns_are_found_by_a_phonebook_they_call(estate: Estate, alice: Caller) -> None:
    alice.change(estate.campaign["url"], phonebook=[estate.phonebook["id"]])
    assert ids(alice.get("campaigns/", phonebook_id=estate.phonebook["id"])) == [estate.campaign["id"]]
    assert ids(alice.get("campaigns/", phonebook_id=999)) == []


def test_an_empty_text_filter_is_as_none(estate: Estate, alice: Caller) -> None:
    found = alice.get("callerid/", areacode="", callerid_num="+12025550199", callerid_group_id=1)
    assert ids(found) == [estate.callerid["id"]]


@pytest.fixture
def crowd(estate: Estate, database: Database) -> int:
    """Add 2,500 subscribers to Alice's campaign."""
    rows = [
        {
            "campaign_id": estate.campaign["id"],
            "duplicate_contact": f"{number}",
            "number": f"{number}",
            "zone": "",
            "created_date": NOW_MS,
            "updated_date": NOW_MS,
        }
        for number in range(100_000, 102_500)
    ]
    database.write_now(lambda connection: connection.execute(insert(Subscriber), rows))
    return estate.campaign["id"]  # type: ignore[no-any-return]


def test_subscribers_are_a_plain_array_of_all(alice: Caller, crowd: int) -> None:
    everybody = alice.get("subscriber-list/", campaign_id=crowd)
    assert [record["id"] for record in everybody] == [1, *range(3, 2_503)]
    assert alice.get("subscriber-list/", campaign_id=crowd, status=2) == []
    assert alice.get("subscriber-list/", page=2) == everybody[10:20]
    assert alice.get("subscriber-list/", page=1, page_size=1_000) == everybody[:1_000]
    assert alice.refused("GET", "subscriber-list/?page=900") == (404, {"detail": "Invalid page."})


def test_a_page_of_a_plain_array_has_its_count_and_its_neighbours_in_headers(alice: Caller, crowd: int) -> None:
    everybody = alice.get("subscriber-list/", campaign_id=crowd)
    pages, url = [], f"subscriber-list/?campaign_id={crowd}&page_size=900"
    while url:
        answer = alice.request("GET", url)
        assert (answer.status_code, answer.headers["x-total-count"]) == (200, "2501")
        pages.append(answer)
        url = answer.links.get("next", {}).get("url", "")
    assert [record for page in pages for record in page.json()] == everybody
    assert [sorted(page.links) for page in pages] == [["next"], ["next", "prev"], ["prev"]]
    assert alice.request("GET", pages[1].links["prev"]["url"]).json() == pages[0].json()


def test_the_whole_of_a_plain_array_has_neither_count_nor_neighbours(alice: Caller, crowd: int) -> None:
    headers = alice.request("GET", f"subscriber-list/?campaign_id={crowd}").headers
    assert not headers.keys() & {"link", "x-total-count"}


def test_the_base_of_all_urls_can_be_set(database: Database, worker: FakeWorker) -> None:
    settings = Settings(base_url="https://dial.example/x", other_hosts=("inside.local",))
    app = create_app(settings, database=database, worker=worker)
    with TestClient[Litestar](app, base_url="http://inside.local:8000") as client:
        caller = Caller(client, "alice")
        book = caller.create("phonebook", name="friends")
        assert book["url"] == "https://dial.example/x/rest-api/phonebook/1/"
        for reference in (book["url"], "http://inside.local:8000/rest-api/phonebook/1/", "/rest-api/phonebook/1/"):
            caller.create("contact", contact="+12025550100", phonebook=reference)
        assert caller.get("contact/", page_size=1)["next"].startswith("https://dial.example/x/rest-api/contact/?")


def test_a_host_that_is_none_is_not_repeated(client: TestClient[Litestar]) -> None:
    hostile = {"Host": "evil.example/<script>"}
    answer = client.get("/rest-api/users/", auth=Caller(client, "alice").auth, headers=hostile)
    assert "script" not in answer.text
