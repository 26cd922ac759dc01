import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.words.spoken_times import as_said

SAID = {
    ("de", "um 14:30 Uhr oder 9.05 Uhr"): "um 14 Uhr 30 oder 9 Uhr 5",
    ("de+f3", "von 01:00 bis 12:00 Uhr"): "von ein Uhr bis 12 Uhr",
    ("de", "Kapitel 14.30, am 05.12.2026, 10:15:20, 1:5, 30:15"): "Kapitel 14.30, am 05.12.2026, 10:15:20, 1:5, 30:15",
    ("en-us", "at 9:05, 10:00 am, 12:00, 7:08 p.m. or 14:30"): "at 9 oh 5, 10 am, 12 o'clock, 7 oh 8 p.m. or 14:30",
    ("en", "00:00 and 14:00"): "00:00 and 14:00",
    (
        "es",
        "a las 14:30 h, a la 1:05, a las 21.00 horas, 24 h",
    ): "a las 14 y 30, a la una y 5, a las veintiuna en punto, 24 horas",
    (
        "mb-fr1",
        "à 14h30, 1 h, 00h15, 21:05, 24h/24",
    ): "à 14 heures 30, une heure, zéro heure 15, vingt et une heures 5, 24 heures/24",
    ("roa/pt", "às 14h30min, 1h, 2:05, 48 h"): "às 14 horas e 30, uma hora, duas horas e 5, 48 horas",
    ("it", "alle 14:30"): "alle 14:30",
    ("den", "um 14:30 Uhr"): "um 14:30 Uhr",
    ("", "14:30 Uhr"): "14:30 Uhr",
}
VOICES = ("de", "en", "es", "fr", "pt", "it")


@pytest.mark.parametrize(("voice", "text"), SAID)
def test_times_are_in_the_words_that_people_say(voice: str, text: str) -> None:
    assert as_said(text, voice) == SAID[voice, text]


@given(st.sampled_from(VOICES), st.text(st.sampled_from(string.digits + ":.hH UApmMuhr/,")))
def test_what_is_in_words_stays_as_it_is(voice: str, text: str) -> None:
    said = as_said(text, voice)
    assert as_said(said, voice) == said


@given(st.sampled_from(VOICES), st.text().filter(lambda text: not any(sign.isdigit() for sign in text)))
def test_texts_without_figures_are_spoken_as_they_are(voice: str, text: str) -> None:
    assert as_said(text, voice) == text
