"""Tests of the units for systemd, and of the report that the service is ready."""

import re
import socket
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.optional_tools import find_tool
from tests.test_server import ADMIN, DIALER, serving

ROOT: Final = Path(__file__).parents[2]
UNITS: Final = ROOT / "deploy" / "systemd"
EXPOSURE_MAX: Final = 2.5
"""systemd's measure of what a service may do to its machine: 0 is nothing, 10 is everything."""
SERVICES: Final = ("dialer.service", "dialer-backup.service")
INSTALLED: Final = {"/opt/dialer/bin/dialer": DIALER, "/opt/dialer/share/backup.sh": ROOT / "deploy" / "backup.sh"}


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """Return a folder with the units, which start the programs of this checkout."""
    for unit in UNITS.iterdir():
        text = unit.read_text("utf-8")
        for path, ours in INSTALLED.items():
            text = text.replace(f"ExecStart={path}", f"ExecStart={ours}")
        (tmp_path / unit.name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize("unit", [*SERVICES, "dialer-backup.timer"])
def test_systemd_finds_nothing_wrong_with_a_unit(units: Path, unit: str) -> None:
    checked = subprocess.run(
        [find_tool("systemd-analyze"), "verify", "--man=no", units / unit], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, [line for line in checked.stderr.splitlines() if "dialer" in line]) == (0, [])


@pytest.mark.parametrize("unit", SERVICES)
def test_a_service_may_do_little_to_its_machine(unit: str) -> None:
    command = [find_tool("systemd-analyze"), "security", "--offline=true", str(UNITS / unit)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (exposure,) = re.findall(r"Overall exposure level for .*: ([0-9.]+) ", said)
    assert float(exposure) < EXPOSURE_MAX


@pytest.mark.parametrize("name", ["notify", "@"], ids=["file", "abstract"])
def test_the_service_reports_that_it_is_ready(tmp_path: Path, name: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        address = f"\0{tmp_path}" if name == "@" else str(tmp_path / name)
        manager.bind(address)
        manager.settimeout(60)
        with serving(tmp_path, **ADMIN, NOTIFY_SOCKET=address.replace("\0", "@")) as served:
            assert manager.recv(100) == b"READY=1"
            assert served.client.get("clock/").status_code == 200


def test_a_report_that_nobody_takes_stops_nothing(tmp_path: Path) -> None:
    with serving(tmp_path, **ADMIN, NOTIFY_SOCKET=str(tmp_path / "nobody")) as served:
        assert served.client.get("clock/").status_code == 200
        code, _, err = served.end()
    assert (code, "Traceback" in err) == (0, False)
