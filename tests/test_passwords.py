"""Tests of passwords: hashing, verification, and messages that never show them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from zxcvbn.matching import (  # type: ignore[import-untyped]
    L33T_TABLE,
    enumerate_l33t_subs,
    relevant_l33t_subtable,
)

from dialer.passwords import (
    CHOICES_MAX,
    DUMMY_HASH,
    EASY,
    ESTIMATED_MAX,
    PASSWORD_LENGTH_MAX,
    PASSWORD_LENGTH_MIN,
    PasswordError,
    check_password,
    hash_password,
    judged_text,
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


@pytest.mark.parametrize(
    "password",
    [
        "password1234",
        "123456789012",
        "aaaaaaaaaaaa",
        "abcdefghijkl",
        "abcabcabcabc",
        "qwertyuiop12",
        "P@ssw0rd1234",
        "P@$$w0rd!1|1",
        "PasswordPassword",
        "iloveyou1234",
        "dialerdialer",
        "a" * PASSWORD_LENGTH_MAX,
        "password1234" * 20,
    ],
)
def test_a_password_that_others_guess_soon_is_refused(password: str) -> None:
    with pytest.raises(PasswordError) as error:
        check_password(password)
    assert str(error.value) == EASY
    assert password not in EASY


@pytest.mark.parametrize(
    "password",
    [
        GOOD,
        "another long password",
        "tickets please, all aboard",
        "Zaq-9 x7 Hm2p",
        "日本語のとても長いパスワード",
        "{4<8@(3[1|$7+",
    ],
)
def test_an_uncommon_password_is_accepted(password: str) -> None:
    check_password(password)


@settings(deadline=None, max_examples=200)
@given(
    st.text(min_size=PASSWORD_LENGTH_MIN, max_size=PASSWORD_LENGTH_MAX) | st.text("aA1@!q", min_size=12, max_size=80)
)
def test_every_text_is_a_password_or_refused_with_a_reason(password: str) -> None:
    refusal = ""
    try:
        check_password(password)
    except PasswordError as error:
        refusal = str(error)
    assert refusal in {"", EASY} or refusal.startswith("a password ")


@given(st.text(min_size=1, max_size=1), st.integers(PASSWORD_LENGTH_MIN, PASSWORD_LENGTH_MAX))
@settings(deadline=None, max_examples=50)
def test_one_character_over_and_over_is_never_a_password(character: str, times: int) -> None:
    with pytest.raises(PasswordError):
        check_password(character * times)


@given(st.text("4@8({[<369!1|05$7+%2za", min_size=PASSWORD_LENGTH_MIN, max_size=PASSWORD_LENGTH_MAX))
def test_a_password_of_signs_is_never_read_in_many_ways(password: str) -> None:
    """Each way takes milliseconds. Without a limit there are hundreds: a second of a processor for one request."""
    text = judged_text(password)
    ways = enumerate_l33t_subs(relevant_l33t_subtable(text, L33T_TABLE))
    assert (len(text) <= ESTIMATED_MAX, len(ways) <= 2 * CHOICES_MAX) == (True, True)
