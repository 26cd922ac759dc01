# ruff: noqa: RUF001 - letters as people type them
"""Opt-outs: text messages that mean "do not write to me or call me again", in the words that people use.

A message counts if all of it is one of the phrases, with words of politeness around it and any case, accents and
punctuation. A sentence that only contains such a word does not count: "I'll stop by at 5".
"""

import re
import unicodedata
from typing import Final

OPT_OUT_WORDS_MAX: Final = 12
"""Words of a message that is looked at. Longer messages are no opt-outs."""
OPT_OUT_CHARACTERS_MAX: Final = 2_000
"""Characters of a message that are looked at."""
PHRASES: Final = (
    # English, with the words that carriers in the United States must heed (CTIA, 47 CFR 64.1200(a)(10)).
    *("stop", "stop all", "stopall", "end", "quit", "cancel", "unsubscribe", "unsubscribe me", "revoke"),
    *("optout", "opt out", "opt me out", "i opt out", "i want to opt out", "cancel subscription", "delete me"),
    *("remove", "remove me", "remove my number", "take me off", "take me off your list", "take me off the list"),
    *("remove me from your list", "remove me from the list", "remove me from this list", "no more"),
    *("no more texts", "no more messages", "no more calls", "stop it", "stop this", "stop now", "just stop"),
    *("stop texting", "stop texting me", "stop calling", "stop calling me", "stop messaging me", "stop sending"),
    *("stop sending me messages", "stop sending me texts", "stop messages", "stop texts", "stop calls"),
    *("stop contacting me", "do not text", "do not text me", "do not text me again", "do not call"),
    *("do not call me", "do not call me again", "do not call again", "do not contact me", "do not contact me again"),
    *("dont text me", "dont text me again", "dont call me", "dont call me again", "dont contact me", "dont call"),
    *("dont message me", "never call me again", "never call again", "never text me again", "leave me alone"),
    *(
        "do not disturb",
        "do not message me",
        "unsuscribe",
        "unsubcribe",
        "delete",
        "delete my number",
        "td",
        "stop2quit",
    ),
    # Spanish
    *("baja", "alto", "parar", "pare", "cancelar", "cancela", "detener", "basta", "no mas", "darme de baja"),
    *("dar de baja", "deme de baja", "dame de baja", "quiero darme de baja", "eliminar", "no mas mensajes"),
    *("no mas llamadas", "no llamar", "no me llame", "no me llames", "no me llame mas", "no me llamen"),
    *("no me llamen mas", "no me llames mas", "no me escriba", "no me escriba mas", "no me escriban mas"),
    *("no molestar", "no enviar mas", "borrar", "borreme", "eliminarme"),
    # French
    *("arret", "arrete", "arretez", "arreter", "desinscrire", "desinscription", "desabonner", "desabonnement"),
    *("me desinscrire", "me desabonner", "desinscrivez moi", "desabonnez moi", "stop sms", "stop pub", "fin"),
    *("plus de messages", "plus de sms", "plus d appels", "ne m appelez plus", "ne me contactez plus", "annuler"),
    *("ne plus appeler", "ne plus me contacter", "ne m ecrivez plus", "retirez moi", "retirez moi de votre liste"),
    *("supprimer", "retirer", "effacer"),
    # German
    *("stopp", "stoppen", "abmelden", "abmeldung", "abbestellen", "aufhoren", "aufhoeren", "hor auf", "hoer auf"),
    *("horen sie auf", "hoeren sie auf", "schluss", "ende", "austragen", "kundigen", "kuendigen", "widerruf"),
    *("keine sms", "keine sms mehr", "keine anrufe", "keine anrufe mehr", "keine nachrichten mehr"),
    *("keine werbung", "keine werbung mehr", "nicht mehr anrufen", "nicht anrufen", "nie mehr anrufen"),
    *("nicht mehr schreiben", "rufen sie mich nicht an", "rufen sie mich nicht mehr an", "ruf mich nicht mehr an"),
    *("bitte nicht mehr melden", "ich mochte keine sms mehr", "melde mich ab", "melden sie mich ab", "loschen"),
    *("loeschen", "entfernen", "streichen"),
    # Portuguese
    *("sair", "descadastrar", "remover", "chega", "nao mais", "nao quero mais", "cancelar inscricao"),
    *("parem", "nao ligue", "nao ligue mais", "nao me ligue", "nao me ligue mais", "nao liguem mais"),
    *("nao envie mais", "nao enviar mais", "nao perturbe", "me remova", "remova me"),
    *("apagar", "excluir", "me exclua", "me tire"),
    # Italian and Dutch, whose words differ little
    *(
        "basta sms",
        "ferma",
        "fermati",
        "annulla",
        "cancellami",
        "cancellatemi",
        "rimuovere",
        "eliminare",
        "disiscrivimi",
        "afmelden",
        "stoppen aub",
    ),
    *("стоп", "отписаться", "отпишите меня", "не звоните", "не звоните мне"),
)
"""The phrases, as `words_of` writes them."""
_AROUND: Final = (
    *(
        "please",
        "pls",
        "plz",
        "no thanks",
        "no thank you",
        "thanks",
        "thank you",
        "thx",
        "ty",
        "ok",
        "okay",
        "hi",
        "hello",
        "hey",
        "now",
        "dear",
    ),
    *("sir", "immediately", "sorry", "yes", "kindly", "asap", "por favor", "porfavor", "gracias", "hola", "senor"),
    *("s il vous plait", "s il te plait", "svp", "stp", "merci", "bonjour", "salut", "bitte", "danke", "hallo"),
    *("guten tag", "sofort", "vielen dank", "mfg", "obrigado", "obrigada", "ola", "favor", "grazie", "aub"),
    *("alstublieft", "per favore", "immediatement", "ahora", "ya", "agora", "jetzt", "sms", "text", "texts", "fyi"),
)
_CODES: Final = re.compile(r"stop ?[0-9]{1,6}\Z")
"""STOP with the number of a service, as carriers in France and elsewhere advise: STOP 36111."""
_LETTERS: Final = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i"})
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("'’‘`´ʼ＇", " "))
_NOT_WORDS: Final = re.compile(r"[\W_]+")
_SHORTENED: Final = re.compile(r"\b(don|can|didn|won|doesn|isn) t\b")
"""English words with an apostrophe, which is left out: "don t"."""
_OPT_OUTS: Final = frozenset(PHRASES)
_POLITE: Final = frozenset(tuple(words.split()) for words in _AROUND)
_POLITE_MAX: Final = max(map(len, _POLITE))


def is_opt_out(text: str) -> bool:
    """Return whether a text message means that its sender wants no more calls or messages."""
    words = words_of(text)
    if not 0 < len(words) <= OPT_OUT_WORDS_MAX:
        return False
    starts = _ends_of_politeness(words)
    backwards = {tuple(reversed(phrase)) for phrase in _POLITE}
    ends = {len(words) - place for place in _ends_of_politeness(words[::-1], backwards)}
    phrases = {" ".join(words[start:end]) for start in starts for end in ends if start < end}
    spelled = "".join(words)
    is_spelled_out = all(len(word) == 1 for word in words) and spelled in _OPT_OUTS
    return is_spelled_out or any(_is_phrase(phrase) for phrase in phrases)


def _is_phrase(phrase: str) -> bool:
    words = phrase.split()
    once = words[0] if len(set(words)) == 1 else phrase  # "Stop stop STOP"
    return phrase in _OPT_OUTS or once in _OPT_OUTS or _CODES.match(phrase) is not None


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters, without accents and punctuation."""
    if len(text) > OPT_OUT_CHARACTERS_MAX:
        return []
    plain = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES)).casefold().translate(_LETTERS)
    kept = "".join(character for character in plain if unicodedata.category(character) not in {"Mn", "Me", "Cf"})
    joined = _NOT_WORDS.sub(" ", kept).split()
    return _SHORTENED.sub(r"\1t", " ".join(joined)).split()


def _ends_of_politeness(
    words: list[str], polite: "frozenset[tuple[str, ...]] | set[tuple[str, ...]]" = _POLITE
) -> set[int]:
    """Return the places up to which the words are words of politeness; 0 among them."""
    ends = {0}
    for place in range(len(words)):
        if place in ends:
            longest = min(len(words) - place, _POLITE_MAX)
            ends |= {place + n for n in range(1, longest + 1) if tuple(words[place : place + n]) in polite}
    return ends
