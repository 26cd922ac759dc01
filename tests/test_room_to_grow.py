"""Tests of the room that files leave for the next feature, so that no file is split in a hurry."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = ROOT / "src" / "dialer"
HEART: Final = (
    *("domain/engine/", "domain/queueing/", "domain/rules/", "domain/sessions/"),
    *("runtime/", "store/journal/"),
)
"""The folders that nearly every feature touches."""
ROOMY_LINES_MAX: Final = 400
"""Lines of a file of the heart. A file elsewhere may be as long as `tests/test_architecture.py` says, and is listed."""


def full_files(lengths: Mapping[str, int]) -> list[str]:
    """Return the files that leave little room, the longest first."""
    full = {path: lines for path, lines in lengths.items() if lines > ROOMY_LINES_MAX}
    return sorted(full, key=lambda path: (-full[path], path))


def read_lengths() -> dict[str, int]:
    """Return the number of lines of every module, by its path below `src/dialer`."""
    paths = sorted(SOURCE.rglob("*.py"))
    return {path.relative_to(SOURCE).as_posix(): len(path.read_text("utf-8").splitlines()) for path in paths}


def test_files_of_the_heart_leave_room_and_others_are_listed() -> None:
    lengths = read_lengths()
    full = full_files(lengths)
    assert [path for path in full if path.startswith(HEART)] == []
    with warnings.catch_warnings():
        warnings.simplefilter("always")  # It is a listing, and no error as other warnings are.
        listing = ", ".join(f"{path} ({lengths[path]})" for path in full)
        warnings.warn(f"Modules to be split before their next feature: {listing}", stacklevel=1)


def test_a_full_file_is_found() -> None:
    lengths = {"app/a.py": 401, "domain/engine/b.py": 400, "domain/engine/c.py": 402}
    assert full_files(lengths) == ["domain/engine/c.py", "app/a.py"]
    assert any(path.startswith(HEART) for path in read_lengths())
