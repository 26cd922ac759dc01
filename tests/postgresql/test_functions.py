"""Tests that SQL expressions have equal values in PostgreSQL and in Python, and that migrations make the models."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, literal, make_url, select

from dialer.domain.numbers import search_keys
from dialer.store.backends.backend import backend_for
from dialer.store.backends.expressions import bare_number, name_key
from dialer.store.database.database import Database
from dialer.store.tables import Row
from tests.databases.choice import server_url

BESIDE_MODELS = {"user_changes", "served", "ix_subscriber_last_attempt"}
"""Only PostgreSQL has this table, and only its index needs to be told that nulls come first."""
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=150)


def test_the_key_of_a_name_is_the_one_of_python() -> None:
    database = Database(server_url())

    @given(TEXTS)
    def check(name: str) -> None:
        found = database.read_now(
            lambda unit: unit.execute(select(name_key(literal(name)), bare_number(literal(name))))
        )
        assert tuple(found.one()) == (search_keys.name_key(name), search_keys.bare_number(name))

    check()
    database.close()


def test_the_key_of_each_character_is_the_one_of_python(database: Database) -> None:
    """Neighbours stand together in one name, as a key is cut after some characters."""
    chars = [chr(code) for code in range(1, 0x30000) if not 0xD800 <= code < 0xE000]
    some = ["".join(chars[place : place + 30]) for place in range(0, len(chars), 30)]

    def keys(unit: Connection) -> list[str]:
        query = "SELECT name_key(name) FROM unnest(%s::text[]) WITH ORDINALITY AS names (name, place) ORDER BY place"
        return [key for (key,) in unit.exec_driver_sql(query, (some,))]

    assert database.read_now(keys) == [search_keys.name_key(name) for name in some]


def test_the_migrations_create_the_tables_of_the_models(url: str) -> None:
    options = {"compare_type": True, "include_object": lambda _, name, *__: name not in BESIDE_MODELS}
    with backend_for(url).migrating_engine(make_url(url)).connect() as unit:
        assert compare_metadata(MigrationContext.configure(unit, opts=options), Row.metadata) == []
