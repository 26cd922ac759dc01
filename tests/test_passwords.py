"""Tests of passwords: hashing, verification, and messages that never show them."""

import pytest

from dialer.passwords import (
    DUMMY_HASH,
    PASSWORD_LENGTH_MAX,
    PASSWORD_LENGTH_MIN,
    PasswordError,
    hash_password,
    verify_password,
)

GOOD = "correct horse battery"
PARAMETERS = "$argon2id$v=19$m=19456,t=2,p=1$"


def test_only_the_password_itself_fits_its_hash() -> None:
    password_hash = hash_password(GOOD)
    assert password_hash.startswith(PARAMETERS)
    assert verify_password(password_hash, GOOD)
    assert not verify_password(password_hash, GOOD + " ")


def test_two_hashes_of_one_password_differ() -> None:
    assert hash_password(GOOD) != hash_password(GOOD)


def test_the_dummy_costs_what_a_real_hash_costs_and_nobody_fits_it() -> None:
    assert DUMMY_HASH.startswith(PARAMETERS)
    assert not verify_password(DUMMY_HASH, GOOD)


@pytest.mark.parametrize("password_hash", ["", "x", "$argon2id$", "$argon2id$v=19$m=19456,t=2,p=1$ä$ö", "\0", "\ud800"])
def test_a_malformed_hash_fits_nothing(password_hash: str) -> None:
    assert not verify_password(password_hash, GOOD)


@pytest.mark.parametrize("password", ["", "\0" * 20, "\ud800" * 20, "x" * (PASSWORD_LENGTH_MAX + 1)])
def test_any_input_can_be_verified(password: str) -> None:
    assert not verify_password(DUMMY_HASH, password)


@pytest.mark.parametrize(
    "password",
    [
        "",
        "x" * (PASSWORD_LENGTH_MIN - 1),
        "x" * (PASSWORD_LENGTH_MAX + 1),
        "correct\nhorse battery",
        "\ud800" * 20,
    ],
)
def test_a_bad_password_is_refused_without_being_shown(password: str) -> None:
    with pytest.raises(PasswordError) as error:
        hash_password(password)
    assert not password or password not in str(error.value)
