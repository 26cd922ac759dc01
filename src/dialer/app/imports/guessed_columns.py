"""The meaning of the columns of a list, guessed from the names that people give them, and from what is in them."""

import re
from collections.abc import Sequence
from typing import Final

from dialer.app.imports import script_words
from dialer.app.imports.country_words import plain_word, region_in
from dialer.app.imports.place_columns import (
    CONTACT_EXPORT,
    PLACES,
    POSTAL_CODE,
    STATE,
    TIME_ZONE,
    guess_places,
    names_zones,
)
from dialer.app.imports.refusals import RefusalColumn, Suspicion, likely_kind, suspicion_of
from dialer.domain.numbers.normal_form import NumberError, digits_of, normalise

NUMBER: Final = "number"
FURTHER_NUMBERS: Final = ("number_2", "number_3", "number_4")
"""Columns that are read where the earlier ones have no number."""
ALL_NUMBERS: Final = (NUMBER, *FURTHER_NUMBERS)
FULL_NAME: Final = "full_name"
FIRST_NAME: Final = "first_name"
LAST_NAME: Final = "last_name"
VARIABLE: Final = "variable"
LEAVE_OUT: Final = "leave_out"
COUNTRY: Final = "country_code"
AREA: Final = "area_code"
DO_NOT_CALL: Final = str(RefusalColumn.FLAG)
DO_NOT_CALL_NOTES: Final = str(RefusalColumn.NOTES)
MAY_BE_CALLED: Final = str(RefusalColumn.CONSENT)
REFUSALS: Final = (DO_NOT_CALL, DO_NOT_CALL_NOTES, MAY_BE_CALLED)
ASKED: Final = "ask"
"""A column that may say who must not be called. Somebody has to choose its meaning before an import."""
MEANINGS: Final = (
    NUMBER,
    *FURTHER_NUMBERS,
    COUNTRY,
    AREA,
    FULL_NAME,
    FIRST_NAME,
    LAST_NAME,
    *PLACES,
    *REFUSALS,
    VARIABLE,
    LEAVE_OUT,
    ASKED,
)
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
        | telefono cellulare | cellulare | numero di telefono | cell | telefoon | telefoonnummer | mobiel
        | mobiele telefoon        | number 2 | number 3 | number 4 | gsm nummer | rufnummer mobil | mobilruf
        | phone work | phone home | phone mobile | phone other | other phone | business phone 2 | home phone 2
        | phone 2 value | phone 3 value | phone number 2 | phone 2 | telephone 2 | telefon 2 | telefono 2 | telefone 2
        | homephone | cellphone | workphone | alt phone | alternate phone | alternative phone | phone mobile number
        | your phone number | what is your phone number | what s your phone number | ihre telefonnummer
        | votre numero de telephone | su telefono | seu telefone | preferred phone
        | cep telefonu | cep telefon | telefon numarasi | telefon komorkowy | numer telefonu
        | komorka | nr telefonu | mobilni telefon | telefonszam | mobiltelefonszam | mobiltelefonnummer
        | matkapuhelin | puhelin | puhelinnumero
        | telefone | telemovel | numero de telefone | numero de celular | telefone celular | telefone 1 | fone
        | numero do telefone | contacto telefonico | n telefone | celular whatsapp""",
    FULL_NAME: """contact name | full name | fullname | name | customer name | customer | display name | displayname
        | client name | client | person | kontaktname | kunde | kundenname | vollstandiger name | ansprechpartner
        | vor und nachname | nom complet | nom et prenom | prenom et nom | nom prenom | nom client | nom du client
        | nombre completo | nombre y apellidos | nombre y apellido | nombre cliente | cliente | nombre del cliente
        | patient | patient name | patientin | guest | attendee | participant | teilnehmer
        | gast | paciente | your name | what is your name | what s your name | your full name
        | what is your full name | what s your full name | ihr name | wie heissen sie | votre nom | su nombre | seu nome
        | imie i nazwisko | nazwisko i imie | ad soyad | adi soyadi | jmeno a prijmeni | nev | teljes nev
        | nume si prenume | namn | navn | nimi
        | nome completo | nome do cliente | nome cliente | nome e sobrenome | nome e cognome | volledige naam | naam""",
    FIRST_NAME: """first name | firstname | given name | forename | fname | first | vorname | prenom | nombre
        | vorname adressattyp naturl person | imie | adi | jmeno | keresztnev | prenume | fornamn | fornavn
        | primer nombre | nombres | nome | primeiro nome | voornaam""",
    LAST_NAME: """last name | lastname | surname | family name | lname | last | nachname | familienname | zuname
        | name adressattyp naturl person | nazwisko | soyad | soyadi | prijmeni | vezeteknev | nume
        | efternamn | etternavn | efternavn
        | nom de famille | nom | apellido | apellidos | primer apellido | sobrenome | apelido | ultimo nome | cognome
        | achternaam""",
    COUNTRY: """country code | phone code | phone country code | dialing code | dial code | calling code | country
        | country iso | phone country | countrycode | cc | landervorwahl | landesvorwahl | landercode | land | staat
        | indicatif | indicatif pays | code pays | pays | codigo de pais | codigo pais | pais | prefijo pais
        | prefijo internacional | codigo do pais | ddi | prefisso internazionale | paese | nazione
        | landnummer | landcode""",
    AREA: """area code | areacode | npa | vorwahl | ortsvorwahl | telefonvorwahl | indicatif regional | codigo de area
        | prefijo | prefijo local | ddd | codigo de area ddd | prefisso | netnummer | kengetal""",
}
_OTHER_SCRIPTS: Final = {
    NUMBER: script_words.NUMBERS,
    FULL_NAME: script_words.FULL_NAMES,
    FIRST_NAME: script_words.FIRST_NAMES,
    LAST_NAME: script_words.LAST_NAMES,
}
WORDS: Final = {
    meaning: (
        *(" ".join(word.split()) for word in text.split("|")),
        *(plain_word(word) for word in _OTHER_SCRIPTS.get(meaning, "").split("|") if word),
    )
    for meaning, text in _WORDS.items()
}
_KNOWN: Final = frozenset(word for words in WORDS.values() for word in words)
_MOBILE: Final = re.compile(
    r"mobil|mobiel|cell|celular|cellular|handy|portable|movil|telemovel|gsm|whatsapp|cep tel|komork|matkapuhelin|"
    + "|".join(plain_word(word) for word in script_words.MOBILE.split("|"))
)
_OF_PERSON: Final = re.compile(
    r"\A(?:person|contact|lead|customer|kontakt|personne|contacto|persona|pessoa|contato)\s*[-:.>\u2013]\s*(?=.)",
    re.IGNORECASE,
)
"""The kind of record before the name of a column, as in Pipedrive's `Person - Phone`."""
_OF_ADDRESS: Final = re.compile(
    r"\A(?:billing|shipping|default address)\s+(?=.)|\s*\((?:billing|shipping|required|optional|pflichtfeld)\)\s*\Z",
    re.IGNORECASE,
)
"""The address of an order to which a column belongs, as in WooCommerce's `Phone (Billing)`, and remarks of forms."""
_OF_GROUP: Final = re.compile(r"\A(?:[a-z0-9_]+/)+(?=[a-z0-9_]+\Z)")
"""The group of questions before the name of one, as in KoboToolbox's `respondent/full_name`."""
_AREA_CODE: Final = re.compile(r"[0(]{0,2}[0-9]{2,5}\)?(?:\.0)?")
_FLAT_AREA: Final = re.compile(r"[2-9][0-9]{2}")
_FLAT_NUMBER: Final = re.compile(r"[2-9][0-9]{2}-?[0-9]{4}")
"""The two columns of the flat files of the United States' National Do Not Call Registry."""
_DATE: Final = re.compile(r"[0-9]{1,4}([./-])[0-9]{1,2}\1[0-9]{1,4}([ T].*)?")
_DECIMAL: Final = re.compile(r"-?[0-9]+[.,][0-9]{1,2}")


def column_word(name: str) -> str:
    """Return the plain name of a column, without the kind of record to which it belongs."""
    own = _OF_ADDRESS.sub("", _OF_GROUP.sub("", _OF_PERSON.sub("", name.strip(), count=1)))
    return plain_word(own)


def is_usual_name(name: str) -> bool:
    """Return whether a cell is a name that people give to a column of numbers or names."""
    return column_word(name) in _KNOWN


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
    """Return a guessed meaning for each column, from its name and the first rows. One column has the numbers."""
    plain = [column_word(name) for name in names]
    meanings = [VARIABLE] * len(names)
    columns = [[row[place] for row in rows if place < len(row)] for place in range(len(names))]
    if _is_flat(columns):
        return [AREA, NUMBER]
    for place, meaning in zip(_number_columns(plain, columns, region), ALL_NUMBERS, strict=False):
        meanings[place] = meaning
    for meaning in (FIRST_NAME, LAST_NAME, FULL_NAME):
        found = _first_of(plain, WORDS[meaning], meanings)
        if found is not None:
            meanings[found] = meaning
    _judge_pairs(meanings)
    _judge_parts(plain, columns, meanings)
    _judge_refusals(names, columns, meanings)
    _judge_places(names, rows, columns, meanings)
    return meanings


def _number_columns(plain: Sequence[str], columns: Sequence[Sequence[str]], region: str | None) -> list[int]:
    """Return the places of the columns with numbers, in the order in which they are read: mobile numbers first."""
    words = WORDS[NUMBER]
    shares = [_share(cells, region) for cells in columns]
    named = [place for place, name in enumerate(plain) if name in words]
    if named:
        filled = [place for place in named if shares[place] > 0]
        mobile = {place for place in named if _MOBILE.search(plain[place])}
        order = sorted(
            filled, key=lambda place: (place not in mobile, -round(shares[place], 1), words.index(plain[place]))
        )
        return order or named[:1]
    likely = [place for place, share in enumerate(shares) if share >= NUMBERS_SHARE_MIN]
    return likely and [max(likely, key=lambda place: shares[place])]


def _is_flat(columns: Sequence[Sequence[str]]) -> bool:
    """Return whether a table has nothing but area codes of North America and the numbers after them."""
    if len(columns) != 2 or not columns[0]:  # noqa: PLR2004 - such files have two columns
        return False
    areas, numbers = columns
    return all(map(_FLAT_AREA.fullmatch, map(str.strip, areas))) and all(
        map(_FLAT_NUMBER.fullmatch, map(str.strip, numbers))
    )


def _judge_parts(plain: Sequence[str], columns: Sequence[Sequence[str]], meanings: list[str]) -> None:
    """Find the columns with the country and with the area code of the number, by their names and all their cells."""
    for meaning, is_one in ((COUNTRY, _is_country), (AREA, _is_area)):
        for word in WORDS[meaning]:
            place = plain.index(word) if word in plain else -1
            filled = [] if place < 0 else [cell for cell in columns[place] if cell.strip()]
            if filled and meanings[place] == VARIABLE and all(map(is_one, filled)):
                meanings[place] = meaning
                break


def _is_country(cell: str) -> bool:
    return region_in(cell) is not None


def _is_area(cell: str) -> bool:
    return _AREA_CODE.fullmatch(cell.strip()) is not None


def _judge_refusals(names: Sequence[str], columns: Sequence[Sequence[str]], meanings: list[str]) -> None:
    """Find the columns that say who must not be called, or may say so."""
    for place, meaning in enumerate(meanings):
        suspicion = suspicion_of(names[place], columns[place]) if meaning == VARIABLE else Suspicion.NOTHING
        if suspicion is Suspicion.SAYS_NO:
            meanings[place] = str(likely_kind(names[place]))
        elif suspicion is Suspicion.MAY_SAY_NO:
            meanings[place] = ASKED


def _judge_places(
    names: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[Sequence[str]], meanings: list[str]
) -> None:
    """Find the columns that say where the person is, as imports do, and else a column whose cells name time zones."""
    is_export = {name.lower() for name in names} >= CONTACT_EXPORT
    for meaning, place in guess_places(names, rows, is_export=is_export).items():
        if meanings[place] == VARIABLE:
            meanings[place] = meaning
    if TIME_ZONE in meanings or is_export:
        return
    named = (
        place
        for place, cells in enumerate(columns)
        if meanings[place] in {VARIABLE, STATE, POSTAL_CODE} and names_zones(cells)
    )
    found = next(named, None)
    if found is not None:
        meanings[found] = TIME_ZONE


def _share(cells: Sequence[str], region: str | None) -> float:
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
