"""The character set of a list, and the question to the viewer where a few names may be of several sets."""

from collections import Counter
from collections.abc import Iterable

from dialer.app.imports.latin_guess import LATIN_SETS, LatinReading, doubtful_readings
from dialer.app.imports.preview import FileView
from dialer.console.lists.list_choices import ListChoices, number_place
from dialer.domain.calling_times.zones import countries_of_number
from dialer.domain.numbers.normal_form import NumberError, normalise


def readings_of(pieces: Iterable[bytes], view: FileView, chosen: ListChoices, read: ListChoices) -> list[LatinReading]:
    """Return the character sets that a file may have, the likeliest first; none if it tells its own, or one was chosen.

    It is judged by its first piece that is not ASCII, and by the country of most of its numbers. `read` has the choices
    with all that was open.
    """
    guessed = view.form.charset
    if view.is_workbook or chosen.form.charset is not None or guessed not in LATIN_SETS:
        return []
    first = next((piece for piece in pieces if not piece.isascii()), b"")
    return doubtful_readings(first, guessed, _country_of(view, number_place(read), read.region or ""))


def _country_of(view: FileView, place: int | None, region: str) -> str:
    """Return the country of most numbers in the first rows; `region` if no number tells its own."""
    if place is None:
        return region
    cells = [row[place] for _, row in view.rows if place < len(row)]
    counts = Counter(country for cell in cells for country in _countries(cell, region))
    return max(counts, key=lambda country: counts[country], default=region)


def _countries(cell: str, region: str) -> tuple[str, ...]:
    try:
        number = normalise(cell, region or None)
    except NumberError:
        return ()
    return countries_of_number(number) if number.startswith("+") else ()
