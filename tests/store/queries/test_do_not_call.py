"""Tests of do-not-call lists, whose entries are numbers or hashes."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine, insert, select
from sqlalchemy.pool import StaticPool

from dialer.store.queries import do_not_call
from dialer.store.queries.do_not_call import ensure_key, entries_against, entries_on, forms_of, hashed, is_hashed
from dialer.store.tables import DncContact, Row

NUMBERS = st.sets(st.from_regex(r"\+?[0-9]{3,15}", fullmatch=True), max_size=20)


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    with engine.connect() as one:
        Row.metadata.create_all(one)
        yield one
    engine.dispose()


def listed(connection: Connection, dnc_id: int, number: str) -> None:
    values = {
        "dnc_id": dnc_id,
        "user_id": 1,
        "phone_number": "x",
        "number": number,
        "created_date": 7,
        "updated_date": 7,
    }
    connection.execute(insert(DncContact).values(values))


@given(plain=NUMBERS, erased=NUMBERS, asked=NUMBERS, elsewhere=NUMBERS)
def test_a_number_is_on_a_list_if_it_or_its_hash_is(
    connection: Connection, plain: set[str], erased: set[str], asked: set[str], elsewhere: set[str]
) -> None:
    with connection.begin_nested() as attempt:
        key = ensure_key(connection, 0)
        for number in plain:
            listed(connection, 1, number)
        for number in erased:
            listed(connection, 1, hashed(key, number))
        for number in elsewhere:
            listed(connection, 2, hashed(key, number))
        wanted = asked | plain | erased | elsewhere
        here, there = ({(1, number): 7 for number in plain | erased}, {(2, number): 7 for number in elsewhere})
        assert entries_on(connection, [1], wanted) == here
        assert entries_on(connection, [1, 2, 3], wanted) == here | there
        assert entries_on(connection, [], wanted) == {}
        hashes = connection.scalars(select(DncContact.number).where(is_hashed(DncContact.number)))
        assert set(hashes) == {hashed(key, number) for number in erased | elsewhere}
        attempt.rollback()


@given(st.sets(st.binary(min_size=32, max_size=32), min_size=2, max_size=2), NUMBERS)
def test_a_hash_fits_its_column_and_is_another_one_with_another_key(keys: set[bytes], numbers: set[str]) -> None:
    hashes = {hashed(key, number) for key in keys for number in numbers}
    assert len(hashes) == 2 * len(numbers)
    assert {len(one) for one in hashes} <= {16}


def test_a_key_is_made_once_and_only_when_it_is_needed(connection: Connection) -> None:
    with connection.begin_nested() as attempt:
        assert forms_of(connection, ["+1"]) == {"+1": "+1"}
        key = ensure_key(connection, 0)
        assert (len(key), ensure_key(connection, 0)) == (32, key)
        assert forms_of(connection, ["+1"]) == {"+1": "+1", hashed(key, "+1"): "+1"}
        attempt.rollback()


def test_more_numbers_than_one_query_asks_for(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(do_not_call, "FORMS_ASKED_MAX", 3)
    with connection.begin_nested() as attempt:
        key = ensure_key(connection, 0)
        numbers = {f"+1202555{number:04d}" for number in range(10)}
        for number in numbers:
            listed(connection, 1, hashed(key, number))
        assert set(entries_on(connection, [1], numbers)) == {(1, number) for number in numbers}
        attempt.rollback()


@pytest.mark.parametrize("is_erased", [False, True])
def test_an_entry_without_a_country_counts_for_the_numbers_of_every_country(
    connection: Connection,
    is_erased: bool,  # noqa: FBT001 - drawn
) -> None:
    with connection.begin_nested() as attempt:
        key = ensure_key(connection, 0)
        listed(connection, 1, hashed(key, "0302300074") if is_erased else "0302300074")
        wanted = ["+49302300074", "+55302300074", "+49302300075", "302300074", "+14930230007"]
        assert entries_against(connection, [1], wanted) == {
            (1, number): 7 for number in ("+49302300074", "+55302300074", "302300074")
        }
        assert entries_against(connection, [2], wanted) == {}
        assert entries_on(connection, [1], wanted) == {}
        attempt.rollback()
