"""The phonebook of the demonstration and its do-not-call list: two CSV files with the flaws of real ones.

They have names, variables, and numbers of ten countries in local spellings. Some lines cannot be read, and some numbers
occur twice. The files are shipped beside this module; `python -m dialer.demo.phonebook` writes them again.
"""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dialer.demo.places import COUNTRY_CODES, PLACES, Place
from dialer.domain.numbers.normal_form import NumberError, normalise

FOLDER: Final = Path(__file__).parent
PHONEBOOK: Final = FOLDER / "phonebook.csv"
DO_NOT_CALL: Final = FOLDER / "do-not-call.csv"
COLUMNS: Final = ("contact", "full_name", "city", "country", "language", "departure", "booking")

CsvLine = tuple[str, ...]

_FIRST_NAMES: Final = {
    "en": "Ada Amir Bea Ben Carla Dev Elsie Femi Grace Hugo Imani Jack Kezia Leo Maya Noor Omar Priya Quinn Rosa Sam",
    "de": "Anke Bernd Clara Dirk Elif Frieda Georg Heike Ivo Jana Kai Lena",
    "fr": "Agathe Bruno Chloé Didier Élise Farid Gaëlle Hervé Inès Joël Léa",
    "sv": "Alva Björn Cilla Dag Ebba Frej Greta Hjalmar Inga",
    "ja": "Aiko Daichi Emi Haruto Kaori Makoto Naomi Ren Sakura Takumi",
    "pt": "Ana Bruno Caio Débora Elisa Felipe Gabriela Heitor João",
}
_LAST_NAMES: Final = {
    "en": "Abbott Bello Chandra Dunn Ellis Farrow Gray Haddad Iyer Jones Khan Lowe Mbeki Nash Okafor Price Rao Shah",
    "de": "Ackermann Brandt Çelik Dorn Eberle Fuchs Götz Huber Jung Krüger Lenz",
    "fr": "Arnaud Benali Chevalier Dubois Étienne Fournier Girard Haddou Lefèvre Marchand",
    "sv": "Andersson Berg Dahl Ek Forsström Hedlund Åkesson",
    "ja": "Abe Endo Fujita Hara Ito Kobayashi Mori Ono",
    "pt": "Alves Barros Cardoso Dias Esteves Ferraz Gonçalves Moura",
}
_PUNCTUATION: Final = re.compile(r"[ .()-]+")
_ALPHABET: Final = "BCDFGHJKLMNPQRSTVWXZ"
_MIX: Final = 1_009
"""A prime, so that steps of this size visit every contact once: the order looks random."""
_TWICE_EVERY: Final = 97
_TWICE_AFTER: Final = 40
"""The second line of a number comes so many lines after the first."""
_LISTED_EVERY: Final = 61
_UNREADABLE_EVERY: Final = 173
_NOT_UTF8: Final = "José".encode("latin-1")
_UNREADABLE: Final[tuple[bytes, ...]] = (
    b"+1 212 555 01AB,Max Letters,New York,United States,en,2026-11-20 07:45,",
    b"+44 20 7946 0140",
    b"n/a,Nora Nowhere,London,United Kingdom,en,2026-11-21 18:05,MT-2209-K",
    b"12,Tim Short,Berlin,Germany,de,2026-11-19 06:30,MT-7345-B",
    b",Ella Empty,Paris,France,fr,2026-11-22 10:15,MT-1180-R",
    b"+1 415 555 0123 ext. 7,Ray Extension,San Francisco,United States,en,2026-11-20 12:00,MT-5512-S",
    b"+61 2 5550 1234,Ned Comma, Jr.,Sydney,Australia,en,2026-11-24 21:40,MT-9031-T",
    b"+4930231251234567890,Lotte Long,Berlin,Germany,de,2026-11-23 09:20,MT-6120-L",
    b"+33 1 99 00 12 3O,Odile Zero,Paris,France,fr,2026-11-25 16:55,MT-3307-P",
    b"+55 11 0000-0444," + _NOT_UTF8 + b" Latino,Sao Paulo,Brazil,pt,2026-11-26 23:10,MT-4418-J",
    b'+81 3 0000 0345,"Quentin Quote,Tokyo,Japan,ja,2026-11-27 11:35,MT-8624-Q',
    b"9.1E+11,Ravi Rounded,Mumbai,India,en,2026-11-20 14:30,MT-1745-T",
    b'=HYPERLINK("http://example.com"),Fay Formula,Toronto,Canada,en,2026-11-28 08:00,MT-2051-F',
    b"\xd9\xa1\xd9\xa2,Dia Digits,Delhi,India,en,2026-11-29 05:50,MT-3963-D",
)
_STRANGERS: Final = ("+1 555 0100 999", "+44 20 7946 0999", "+49 30 23125 999", "+61 2 5550 9999", "+33 1 99 00 99 99")
"""Numbers on the do-not-call list that are not in the phonebook."""


def phonebook() -> bytes:
    """Return the phonebook as a CSV file."""
    lines = _with_unreadable_lines(_with_second_spellings(_mixed(list(_contacts()))))
    return b"".join(line + b"\n" for line in [_csv(COLUMNS), *lines])


def do_not_call() -> bytes:
    """Return the do-not-call list as a CSV file, with some numbers in another spelling than in the phonebook."""
    listed = [contact[0] for contact in _mixed(list(_contacts()))[::_LISTED_EVERY]]
    numbers = [number if place % 3 else _bare(number) for place, number in enumerate(listed)]
    lines = ["phone_number", *numbers, *_STRANGERS, numbers[0], "see the note of 3 November"]
    return b"".join(_csv((line,)) + b"\n" for line in lines)


def count_lines(path: Path) -> int:
    """Count the lines of a file after its header."""
    return len(path.read_bytes().splitlines()) - 1


def numbers(path: Path) -> set[str]:
    """Return the distinct numbers of the readable lines of a file, in normal form."""
    header, *lines = path.read_bytes().splitlines()
    read_numbers = (_number(line, cells=header.count(b",") + 1) for line in lines)
    return {number for number in read_numbers if number is not None}


def _number(line: bytes, cells: int) -> str | None:
    try:
        (row,) = csv.reader([line.decode()], strict=True)
        return normalise(row[0], None) if len(row) == cells else None
    except (UnicodeDecodeError, csv.Error, NumberError):
        return None


def _contacts() -> Iterator[CsvLine]:
    place_of_number = [(place, offset) for place in PLACES for offset in range(place.count)]
    for index, (place, offset) in enumerate(place_of_number):
        yield (
            _spelt(place, offset, style=index % 3),
            _name(place.language, index),
            place.city,
            place.country,
            place.language,
            f"2026-11-{17 + index % 12:02d} {5 + index % 17:02d}:{index % 12 * 5:02d}",
            f"MT-{1_000 + index * 7 % 9_000}-{_ALPHABET[index % len(_ALPHABET)]}",
        )


def _spelt(place: Place, offset: int, style: int) -> str:
    """Return a number of a place: its digits alone, as people there write it, or with dots."""
    number = place.number(offset)
    code = COUNTRY_CODES[place.country]
    if style == 0:
        return number
    digits = iter(number[1 + len(code) :])
    local = "".join(next(digits) if sign == "#" else sign for sign in place.pattern)
    return f"+{code} {local}" if style == 1 else f"+{code}{_PUNCTUATION.sub('.', f' {local}')}"


def _bare(number: str) -> str:
    """Return a number without its punctuation."""
    return _PUNCTUATION.sub("", number)


def _name(language: str, index: int) -> str:
    first, last = _FIRST_NAMES[language].split(), _LAST_NAMES[language].split()
    return f"{first[index % len(first)]} {last[index // 3 % len(last)]}"


def _mixed(contacts: list[CsvLine]) -> list[CsvLine]:
    return [contacts[place * _MIX % len(contacts)] for place in range(len(contacts))]


def _with_second_spellings(contacts: list[CsvLine]) -> list[CsvLine]:
    """Return the contacts, some of them a second time later on, with the number in another spelling."""
    lines: list[CsvLine] = []
    for place, contact in enumerate(contacts):
        lines.append(contact)
        if place >= _TWICE_AFTER and place % _TWICE_EVERY == 0:
            number, *others = contacts[place - _TWICE_AFTER]
            spelt = _bare(number) if " " in number else f"{number[:4]}-{number[4:]}"
            lines.append((spelt, *others))
    return lines


def _with_unreadable_lines(contacts: list[CsvLine]) -> list[bytes]:
    lines = [_csv(contact) for contact in contacts]
    for place, line in enumerate(_UNREADABLE):
        lines.insert((place + 1) * _UNREADABLE_EVERY, line)
    return lines


def _csv(cells: CsvLine) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue().encode()


if __name__ == "__main__":
    PHONEBOOK.write_bytes(phonebook())
    DO_NOT_CALL.write_bytes(do_not_call())
