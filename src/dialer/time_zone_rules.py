"""The source of the rules and names of time zones: the package `tzdata`, or the system's zone files if they are newer.

`zoneinfo` prefers the system's files, which may be years old, to those of the package. Importing `dialer` corrects that
for the whole process, before any module of `dialer` looks up a zone. The variable PYTHONTZPATH is an administrator's
decision, and is obeyed.
"""

import os
import re
import zoneinfo
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

import tzdata  # type: ignore[import-untyped] # it has no stubs

VARIABLE: Final = "PYTHONTZPATH"
"""The variable of the environment that names the folders of zone files, as Python documents it."""
OLD_AFTER: Final = timedelta(days=365)
_RELEASE: Final = re.compile(r"[0-9]{4}[a-z]{1,2}", re.ASCII)
_VERSION_FILES: Final = (("tzdata.zi", "# version "), ("+VERSION", ""), ("version", ""))
"""Files with the version of a folder, and the text before it: of Linux, of macOS and BSD, and of other packagers."""
_LINE_BYTES_MAX: Final = 200
_RELEASED: Final = {"2026f": date(2026, 10, 28)}
"""The day on which the package with the pinned release was published, of `uv.lock`. No zone file has a date."""
_LAST_DAY: Final = (12, 31)


class ZoneSource(StrEnum):
    """The origin of the rules and names of time zones."""

    PACKAGE = "package"
    SYSTEM = "system"
    ADMIN = "PYTHONTZPATH"


class ZoneRules(NamedTuple):
    """The chosen rules of time zones, and the IANA releases that this machine has.

    `version` is the release in use, `package` that of the package `tzdata`, and `system` that of the folder which
    `zoneinfo` would use: each empty if it is unknown. `folders` is the search path for `zoneinfo`. An empty path stands
    for the package.
    """

    source: ZoneSource
    version: str
    package: str
    system: str
    folders: tuple[str, ...]

    def age(self, now: datetime) -> timedelta | None:
        """Return the time since the release; None if the release is unknown.

        The release that was pinned has a day. Every other one counts from the last day of its year.
        """
        if not self.version:
            return None
        day = _RELEASED.get(self.version) or date(int(self.version[:4]), *_LAST_DAY)
        return max(now - datetime(day.year, day.month, day.day, tzinfo=UTC), timedelta(0))

    def is_old(self, now: datetime) -> bool:
        """Return whether the release is older than a year."""
        age = self.age(now)
        return age is not None and age > OLD_AFTER

    def in_words(self) -> str:
        """Return a sentence that names the release in use, its source, and the other release."""
        version, package = self.version or "an unknown release", f"the package tzdata has {self.package}"
        system = f"the system has {self.system or 'an unknown release, or none'}"
        if self.source is ZoneSource.ADMIN:
            return f"Time zones: {version}, from {VARIABLE}; {package}."
        if self.source is ZoneSource.SYSTEM:
            return f"Time zones: {version}, from the system; {package}."
        return f"Time zones: {version}, from the package tzdata; {system}."

    def warning(self) -> str:
        """Return a sentence that says what to do about rules that are older than a year."""
        if self.source is ZoneSource.ADMIN:
            return f"The rules of time zones are older than a year. Remove {VARIABLE}, or bring its folders up to date."
        return "The rules of time zones are older than a year. Upgrade dialer, or the package tzdata of the system."


def choose(folders: Sequence[str], package: str, *, is_admins: bool) -> ZoneRules:
    """Return the rules to use, from the search path of `zoneinfo` and the release of the package `tzdata`.

    The first folder with zones counts. Without a version it is not newer than the package.
    """
    folder = next((folder for folder in folders if (Path(folder) / "Etc" / "UTC").is_file()), None)
    system = release_in(Path(folder)) if folder else ""
    if is_admins:
        return ZoneRules(ZoneSource.ADMIN, system if folder else package, package, system, tuple(folders))
    if folder and system > package:
        return ZoneRules(ZoneSource.SYSTEM, system, package, system, (folder,))
    return ZoneRules(ZoneSource.PACKAGE, package, package, system, ())


def release_in(folder: Path) -> str:
    """Return the IANA release of a folder of zone files, such as `2026f`; empty if no file says it."""
    for name, before in _VERSION_FILES:
        line = _first_line(folder / name)
        match = _RELEASE.match(line.removeprefix(before)) if line.startswith(before) else None
        if match:
            return match[0]
    return ""


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.readline(_LINE_BYTES_MAX).decode("ascii", "replace")
    except OSError:
        return ""


def use(rules: ZoneRules) -> ZoneRules:
    """Make `zoneinfo` take its rules and names from the chosen source, in this process."""
    if rules.folders != zoneinfo.TZPATH:
        zoneinfo.reset_tzpath(to=rules.folders)
        zoneinfo.ZoneInfo.clear_cache()
    return rules


def read_table(name: str) -> list[list[str]]:
    """Return the rows of a table of the zones in use, such as `zone.tab`, without its comments."""
    found = next((path for path in (Path(folder) / name for folder in RULES.folders) if path.is_file()), None)
    text = (found or files("tzdata").joinpath("zoneinfo", name)).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


RULES: Final = use(choose(zoneinfo.TZPATH, tzdata.IANA_VERSION, is_admins=VARIABLE in os.environ))
"""The rules that this process uses."""
