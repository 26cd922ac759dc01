"""Tests of the table of gateways: two media with ids of their own, none of which is used again."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import IntegrityError

from dialer.domain.calls.plans import SMS, VOICE, GatewayKey, gateway_named
from dialer.store.database.database import Database
from dialer.store.queries.calls_in_progress import gateway_row
from dialer.store.tables import Campaign, Gateway, User
from tests.new_database import new_database

STAMPS = {"created_date": 0, "updated_date": 0}
KEYS = st.builds(GatewayKey, st.sampled_from([VOICE, SMS]), st.integers(1, 2**63 - 1))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(new_database(tmp_path), synchronous="OFF")) as one:
        yield one


def add(unit: Connection, medium: str, **values: object) -> int:
    """Add a gateway, and return the id that it got."""
    row = {"medium": medium, "name": "carrier", **STAMPS, **values}
    return int(unit.execute(insert(Gateway).values(row).returning(Gateway.id)).scalar_one())


def remove(unit: Connection, key: GatewayKey) -> None:
    unit.execute(delete(Gateway).where(Gateway.medium == key.medium, Gateway.id == key.id))


def test_each_medium_counts_by_itself(database: Database) -> None:
    media = (VOICE, SMS, SMS, VOICE, VOICE)
    assert [database.write_now(partial(add, medium=one)) for one in media] == [1, 1, 2, 2, 3]


@pytest.mark.parametrize("medium", [VOICE, SMS])
def test_the_id_of_a_deleted_gateway_is_not_used_again(database: Database, medium: str) -> None:
    def work(unit: Connection) -> list[int]:
        first = add(unit, medium)
        remove(unit, GatewayKey(medium, first))
        second = add(unit, medium)
        chosen = add(unit, medium, id=7)
        remove(unit, GatewayKey(medium, second))
        return [first, second, chosen, add(unit, medium)]

    assert database.write_now(work) == [1, 2, 7, 8]


def test_a_gateway_that_a_campaign_uses_stays_and_the_one_of_the_other_medium_with_its_id_may_go(
    database: Database,
) -> None:
    def fill(unit: Connection) -> None:
        for medium in (VOICE, SMS, VOICE, SMS):
            add(unit, medium)
        unit.execute(insert(User).values(id=1, username="ann", password_hash="-", **STAMPS))
        dates = {"startingdate": 0, "expirationdate": 1, **STAMPS}
        campaign = {
            "user_id": 1,
            "campaign_code": "ABCDE",
            "name": "c",
            "object_id": 1,
            "aleg_gateway_id": 1,
            "sms_gateway_id": 2,
        }
        unit.execute(insert(Campaign).values(**campaign, **dates))

    database.write_now(fill)
    for used in (GatewayKey(VOICE, 1), GatewayKey(SMS, 2)):
        with pytest.raises(IntegrityError):
            database.write_now(partial(remove, key=used))
    for unused in (GatewayKey(SMS, 1), GatewayKey(VOICE, 2)):
        database.write_now(partial(remove, key=unused))
    left = database.read_now(lambda unit: set(unit.execute(select(Gateway.medium, Gateway.id)).all()))
    assert left == {(VOICE, 1), (SMS, 2)}


def test_a_row_is_found_by_medium_and_id(database: Database) -> None:
    for medium in (VOICE, SMS):
        database.write_now(partial(add, medium=medium, name=f"the {medium} one"))
    rows = [database.read_now(partial(gateway_row, gateway=key)) for key in (GatewayKey(SMS, 1), None)]
    assert (rows[0] and rows[0]["name"], rows[1]) == ("the sms one", None)


@given(KEYS, KEYS)
def test_a_key_as_text_is_always_that_key(one: GatewayKey, other: GatewayKey) -> None:
    assert gateway_named(str(one)) == one
    assert (str(one) == str(other)) == (one == other)


@given(st.lists(KEYS, unique=True))
def test_gateways_for_calls_always_come_first_and_then_the_lower_ids(keys: list[GatewayKey]) -> None:
    voice, texts = ([one for one in keys if one.medium == medium] for medium in (VOICE, SMS))
    assert sorted(keys) == [*sorted(voice, key=lambda one: one.id), *sorted(texts, key=lambda one: one.id)]
    # Wake-ups lie on a heap in tuples, beside others that end in other ids.
    assert [one for _, one in sorted((7, one) for one in keys)] == sorted(keys)
