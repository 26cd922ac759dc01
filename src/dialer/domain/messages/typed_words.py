"""Words of text messages as they are meant: short forms, dialect, long vowels and slips of the finger.

Only words that tell a wish are mended. Any other word stays as it is, for it tells nothing.
"""

import re
from collections.abc import Iterator
from typing import Final

_DELETED_LETTERS_MIN: Final = 6
"""Letters from which a word is still known without one of them: "calling" as "caling"."""
_KEY_WORDS: Final = (
    *("stop", "calling", "texting", "messaging", "remove", "unsubscribe", "contact", "number", "again", "please"),
    *("nicht", "mehr", "bitte", "anrufen", "anrufe", "schreiben", "nummer", "loschen", "aufhoren", "nachrichten"),
    *("arretez", "arreter", "appeler", "appelez", "messages", "supprimez", "numero", "desinscrire", "contacter"),
    *("llamen", "llamar", "llamadas", "mensajes", "borren", "molesten", "quiero", "dejen", "escriban"),
    *("liguem", "ligar", "mensagens", "chamadas", "remover", "quero", "receber", "parem", "ligacoes"),
    *("chiamate", "chiamare", "scrivete", "messaggi", "cancellate", "smettete", "voglio", "basta", "togliete"),
)
_SHORT: Final = {
    # English
    "u": "you",
    "ur": "your",
    "dnt": "dont",
    "nomore": "no more",
    "fone": "phone",
    "msgin": "messaging",
    # German, with Bavarian and Swiss
    **dict.fromkeys(("nich", "ned", "net", "nit", "nid", "niht"), "nicht"),
    **dict.fromkeys(("nimmer", "numme", "nuemme", "nimma", "nimme"), "nicht mehr"),
    **dict.fromkeys(("kane", "kani", "koa", "koan", "koane", "kei", "keini", "koi"), "keine"),
    "nix": "nichts",
    "meh": "mehr",
    "nr": "nummer",
    "ausm": "aus",
    # French
    "jveux": "je veux",
    "jvx": "je veux",
    "veu": "veux",
    "msg": "message",
    "num": "numero",
    # Spanish and Portuguese
    "kiero": "quiero",
    "kero": "quero",
    "keremos": "queremos",
    "naum": "nao",
    "nau": "nao",
    "ngm": "ninguem",
    "msgs": "messages",
    "porfa": "por favor",
    "xfa": "por favor",
    "xfavor": "por favor",
    # Italian
    **dict.fromkeys(("nn", "nun"), "non"),
    "cchiu": "piu",
    "chiu": "piu",
}
_MORE: Final = re.compile(r"(?<!\S)\+(?!\S)")
"""A plus sign alone, which stands for "more": "no + sms"."""
_LONG: Final = re.compile(r"([^\W\d_])\1{2,}")
"""A letter that is held: "stooop"."""
_JOINED: Final = re.compile(r"\b([mn])(?=app?el[ei]|ecri[rtv]|envo[iy]|embet|emmerd|contact[ei]|derang)")
"""A French pronoun that is written with its verb: "mappeler"."""
_YEISMO: Final = re.compile(r"\by(?=am(?:e|en|es|ar|arme|ada|adas)\b)")
"""Spanish "ll" that is written as it sounds: "yamen"."""


def _slips(word: str) -> Iterator[str]:
    for place in range(len(word) - 1):
        yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        if place and len(word) >= _DELETED_LETTERS_MIN:
            yield word[:place] + word[place + 1 :]


_SLIPS: Final = {slip: word for word in _KEY_WORDS for slip in _slips(word) if slip not in _KEY_WORDS}
_MEANT: Final = {**_SLIPS, **_SHORT}


def with_pluses_spoken(text: str) -> str:
    """Return a text with "plus" for a sign that stands for "more", which is no letter and would be lost."""
    return _MORE.sub(" plus ", text)


def as_meant(words: list[str]) -> str:
    """Return words in small letters without accents, as they are meant, in one text."""
    text = _YEISMO.sub("ll", _JOINED.sub(r"\1 ", _LONG.sub(r"\1", " ".join(words))))
    return " ".join(_MEANT.get(word, word) for word in text.split())
