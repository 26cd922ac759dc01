"""Workbooks that files of records name: broken or enormous ones are refused in a sentence, here and over the API."""

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from dialer.app.imports.headers import COLUMNS_MAX
from dialer.app.imports.workbooks import WORKBOOK_BYTES_MAX
from dialer.store.tables import Contact, Phonebook
from dialer.testing import DialerService
from tests.app.imports.hostile_workbooks import CASES, DAMAGED, EVERYWHERE, NUMBER, TOO_LARGE, plain
from tests.commands.conftest import Outcome, Run
from tests.console.workbooks import SHEET, cells, sheet_of
from tests.runtime.house import House

RECORDS: Final = "phonebooks: [{name: P, contacts_file: list.xlsx}]\n"
MEMORY_BYTES: Final = 24_000_000
"""More than the command keeps of any of these files, and less than a tenth of what some become."""
_MEGABYTE: Final = 1_000_000


def unpacked(megabytes: int) -> bytes:
    """Return a workbook with one cell of so many megabytes."""
    written, (before, after) = io.BytesIO(), sheet_of(cells("contact") + cells("|")).split(b"|")
    with (
        zipfile.ZipFile(io.BytesIO(plain())) as old,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        for name in old.namelist():
            with new.open(name, "w") as part:
                for piece in (before, *[b"x" * _MEGABYTE] * megabytes, after) if name == SHEET else (old.read(name),):
                    part.write(piece)
    return written.getvalue()


def wide() -> bytes:
    """Return a workbook with many rows of many cells."""
    return plain(cells(*["contact"] * 20_000) + cells(*[NUMBER] * 20_000) * 20)


WRONG: Final[dict[str, tuple[Callable[[], bytes], str]]] = {
    **{name: (CASES[name].make, CASES[name].words) for name in EVERYWHERE},
    "a cell of 300 MB": (lambda: unpacked(300), TOO_LARGE),
    "20,000 cells in each row": (wide, f"columns. Use at most {COLUMNS_MAX}."),
    "the first half of a workbook": (lambda: plain()[: len(plain()) // 2], DAMAGED),
    "a ZIP file of nothing": (lambda: b"PK\x03\x04" + bytes(100_000), DAMAGED),
    "more than a workbook may have": (lambda: b"PK\x03\x04" + bytes(WORKBOOK_BYTES_MAX), TOO_LARGE),
}


@pytest.fixture(params=WRONG)
def words(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Write a wrong workbook beside a file of records, and return how it is refused."""
    make, words = WRONG[request.param]
    (tmp_path / "list.xlsx").write_bytes(make())
    (tmp_path / "records.yaml").write_text(RECORDS)
    return words


def measured(run: Run, *args: str, **environment: str) -> tuple[Outcome, int]:
    """Run a command, and return its outcome and the bytes that it kept at most."""
    tracemalloc.start()
    try:
        outcome = run("apply", "records.yaml", *args, **environment)
        return outcome, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("option", ["--dry-run", "--yes"])
def test_a_local_apply_refuses_it(run: Run, house: House, words: str, option: str) -> None:
    run("apply", "records.yaml", "--help")
    wrong, peak = measured(run, option, DIALER_CLOCK="virtual")
    assert (wrong.code, wrong.out, len(wrong.err.splitlines())) == (2, "", 1)
    assert wrong.err.startswith("dialer: list.xlsx: ")
    assert words in wrong.err
    assert (house.rows(Phonebook), house.rows(Contact)) == ([], [])
    assert peak < MEMORY_BYTES


@pytest.mark.parametrize("option", ["--dry-run", "--yes"])
def test_an_apply_over_the_api_refuses_it(run: Run, dialer_service: DialerService, words: str, option: str) -> None:
    run("apply", "records.yaml", "--help")
    wrong, peak = measured(run, option, "--url", dialer_service.url, DIALER_API_KEY=dialer_service.key)
    assert (wrong.code, wrong.out, len(wrong.err.splitlines())) == (2, "", 1)
    assert wrong.err.startswith("dialer: list.xlsx: ")
    assert words in wrong.err
    assert [dialer_service.count(path) for path in ("phonebook", "contact")] == [0, 0]
    assert peak < MEMORY_BYTES
