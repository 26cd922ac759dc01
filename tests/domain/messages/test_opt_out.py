# ruff: noqa: RUF001 - letters as people type them
"""Tests of the text messages that mean "do not write to me or call me again"."""

import unicodedata
from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.messages.opt_out import is_opt_out

STOPS = (
    *(
        "STOP",
        "stop",
        " Stop\n",
        "STOP.",
        "stop!",
        "Stop please",
        "please stop",
        "opt out",
        "Opt-Out",
        "OPTOUT",
        "STOPALL",
    ),
    *("Stop all", "unsubscribe", "Unsubscribe.", "end", "quit", "cancel", "revoke", "remove me", "Remove me please!"),
    *("no more", "No more texts, thanks", "Don't text me again", "Don’t call me", "do not call", "STOP STOP STOP"),
    *("«stop»", "'STOP'", '"STOP"', "S T O P", "s.t.o.p", "Stop 🛑", "🙏 stop", "STOP 36111", "stop texting me"),
    *("ＳＴＯＰ", "ＳＴＯＰ！", "STOP\u200b", "\ufeffSTOP", "s\u0301top", "ⓢⓣⓞⓟ", "Thanks but no more"[11:]),
    *("BAJA", "Alto", "CANCELAR", "No más", "NO MA\u0301S", "no mas por favor", "¡Basta!", "no me llame más"),
    *(
        "ARRET",
        "Arrêt",
        "arrête",
        "DÉSINSCRIRE",
        "désabonner svp",
        "stop sms",
        "ne m'appelez plus",
        "ne m’appelez plus",
    ),
    *("STOPP", "Abmelden", "aufhören", "AUFHÖREN!", "Aufhoeren bitte", "KEINE SMS MEHR", "Bitte keine Anrufe mehr."),
    *("PARAR", "sair", "СТОП", "Cancelar por favor", "não ligue mais", "Nao mais"),
)
OTHERS = (
    *(
        "",
        " ",
        "…",
        "Don't stop",
        "do not stop",
        "I'll stop by at 5",
        "I will stop by at 5",
        "stopped",
        "Yes",
        "please",
    ),
    *("non stop", "nonstop", "Don't cancel my order", "How do I cancel?", "the end is near", "Stop sign at the corner"),
    *("bus stop", "can't stop laughing", "I never said stop it was great", "no", "more", "no more than 5 please"),
    *(
        "cancel the 3 pm and book 4 pm",
        "Thanks!",
        "baja california",
        "ich komme am Ende der Woche",
        "weekend",
        "nonstopp",
    ),
    *("please don't stop", "не STOP", "don’t stop please", "When does it end", "1", "ok", "sms", "text"),
)
FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
LETTERS: tuple[Literal["L"]] = ("L",)


@pytest.mark.parametrize("text", STOPS)
def test_a_wish_is_understood(text: str) -> None:
    assert is_opt_out(text)


@pytest.mark.parametrize("text", OTHERS)
def test_a_sentence_that_only_contains_such_a_word_is_none(text: str) -> None:
    assert not is_opt_out(text)


@given(
    word=st.sampled_from(("stop", "unsubscribe", "keine SMS mehr", "désinscrire", "não ligue mais", "opt out")),
    before=st.sampled_from(("", " ", "Please, ", "¡", "Hi! ", "bitte ", "...")),
    after=st.sampled_from(("", ".", "!!!", " please", ", thanks!", " por favor.", " \n", " 🙏", "?")),
    form=st.sampled_from(FORMS),
    case=st.sampled_from((str.upper, str.lower, str.title, str.swapcase)),
)
def test_case_forms_punctuation_and_politeness_do_not_matter(
    word: str, before: str, after: str, case: Callable[[str], str], form: Literal["NFC", "NFD", "NFKC", "NFKD"]
) -> None:
    text = unicodedata.normalize(form, f"{before}{case(word)}{after}")
    assert is_opt_out(text)


@given(st.text(max_size=3_000))
def test_any_text_is_judged(text: str) -> None:
    assert is_opt_out(text) in {True, False}


@given(st.text(alphabet=st.characters(categories=LETTERS), min_size=1, max_size=20).filter(lambda t: "stop" not in t))
def test_a_word_in_front_that_is_not_polite_makes_it_another_message(word: str) -> None:
    assert not is_opt_out(f"{word}x9x stop me by five")
