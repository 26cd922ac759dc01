"""Tests of the keys of user names: spellings of one name have one key."""

from typing import Literal, TypeAlias
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.credentials.usernames import username_key

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
forms: st.SearchStrategy[Form] = st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alice", "ALICE"),
        ("alice", "\uff21lice"),
        ("stra\u00dfe", "STRASSE"),
        ("ren\u00e9", "rene\u0301"),
        ("\ufb01nn", "FINN"),
        ("\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2", "\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3"),
    ],
)
def test_names_that_differ_in_case_or_form_only_are_equal(one: str, other: str) -> None:
    assert username_key(one) == username_key(other)


@pytest.mark.parametrize(("one", "other"), [("alice", "alicia"), ("rene", "ren\u00e9"), ("a.b", "ab"), ("a1", "a2")])
def test_other_names_stay_apart(one: str, other: str) -> None:
    assert username_key(one) != username_key(other)


@given(st.text(max_size=20), forms)
def test_a_key_is_the_same_for_every_form_and_is_its_own_key(name: str, form: Form) -> None:
    key = username_key(name)
    assert [username_key(key), username_key(normalize(form, name)), username_key(name.casefold())] == [key] * 3
