"""Columns of a list that say who must not be called: their usual names, and the words in their cells.

The words are those of the exports of Salesforce, HubSpot, Mailchimp, Pipedrive and VICIdial, and those that people
write into their own lists in English, German, French, Spanish, Portuguese, Italian and Dutch.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Final

from dialer.app.imports.country_words import plain_word

CELL_MAX: Final = 2_000
"""Characters of a cell that are read for a refusal."""


class RefusalColumn(StrEnum):
    """A column by which people must not be called."""

    FLAG = "do_not_call"
    """Any cell but an empty one and a no is a refusal."""
    NOTES = "do_not_call_notes"
    """A cell with words such as "do not call" is a refusal."""
    CONSENT = "may_be_called"
    """A clear no is a refusal, and without a yes somebody is left out."""


class Wish(StrEnum):
    """The wish of a person about calls, as a row of a list states it."""

    NONE = "none"
    REFUSED = "refused"
    """The person must not be called."""
    UNKNOWN = "unknown"
    """Nobody has said that the person may be called."""


def _words(text: str) -> frozenset[str]:
    return frozenset(" ".join(word.split()) for word in text.split("|"))


def _any_of(*texts: str) -> re.Pattern[str]:
    """Return a pattern of whole words. `*` stands for any ending."""
    words = sorted(word for text in texts for word in _words(text))
    pattern = "|".join(word.replace("*", "[a-z]*") for word in words)
    return re.compile(rf"\b(?:{pattern})\b")


_YES: Final = _words(
    """yes | y | true | t | 1 | 1 0 | x | on | checked | ja | j | wahr | oui | o | vrai | si | s | verdadero | sim
    | verdadeiro | vero | waar"""
)
_NO: Final = _words(
    """no | n | false | f | 0 | 0 0 | off | unchecked | nein | falsch | non | faux | falso | nao | nee | onwaar | none
    | null | nil | na | marketing contact | callable | active | subscribed | opted in | opt in"""
)
_DENIED: Final = _words(
    """no | n | false | f | 0 | 0 0 | off | unchecked | nein | falsch | non | faux | falso | nao | nee | onwaar | denied
    | refused | withdrawn | revoked | opted out | opt out | unsubscribed | widerrufen | abgelehnt"""
)
_PHRASES: Final = (
    """do not call* | do not phone* | do not contact* | do not ring | do not disturb | don t call* | don t phone*
    | don t contact* | dont call* | dont contact* | never call* | never contact* | must not be called | not to be called
    | no call list | no calls | no more calls | dnc | dncr | opt out | opted out | unsubscribe | unsubscribed
    | not callable | non marketing | non marketing contact | blacklist* | blocklist*""",
    """nicht anrufen | nicht mehr anrufen | nicht kontaktieren | nicht mehr kontaktieren
    | nie anrufen | niemals anrufen | keine anrufe | kein anruf | keine werbung | keine telefonwerbung
    | keine kontaktaufnahme | werbesperre | anrufsperre | sperrvermerk | werbewiderspruch""",
    """no llamar* | no llame* | no contactar* | no molestar | lista robinson | robinson""",
    """ne pas appeler | ne plus appeler | ne pas contacter | ne plus contacter | ne pas rappeler | ne pas demarcher
    | ne jamais appeler | bloctel""",
    """nao ligar | nao ligue* | nao contatar | nao contactar | nao chamar | nao perturbe | nao perturbar""",
    """non chiamare | non contattare | niet bellen | niet meer bellen | niet contacteren | niet benaderen
    | bel me niet""",
)
PHRASE: Final = _any_of(*_PHRASES)
"""Words of a cell that say so."""
_STEM: Final = re.compile(
    "|".join(sorted({max(phrase.strip("*").split(), key=len) for text in _PHRASES for phrase in _words(text)}))
    + r"|[^\x00-\x7f]",
    re.IGNORECASE,
)
"""The longest word of each phrase, so that rows with none are seen quickly. Letters with accents may be any letter."""
FLAG_NAME: Final = _any_of(
    *_PHRASES,
    """donotcall* | donotcontact* | optout* | opt out* | unsub* | sperre | gesperrt | sperrkennzeichen
    | telefonsperre | kontaktsperre | widerspruch* | abgemeldet | marketing contact status""",
    """opposition | desabonne* | desinscrit* | baja | excluido | descadastrad* | disiscritto | uitgeschreven
    | robinsonliste""",
)
"""Names of columns that say that somebody is not to be called."""
CONSENT_NAME: Final = _any_of(
    """opt in | optin* | opted in | consent* | permission* | ok to call | okay to call | may call | may be called
    | can call | can be called | may contact | may be contacted | allowed to call | call ok | subscribed
    | subscription status | callable""",
    """einwilligung* | einverstanden* | zustimmung | anruf erlaubt | darf angerufen werden | werbeerlaubnis
    | consentement | accord | consentimiento | permiso | consentimento | autoriza* | consenso | toestemming""",
)
"""Names of columns that say that somebody may be called."""
_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OTHER_WAY: Final = _any_of(
    "e mail* | email* | newsletter | mailing | courriel | correo | sms | text | texts | post | whatsapp"
)
_CIRCUMSTANCE: Final = _any_of("time | date | ip | source | zeit | quelle | heure | hora | origin | datum")
"""Words of columns that say when or how somebody has agreed, such as Mailchimp's OPTIN_TIME."""


def flag_in(cell: str) -> Wish:
    """Return the wish in a cell of a `FLAG` column. Any text but a no counts as a refusal."""
    plain = plain_word(cell[:CELL_MAX])
    return Wish.NONE if not plain or plain in _NO else Wish.REFUSED


def note_in(cell: str) -> Wish:
    """Return the wish in a cell of a `NOTES` column, by phrases such as "do not call"."""
    return Wish.REFUSED if PHRASE.search(plain_word(cell[:CELL_MAX])) else Wish.NONE


def consent_in(cell: str) -> Wish:
    """Return the wish in a cell of a `CONSENT` column. Any text but a denial counts as a consent."""
    plain = plain_word(cell[:CELL_MAX])
    if plain in _DENIED or PHRASE.search(plain):
        return Wish.REFUSED
    return Wish.NONE if plain else Wish.UNKNOWN


READERS: Final = {
    RefusalColumn.FLAG: flag_in,
    RefusalColumn.NOTES: note_in,
    RefusalColumn.CONSENT: consent_in,
}


def strictest(wishes: Iterable[Wish]) -> Wish:
    """Return the strictest of the wishes of a row."""
    found = set(wishes)
    return next((wish for wish in (Wish.REFUSED, Wish.UNKNOWN) if wish in found), Wish.NONE)


class Suspicion(StrEnum):
    """A belief about a column, by its name and by its cells."""

    NOTHING = "nothing"
    SAYS_NO = "says_no"
    """It says who must not be called."""
    MAY_SAY_NO = "may_say_no"
    """It may say so, in words that a person has to read, or the other way round."""


def suspicion_of(name: str, cells: Sequence[str]) -> Suspicion:
    """Return whether a column says who must not be called. `cells` are some of its cells."""
    plain = _plain_name(name)
    filled = [plain_word(cell[:CELL_MAX]) for cell in cells if cell.strip()]
    if _is_consent(plain):
        return Suspicion.NOTHING if _CIRCUMSTANCE.search(plain) else Suspicion.MAY_SAY_NO
    if FLAG_NAME.search(plain):
        if _OTHER_WAY.search(plain):
            return Suspicion.NOTHING if all(cell in _NO for cell in filled) else Suspicion.MAY_SAY_NO
        is_plain = all(cell in _YES or cell in _NO or PHRASE.search(cell) for cell in filled)
        return Suspicion.SAYS_NO if is_plain else Suspicion.MAY_SAY_NO
    return Suspicion.MAY_SAY_NO if any(map(PHRASE.search, filled)) else Suspicion.NOTHING


def likely_kind(name: str) -> RefusalColumn:
    """Return as what a column that says who must not be called is read, by its name."""
    plain = _plain_name(name)
    if _is_consent(plain):
        return RefusalColumn.CONSENT
    return RefusalColumn.FLAG if FLAG_NAME.search(plain) else RefusalColumn.NOTES


def _plain_name(name: str) -> str:
    """Return the name of a column in plain words, also that of a field such as `DoNotCall`."""
    return plain_word(_CAPITAL.sub(" ", name))


def _is_consent(plain: str) -> bool:
    return CONSENT_NAME.search(plain) is not None and PHRASE.search(plain) is None


class RefusalSearch:
    """A search through all rows of a file for texts that refuse calls, in columns that have no other role."""

    def __init__(self, columns: Sequence[str], roles: Collection[str]) -> None:
        """Take the names of the columns, and those with a role in lower case, which are left out."""
        self._names: Final = dict(enumerate(columns))
        self._left_out: Final = {place for place, name in enumerate(columns) if not name or name.lower() in roles}
        self.found: Final[dict[str, int]] = {}
        """The rows with such words by the names of columns."""

    def look_at(self, cells: Sequence[str]) -> None:
        """Count, by column, the cells of a row that refuse calls in words."""
        if not _STEM.search("\n".join(cells)):
            return
        for place, cell in enumerate(cells):
            if place not in self._left_out and note_in(cell) is Wish.REFUSED:
                name = self._names.get(place, "")
                self.found[name] = self.found.get(name, 0) + 1
