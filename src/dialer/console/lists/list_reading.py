"""The reading of an uploaded list, by the choices of a viewer, and by its own content where they are open."""

import zipfile
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import anyio
from msgspec.structs import replace

from dialer.api.actions.imports import CONTACTS, NUMBERS, ImportKind, run_import
from dialer.api.service import ApiRequest
from dialer.app.imports.file_country import Hints
from dialer.app.imports.guessed_columns import (
    AREA,
    ASKED,
    COUNTRY,
    FIRST_NAME,
    FULL_NAME,
    FURTHER_NUMBERS,
    LAST_NAME,
    NUMBER,
)
from dialer.app.imports.headers import CsvError
from dialer.app.imports.latin_guess import LatinReading
from dialer.app.imports.place_columns import PLACES
from dialer.app.imports.preview import FileView, look_at, pieces_of
from dialer.app.imports.rejected_lines import RejectedLines
from dialer.app.imports.report import CSV_ERRORS_MAX, ImportReport
from dialer.app.imports.workbooks import unpacked_bytes
from dialer.console.lists.list_choices import MEANING_WORDS, ListChoices, options_of, with_view
from dialer.console.lists.list_country import ListCountry, hints_for, numbers_of
from dialer.console.lists.list_readers import readers
from dialer.console.parts.sentences import in_viewers_words
from dialer.console.words.language import gettext
from dialer.domain.words.sentences import Sentence
from dialer.store.media.kept_lists import KeptList

REMARKS_MAX: Final = 100
"""Rejected rows, and rows with warnings, that a page shows."""
IN_REQUEST_BYTES_MAX: Final = 1024 * 1024
"""Maximum size of a file, for a workbook unpacked, that is read while the browser waits."""
KINDS: Final = {kind.parents.path: kind for kind in (CONTACTS, NUMBERS)}
_PIECE_BYTES: Final = 65_536
_Read = TypeVar("_Read")
Hear = Callable[[int, float], None]
"""Gets the rows that were read and the share of the file, in the thread that reads. It may raise."""


class NobodyImportedError(Exception):
    """An error for a list without a number that can be called, of which no phonebook is made."""


class LookedList(NamedTuple):
    """A file as it is read: the choices with all that was open, and the country of its numbers."""

    view: FileView
    choices: ListChoices
    country: ListCountry
    readings: Sequence[LatinReading] = ()
    """The character sets among which the viewer is asked to choose; none if the set is known."""

    def asked(self) -> ListChoices:
        """Return the choices, without a country or a character set while the viewer is asked for it."""
        question = self.country.question()
        is_open = question is not None and question.is_open
        choices = replace(self.choices, region=None) if is_open else self.choices
        return replace(choices, form=replace(choices.form, charset=None)) if self.readings else choices


async def look_at_list(request: ApiRequest, path: Path, choices: ListChoices) -> LookedList:
    """Return the reading of a list, with open choices filled in from the file."""
    return await in_thread(request, _look_at, hints_for(request, ()), path, choices)


def _look_at(hints: Hints, path: Path, choices: ListChoices) -> LookedList:
    from dialer.console.lists.list_charset import readings_of  # noqa: PLC0415 - a start looks at no list

    known = (hints.named or hints.zone) if choices.region is None else choices.region
    view = look_at(path, choices.form, known or None)
    complete = with_view(choices, view, known)
    country = ListCountry(hints._replace(headers=view.columns), choices.region, numbers_of(view, complete))
    complete = replace(complete, region=country.region)
    return LookedList(view, complete, country, readings_of(pieces_of(path), view, choices, complete))


async def report_of(
    request: ApiRequest,
    kept: KeptList,
    path: Path,
    choices: ListChoices,
    *,
    is_dry: bool,
    on_numbers: Callable[[Sequence[str]], None] | None = None,
    hear: Hear | None = None,
) -> ImportReport:
    """Import a list that stands at `path` now, or say what that would do, and write its rejected lines into a file.

    `hear` gets the progress. Without it, a check ends when its browser has gone.
    """
    kind = KINDS[choices.into]
    view = await in_thread(request, look_at, path, choices.form, choices.region or None)
    lines = RejectedLines(
        kept.rejected, (gettext("Line"), gettext("Reason"), *view.columns), choices.form.delimiter or ";"
    )
    kept.rejected.unlink(missing_ok=True)
    pieces = _Pieces(path)
    arriving = aiter(pieces)
    options = replace(
        options_of(choices, view.columns, kind.rows.column, is_dry=is_dry),
        on_rejected=lambda record, reason: lines.add(record, why_rejected(kind, reason)),
        errors_max=CSV_ERRORS_MAX if is_dry else REMARKS_MAX,
        on_numbers=on_numbers,
        on_progress=None if hear is None else lambda rows, share: hear(rows, min(share, pieces.share)),
    )
    try:
        return await run_import(request, kind, choices.identity, options, arriving)
    finally:
        lines.close()
        with suppress(RuntimeError):  # Its thread still reads, as the service ends.
            await arriving.aclose()


async def in_thread(request: ApiRequest, read: Callable[..., _Read], *arguments: object) -> _Read:
    """Read a file in a thread, as one of the few that a user may read at the same time."""
    return await readers().read(request.user.id, read, *arguments)


class _Pieces:
    """The pieces of a file, and the share of it that was read."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self.share = 0.0

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        size, read = self._path.stat().st_size, 0
        async with await anyio.open_file(self._path, "rb") as file:
            while piece := await file.read(_PIECE_BYTES):
                read += len(piece)
                self.share = min(read / max(size, 1), 1.0)
                yield piece


def is_large(path: Path) -> bool:
    """Return whether a file is read in the background: by its size, for a workbook unpacked."""
    try:
        size = unpacked_bytes(path) if zipfile.is_zipfile(path) else path.stat().st_size
    except (zipfile.BadZipFile, OSError):
        return False  # It is read at once, which says what is wrong with it.
    return size > IN_REQUEST_BYTES_MAX


def check_meanings(choices: ListChoices) -> None:
    """Raise CsvError unless one column has the numbers, and each part of a name is in one column at most."""
    count = choices.meanings.count(NUMBER)
    if not count:
        raise CsvError(gettext("Choose the column that has the phone numbers."))
    if count > 1:
        raise CsvError(gettext("Choose one column for the phone number, not several."))
    for meaning in (*FURTHER_NUMBERS, COUNTRY, AREA, FULL_NAME, FIRST_NAME, LAST_NAME, *PLACES):
        if choices.meanings.count(meaning) > 1:
            name = gettext(MEANING_WORDS[meaning])
            raise CsvError(gettext("Several columns are chosen for “%(name)s”. Choose one of them.") % {"name": name})


def check_answers(looked: LookedList) -> None:
    """Raise CsvError if the country of numbers without one is neither chosen nor told by the file."""
    if looked.asked().region is None:
        raise CsvError(gettext("Choose the country of the numbers without one."))
    if looked.readings:
        raise CsvError(gettext("Choose how the names are spelled."))
    for name, meaning in zip(looked.view.columns, looked.choices.meanings, strict=False):
        if meaning == ASKED:
            raise CsvError(gettext("Choose what the column “%(name)s” says.") % {"name": name})


def why_rejected(kind: ImportKind, reason: str) -> str:
    """Return the reason of a rejection without the name of our own column, which the file does not have."""
    if isinstance(reason, Sentence) and reason.values.get("column") == kind.rows.column:
        reason = reason.values["error"]
    return in_viewers_words(reason)
