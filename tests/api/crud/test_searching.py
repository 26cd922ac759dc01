"""Searches of lists: by name and by number, in any spelling, with any filters and orderings."""

from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Update, delete, insert, select, update
from sqlalchemy.exc import DBAPIError

from dialer.domain.numbers.search_keys import ENDING_MIN, name_key
from dialer.resources.crud import list_queries
from dialer.resources.crud.searching import SEARCH_MAX
from dialer.resources.records.table import RESOURCES
from dialer.store.backends.backend import backend_of
from dialer.store.database.bulk import bulk_insert
from dialer.store.database.database import Database
from dialer.store.tables import Cdr, Contact, ContactWord, Phonebook, User
from tests.api.builders import Estate, stored
from tests.api.harness import NOW_MS, Caller, Json

WAYS = [0, 1, 4, 5_000]
"""Limits of the records that are sorted for a page: they decide how the records of a search are found."""
LETTERS = "aAbBáÁßé "
NAMES = st.text(LETTERS, max_size=8)
PROPERTY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Set the limit of the records that are sorted for a page."""
    monkeypatch.setattr(list_queries, "SORTED_MAX", request.param)
    return int(request.param)


@pytest.fixture
def books(database: Database) -> list[int]:
    """Create two phonebooks of Alice's and one of Bob's."""
    return [stored(database, Phonebook, user_id=user_id, name="friends") for user_id in (2, 2, 3)]


def replaced(database: Database, rows: list[dict[str, Any]]) -> None:
    def write(connection: Any) -> None:  # noqa: ANN401 - a connection
        connection.execute(delete(Contact))
        for row in rows:
            connection.execute(insert(Contact).values(row))

    database.write_now(write)


def _execute(connection: Connection, changed: Update) -> None:
    connection.execute(changed)


def found(caller: Caller, path: str, **asked: Json) -> list[int]:
    """Return the ids of all records, from pages whose `count` is true."""
    page = caller.get(path, page_size=3, **asked)
    count, ids = page["count"], [record["id"] for record in page["results"]]
    while page["next"]:
        page = caller.get(page["next"])
        ids += [record["id"] for record in page["results"]]
    assert count == len(ids)
    return ids


@pytest.mark.usefixtures("way")
@PROPERTY
@given(
    drawn=st.lists(st.tuples(NAMES, st.integers(0, 2)), max_size=10),
    word=NAMES.filter(name_key),
    order=st.sampled_from(["", "full_name", "-created_date"]),
    only=st.booleans(),
)
def test_a_search_for_a_name_finds_what_a_look_at_every_contact_finds(
    alice: Caller,
    database: Database,
    books: list[int],
    drawn: list[tuple[str, int]],
    word: str,
    order: str,
    only: bool,  # noqa: FBT001 - drawn
) -> None:
    rows: list[dict[str, Any]] = [
        {
            "id": place,
            "phonebook_id": books[book],
            "contact": "1",
            "number": "1",
            "zone": "",
            "full_name": name,
            "created_date": -place % 3,
            "updated_date": NOW_MS,
        }
        for place, (name, book) in enumerate(drawn, 1)
    ]
    replaced(database, rows)
    theirs = books[:1] if only else books[:2]
    asked_words = name_key(word).split()

    def meets(name: str) -> bool:
        return all(any(one.startswith(start) for one in name_key(name).split()) for start in asked_words)

    wanted = {row["id"] for row in rows if row["phonebook_id"] in theirs and meets(row["full_name"])}
    asked = {"phonebook_id": books[0]} if only else {}
    assert sorted(found(alice, "contact/", search=word, ordering=order, **asked)) == sorted(wanted)


@pytest.mark.usefixtures("way")
@PROPERTY
@given(
    numbers=st.lists(st.from_regex(r"\+?1?20[0-9]{1,3}", fullmatch=True), max_size=10),
    text=st.from_regex(r"\+?1?20[0-9]{0,2}|[0-9]{4}", fullmatch=True),
)
def test_a_search_for_a_number_finds_what_a_look_at_every_contact_finds(
    alice: Caller, database: Database, books: list[int], numbers: list[str], text: str
) -> None:
    shared = {"phonebook_id": books[0], "zone": "", "created_date": 0, "updated_date": 0}
    rows: list[dict[str, Any]] = [
        {**shared, "id": place, "contact": number, "number": number} for place, number in enumerate(numbers, 1)
    ]
    replaced(database, rows)
    digits = text.removeprefix("+")
    ends = digits if len(text) >= ENDING_MIN and text == digits else "no end"
    wanted = [
        row["id"] for row in rows if row["number"].removeprefix("+").startswith(digits) or row["number"].endswith(ends)
    ]
    assert found(alice, "contact/", search=text) == wanted


def test_a_number_is_found_in_any_spelling(alice: Caller) -> None:
    book = alice.create("phonebook", name="friends")
    contact = alice.create("contact", contact="+1 202 555 0101", phonebook=book["url"])
    alice.create("contact", contact="+1 202 555 0102", phonebook=book["url"])
    for text in ("+1 (202) 555-0101", "12025550101", "+1-202.555.0101", "0012025550101"):
        assert found(alice, "contact/", search=text) == [contact["id"]]
    assert len(found(alice, "contact/", search="+1 202 555")) == 2


@pytest.mark.usefixtures("way")
def test_a_number_is_found_without_its_country_and_with_the_zeros_of_a_dial(alice: Caller) -> None:
    book = alice.create("phonebook", name="friends")
    ada, bea = [
        alice.create("contact", contact=number, phonebook=book["url"])["id"]
        for number in ("+12025561113", "+493023125")
    ]
    for text in ("2025561113", "(202) 556-1113", "5561113", "1113", "0012025561113", "00 1 202 556 1113"):
        assert found(alice, "contact/", search=text) == [ada]
    for text in ("03023125", "030 / 23125", "3023125", "004930 23125"):
        assert found(alice, "contact/", search=text) == [bea]
    assert found(alice, "contact/", search="03125") == found(alice, "contact/", search="2025561114") == []


def test_names_are_found_without_case_and_accents_after_each_change(alice: Caller) -> None:
    book = alice.create("phonebook", name="Ärzte & Pflege")
    fields = {"contact": "+12025550101", "full_name": "Zoë van Ångström", "phonebook": book["url"]}
    contact = alice.create("contact", **fields)
    for text in ("zoe", "ZOË VAN", "angs", "ångström zoe", "van", "va ang", "zo ångström v"):
        assert found(alice, "contact/", search=text) == [contact["id"]]
    assert found(alice, "contact/", search="ng") == found(alice, "contact/", search="zoe vanessa") == []
    alice.change(contact["url"], full_name="Ada Byron")
    assert (found(alice, "contact/", search="zoe"), found(alice, "contact/", search="byr")) == ([], [contact["id"]])
    content = "contact,full_name\n+12025550109,Émile Zola\n"
    target = f"phonebook/{book['id']}/import/"
    assert alice.request("POST", target, content=content, headers={"Content-Type": "text/csv"}).status_code == 200
    assert found(alice, "contact/", search="zola emi") == [contact["id"] + 1]
    bulk = [{"contact": "+12025550110", "full_name": "Grace Hopper", "phonebook": book["url"]}]
    assert alice.request("POST", "contact/bulk/", json=bulk).is_success
    assert found(alice, "contact/", search="hop") == [contact["id"] + 2]
    assert found(alice, "phonebook/", search="pfl") == [book["id"]]
    assert found(alice, "phonebook/", search="arzte pf") == [book["id"]]


def words_left(database: Database) -> list[tuple[int, str, int]]:
    query = select(ContactWord.user_id, ContactWord.word, ContactWord.id)
    rows = database.read_now(lambda unit: unit.execute(query).all())
    return sorted((user_id, word, contact_id) for user_id, word, contact_id in rows)


def turned(contact_id: int, user_id: int, name: str) -> set[tuple[int, str, int]]:
    """Return the entries of a contact in the index of names."""
    words = name_key(name).split()
    return {(user_id, " ".join(words[at:] + words[:at]), contact_id) for at in range(len(words))}


def added_at_once(connection: Connection, book: int, first: int, names: list[str | None]) -> None:
    """Add contacts as an import does. A name that is None is refused."""
    rows = [(place, book, "1", "1", "", name, name_key(name or ""), 2, 0, 0) for place, name in enumerate(names, first)]
    columns = ("id", "phonebook_id", "contact", "number", "zone", "full_name", "full_name_key", "user_id")
    bulk_insert(Contact.__table__, *columns, "created_date", "updated_date").run(connection, rows)


@PROPERTY
@given(names=st.lists(st.text("aBé -李", max_size=12), min_size=5, max_size=7))
def test_a_batch_of_contacts_has_the_words_that_each_of_them_would_have(
    database: Database, books: list[int], names: list[str]
) -> None:
    def write(connection: Connection) -> None:
        added_at_once(connection, books[0], 1, [*names])
        with pytest.raises(DBAPIError), backend_of(connection).recoverable(connection):
            added_at_once(connection, books[0], 11, [*names, None])
        row = {"phonebook_id": books[0], "contact": "1", "number": "1", "zone": "", "full_name": names[0]}
        connection.execute(insert(Contact).values(id=21, created_date=0, updated_date=0, **row))

    replaced(database, [])
    database.write_now(write)
    query = select(Contact.id, Contact.full_name)
    there = database.read_now(lambda unit: [(row.id, row.full_name) for row in unit.execute(query)])
    assert {(1, names[0]), (21, names[0])} <= set(there)
    assert words_left(database) == sorted(set().union(*(turned(place, 2, name) for place, name in there)))


@PROPERTY
@given(names=st.lists(st.text("aBé -李", max_size=12), min_size=1, max_size=4), spare=st.text("bÉ ", max_size=6))
def test_the_index_has_the_words_of_the_contacts_that_are_there(
    database: Database, books: list[int], names: list[str], spare: str
) -> None:
    shared = {"phonebook_id": books[0], "contact": "1", "number": "1", "zone": "", "created_date": 0, "updated_date": 0}
    replaced(database, [{**shared, "id": place, "full_name": name} for place, name in enumerate(names, 1)])
    expected = [turned(place, 2, name) for place, name in enumerate(names, 1)]
    assert words_left(database) == sorted(set().union(*expected))
    values = {"full_name": spare, "full_name_key": name_key(spare)}
    database.write_now(lambda unit: unit.execute(update(Contact).where(Contact.id == 1).values(values)))
    assert words_left(database) == sorted(turned(1, 2, spare).union(*expected[1:]))
    database.write_now(lambda unit: unit.execute(update(Phonebook).where(Phonebook.id == books[0]).values(user_id=3)))
    assert {user_id for user_id, _, _ in words_left(database)} <= {3}
    database.write_now(lambda unit: unit.execute(update(Phonebook).where(Phonebook.id == books[0]).values(user_id=2)))
    database.write_now(lambda unit: unit.execute(delete(Phonebook).where(Phonebook.id == books[0])))
    assert words_left(database) == []
    database.write_now(lambda unit: unit.execute(insert(Phonebook).values(id=books[0], user_id=2, **_BOOK)))


_BOOK = {"name": "friends", "created_date": 0, "updated_date": 0}


@PROPERTY
@given(
    names=st.lists(st.text(max_size=60).filter(lambda name: "\0" not in name), min_size=2, max_size=5), data=st.data()
)
def test_every_word_of_a_name_finds_it_and_nobody_else_s(
    alice: Caller, bob: Caller, database: Database, books: list[int], names: list[str], data: st.DataObject
) -> None:
    names = [name.encode(errors="ignore").decode() for name in names]
    shared = {"contact": "1", "number": "1", "zone": "", "created_date": 0, "updated_date": 0}
    rows: list[dict[str, Any]] = [
        {**shared, "id": place, "phonebook_id": books[place % 3], "full_name": name}
        for place, name in enumerate(names, 1)
    ]
    replaced(database, rows)
    words = [(row, word) for row in rows for word in name_key(row["full_name"]).split()]
    if words:
        row, word = data.draw(st.sampled_from(words))
        theirs = {caller: found(caller, "contact/", search=word[:SEARCH_MAX]) for caller in (alice, bob)}
        is_bobs = row["phonebook_id"] == books[2]
        assert row["id"] in theirs[bob if is_bobs else alice]
        assert all((rows[one - 1]["phonebook_id"] == books[2]) is (who is bob) for who in theirs for one in theirs[who])


@pytest.mark.parametrize(
    "text", ['"', "*", "NEAR(", "a*", "a\0b", "\0", "x" * 10_000, "\u202eabc", "شركة", "' OR 1=1 --", "%", "a_b", "\\"]
)
def test_hostile_searches_are_answered_or_refused(estate: Estate, text: str) -> None:
    for path in ("contact", "subscriber-list", "campaigns", "phonebook", "users", "cdr"):
        for caller in (estate.admin, estate.owner):
            answer = caller.request("GET", f"{path}/", params={"search": text, "page": 1})
            assert answer.status_code in {200, 400}, answer.text


def test_subscribers_are_found_by_number_and_by_the_name_of_their_contact(estate: Estate) -> None:
    owner = estate.owner
    fields = {"contact": "+12025550166", "full_name": "Ada Byron", "phonebook": estate.phonebook["url"]}
    contact = owner.create("contact", **fields)
    made = owner.create("subscriber-list", campaign=estate.campaign["url"], contact=contact["url"])
    for text in ("ada", "BYR", "byron ada", "+1 202-555-0166", "0166", "5550166"):
        assert [record["id"] for record in owner.get("subscriber-list/", search=text)] == [made["id"]]
    assert owner.get("subscriber-list/", search="nobody") == []


def test_users_are_found_by_any_of_their_names(admin: Caller, database: Database) -> None:
    values = {"username": "zola", "first_name": "Émile", "email": "emile@paris.example", "password_hash": ""}
    identity = stored(database, User, last_name="", **values)
    for text in ("emile", "ZOL", "emile@paris", "paris"):
        assert found(admin, "users/", search=text) == [identity]


@pytest.mark.usefixtures("way")
def test_another_users_records_are_not_found(alice: Caller, bob: Caller) -> None:
    book = bob.create("phonebook", name="secret")
    bob.create("contact", contact="+12025550101", full_name="Ada", phonebook=book["url"])
    for path, text in (
        ("contact/", "ada"),
        ("contact/", "+1202"),
        ("contact/", "1202"),
        ("contact/", "0101"),
        ("phonebook/", "secret"),
    ):
        assert (found(alice, path, search=text), len(found(bob, path, search=text))) == ([], 1)


def test_a_search_that_can_find_nothing_is_refused_and_an_empty_one_finds_all(alice: Caller) -> None:
    alice.create("phonebook", name="friends")
    nothing = '"!?" has neither a letter nor a digit. Search for a name or a number.'
    assert alice.refused("GET", "phonebook/?search=!%3F") == (400, {"search": [nothing]})
    long = {"search": ["Ensure this field has no more than 64 characters."]}
    assert alice.refused("GET", f"phonebook/?search={'a' * 65}") == (400, long)
    assert len(found(alice, "phonebook/", search=" ")) == 1


def test_a_list_without_names_and_numbers_ignores_a_search_and_says_so(alice: Caller) -> None:
    answer = alice.request("GET", "tier/?search=ann")
    assert (answer.status_code, answer.headers["X-Ignored-Parameters"]) == (200, "search")


@PROPERTY
@given(text=st.text(max_size=20))
def test_any_text_is_searched_for_or_refused(estate: Estate, text: str) -> None:
    if not any("\ud800" <= char <= "\udfff" for char in text):
        for path in ("contact", "users", "subscriber-list", "cdr"):
            answer = estate.admin.request("GET", f"{path}/", params={"search": text, "page": 1})
            assert answer.status_code in {200, 400}


@pytest.mark.parametrize("text", ["ann", "+1202"])
def test_every_list_that_offers_a_search_answers_one(estate: Estate, text: str) -> None:
    for resource in RESOURCES:
        if resource.names or resource.numbers:
            assert estate.admin.request("GET", f"{resource.path}/", params={"search": text}).status_code == 200


@pytest.mark.usefixtures("way")
def test_calls_and_do_not_call_numbers_are_found_by_their_last_digits(
    alice: Caller, bob: Caller, admin: Caller, database: Database
) -> None:
    call = {"callerid": "", "starting_date": NOW_MS, "duration": 1, "billsec": 1, "call_cost": 0, "billed_duration": 1}
    call |= {"hangup_cause_q850": 16, "leg_type": 1, "amd_status": 1, "subscriber_id": 0, "contact_id": None}
    numbers = ("+12025561113", "+493023125", "+12025561114")
    calls = [stored(database, Cdr, user_id=2, callid=number, phone_number=number, **call) for number in numbers]
    dnc = alice.create("dnc-list", name="never")["url"]
    entries = [alice.create("dnc-contact", phone_number=number, dnc=dnc)["id"] for number in numbers]
    for text, place in (("2025561113", 0), ("202 556-1113", 0), ("1113", 0), ("00493023125", 1), ("03023125", 1)):
        assert found(alice, "cdr/", search=text) == found(admin, "cdr/", search=text) == [calls[place]]
        assert found(alice, "dnc-contact/", search=text) == [entries[place]]
        assert found(bob, "cdr/", search=text) == found(bob, "dnc-contact/", search=text) == []
    assert found(alice, "cdr/", search="202556111", ordering="-starting_date") == []


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("path", ["callrequest", "transfer", "sms-message"])
def test_call_requests_transfers_and_messages_are_found_by_their_last_digits(
    both_estates: tuple[Estate, Estate], database: Database, path: str
) -> None:
    alices, bobs = both_estates
    (table,) = (resource.table for resource in RESOURCES if resource.path == path)
    for estate, number in ((alices, "+12025561113"), (bobs, "+493023125")):
        changed = update(table).where(table.c.user_id == estate.user_id).values(phone_number=number)
        database.write_now(partial(_execute, changed=changed))
    (mine,), (other,) = (found(estate.owner, f"{path}/") for estate in both_estates)
    for text in ("2025561113", "202 556-1113", "1113", "561113"):
        assert found(alices.owner, f"{path}/", search=text) == found(alices.admin, f"{path}/", search=text) == [mine]
        assert found(bobs.owner, f"{path}/", search=text) == []
    assert found(bobs.owner, f"{path}/", search="03023125") == [other]
    assert found(alices.admin, f"{path}/", search="202556111") == found(alices.admin, f"{path}/", search="111") == []
