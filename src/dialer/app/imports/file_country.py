"""The country of numbers that have none, as the file itself tells it.

Each likely country gets points for each number: for one that its numbering plan has, and for one that is written as
people there write it. The plans overlap: 202 555 0124 is a number of Washington, and one of Wuppertal whose 0 is lost.
So a country must be clearly ahead of all others, or the viewer is asked.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

import phonenumbers
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from dialer.app.imports.country_words import plain_word
from dialer.domain.numbers.by_the_library import parse
from dialer.domain.numbers.doubts import doubt_of
from dialer.domain.numbers.normal_form import NumberError, digits_of, has_lost_plus, normalise
from dialer.domain.numbers.usual_spellings import folded

SAMPLE_MAX: Final = 100
"""Maximum numbers of each kind by which a file is judged. They come from all parts of it."""
DIGITS_MIN: Final = 7
"""Minimum digits of a number that tells its country. Shorter ones are extensions and short codes."""
WORLD_SAMPLE_MAX: Final = 25
"""Numbers that are tried in every country of the world if no likely one has them."""
LARGE: Final = ("US", "GB", "IN", "DE", "FR", "ES", "IT", "BR")
"""Large countries, which are tried for every file."""
_OF_LANGUAGE: Final[Mapping[str, tuple[str, ...]]] = {
    "en": ("US", "GB", "AU", "IE", "NZ", "ZA"),
    "de": ("DE", "AT", "CH"),
    "fr": ("FR", "BE", "CH"),
    "es": ("ES", "MX", "AR", "CO", "CL", "PE"),
    "pt": ("BR", "PT"),
    "it": ("IT",),
    "nl": ("NL", "BE"),
}
_HEADER_WORDS: Final[Mapping[str, str]] = {
    "en": "first name|last name|phone|phone number|mobile phone|mobile number|cell phone|home phone|business phone|city"
    "|address|street|zip|zip code|state|company|contact name|customer name|full name|do not call|account name",
    "de": "telefon|telefonnummer|rufnummer|handy|handynummer|mobil|mobilnummer|festnetz|vorname|nachname|kunde|ort|plz"
    "|strasse|firma|anrede|kundennummer|kd nr|stadt|termin|hausnummer|geburtsdatum",
    "fr": "prenom|nom|ville|portable|code postal|adresse|civilite|tel portable|telephone portable|numero de telephone"
    "|societe|fixe|n de telephone|date de naissance",
    "es": "telefono|movil|nombre|apellido|apellidos|ciudad|direccion|codigo postal|telefono movil|empresa"
    "|provincia|cliente",
    "pt": "telefone|telemovel|nome|sobrenome|apelido|cidade|endereco|cep|morada|numero de telefone"
    "|empresa|nome completo",
    "it": "telefono cellulare|cellulare|cognome|citta|indirizzo|cap|provincia|numero di telefono|azienda",
    "nl": "telefoon|telefoonnummer|mobiel|voornaam|achternaam|plaats|woonplaats|postcode|adres|bedrijf",
}
_MOBILE: Final = frozenset({PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE})
_PLACED: Final = _MOBILE | {PhoneNumberType.FIXED_LINE}
"""Types of numbers of people."""
POSSIBLE: Final = 1.0
VALID: Final = 2.0
MOBILE: Final = 1.0
AS_DIALLED: Final = 1.0
AS_WRITTEN: Final = 2.0
FITS_MIN: Final = 3.0
"""Points from which a number counts as one of a country."""
FITS_TOLD_MIN: Final = 2.0
"""Points for a country that other numbers of the file name: the library has no numbers for films (07700 900123)."""
EXPLICIT: Final = 1.5
OF_HEADER: Final = 1.0
NAMED: Final = 0.75
OF_ZONE: Final = 0.75
AHEAD: Final = 1.1
"""The least ratio of the points of the best country to those of the next, so that nobody is asked."""
NEARLY: Final = 0.92
"""The share of the points of a country that somebody named, from which another one is a reason to ask."""
TOLD_MIN: Final = 2
"""Minimum numbers with a country that are a reason to ask if the others look like those of another country."""
SHARE_MIN: Final = 0.5
"""The share of the numbers that must be numbers of a country."""
OPTIONS_MAX: Final = 3
_DIGIT_GROUPS: Final = re.compile(r"[0-9]+")


class Hints(NamedTuple):
    """Hints at the country of a file besides its numbers."""

    named: str = ""
    """The country of the account, or that of the service; empty if neither has one."""
    zone: str = ""
    """The country of the viewer's time zone."""
    headers: Sequence[str] = ()


class Fit(NamedTuple):
    """A country, and how many of the numbers are numbers of it that somebody can have, as the preview judges them."""

    region: str
    fits: int


class FileCountry(NamedTuple):
    """The judgement of the numbers of a file that have no country."""

    region: str
    """The likeliest country; empty if nothing tells it."""
    judged: int
    """Numbers by which it was judged."""
    options: tuple[Fit, ...]
    """The likeliest countries, the best one first, without those that have the same numbering plan."""
    is_doubtful: bool
    """True if somebody should be asked."""


class NumberSample:
    """Numbers from all parts of a file, of which at most `SAMPLE_MAX` are kept however many there are."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._every = 1
        self.seen = 0
        """Numbers that were seen. Readers of rows count them here, as a call for each row would cost too much."""
        self.next_seen = 1
        """The count of numbers at which the next one is kept."""

    def keep(self, cell: str) -> None:
        """Take the number that was seen last, as it is written."""
        self._kept.append(cell)
        if len(self._kept) > 2 * SAMPLE_MAX:
            del self._kept[1::2]
            self._every *= 2
        self.next_seen = self.seen + self._every

    def numbers(self) -> list[str]:
        """Return the sampled numbers."""
        return self._kept


def judge(cells: Iterable[str], hints: Hints) -> FileCountry:
    """Return the country that the numbers of a file suggest."""
    explicit, national = _told(cells)
    if not national:
        return FileCountry(hints.named or hints.zone, 0, (), is_doubtful=False)
    told = _most_told(explicit)
    scores = [
        _Score(region, national, _bonus(region, explicit, hints), is_told=same_plan(region, told))
        for region in _candidates(explicit, hints)
    ]
    if all(score.fits < SHARE_MIN * len(national) for score in scores):
        scores += _in_the_world({score.region for score in scores}, national)
    ranked = sorted(scores, key=lambda score: -score.points)
    is_doubtful = _is_doubtful(ranked, len(national), hints, told)
    if told:  # It is offered first, as other numbers of the file are of this country.
        ranked.sort(key=lambda score: not (same_plan(score.region, told) and score.fits >= SHARE_MIN * len(national)))
    best = ranked[0]
    options = tuple(Fit(score.region, _right(score.region, national)) for score in ranked[:OPTIONS_MAX] if score.fits)
    return FileCountry(best.region if best.fits else hints.named, len(national), options, is_doubtful)


class _Score:
    """The points of a country."""

    def __init__(self, region: str, cells: Sequence[str], bonus: float = 0.0, *, is_told: bool = False) -> None:
        each = [_points(cell, region) for cell in cells]
        least = FITS_TOLD_MIN if is_told else FITS_MIN
        self.region = region
        self.fits = sum(points >= least for points in each)
        mean = sum(each) / len(each)
        self.points = mean + (bonus if self.fits else 0.0)


def _right(region: str, cells: Sequence[str]) -> int:
    return sum(_is_right(cell, region) for cell in cells)


def _is_right(cell: str, region: str) -> bool:
    try:
        return not doubt_of(normalise(cell, region))
    except NumberError:
        return False


def _is_doubtful(ranked: Sequence[_Score], count: int, hints: Hints, told: str) -> bool:
    best = ranked[0]
    if best.fits < SHARE_MIN * count or (told and not same_plan(best.region, told)):
        return True
    second = next((score.points for score in ranked[1:]), 0.0)
    if hints.named:
        return not same_plan(best.region, hints.named) or second > NEARLY * best.points
    return best.points < AHEAD * second


def _most_told(explicit: Counter[str]) -> str:
    """Return the country that most numbers with one name; empty if these are too few to mean anything."""
    most = explicit.most_common(1)
    return most[0][0] if most and most[0][1] >= TOLD_MIN and 2 * most[0][1] > explicit.total() else ""


def _told(cells: Iterable[str]) -> tuple[Counter[str], list[str]]:
    """Return how often numbers name each country, and the numbers that name none."""
    explicit: Counter[str] = Counter()
    national: list[str] = []
    for cell in cells:
        region = _explicit_region(cell)
        if region is not None:
            explicit[region] += 1
        elif len(digits_of(cell)) >= DIGITS_MIN:
            national.append(folded(cell))
    return explicit, _thinned(list(dict.fromkeys(national)))


def _thinned(cells: list[str]) -> list[str]:
    return cells if len(cells) <= SAMPLE_MAX else cells[:: -(-len(cells) // SAMPLE_MAX)]


def _explicit_region(cell: str) -> str | None:
    try:
        number = normalise(cell, None)
    except NumberError:
        return None
    parsed = parse(number) if number.startswith("+") else None
    if parsed is None or not parsed.country_code:
        return None
    return str(phonenumbers.region_code_for_country_code(parsed.country_code))


def _candidates(explicit: Counter[str], hints: Hints) -> list[str]:
    """Return the likely countries, the likeliest first, one for each numbering plan."""
    told = [region for region, _ in explicit.most_common(OPTIONS_MAX)]
    of_header = _OF_LANGUAGE.get(language_of(hints.headers), ())
    regions: dict[int, str] = {}
    for region in (hints.named, *told, *of_header, hints.zone, *LARGE):
        if region in phonenumbers.SUPPORTED_REGIONS:
            regions.setdefault(phonenumbers.country_code_for_region(region), region)
    return list(regions.values())


def _bonus(region: str, explicit: Counter[str], hints: Hints) -> float:
    total = explicit.total()
    told = sum(count for one, count in explicit.items() if same_plan(one, region))
    of_header = _OF_LANGUAGE.get(language_of(hints.headers), ())
    return (
        (EXPLICIT * told / total if total else 0.0)
        + (OF_HEADER if region in of_header[:1] else OF_HEADER / 4 if region in of_header else 0.0)
        + (NAMED if hints.named and same_plan(region, hints.named) else 0.0)
        + (OF_ZONE if hints.zone and same_plan(region, hints.zone) else 0.0)
    )


def _in_the_world(tried: set[str], national: Sequence[str]) -> list[_Score]:
    """Return the scores of all other countries that have most of the numbers."""
    few = national[:: max(1, len(national) // WORLD_SAMPLE_MAX)][:WORLD_SAMPLE_MAX]
    codes = {phonenumbers.country_code_for_region(region) for region in tried}
    others = [region for code, region in _main_regions() if code not in codes]
    likely = [region for region in others if _Score(region, few).fits > SHARE_MIN * len(few)]
    return [_Score(region, national) for region in likely]


@cache
def _main_regions() -> list[tuple[int, str]]:
    pairs = ((code, regions[0]) for code, regions in phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items())
    return [(code, region) for code, region in pairs if region in phonenumbers.SUPPORTED_REGIONS]


def _points(cell: str, region: str) -> float:
    """Return how much a number without a country looks like one of a country."""
    try:
        number = normalise(cell, region)
    except NumberError:
        return 0.0
    parsed = parse(number) if number.startswith("+") else None
    if parsed is None or parsed.country_code != phonenumbers.country_code_for_region(region):
        return 0.0
    if phonenumbers.is_possible_number_with_reason(parsed) != phonenumbers.ValidationResult.IS_POSSIBLE:
        return 0.0
    points = POSSIBLE
    kind = phonenumbers.number_type(parsed)
    points += VALID if kind in _PLACED else 0.0
    points += MOBILE if kind in _MOBILE else 0.0
    points += AS_DIALLED if _is_as_dialled(cell, region) or has_lost_plus(cell, region) else 0.0
    return points + (AS_WRITTEN if _is_as_written(cell, parsed) else 0.0)


def _is_as_dialled(cell: str, region: str) -> bool:
    """Return whether a number begins as numbers do within a country: with its prefix, or where it has none, without."""
    prefix = _prefix_of(region)
    digits = digits_of(cell)
    if not prefix:  # As in Italy, whose numbers of landlines begin with a 0 of their own.
        return True
    return digits.startswith(prefix) if prefix == "0" else not digits.startswith("0")


@cache
def _prefix_of(region: str) -> str:
    return phonenumbers.ndd_prefix_for_region(region, True) or ""  # noqa: FBT003 - the library takes it by place


def _is_as_written(cell: str, parsed: phonenumbers.PhoneNumber) -> bool:
    """Return whether the groups of digits are those of the country, such as 06 39 98 01 23 in France."""
    groups = _DIGIT_GROUPS.findall(cell)
    if len(groups) < 3:  # noqa: PLR2004 - two groups may be of any country
        return False
    national = _DIGIT_GROUPS.findall(phonenumbers.format_number(parsed, PhoneNumberFormat.NATIONAL))
    return groups == national or (groups[0] in {"0", "1"} and groups[1:] == national)


def same_plan(first: str, second: str) -> bool:
    """Return whether two countries have the same country code, so that both give the same numbers."""
    return first == second or _code_of(first) == _code_of(second) != 0


@cache
def _code_of(region: str) -> int:
    return phonenumbers.country_code_for_region(region) if region in phonenumbers.SUPPORTED_REGIONS else 0


@cache
def _languages_by_word() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for language, words in _HEADER_WORDS.items():
        for word in words.split("|"):
            found.setdefault(word, []).append(language)
    return found


def language_of(headers: Sequence[str]) -> str:
    """Return the language of the names of columns; empty if they do not tell it."""
    found: Counter[str] = Counter()
    for header in headers:
        for language in _languages_by_word().get(plain_word(header), ()):
            found[language] += 1
    likeliest = found.most_common(2)
    if not likeliest or (len(likeliest) > 1 and likeliest[0][1] == likeliest[1][1]):
        return ""
    return likeliest[0][0]
