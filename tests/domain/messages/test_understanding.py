"""Tests of what text messages are understood to mean, with replies that the patterns were not made from."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.messages.opt_out import OPT_OUT_CHARACTERS_MAX, is_opt_out
from dialer.domain.messages.understanding import Understood, understand

FOLDER: Final = Path(__file__).parent
FILES: Final = ("replies.txt", "more_replies.txt", "last_replies.txt", "unseen_replies.txt")
WRONGLY_STOPPED_MAX: Final = 0.02
RECALL_MIN: Final = 0.95


def replies(name: str) -> Iterator[tuple[str, bool, str]]:
    """Yield the language of each reply, whether it is a wish, and the text."""
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            language, sign, text = line.split(" ", 2)
            yield language, sign == "+", text


@pytest.mark.parametrize("name", FILES)
def test_wishes_are_heard_and_other_texts_stop_nobody(name: str) -> None:
    """A wish is understood as one, or is kept for a person to look at. Hardly anything else ends the contact."""
    wishes = {text: understand(text) for _, is_wish, text in replies(name) if is_wish}
    others = {text: understand(text) for _, is_wish, text in replies(name) if not is_wish}
    lost = [text for text, meaning in wishes.items() if meaning is Understood.OTHER]
    stopped = [text for text, meaning in others.items() if meaning is Understood.STOP]
    assert len(lost) <= len(wishes) * (1 - RECALL_MIN), lost
    assert len(stopped) <= len(others) * WRONGLY_STOPPED_MAX, stopped


def test_there_are_two_hundred_replies_in_six_languages() -> None:
    every = [(language, is_wish) for name in FILES for language, is_wish, _ in replies(name)]
    assert len(every) > 200
    assert {language for language, _ in every} == {"en", "fr", "de", "es", "pt", "it"}
    assert all(sum(one == (language, True) for one in every) >= 20 for language, _ in every)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("NO THANKS STOP", "stop"),
        ("Un-subscribe", "stop"),
        ("Stop. Thank you", "stop"),
        ("Yes. Stop calling my mother, she is 90", "stop"),
        ("Bel me nooit meer", "stop"),
        ("Пожалуйста, не звоните мне больше", "stop"),
        ("Don't call me before 9", "perhaps"),
        ("Basta, ci vediamo lunedì", "perhaps"),
        ("This is spam", "perhaps"),
        ("Wrong number", "perhaps"),
        ("Don't stop calling, I love it", "other"),
        ("I'll stop by at 5", "other"),
        ("don't cancel my appointment", "other"),
        ("yes I come", "other"),
        ("", "other"),
        ("👍", "other"),
    ],
)
def test_a_text_is_understood(text: str, meaning: str) -> None:
    assert understand(text) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "1 more message and I sue",
        "2 calls a day, really?",
        "5 mal angerufen heute",
        "3 fois cette semaine",
        "3 veces hoy",
        "4 chamadas hoje",
        "4 volte oggi",
        "Thank you in advance for ending the calls",
        "danke dass Anrufe enden",
        "merci de cesser",
        "gracias por dejar de escribir",
        "obrigada por parar",
        "sí, para",
        "grazie di smettere",
        "yes, quit",
        "refund me and vanish",
        "The doctor said stay away",
        "Le rendez-vous, c'est pas moi",
        "Non sono io",
    ],
)
def test_an_answer_or_a_topic_at_the_beginning_hides_no_wish(text: str) -> None:
    assert understand(text) is not Understood.OTHER


@pytest.mark.parametrize(
    "text",
    [
        "9, because the staff was so kind",
        "Thank you for the call",
        "gracias por la llamada",
        "sim, para mim está ótimo",
        "8, para ser sincero",
        "ja, am Ende der Woche",
        "3 people",
        "Can we move to Monday?",
        "Running 5 mins late, sorry",
        "I am in a meeting, call me later",
        "¿Podemos cambiarlo al lunes?",
    ],
)
def test_an_answer_with_a_reason_or_a_detail_is_ordinary(text: str) -> None:
    assert understand(text) is Understood.OTHER


def test_a_wish_inside_of_a_long_message_is_for_a_person_to_look_at() -> None:
    assert understand("word " * 50 + "stop calling me") is Understood.PERHAPS
    assert understand("x" * OPT_OUT_CHARACTERS_MAX + " stop calling me") is Understood.PERHAPS


@given(st.text(max_size=300))
def test_any_text_is_understood_and_a_whole_phrase_always_stops(text: str) -> None:
    meaning = understand(text)
    assert meaning in set(Understood)
    assert not is_opt_out(text) or meaning is Understood.STOP
