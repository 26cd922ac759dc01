"""Ordinary replies: answers, thanks, times, appointments, deliveries and questions.

A reply is ordinary if each part of it is recognised, and nothing in it alarms. So nobody takes a wish in words that
nobody has thought of for an ordinary reply.
"""

from collections.abc import Callable, Sequence
from typing import Final

from dialer.domain.messages.ordinary_words import ORDINARY, OrdinaryWords
from dialer.domain.words.late_pattern import LatePattern

OPPOSITE: Final = "|"
"""The sign in place of words that ask for more, such as "don't stop"."""
_NUMBERS: Final = r"[0-9]+(?:[ap]m|st|nd|rd|th|h|hs|hrs?|min|mins|uhr|x|euros?|eur|k|h[0-9]+)?"
_LETTER: Final = r"[a-z]"
_INSISTS: Final = LatePattern(r"\b(?:(?:no|non|nein|nao)\b(?: (?:and|y|et|und|e|ed))?\s*){3}")
"""A "no" that somebody says three times."""
_CLOCK: Final = LatePattern(
    r"\b(?:(?:its?|it s) [0-9]+ ?am|il est [0-9]+ ?h\w*|es ist [0-9]+ uhr|(?:son las|sono le) [0-9]+"
    r"|sao [0-9]+ (?:da|horas))\b"
)
"""The hour, which people tell who were called too early or too late."""
_COMPLAINS: Final = LatePattern(
    r"\b(?:cant|cannot|can not|wont|didnt|did not|doesnt|couldnt|could not|unable|kann|konnte|peux|puedo|consigo|posso"
    r"|riesco|you|they|vous|ils|sie hor\w*|ihr hor\w*|voi|ustedes|voces|vcs|dejan|paran|cesan|param|deixam|smettono"
    r"|(?:why|warum|wieso|weshalb|pourquoi|por que|perche)(?!.* (?:anymore|mehr|wieder|plus|mas|mais|piu)\b))\b"
)
"""Words beside "not stop" or "not unsubscribe" which tell that it is a complaint: "I cannot unsubscribe"."""
_ANSWERED: Final = LatePattern(
    r"\A(?:(?:10|[0-9])(?! [0-9])|yes|yeah|yep|thanks|thank you|danke|oui|merci|sip?|gracias|sim|obrigad[oa]|grazie"
    r"|ja(?= (?:ich|wir|der|die|den|im|am|um|mit|mein\w*|unser\w*|alle\w*|weil)\b))\b"
)
"""A rating, a yes or thanks at the beginning, after which people give a reason or a detail."""
_REFUSES: Final = LatePattern(
    r"\b(?:no|not|none|never|dont|didnt|wont|cant|nothing|without|out|off|want|you\w*|u|ur|any ?more|again|this|these"
    r"|nicht\w*|nie\w*|kein\w*|ohne|raus|weg|will|mochte|sie|ihnen|ihre?\w*|euch|eure?\w*|wieder|diese\w*|das"
    r"|non|pas|plus|jamais|rien|aucune?|sans|veux|voudrais|vous|vos|votre|encore|ces?|ca"
    r"|nunca|nada|ni|sin|fuera|quiero|ustedes|les?|os|vosotros|vuestr\w*|sus?|mas|otra vez|est[oae]s?|eso"
    r"|nao|nem|sem|fora|quero|voces|vcs|vos|voss\w*|seus?|suas?|mais|mas|outra vez|iss?to|isso|dess\w*|dest\w*"
    r"|mai|niente|nulla|senza|fuori|voglio|vorrei|voi|vi|vostr\w*|ancora|piu|quest\w*)\b"
)
"""Words of refusals, and of the sender, in six languages."""
_COUNTS_CONTACTS: Final = LatePattern(
    r"\A[0-9]+ (?:\w+ )?(?:times?|calls?|texts?|messages?|sms|msgs?|mal|anrufe?|nachrichten|fois|appels?|veces"
    r"|llamadas?|mensajes?|vezes|chamadas?|ligac\w+|mensage\w+|volte|chiamat\w+|messagg\w+)\b"
)
"""A number of calls or messages, which is no rating: "3 calls today"."""
_ENDS: Final = LatePattern(
    r"\b(?:stop\w*|quit|end(?:s|ed|ing)|ceas\w+|remov\w+|delet\w+|unsub\w*|enough|sue|spam\w*"
    r"|reicht|genug|schluss|enden|aufhor\w*|losch\w*|gestrich\w*|assez|arret\w*|cess\w+|suppr\w+|retir\w+"
    r"|basta\w*|dej(?:e|en|ar|arme)|par(?:en|em|ar)|par[ae]\Z|cesar\w*|borr\w+|elimin\w+|olvid\w+|chega"
    r"|deix(?:e|em|ar)|esquec\w+|smett\w+|finir\w+|cancell\w+|togl\w+)\b"
)
"""Words of an end, for which people also say thanks: "thanks for ending the calls"."""
_REASON_WORDS_MAX: Final = 15
"""Words of a reply with a reason. A longer one has to be recognised in whole."""
_BUT: Final = LatePattern(r"\b(?:but|aber|pero|(?:and|y|et|und|e)(?= (?:how|como|comment|wie|come)\b))\b")
"""Words after which a reply may turn into the opposite."""


def _kind(get: Callable[[OrdinaryWords], str], *more: str) -> str:
    """Return a pattern for the words of all languages, and for more patterns. Longer words come first."""
    words = {word for one in ORDINARY.values() for word in get(one).split()}
    spelled = (
        word.replace("_", " ").replace("*", r"\w*") for word in sorted(words, key=lambda word: (-len(word), word))
    )
    return "|".join((*spelled, *more))


_NAMES: Final = LatePattern(lambda: rf"\b(?:{_kind(lambda one: one.names)}) \w{{3,}}\Z")
_ANSWERS: Final = LatePattern(lambda: rf"\b(?:{_kind(lambda one: one.answers, _NUMBERS, _LETTER)})\b")
_TOPICS: Final = LatePattern(lambda: rf"\b(?:{_kind(lambda one: one.topics)})\b")
_ALARMS: Final = LatePattern(lambda: rf"\b(?:{_kind(lambda one: one.alarms)})\b")
_TIMES: Final = LatePattern(lambda: rf"\b(?:{_kind(lambda one: one.times, _NUMBERS)})\b")
_BESIDE_TIMES: Final = LatePattern(
    lambda: rf"\b(?:{_kind(lambda one: f'{one.times} {one.beside_times} {one.answers}', _NUMBERS, _LETTER)})\b"
)
_KNOWN: Final = LatePattern(
    lambda: (
        rf"\b(?:{_kind(lambda one: f'{one.times} {one.beside_times} {one.answers} {one.topics}', _NUMBERS, _LETTER)})\b"
    )
)
_UNKNOWN_WORDS_MAX: Final = 3
"""Words of a part about an ordinary topic that are in no table. With more of them the part may say anything."""


def is_ordinary(clauses: Sequence[str], asked: Sequence[str]) -> bool:
    """Return whether each part of a reply is recognised as ordinary.

    The parts are plain words, as they are meant. `asked` has `OPPOSITE` in place of words that ask for more.
    """
    whole = " ".join(clauses)
    if (
        any(_ALARMS.compiled.search(clause) for clause in clauses)
        or _INSISTS.compiled.search(whole)
        or _CLOCK.compiled.search(whole)
    ):
        return False
    if _is_answer_with_reason(whole):
        return True
    return all(
        _is_recognised(part.strip(), asks_for_more=_COMPLAINS.compiled.search(clause) is None)
        for clause, shown in zip(clauses, asked, strict=True)
        for part in _BUT.compiled.split(shown)
    )


def _is_answer_with_reason(whole: str) -> bool:
    answer = _ANSWERED.compiled.match(whole)
    if answer is None or len(whole.split()) > _REASON_WORDS_MAX or not whole.isascii():
        return False
    if _COUNTS_CONTACTS.compiled.match(whole) or _ENDS.compiled.search(whole, answer.end()):
        return False
    return _REFUSES.compiled.search(whole, answer.end()) is None


def _is_recognised(part: str, *, asks_for_more: bool) -> bool:
    return (
        not _left(_ANSWERS, part)
        or (asks_for_more and OPPOSITE in part)
        or (_TOPICS.compiled.search(part) is not None and len(_left(_KNOWN, part).split()) <= _UNKNOWN_WORDS_MAX)
        or (_TIMES.compiled.search(part) is not None and not _left(_BESIDE_TIMES, part))
        or (_NAMES.compiled.search(part) is not None and not _left(_ANSWERS, part.rpartition(" ")[0]))
    )


def _left(known: LatePattern, part: str) -> str:
    return known.compiled.sub("", part).strip()
