"""Tests of which voice speaks what a survey chooses."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.words.spoken_times import code_of_voice, language_of_voice
from dialer.domain.words.voices import ChosenVoice, SpeechServer, SpeechVoice, read_voices

VOICES: Final = {"en": "heart", "pt": "dora", "pt-br": "alex", "fil": "tala"}


@pytest.mark.parametrize(
    ("ours", "language", "spoken_by"),
    [
        ("pt", "", "pt"),
        ("pt", "pt", "pt"),
        ("pt", "pt-BR", "pt-br"),
        ("pt-br", "pt-BR", "pt-br"),
        ("pt-br+f3", "pt", "pt-br+f3"),
        ("en-us+f3", "en-US", "en-us+f3"),
        ("en", "en-US", "en-us"),
        ("en-us", "en-GB", "en-gb"),
        ("en-US", "en-us", "en-US"),
        ("mb-fr1", "fr", "mb-fr1"),
        ("roa/pt", "pt", "roa/pt"),
        ("cmn-latn-pinyin", "cmn", "cmn-latn-pinyin"),
        ("en", "cmn", "cmn"),
        ("ha", "haw", "haw"),
        ("haw", "ha", "ha"),
        ("yue", "cmn", "cmn"),
        ("Andrea", "de", "de"),
    ],
)
def test_espeak_speaks_a_language_with_its_own_voice(ours: str, language: str, spoken_by: str) -> None:
    wanted = ChosenVoice(language, "", 1.5)
    assert SpeechVoice(ours).chosen(wanted) == SpeechVoice(spoken_by, None, 1.5)
    assert not SpeechVoice(ours).lacks(wanted)


@pytest.mark.parametrize(
    ("language", "voice", "name", "spoken_by", "lacks"),
    [
        ("", "", "en", "heart", False),
        ("en-GB", "", "en", "heart", False),
        ("pt", "", "pt", "dora", False),
        ("pt-BR", "", "pt-br", "alex", False),
        ("pt-AO", "", "pt-ao", "dora", False),
        ("fil", "", "fil", "tala", False),
        ("fi", "", "fi", "heart", True),
        ("cmn", "", "cmn", "heart", True),
        ("cmn", "xiaobei", "cmn", "xiaobei", False),
    ],
)
def test_a_server_speaks_a_region_then_a_language(
    language: str, voice: str, name: str, spoken_by: str, *, lacks: bool
) -> None:
    service = SpeechVoice("en", SpeechServer("http://a/v1", "m", "heart", "", VOICES))
    wanted = ChosenVoice(language, voice, 2.0)
    server = SpeechServer("http://a/v1", "m", spoken_by, "", VOICES)
    assert service.chosen(wanted) == SpeechVoice(name, server, 2.0)
    assert service.lacks(wanted) is lacks


def test_voices_are_read_by_language_and_region() -> None:
    assert read_voices("en=heart, pt-BR=alex,fil=tala") == {"en": "heart", "pt-br": "alex", "fil": "tala"}


@pytest.mark.parametrize(("voice", "language", "code"), [("cmn", "cmn", "cmn"), ("en-us+f3", "en", "en-us")])
def test_the_language_of_a_voice_has_a_region(voice: str, language: str, code: str) -> None:
    assert (language_of_voice(voice), code_of_voice(voice)) == (language, code)


NAMES: Final = st.sampled_from(["en", "de", "1", "1.5", "a/b"])
PLACES: Final = st.none() | st.builds(SpeechServer, url=NAMES, model=NAMES, voice=NAMES)
SPOKEN: Final = st.tuples(
    st.builds(SpeechVoice, name=NAMES, server=PLACES, speed=st.sampled_from([0.5, 1.0, 1.5, 1.00001])),
    st.lists(NAMES, max_size=3).map("\0".join),
)


@given(SPOKEN, SPOKEN)
def test_different_voices_never_share_a_sound(one: tuple[SpeechVoice, str], other: tuple[SpeechVoice, str]) -> None:
    assert (f"{one[0].mark}\0{one[1]}" == f"{other[0].mark}\0{other[1]}") is (one == other)
