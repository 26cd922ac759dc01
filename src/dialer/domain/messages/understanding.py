"""Understanding of text messages that came in: a wish not to be contacted, perhaps one, or something else."""

import re
from typing import Final

from dialer.domain.messages.opt_out import OPT_OUT_CHARACTERS_MAX, is_opt_out, words_of
from dialer.domain.messages.ordinary_replies import OPPOSITE, is_ordinary
from dialer.domain.messages.typed_words import as_meant, with_pluses_spoken
from dialer.domain.messages.wish_patterns import PATTERNS
from dialer.domain.words.enum_descriptions import DescribedText
from dialer.domain.words.late_pattern import LatePattern

WISH_WORDS_MAX: Final = 40
"""Words of a message in which a pattern is a wish for certain. In longer messages it may be about something else."""
AMBIGUOUS: Final = frozenset(
    (
        *(
            "end",
            "cancel",
            "no more",
            "remove",
            "delete",
            "basta",
            "alto",
            "cancelar",
            "cancela",
            "no mas",
            "parar",
            "pare",
            "fin",
        ),
        *(
            "annuler",
            "ende",
            "schluss",
            "kundigen",
            "kuendigen",
            "widerruf",
            "sair",
            "remover",
            "parem",
            "chega",
            "annulla",
        ),
        *(
            "ferma",
            "fermati",
            "supprimer",
            "retirer",
            "effacer",
            "loschen",
            "loeschen",
            "entfernen",
            "streichen",
            "borrar",
        ),
        *("apagar", "excluir", "rimuovere", "eliminare", "td"),
    )
)
"""Words that are a wish as a whole message, and may be anything as a part of one."""
READ_WORDS_MAX: Final = 60
"""Words of a message that is read. A longer one is `PERHAPS`, for it may say anything."""
_CLAUSES: Final = re.compile(r"[.,;:!?¡¿\n()\u2013\u2014|/]+|\s-+\s")


_ASKED: Final = f" {OPPOSITE} "


class Understood(DescribedText):
    """Meanings of text messages that came in, as far as they are understood."""

    STOP = "stop", "The person wants no more calls and messages."
    PERHAPS = (
        "perhaps",
        "The person may want no more calls and messages. Nobody calls or writes until a user has looked.",
    )
    OTHER = "other", "An ordinary reply, such as an answer, thanks or a question."


def _any_of(patterns: tuple[str, ...]) -> LatePattern:
    return LatePattern("|".join(f"(?:{one})" for one in patterns))


_OPPOSITES: Final = _any_of(tuple(one for each in PATTERNS.values() for one in each.opposites))
_WISHES: Final = _any_of(tuple(one for each in PATTERNS.values() for one in each.wishes))
_HINTS: Final = _any_of(tuple(one for each in PATTERNS.values() for one in each.hints))
_LIMITS: Final = _any_of(tuple(each.limits for each in PATTERNS.values() if each.limits))

_TOGETHER: Final = tuple((_any_of((one.away,)), _any_of((one.about,))) for one in PATTERNS.values() if one.away)
_DENIED: Final = tuple((_any_of((one.nots,)), _any_of((one.about,))) for one in PATTERNS.values() if one.nots)
_INVITES: Final = _any_of(tuple(one.invites for one in PATTERNS.values() if one.invites))


def understand(text: str) -> Understood:
    """Return the meaning of a text message: a clear wish to stop, an ordinary reply, or `PERHAPS`."""
    if is_opt_out(text):
        return Understood.STOP
    if len(text) > OPT_OUT_CHARACTERS_MAX:
        return Understood.PERHAPS
    shown = with_pluses_spoken(text)
    clauses = [words for words in map(words_of, _CLAUSES.split(shown)) if words]
    words = sum(map(len, clauses))
    if words > READ_WORDS_MAX:
        return Understood.PERHAPS
    return _of_clauses(
        [as_meant(clause) for clause in clauses], as_meant(words_of(shown)), is_short=words <= WISH_WORDS_MAX
    )


def _of_clauses(clauses: list[str], whole: str, *, is_short: bool) -> Understood:
    asked = [_OPPOSITES.compiled.sub(_ASKED, clause) for clause in clauses]
    found = {_of_clause(clause) for clause in (*asked, _OPPOSITES.compiled.sub(_ASKED, whole))}
    if Understood.STOP in found:
        return Understood.STOP if is_short else Understood.PERHAPS
    if Understood.PERHAPS in found or _is_about_contact(asked) or not is_ordinary(clauses, asked):
        return Understood.PERHAPS
    return Understood.OTHER


def _is_about_contact(clauses: list[str]) -> bool:
    """Return whether a message refuses something, and speaks of calls, messages or what is known of a person."""
    whole = _ASKED.join(clauses)
    if any(away.compiled.search(whole) and about.compiled.search(whole) for away, about in _TOGETHER):
        return True
    if _INVITES.compiled.search(whole):
        return False
    return any(
        nots.compiled.search(clause) and about.compiled.search(clause) for clause in clauses for nots, about in _DENIED
    )


def _of_clause(clause: str) -> Understood:
    """Return what a part of a message means, given as plain words."""
    if _WISHES.compiled.search(clause):
        return Understood.PERHAPS if _LIMITS.compiled.search(clause) else Understood.STOP
    if OPPOSITE not in clause and is_opt_out(clause):
        return Understood.PERHAPS if clause in AMBIGUOUS else Understood.STOP
    return Understood.PERHAPS if _HINTS.compiled.search(clause) else Understood.OTHER
