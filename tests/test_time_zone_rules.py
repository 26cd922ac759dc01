"""Tests of the source of the rules of time zones: the package `tzdata`, or the system's files if they are newer."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

import pytest
import tzdata  # type: ignore[import-untyped] # it has no stubs
from prometheus_client import CollectorRegistry, generate_latest
from structlog.testing import capture_logs

from dialer import time_zone_rules
from dialer.api.http.zone_metrics import ZoneMetrics, logging_zone_rules
from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.calling_times.calling_windows import window_at
from dialer.domain.calling_times.zones import is_zone
from dialer.settings_values import milliseconds_of
from dialer.time_zone_rules import RULES, ZoneRules, ZoneSource, choose, read_table, release_in

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = Path(str(files("tzdata"))) / "zoneinfo"
PINNED: Final = tzdata.IANA_VERSION
NEWER: Final = "2099a"
TELLS: Final = """
import zoneinfo
from datetime import UTC, datetime
kept = zoneinfo.ZoneInfo("America/Vancouver")
if {folder!r}:
    zoneinfo.reset_tzpath(to=[{folder!r}])
import dialer
from dialer.time_zone_rules import RULES
fresh = zoneinfo.ZoneInfo("America/Vancouver")
print(RULES.source.value, RULES.version, datetime(2026, 11, 2, 12, tzinfo=UTC).astimezone(fresh).hour)
"""
"""A program that has looked up a zone by the rules of a system's folder before it imports dialer."""


def system_folder(path: Path, *, zone: str = "America/Vancouver", rules_of: str = "Etc/GMT+8", **texts: str) -> str:
    """Make a folder of zone files in which one zone has other rules, with version files, and return its path."""
    for name in ("Etc/UTC", rules_of, zone):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGE / (rules_of if name == zone else name), path / name)
    for name, text in texts.items():
        (path / {"zi": "tzdata.zi", "plus": "+VERSION"}.get(name, name)).write_text(text, "utf-8")
    return str(path)


def run(program: str, **environment: str) -> str:
    """Return the output of a program in a process of its own."""
    kept = {name: value for name, value in os.environ.items() if name != time_zone_rules.VARIABLE}
    done = subprocess.run(
        [sys.executable, "-c", program], env=kept | environment, capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def local(zone: str, moment: tuple[int, ...]) -> str:
    """Return the wall clock of a zone at a moment of UTC."""
    return (
        f"{datetime(moment[0], moment[1], moment[2], moment[3], tzinfo=UTC).astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}"
    )


@pytest.mark.parametrize(
    ("zone", "moment", "shown"),
    [
        ("America/Vancouver", (2026, 11, 1, 17), "2026-11-01 10:00"),
        ("America/Vancouver", (2027, 1, 15, 20), "2027-01-15 13:00"),
        ("America/Edmonton", (2027, 1, 15, 20), "2027-01-15 14:00"),
        ("America/Winnipeg", (2027, 1, 15, 20), "2027-01-15 15:00"),
        ("Africa/Casablanca", (2026, 9, 21, 12), "2026-09-21 12:00"),
        ("America/Toronto", (2027, 1, 15, 20), "2027-01-15 15:00"),
        ("America/Los_Angeles", (2027, 1, 15, 20), "2027-01-15 12:00"),
    ],
)
def test_the_clocks_of_2026_are_known(zone: str, moment: tuple[int, ...], shown: str) -> None:
    """British Columbia, Alberta and Manitoba keep their summer time; Morocco is at UTC since September."""
    assert local(zone, moment) == shown


def test_a_call_back_for_ten_in_vancouver_is_at_ten() -> None:
    promised = milliseconds_of(datetime(2026, 11, 1, 10), "America/Vancouver")  # noqa: DTZ001 - of the zone
    assert promised == datetime(2026, 11, 1, 17, tzinfo=UTC).timestamp() * 1_000


@pytest.mark.parametrize(
    ("zone", "offset_hours", "last"),
    [("America/Vancouver", -7, "20:59"), ("America/Edmonton", -6, "20:59"), ("America/Winnipeg", -5, "20:59")],
)
def test_nobody_is_called_after_the_hours_of_their_new_time(zone: str, offset_hours: int, last: str) -> None:
    """Monday 2026-12-07, hours to 21:00: the offsets are those of the laws, not of any table."""
    hours = read_calling_hours("08:00-21:00").over(is_simulated=False)
    midnight = datetime(2026, 12, 7, tzinfo=UTC) - timedelta(hours=offset_hours)
    every = [midnight + timedelta(minutes=minute) for minute in range(24 * 60)]
    always = Calendar()
    opened = [at for at in every if window_at(always, zone, int(at.timestamp()) * 1_000, hours).is_open]
    assert f"{opened[-1] + timedelta(hours=offset_hours):%H:%M}" == last


def test_the_machine_uses_the_newer_of_both() -> None:
    assert RULES.version >= PINNED
    assert available_timezones() >= {"America/Vancouver", "Europe/Kyiv", "US/Eastern"}
    assert all(is_zone(row[2]) for row in read_table("zone.tab"))


@pytest.mark.parametrize(
    ("texts", "source", "version"),
    [
        ({"zi": f"# version {NEWER}\nR"}, ZoneSource.SYSTEM, NEWER),
        ({"plus": f"{NEWER}\n"}, ZoneSource.SYSTEM, NEWER),
        ({"version": NEWER}, ZoneSource.SYSTEM, NEWER),
        ({"zi": "# version 2025b"}, ZoneSource.PACKAGE, PINNED),
        ({"zi": f"# version {PINNED}"}, ZoneSource.PACKAGE, PINNED),
        ({"plus": "1999\n"}, ZoneSource.PACKAGE, PINNED),
        ({"zi": "\x00\xff nonsense"}, ZoneSource.PACKAGE, PINNED),
        ({}, ZoneSource.PACKAGE, PINNED),
    ],
)
def test_the_newer_rules_count(tmp_path: Path, texts: dict[str, str], source: ZoneSource, version: str) -> None:
    folder = system_folder(tmp_path / "zones", **texts)
    rules = choose(["/nowhere", folder], PINNED, is_admins=False)
    assert (rules.source, rules.version) == (source, version)
    assert rules.folders == ((folder,) if source is ZoneSource.SYSTEM else ())


def test_the_first_folder_with_zones_counts(tmp_path: Path) -> None:
    """`zoneinfo` looks there first, so a newer folder behind it decides nothing."""
    old, new = system_folder(tmp_path / "old", zi="# version 2020a"), system_folder(tmp_path / "new", version=NEWER)
    assert choose([old, new], PINNED, is_admins=False).source is ZoneSource.PACKAGE
    assert choose([new, old], PINNED, is_admins=False).folders == (new,)


def test_releases_after_z_are_newer(tmp_path: Path) -> None:
    folder = system_folder(tmp_path, zi="# version 2026za-rearguard")
    assert release_in(tmp_path) == "2026za"
    assert choose([folder], "2026z", is_admins=False).source is ZoneSource.SYSTEM


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ({"zi": f"# version {NEWER}"}, f"system {NEWER} 4"),
        ({"zi": "# version 2025b"}, f"package {PINNED} 5"),
        ({}, f"package {PINNED} 5"),
    ],
)
def test_a_process_uses_the_newer_rules_although_zones_were_looked_up_before(
    tmp_path: Path, texts: dict[str, str], told: str
) -> None:
    assert run(TELLS.format(folder=system_folder(tmp_path, **texts))) == told


def test_an_admins_folders_are_obeyed(tmp_path: Path) -> None:
    folder = system_folder(tmp_path, zi="# version 2025b")
    assert run(TELLS.format(folder=""), PYTHONTZPATH=folder) == "PYTHONTZPATH 2025b 4"
    assert run(TELLS.format(folder=""), PYTHONTZPATH="") == f"PYTHONTZPATH {PINNED} 5"
    shown = run("import sys; sys.argv[1:] = ['--version']; from dialer.cli import main; main()", PYTHONTZPATH=folder)
    assert shown.splitlines()[1] == f"Time zones: 2025b, from PYTHONTZPATH; the package tzdata has {PINNED}."


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_children_use_the_rules_too(tmp_path: Path, method: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import multiprocessing, dialer\n"
        "from dialer.settings_values import milliseconds_of\n"
        "from datetime import datetime\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context({method!r}).Pool(1) as pool:\n"
        "        print(pool.apply(milliseconds_of, (datetime(2026, 11, 2, 10), 'America/Vancouver')))\n",
        "utf-8",
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True, cwd=ROOT)
    assert int(done.stdout) == datetime(2026, 11, 2, 17, tzinfo=UTC).timestamp() * 1_000


def test_the_day_of_the_pinned_release_is_that_of_the_lock_file() -> None:
    """An upgrade of the package needs a row: the package has no date, the lock file has that of its upload."""
    locked: dict[str, Any] = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))
    (package,) = (one for one in locked["package"] if one["name"] == "tzdata")
    uploaded = date.fromisoformat(re.sub("T.*", "", str(package["wheels"][0]["upload-time"])))
    assert {PINNED: uploaded} == time_zone_rules._RELEASED  # noqa: SLF001 - the row to renew


def rules(version: str = PINNED, source: ZoneSource = ZoneSource.PACKAGE) -> ZoneRules:
    return ZoneRules(source, version, PINNED, "2025b", ())


@pytest.mark.parametrize(
    ("version", "now", "is_old"),
    [
        ("2026f", datetime(2027, 10, 28, tzinfo=UTC), False),
        ("2026f", datetime(2027, 10, 29, tzinfo=UTC), True),
        ("2025b", datetime(2026, 12, 31, tzinfo=UTC), False),
        ("2025b", datetime(2027, 1, 1, tzinfo=UTC), True),
        ("2099a", datetime(2026, 1, 1, tzinfo=UTC), False),
        ("", datetime(2099, 1, 1, tzinfo=UTC), False),
    ],
)
def test_rules_are_old_after_a_year(version: str, now: datetime, *, is_old: bool) -> None:
    assert rules(version).is_old(now) is is_old


def test_the_metrics_name_both_releases_and_the_age() -> None:
    registry = CollectorRegistry()
    moment = datetime(2026, 11, 7, tzinfo=UTC)
    registry.register(ZoneMetrics(lambda: int(moment.timestamp()) * 1_000, rules("2026f")))
    shown = [line for line in generate_latest(registry).decode().splitlines() if not line.startswith("#")]
    assert shown == [
        f'dialer_time_zone_rules_info{{package="{PINNED}",source="package",system="2025b",version="2026f"}} 1.0',
        "dialer_time_zone_rules_age_seconds 864000.0",
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("year", "source", "event", "hint"),
    [
        (2026, ZoneSource.PACKAGE, "time_zone_rules", None),
        (2028, ZoneSource.PACKAGE, "time_zone_rules_old", "Upgrade dialer"),
        (2028, ZoneSource.ADMIN, "time_zone_rules_old", "Remove PYTHONTZPATH"),
    ],
)
async def test_old_rules_are_a_warning_in_the_log(year: int, source: ZoneSource, event: str, hint: str | None) -> None:
    now_ms = int(datetime(year, 11, 28, tzinfo=UTC).timestamp()) * 1_000
    with capture_logs() as logs:
        async with logging_zone_rules(lambda: now_ms, rules("2026f", source)):
            pass
    (entry,) = logs
    assert (entry["event"], entry["version"], entry["package"], entry["system"]) == (event, "2026f", PINNED, "2025b")
    assert (hint or "") in entry.get("hint", "")
    assert ("hint" in entry) is (hint is not None)
