"""Property tests of the sentences of errors: whatever their values are, each language fills in all of them."""

import pickle
import re
from collections.abc import Iterator
from functools import cache
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.console.parts.sentences import in_viewers_words
from dialer.console.words.language import read_language, speak, viewers_language
from dialer.domain.billing.money import MoneyAmount
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.languages import LANGUAGES
from dialer.domain.words.sentences import (
    FieldName,
    Grouped,
    Listed,
    Moment,
    RecordName,
    ResourceName,
    Sentence,
    StateName,
    counting_sentence,
)
from tests.console.translations import texts_of_sentences

VALUE = re.compile(r"%\((\w+)\)([sr])")
OTHER_FORMAT = re.compile(r"%(?!%|\(\w+\)[sr])")
NUMBERS = st.integers(-(10**12), 10**12)
ODD = st.sampled_from(["%", "%(count)s", "{}", "\\"])
PLAIN = st.one_of(st.text(max_size=20), NUMBERS, st.none(), st.booleans(), ODD)
VALUES = st.recursive(
    st.one_of(
        PLAIN,
        st.builds(FieldName, st.sampled_from(["keys", "script", "unknown_field"]), st.sampled_from(["", "campaigns"])),
        st.builds(ResourceName, st.sampled_from(["phonebook", "no-such-thing"])),
        st.builds(RecordName, NUMBERS, st.text(max_size=80)),
        st.builds(StateName, st.just(CampaignStatus), st.integers(0, 9)),
        st.builds(Moment, st.datetimes().map(lambda moment: f"{moment.isoformat()}Z")),
        NUMBERS.map(Grouped),
        NUMBERS.map(MoneyAmount),
    ),
    lambda values: st.one_of(
        st.lists(values, max_size=3).map(Listed),
        values.map(lambda value: Sentence("about %(value)s", value=value)),
    ),
    max_leaves=4,
)


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    before = viewers_language()
    yield
    speak(before)


@cache
def templates() -> list[tuple[str, str]]:
    """Return the templates of all sentences, with their plurals."""
    return sorted({(text, "") if isinstance(text, str) else text for text in texts_of_sentences()})


@cache
def names() -> list[str]:
    """Return the names of the values of all templates."""
    return sorted({name for texts in templates() for text in texts for name, _ in VALUE.findall(text)})


def made(texts: tuple[str, str], number: int, values: dict[str, Any]) -> Sentence:
    """Return a sentence with those of the values that it names."""
    used = {name: values[name] for text in texts for name, _ in VALUE.findall(text) if name != "count" or not texts[1]}
    return counting_sentence(*texts, number, **used) if texts[1] else Sentence(texts[0], **used)


def test_templates_have_named_values_only() -> None:
    assert [text for texts in templates() for text in texts if OTHER_FORMAT.search(text.replace("%%", ""))] == []


@settings(max_examples=25)
@given(st.lists(VALUES, min_size=3, max_size=5), st.integers(1, 10**6))
def test_every_sentence_has_all_its_values_in_every_language(drawn: list[Any], number: int) -> None:
    values = dict(zip(names(), cycle(drawn)))
    for code in LANGUAGES:
        speak(read_language(code))
        shown = {name: in_viewers_words(Sentence("%(value)s", value=value)) for name, value in values.items()}
        for texts in templates():
            sentence = made(texts, number, values)
            text = in_viewers_words(sentence)
            for name, form in VALUE.findall(sentence.plural if sentence.number != 1 and texts[1] else texts[0]):
                if name == "count" and texts[1]:
                    assert str(number) in text, (code, texts)
                else:
                    assert form == "r" or shown[name] in text, (code, texts, name)


@given(VALUES, st.integers(0, 3), st.sampled_from(sorted(LANGUAGES)))
def test_a_sentence_that_another_process_sends_is_still_a_sentence(value: object, number: int, code: str) -> None:
    speak(read_language(code))
    for sentence in (
        Sentence("about %(value)s", value=value),
        counting_sentence("one %(v)s", "%(v)ss", number, v=value),
    ):
        received = pickle.loads(pickle.dumps(sentence))  # noqa: S301 - our own
        assert (received, in_viewers_words(received)) == (sentence, in_viewers_words(sentence))


def test_the_english_of_pages_has_no_article_before_the_title_of_a_field() -> None:
    for texts in templates():
        values = dict.fromkeys(names(), FieldName("script"))
        assert not re.search(r"\b(an?|the) “Text”", in_viewers_words(made(texts, 2, values)), re.IGNORECASE), texts
    speak(read_language("fr"))
    template = "Section %(section)s has a %(field)s and no recording. %(why)s"
    filled = in_viewers_words(Sentence(template, section=1, field=FieldName("script"), why="x"))
    assert filled == "La section 1 a « Texte » et aucun enregistrement. x"
