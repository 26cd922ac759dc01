"""Tests of sentences that remember their template."""

import pickle

import msgspec
import pytest

from dialer.console.parts.sentences import in_viewers_words
from dialer.console.words.language import gettext
from dialer.domain.words.sentences import Sentence, counting_sentence


def test_a_sentence_is_a_text_like_any_other() -> None:
    sentence = Sentence("%(share)s %% of %(of)s", share=50, of=Sentence("%(count)s keys", count=3))
    assert sentence == "50 % of 3 keys"
    assert pickle.loads(pickle.dumps(sentence)) == sentence  # noqa: S301 - our own
    assert msgspec.json.encode(str(sentence)) == b'"50 % of 3 keys"'
    assert [counting_sentence("%(count)s key", "%(count)s keys", count) for count in (1, 0)] == ["1 key", "0 keys"]


def test_the_console_translates_templates_and_the_sentences_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    german = {"%(count)s keys": "%(count)s Tasten", "A loop: %(keys)s.": "Eine Schleife: %(keys)s."}
    monkeypatch.setattr("dialer.console.parts.sentences.gettext", lambda text: german.get(text, gettext(text)))
    monkeypatch.setattr(
        "dialer.console.parts.sentences.ngettext",
        lambda one, many, number: german.get(many, one) if number != 1 else one,
    )
    keys = counting_sentence("%(count)s key", "%(count)s keys", 3)
    assert in_viewers_words(Sentence("A loop: %(keys)s.", keys=keys)) == "Eine Schleife: 3 Tasten."
    assert in_viewers_words("100 % plain %(x)s") == "100 % plain %(x)s"
