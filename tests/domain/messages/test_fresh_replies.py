"""Tests of what texts are understood to mean, with replies in six languages. Nobody looked at one set before."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.messages.understanding import READ_WORDS_MAX, Understood, understand
from tests.domain.messages.heard import SETS, UNSEEN, heard, held, others_of, wishes_of

UNSEEN_HEARD_MIN: Final = 0.95
UNSEEN_HELD_MAX: Final = 0.67
HELD_MAX: Final = 0.19
"""The greatest share of other texts that are held. Many of them resemble wishes, or name rare things."""
EVERY: Final = [replies for languages in SETS.values() for replies in languages.values()]
FOREIGN: Final = st.text(st.characters(min_codepoint=0x370, max_codepoint=0x9FFF, categories=["L"]), min_size=2)
"""Words of scripts in which no ordinary reply is known."""


def test_wishes_in_words_that_no_table_was_made_from_are_heard() -> None:
    wishes = wishes_of(SETS[UNSEEN].values())
    assert len(wishes) > 100
    assert heard(wishes) > UNSEEN_HEARD_MIN, [text for text in wishes if understand(text) is Understood.OTHER]


def test_no_wish_of_a_set_that_was_looked_at_is_lost() -> None:
    wishes = wishes_of(replies for name, languages in SETS.items() if name != UNSEEN for replies in languages.values())
    assert [text for text in wishes if understand(text) is Understood.OTHER] == []


def test_no_other_text_ends_the_contact() -> None:
    assert [text for text in others_of(EVERY) if understand(text) is Understood.STOP] == []


def test_not_more_other_texts_are_held_than_are_published() -> None:
    assert held(others_of(EVERY)) <= HELD_MAX
    assert held(others_of(SETS[UNSEEN].values())) <= UNSEEN_HELD_MAX


def test_no_text_is_both_a_wish_and_none() -> None:
    wishes, others = wishes_of(EVERY), others_of(EVERY)
    assert not set(wishes) & set(others)
    assert min(len(wishes), len(others)) > 900


@given(FOREIGN)
def test_a_text_in_words_that_nobody_knows_is_never_ordinary(text: str) -> None:
    assert understand(text) is not Understood.OTHER
    assert understand(f"Yes, {text}") is not Understood.OTHER


def test_a_text_with_more_words_than_are_read_is_for_a_person() -> None:
    assert understand("yes " * READ_WORDS_MAX) is Understood.OTHER
    assert understand("yes " * (READ_WORDS_MAX + 1)) is Understood.PERHAPS


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("stpo calling", "stop"),
        ("stooop", "stop"),
        ("bitte nciht mehr schreiben", "stop"),
        ("no yamen mas", "stop"),
        ("arrete de mapeler", "stop"),
        ("no + sms", "stop"),
        ("kein bock auf eure sms", "stop"),
        ("Warum rufen Sie mich nicht mehr an?", "perhaps"),
        ("Basta con que me llamen el lunes", "perhaps"),
        ("No he recibido el mensaje, mándenlo otra vez", "other"),
        ("I could not end the call", "perhaps"),
        ("Please take my order off hold", "perhaps"),
        ("There was no message", "perhaps"),
        ("por favor no cancelen mi cita", "other"),
        ("don't stop, I love it", "other"),
        ("I can't unsubscribe", "perhaps"),
        ("You never stop calling", "stop"),
        ("no, no and no", "perhaps"),
        ("Which part of no don't you get", "perhaps"),
        ("Dzień dobry", "perhaps"),
        ("Thanks Maria", "other"),
        ("9, because the nurse was kind", "other"),
        ("7️⃣", "other"),
        ("Ok! :-)", "other"),
        ("?", "other"),
    ],
)
def test_slips_dialect_and_opposites_are_told_apart(text: str, meaning: str) -> None:
    assert understand(text) == meaning
