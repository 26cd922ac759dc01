"""vCards, the contacts of telephones and mail programs, as a list: a person in each record, whatever the version."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import unquote

import msgspec

from dialer.app.imports.csv_records import CsvRecord
from dialer.app.imports.headers import REFUSALS, CsvError, check_names
from dialer.app.imports.vcard_lines import Property, read_properties
from dialer.domain.words.sentences import Sentence

NUMBERS_MAX: Final = 3
"""Numbers of a person that a phonebook keeps: the first is called, the others are variables."""
NUMBERS_OF_A_CARD_MAX: Final = 50
PROPERTIES_OF_A_CARD_MAX: Final = 1_000
COLUMNS: Final = (
    "contact",
    *(f"number_{place}" for place in range(2, NUMBERS_MAX + 1)),
    "full_name",
    "first_name",
    "last_name",
    "email",
    "organisation",
)
"""The columns of a list of vCards. `contact` is the number."""
_KEPT: Final = frozenset({"FN", "N", "NICKNAME", "TEL", "EMAIL", "ORG", "X-ABLABEL"})
_FAX: Final = frozenset({"FAX", "PAGER", "BBS", "MODEM", "TELEX", "TEXTPHONE"})
_SPOKEN: Final = frozenset({"CELL", "VOICE", "MOBILE", "IPHONE"})
_MOBILE: Final = frozenset({"CELL", "MOBILE", "IPHONE"})
_MOBILE_LABEL: Final = re.compile(
    "mobile|iphone|handy|mobil|portable|m\u00f3vil|celular|telem\u00f3vel|\u043c\u043e\u0431\u0438\u043b|\u643a\u5e2f|\u624b\u673a|\u624b\u6a5f|"
    "\ud734\ub300",
    re.IGNORECASE,
)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_PIECES: Final = re.compile(r"\\.|;|[^;\\]+|\\", re.DOTALL)


class Card(msgspec.Struct):
    """A person of a file of vCards, as its lines say."""

    line: int
    properties: list[Property]

    def first(self, name: str) -> str:
        """Return the value that a property has first, by the preference that the card gives; empty if none is there."""
        found = [one for one in self.properties if one.name == name and one.value.strip(" ;")]
        return min(found, key=lambda one: one.preference).value if found else ""


class VCardFile:
    """A file of vCards, read while it arrives, with fixed columns and the records of a `CsvFile`."""

    columns: tuple[str, ...]

    share: Final = 1.0
    """The share of the file that is read, of what has arrived."""
    row_bytes: Final = 0
    left_out: Final = 0
    """Hidden rows that were left out: such files have none."""

    def __init__(
        self, chunks: Iterable[bytes], *, required: str | None, renamed: Mapping[str, str] | None = None
    ) -> None:
        """Take the columns of a list of vCards, under the names that `renamed` gives them by their own.

        Raises:
            CsvError: `renamed` has a column that is not there, or no column is read as `required`.
        """
        renamed = dict(renamed or {})
        targets = {name.lower() for name in renamed.values()}
        if required is not None and required not in targets:
            renamed.setdefault(COLUMNS[0], required)
        self.columns = tuple(renamed.get(name, name) for name in COLUMNS)
        if required is not None and required not in {name.lower() for name in self.columns}:
            raise CsvError(
                Sentence(
                    "No column is read as %(required)s. A file of vCards has: %(names)s.",
                    required=required,
                    names=", ".join(COLUMNS),
                )
            )
        check_names(COLUMNS, self.columns, renamed)
        self._cards = read_cards(chunks)
        self._is_of_refusals = required == REFUSALS

    def __iter__(self) -> Iterator[CsvRecord]:
        for card in self._cards:
            numbers = _numbers(card, with_fax=self._is_of_refusals)
            rest = [*_names(card), _text(card.first("EMAIL")), _organisation(card)]
            for first in numbers or [""] if self._is_of_refusals else [""]:
                kept = [first] if self._is_of_refusals else numbers[:NUMBERS_MAX]
                yield CsvRecord(card.line, kept + [""] * (NUMBERS_MAX - len(kept)) + rest, None)


def read_cards(chunks: Iterable[bytes]) -> Iterator[Card]:
    """Yield the cards of a file in UTF-8. A card within another one, as of an assistant, is left out."""
    card: Card | None = None
    inner, before = 0, ""
    for one in read_properties(chunks):
        marks = one.value.strip().upper() == "VCARD"
        if one.name == "BEGIN" and marks:
            if card is not None and (inner or before == "AGENT"):
                inner += 1
            else:
                if card is not None:
                    yield card
                card = Card(one.line, [])
        elif one.name == "END" and marks and inner:
            inner -= 1
        elif one.name == "END" and marks and card is not None:
            yield card
            card = None
        elif card is not None and not inner and one.name in _KEPT and len(card.properties) < PROPERTIES_OF_A_CARD_MAX:
            card.properties.append(one)
        before = one.name
    if card is not None:
        yield card


def _numbers(card: Card, *, with_fax: bool) -> list[str]:
    """Return the numbers of a card, each once: those of mobile telephones first, then the preferred ones."""
    labels = {one.group: one.value for one in card.properties if one.name == "X-ABLABEL" and one.group}
    found = [one for one in card.properties if one.name == "TEL"][:NUMBERS_OF_A_CARD_MAX]
    spoken = [one for one in found if with_fax or not one.types & _FAX or one.types & _SPOKEN]

    def order(one: Property) -> tuple[bool, int]:
        is_mobile = bool(one.types & _MOBILE or _MOBILE_LABEL.search(labels.get(one.group, "")))
        return not is_mobile, one.preference

    return list(dict.fromkeys(filter(None, (_number(one.value) for one in sorted(spoken, key=order)))))


def _number(value: str) -> str:
    """Return a number as people write it, also from an address such as `tel:+1-202-555-0100;ext=12` (RFC 3966)."""
    text = _text(value)
    if text[:4].lower() != "tel:":
        return text
    number, *parameters = unquote(text[4:]).split(";")
    told = dict(one.partition("=")[::2] for one in parameters)
    context, extension = told.get("phone-context", ""), told.get("ext", "")
    number = f"{context}-{number}" if context.startswith("+") and not number.startswith("+") else number
    return f"{number} ext. {extension}" if extension else number


def _names(card: Card) -> tuple[str, str, str]:
    """Return the full, the first and the last name."""
    last, first, middle, before, after = [*map(_text, _parts(card.first("N"))), *[""] * 5][:5]
    full = _text(card.first("FN")) or " ".join(filter(None, (before, first, middle, last, after)))
    return full or _organisation(card) or _text(card.first("NICKNAME")), first, last


def _organisation(card: Card) -> str:
    return _text(_parts(card.first("ORG"))[0])


def _parts(value: str) -> list[str]:
    """Return the parts of a value between semicolons, escapes still in them."""
    parts = [""]
    for piece in _PIECES.findall(value):
        if piece == ";":
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _text(value: str) -> str:
    """Return a value without escapes, in one line."""
    plain = _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)
    return " ".join(plain.replace("\0", "").split())
