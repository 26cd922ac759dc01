"""The meaning of the columns of a list, guessed from the names that people give them, and from what is in them."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from dialer.domain.numbers.normal_form import NumberError, digits_of, normalise

NUMBER: Final = "number"
FULL_NAME: Final = "full_name"
FIRST_NAME: Final = "first_name"
LAST_NAME: Final = "last_name"
VARIABLE: Final = "variable"
LEAVE_OUT: Final = "leave_out"
MEANINGS: Final = (NUMBER, FULL_NAME, FIRST_NAME, LAST_NAME, VARIABLE, LEAVE_OUT)
LIKELY_DIGITS_MIN: Final = 7
NUMBERS_SHARE_MIN: Final = 0.5
"""The share of the cells of a column that must look like phone numbers, so that it is taken for that of the numbers."""

_WORDS: Final = {
    NUMBER: """contact | phone number | phone | phonenumber | phone no | phone 1 | phone 1 value | phone number 1
        | mobile phone | mobile | mobile number | mobilephone | mobile no | mobile phone number | cell phone | cell
        | cellphone | cell number | telephone | telephone number | telephone 1 | tel | tel no | number | msisdn
        | primary phone | home phone | business phone | work phone | whatsapp | whatsapp number | phone e164
        | telefon | telefonnummer | telefonnr | telefon nr | tel nr | telnr | rufnummer | handy | handynummer | handynr
        | mobil | mobiltelefon | mobilnummer | mobilfunk | mobilfunknummer | festnetz | telefon 1 | telefon privat
        | telefon geschaftlich | rufnr | telefon mobil
        | telephone portable | tel portable | portable | mobile portable | numero de telephone | numero telephone
        | no de telephone | n de telephone | no telephone | n telephone | numero | fixe | telephone fixe | tel fixe
        | telephone mobile | gsm
        | telefono | telefono movil | movil | celular | numero de telefono | numero telefono | tlf | tfno | tel movil
        | numero de movil | telefono 1 | telefono celular | telefono fijo | n de telefono | no de telefono
        | telefone | telemovel | numero de telefone | numero de celular | telefone celular | telefone 1 | fone
        | numero do telefone | contacto telefonico | n telefone | celular whatsapp""",
    FULL_NAME: """full name | fullname | name | contact name | customer name | customer | display name | displayname
        | client name | client | person | kontaktname | kunde | kundenname | vollstandiger name | ansprechpartner
        | vor und nachname | nom complet | nom et prenom | prenom et nom | nom prenom | nom client | nom du client
        | nombre completo | nombre y apellidos | nombre y apellido | nombre cliente | cliente | nombre del cliente
        | nome completo | nome do cliente | nome cliente | nome e sobrenome""",
    FIRST_NAME: """first name | firstname | given name | forename | fname | first | vorname | prenom | nombre
        | primer nombre | nombres | nome | primeiro nome""",
    LAST_NAME: """last name | lastname | surname | family name | lname | last | nachname | familienname | zuname
        | nom de famille | nom | apellido | apellidos | primer apellido | sobrenome | apelido | ultimo nome""",
}
WORDS: Final = {meaning: tuple(" ".join(word.split()) for word in text.split("|")) for meaning, text in _WORDS.items()}
_KNOWN: Final = frozenset(word for words in WORDS.values() for word in words)
_DATE: Final = re.compile(r"[0-9]{1,4}([./-])[0-9]{1,2}\1[0-9]{1,4}([ T].*)?")
_DECIMAL: Final = re.compile(r"-?[0-9]+[.,][0-9]{1,2}")


def plain_word(name: str) -> str:
    """Return the name of a column in lower case, without accents and punctuation."""
    folded = unicodedata.normalize("NFKD", name.casefold().replace("\u00df", "ss"))
    kept = "".join(mark for mark in folded if not unicodedata.combining(mark))
    return " ".join("".join(mark if mark.isalnum() else " " for mark in kept).split())


def is_usual_name(name: str) -> bool:
    """Return whether a cell is a name that people give to a column of numbers or names."""
    return plain_word(name) in _KNOWN


def looks_like_number(cell: str, region: str | None) -> bool:
    """Return whether a cell is probably a phone number, and not a date, an amount or an identifier."""
    text = cell.strip()
    if len(digits_of(text)) < LIKELY_DIGITS_MIN or _DATE.fullmatch(text) or _DECIMAL.fullmatch(text):
        return False
    try:
        normalise(text, region)
    except NumberError as error:
        return error.problem in {"shortened", "several", "extension"}
    return True


def guess_columns(names: Sequence[str], rows: Sequence[Sequence[str]], region: str | None) -> list[str]:
    """Return a meaning for each column, by its name and by what is in the first rows. One is that of the numbers."""
    plain = [plain_word(name) for name in names]
    shares = [_share(rows, place, region) for place in range(len(names))]
    meanings = [VARIABLE] * len(names)
    number = _number_column(plain, shares)
    if number is not None:
        meanings[number] = NUMBER
    for meaning in (FIRST_NAME, LAST_NAME, FULL_NAME):
        place = _first_of(plain, WORDS[meaning], meanings)
        if place is not None:
            meanings[place] = meaning
    _judge_pairs(meanings)
    return meanings


def _number_column(plain: Sequence[str], shares: Sequence[float]) -> int | None:
    """Return the place of the column with the numbers: of those with a usual name the one with the most numbers."""
    words = WORDS[NUMBER]
    named = [place for place, name in enumerate(plain) if name in words]
    if named:
        return max(named, key=lambda place: (round(shares[place], 1), -words.index(plain[place])))
    likely = [place for place, share in enumerate(shares) if share >= NUMBERS_SHARE_MIN]
    return max(likely, key=lambda place: shares[place], default=None)


def _share(rows: Sequence[Sequence[str]], place: int, region: str | None) -> float:
    cells = [row[place] for row in rows if place < len(row)]
    found = sum(looks_like_number(cell, region) for cell in cells)
    # A number with a +, or with a 0 at its beginning, is less likely to be an identifier.
    sure = sum(cell.strip(" '(").startswith(("+", "0")) for cell in cells)
    return (found + min(found, sure) / 10) / len(cells) if cells else 0.0


def _first_of(plain: Sequence[str], words: Sequence[str], meanings: Sequence[str]) -> int | None:
    places = [place for place, name in enumerate(plain) if name in words and meanings[place] == VARIABLE]
    return min(places, key=lambda place: words.index(plain[place]), default=None)


def _judge_pairs(meanings: list[str]) -> None:
    """Take half of a name for the whole name if there is no other half, and leave half names beside a whole one."""
    halves = [place for place, meaning in enumerate(meanings) if meaning in {FIRST_NAME, LAST_NAME}]
    if len(halves) == 1 and FULL_NAME not in meanings:
        meanings[halves[0]] = FULL_NAME
    elif len(halves) == 1 and meanings[halves[0]] == FIRST_NAME:
        # "Vorname" and "Name", "Prénom" and "Nom" are the two halves.
        meanings[meanings.index(FULL_NAME)] = LAST_NAME
    elif FULL_NAME in meanings:
        for place in halves:
            meanings[place] = VARIABLE
