"""Tests of what texts are understood to mean, with replies that were written without sight of the patterns."""

from typing import Final

import pytest

from dialer.domain.messages.understanding import Understood, understand
from tests.domain.messages.heard import SETS, meanings, others_of, wishes_of

HEARD_MIN: Final = 0.95
UNSEEN_HEARD_MIN: Final = 0.70
"""The least share of wishes heard in the set after which no pattern was changed."""
WRONGLY_STOPPED_MAX: Final = 0.02
WRONGLY_HELD_MAX: Final = 0.06
EVERY: Final = [replies for languages in SETS.values() for replies in languages.values()]


def heard(wishes: list[str]) -> float:
    """Return the share of wishes that end the contact, or are held for a person to look at."""
    return 1 - meanings(wishes)[Understood.OTHER] / len(wishes)


def test_nearly_all_wishes_are_heard() -> None:
    wishes = wishes_of(EVERY)
    assert heard(wishes) >= HEARD_MIN, [text for text in wishes if understand(text) is Understood.OTHER]


def test_most_wishes_in_words_that_no_pattern_was_made_for_are_heard() -> None:
    assert heard(wishes_of(SETS["unseen"].values())) >= UNSEEN_HEARD_MIN


def test_hardly_any_other_text_ends_the_contact_or_is_held() -> None:
    others = others_of(EVERY)
    stopped = [text for text in others if understand(text) is Understood.STOP]
    held = [text for text in others if understand(text) is Understood.PERHAPS]
    assert len(stopped) <= len(others) * WRONGLY_STOPPED_MAX, stopped
    assert len(held) <= len(others) * WRONGLY_HELD_MAX, held


def test_no_text_is_in_two_sets_or_both_kinds() -> None:
    texts = [*wishes_of(EVERY), *others_of(EVERY)]
    assert len(set(texts)) == len(texts) > 400


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
        ("Warum rufen Sie mich nicht mehr an?", "other"),
        ("Basta con que me llamen el lunes", "other"),
        ("No he recibido el mensaje, mándenlo otra vez", "other"),
        ("I could not end the call", "other"),
        ("Please take my order off hold", "other"),
        ("There was no message", "perhaps"),
    ],
)
def test_slips_dialect_and_opposites_are_told_apart(text: str, meaning: str) -> None:
    assert understand(text) == meaning
