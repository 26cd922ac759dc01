"""The processes that read workbooks: a few at a time, a share of them for each user, and each with an end.

A process ends when its reader is closed, also in the middle of a sheet. So nobody reads for a user who has left.
"""

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, Any, Final

import msgspec

from dialer.app.imports.sheet_process import COLUMNS, END, ERROR, ROW, SHARE, SHARES, TOO_LARGE
from dialer.domain.credentials.environment import clean_environment
from dialer.domain.formats.formula_guard import GUARD, unguard

READERS_MAX: Final = 6
"""Workbooks that are read at the same time."""
READERS_OF_A_USER_MAX: Final = 3
WAIT_S: Final = 20
"""The longest wait for a turn."""
_COMMAND: Final = (sys.executable, "-P", "-m", "dialer.app.imports.sheet_process")
_TURNS: Final = threading.Condition()
_UNDER_WAY: Final[Counter[int]] = Counter()
"""Number of running processes by user id."""
_USER: Final[ContextVar[int]] = ContextVar("reader", default=0)


class UnreadableError(Exception):
    """An error for a file that is no workbook, or one that is not safe to read."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind: Final = kind
        """One of the words of `dialer.app.imports.sheet_process`."""


class UnknownSheetError(Exception):
    """An error for a sheet that a workbook does not have."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(*names)
        self.names: Final = names
        """The sheets that it has."""


class BusyError(Exception):
    """An error for a reader that gets no turn."""


class SheetRow(msgspec.Struct, frozen=True):
    """A row that is not empty, with its number."""

    number: int
    is_hidden: bool
    """True for a row that a filter, or a person, has hidden in the spreadsheet program."""
    cells: list[str]


class SheetReader:
    """A process that reads one sheet of a workbook."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        """Read the names of the sheets."""
        self._lines: Final = iter(lines)
        self.row_bytes = 0
        """Bytes that the process has told so far, most of them for rows."""
        _, sheets, name, is_there = self._next()
        self.name: Final[str] = name
        self.names: Final[list[str]] = [name for name, _ in sheets]
        self.hidden_names: Final[list[str]] = [name for name, is_hidden in sheets if is_hidden]
        if not is_there:
            raise UnknownSheetError(self.names)
        self.hidden_columns: list[int] = []
        """The places of columns that are hidden, as far as they are known: from the first row on."""
        self.share = 0.0
        """The share of the sheet that is read: 0 to 1."""

    def rows(self) -> Iterator[SheetRow]:
        """Yield the rows of a sheet, without empty rows.

        Raises:
            UnreadableError: the sheet cannot be read to its end.
        """
        while (line := self._next())[0] != END:
            if line[0] == ROW:
                cells = line[3]
                yield SheetRow(line[1], line[2], [unguard(cell) if cell[:1] == GUARD else cell for cell in cells])
            elif line[0] == SHARE:
                self.share = line[1] / SHARES
            elif line[0] == COLUMNS:
                self.hidden_columns = line[1]

    def _next(self) -> list[Any]:
        told = next(self._lines, b"")
        if not told.endswith(b"\n"):  # The process has met a limit of the system, which ends it.
            raise UnreadableError(TOO_LARGE)
        self.row_bytes += len(told)
        line: list[Any] = msgspec.json.decode(told)
        if line[0] == ERROR:
            raise UnreadableError(line[1])
        return line


@contextmanager
def reading_for(user_id: int) -> Iterator[None]:
    """Count the workbooks that are read within the context, in its threads too, for a user."""
    token = _USER.set(user_id)
    try:
        yield
    finally:
        _USER.reset(token)


@contextmanager
def read_sheet(file: IO[bytes], sheet: str | None) -> Iterator[SheetReader]:
    """Read a sheet of a workbook on disk; for None the first that has rows, for an empty name none.

    Raises:
        BusyError: too many workbooks are being read.
        UnreadableError: the file cannot be read.
        UnknownSheetError: there is no such sheet.
    """
    with _turn(_USER.get()):
        file.flush()
        file.seek(0)
        environment = {**clean_environment(os.environ), "PYTHONIOENCODING": "utf-8"}
        command = (*_COMMAND, *(() if sheet is None else (sheet,)))
        process = subprocess.Popen(  # noqa: S603 - our own program; the name of a sheet is its one argument
            command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
            start_new_session=True,
        )  # fmt: skip
        try:
            yield SheetReader(process.stdout or ())
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


@contextmanager
def _turn(user_id: int) -> Iterator[None]:
    """Wait for a turn among the readers; raise BusyError if none comes."""

    def is_free() -> bool:
        is_own_free = not user_id or _UNDER_WAY[user_id] < READERS_OF_A_USER_MAX
        return is_own_free and _UNDER_WAY.total() < READERS_MAX

    with _TURNS:
        if not _TURNS.wait_for(is_free, WAIT_S):
            raise BusyError
        _UNDER_WAY[user_id] += 1
    try:
        yield
    finally:
        with _TURNS:
            _UNDER_WAY[user_id] -= 1
            if not _UNDER_WAY[user_id]:
                del _UNDER_WAY[user_id]
            _TURNS.notify_all()
