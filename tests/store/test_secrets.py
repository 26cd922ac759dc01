"""Tests of secrets in rows: encrypted in the database, and readable with the key only."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec
import pytest
from cryptography.fernet import InvalidToken
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, insert, select, text, update

from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.sessions.leg_protocol import Dialling
from dialer.store.database.bulk import bulk_insert, stored
from dialer.store.database.database import Database
from dialer.store.media.call_recordings import new_store, opened_store
from dialer.store.moving.key_check import check_key, rotate, secret_columns
from dialer.store.tables import SMS, VOICE, CallRecording, Gateway, KeyCheck, LiveLeg, User
from dialer.store.tables.key_ring import (
    RING,
    GivenKeys,
    Secret,
    SecretsKeyError,
    UnreadableSecretError,
    fernet_of,
    is_signed,
    opened_key,
)
from tests import SECRETS_KEY
from tests.new_database import new_database

PASSWORD: Final = "swordfish-of-the-carrier"
OTHER_KEY: Final = "another-key-of-the-secrets-of-dialer"
PARAMETERS: Final = json.dumps({"server": "sip.example.com", "password": PASSWORD})
STAMPS: Final = {"created_date": 0, "updated_date": 0}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(new_database(tmp_path), synchronous="OFF")) as one:
        one.write_now(check_key)
        one.write_now(add)
        yield one


def add(unit: Connection) -> None:
    """Add a gateway of each kind, with a password."""
    for medium in (VOICE, SMS):
        gateway = {"id": 1, "medium": medium, "name": "one", "description": "", "parameters": PARAMETERS}
        unit.execute(insert(Gateway).values(**gateway, **STAMPS))


def edit(database: Database, token: str) -> None:
    """Change a row by hand."""
    change = text("UPDATE gateway SET parameters = :token WHERE medium = 'voice'").bindparams(token=token)
    database.write_now(lambda unit: unit.execute(change))


def parameters(unit: Connection) -> list[str]:
    """Return the parameters of all gateways."""
    return list(unit.scalars(select(Gateway.parameters).order_by(Gateway.medium.desc(), Gateway.id)))


def tokens(unit: Connection) -> list[str]:
    """Return the parameters of all gateways as they are stored."""
    return list(unit.scalars(text("SELECT parameters FROM gateway ORDER BY medium DESC, id")))


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def test_a_statement_reads_and_writes_texts_and_the_database_holds_tokens(database: Database) -> None:
    assert database.read_now(parameters) == [PARAMETERS] * 2
    changed = update(Gateway).where(Gateway.medium == VOICE).values(parameters='{"password":"new"}')
    database.write_now(lambda unit: unit.execute(changed))
    assert database.read_now(parameters) == ['{"password":"new"}', PARAMETERS]
    for token in database.read_now(tokens):
        assert token.startswith("gAAAAA")


@pytest.mark.sqlite_only("its files are read")
def test_no_file_of_the_database_holds_a_password(database: Database, tmp_path: Path) -> None:
    assert PASSWORD.encode() not in everything(tmp_path)
    database.close()
    assert PASSWORD.encode() not in everything(tmp_path)


def test_rows_are_copied_in_bulk_as_they_are_stored(database: Database) -> None:

    def copy(unit: Connection) -> None:
        rows = [tuple(row) for row in unit.execute(select(*stored(Gateway.__table__)).order_by(Gateway.medium))]
        unit.execute(delete(Gateway))
        bulk_insert(Gateway.__table__, *Gateway.__table__.c.keys()).run(
            unit, rows * 1 + [(100 + place, *rows[0][1:]) for place in range(9)]
        )

    database.write_now(copy)
    assert database.read_now(parameters) == [PARAMETERS] * 11


def test_a_process_with_another_key_is_refused_and_changes_nothing(database: Database) -> None:
    before = database.read_now(tokens)
    RING.hold(GivenKeys(OTHER_KEY))
    with pytest.raises(SecretsKeyError, match="were encrypted with another key: start with the one that was in use"):
        database.write_now(check_key)
    with pytest.raises(SecretsKeyError):
        database.write_now(rotate)
    assert database.read_now(tokens) == before
    RING.hold(GivenKeys(SECRETS_KEY))
    database.write_now(check_key)


def test_secrets_of_another_key_are_found_without_the_word_too(database: Database) -> None:
    database.write_now(lambda unit: unit.execute(delete(KeyCheck)))
    RING.hold(GivenKeys(OTHER_KEY))
    with pytest.raises(SecretsKeyError, match="another key"):
        database.write_now(check_key)


def test_a_row_that_somebody_edited_has_no_parameters_and_the_others_keep_theirs(database: Database) -> None:
    for edited in ("not a token", '{"password":"clear"}', "ü", ""):
        edit(database, edited)
        assert database.read_now(parameters) == ["{}", PARAMETERS]


def test_a_secret_that_cannot_be_read_is_an_error_and_never_empty(database: Database) -> None:
    """A second factor that is empty would be one that everybody knows, or none."""
    database.write_now(lambda unit: unit.execute(text("UPDATE key_check SET word = 'no token'")))
    with pytest.raises(UnreadableSecretError):
        database.read_now(lambda unit: unit.scalar(select(KeyCheck.word)))


def test_after_a_rotation_only_the_new_key_reads_and_an_edited_row_is_left_alone(database: Database) -> None:
    database.write_now(lambda unit: unit.execute(text("UPDATE gateway SET parameters = 'edited' WHERE medium = 'sms'")))
    old = database.read_now(tokens)
    RING.hold(GivenKeys(f"{OTHER_KEY} {SECRETS_KEY}"))
    assert database.write_now(rotate) == 2  # A gateway, and the word.
    assert database.write_now(rotate) == 2
    RING.hold(GivenKeys(OTHER_KEY))
    database.write_now(check_key)
    assert database.read_now(parameters) == [PARAMETERS, "{}"]
    new = database.read_now(tokens)
    assert (new[0] != old[0], new[1]) == (True, "edited")
    RING.hold(GivenKeys(SECRETS_KEY))
    with pytest.raises(SecretsKeyError):
        database.write_now(check_key)


def test_a_rotation_seals_the_keys_of_recordings_that_are_over_and_that_go_on(database: Database) -> None:
    store = new_store()
    kept = {"user_id": 1, "callid": "a", "phone_number": "", "start_date": 0, "seconds": 0, "state": "stored"}
    leg = {"key": "a", "call_id": 1, "medium": VOICE, "gateway_id": 1, "wanted_ms": 0}
    orders = {"a": order_with(store), "b": order_with(None), "c": "edited"}

    def add_recordings(unit: Connection) -> None:
        unit.execute(insert(User).values(id=1, username="ann", password_hash="", **STAMPS))
        unit.execute(insert(CallRecording).values(sound_key="5a", **kept))
        for name, text_of in orders.items():
            unit.execute(insert(LiveLeg).values({**leg, "key": name, "dialling": text_of}))

    database.write_now(add_recordings)
    opened = opened_store(Path("a"), store)
    RING.hold(GivenKeys(f"{OTHER_KEY} {SECRETS_KEY}"))
    assert database.write_now(rotate) == 5
    RING.hold(GivenKeys(OTHER_KEY))
    assert opened_key(database.read_now(lambda unit: unit.scalar(select(CallRecording.sound_key)))) == "5a"
    found = database.read_now(lambda unit: unit.scalars(select(LiveLeg.dialling).order_by(LiveLeg.key)).all())
    again = msgspec.json.decode(found[0], type=Dialling).sound_store
    assert again is not None
    assert opened_store(Path("a"), again) == opened
    assert list(found[1:]) == [orders["b"], orders["c"]]
    RING.hold(GivenKeys(SECRETS_KEY))


def order_with(store: SoundStore | None) -> str:
    """Return the order of a leg as its row has it."""
    return msgspec.json.encode(Dialling("a", "1", "", 1, 1, sound_store=store)).decode()


def test_the_type_has_no_key_in_its_name() -> None:
    """Generated migrations contain the names of types."""
    assert repr(Secret()) == "Secret()"
    assert {(table.name, name) for table, name in secret_columns()} >= {
        ("callrequest", "parameters"),
        ("gateway", "parameters"),
        ("key_check", "word"),
        ("sms_message", "parameters"),
    }


def test_a_process_without_a_key_says_so() -> None:
    RING.hold(Nowhere())
    with pytest.raises(SecretsKeyError, match="put it there"):
        RING.keys()


class Nowhere:
    """A place without keys."""

    def read(self) -> None:
        return None

    def create(self) -> str:
        raise AssertionError("no key is made up here")

    def missing(self) -> str:
        return "put it there"


@given(
    st.lists(
        st.text(min_size=32, alphabet=st.characters(codec="ascii", categories=["L", "N"])), min_size=1, max_size=4
    ),
    st.text(),
)
def test_every_key_of_a_ring_decrypts_and_the_first_encrypts(keys: list[str], secret: str) -> None:
    ring = fernet_of(" ".join(keys))
    for key in keys:
        assert ring.decrypt(fernet_of(key).encrypt(secret.encode())).decode() == secret
    assert fernet_of(keys[0]).decrypt(ring.encrypt(secret.encode())).decode() == secret


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1), min_size=1, max_size=3),
    st.data(),
)
def test_a_token_is_signed_exactly_if_its_keys_decrypt_it(keys: list[str], data: st.DataObject) -> None:
    token = fernet_of(data.draw(st.sampled_from([*keys, OTHER_KEY]))).encrypt(b"dialer").decode()
    place = data.draw(st.integers(0, len(token)))
    edited = token[:place] + data.draw(st.text(max_size=2)) + token[place + data.draw(st.integers(0, 2)) :]
    for one in (token, edited):
        assert is_signed(one, " ".join(keys)) == is_decrypted(one, " ".join(keys))


def is_decrypted(token: str, keys: str) -> bool:
    try:
        return fernet_of(keys).decrypt(token) == b"dialer"
    except (InvalidToken, ValueError):
        return False
