"""Programs that some tests need: without one, its tests are left out, and under CI=true they fail."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final, NoReturn

import pytest

DEBIAN_PACKAGES: Final = {
    "baresip": "baresip",
    "bash": "bash",
    "bearerbox": "kannel",
    "caddy": "caddy",
    "chromium": "chromium",
    "curl": "curl",
    "espeak-ng": "espeak-ng",
    "kamailio": "kamailio",
    "linphonec": "linphone-cli",
    "nginx": "nginx",
    "node": "nodejs",
    "npm": "npm",
    "openssl": "openssl",
    "pgbouncer": "pgbouncer",
    "promtool": "prometheus",
    "sipp": "sip-tester",
    "smsbox": "kannel",
    "systemd-analyze": "systemd",
    "twinkle-console": "twinkle-console",
}
"""Names of programs, and the Debian packages that have them. `.ci/run` installs them."""
INSTALL_S_MAX: Final = 300
_FOLDERS: Final = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin"))
"""Servers are in folders that are not on everybody's path."""


def find_tool(name: str) -> str:
    """Return the path of a program, or leave the test out and say how to have it. Under CI=true, fail."""
    found = shutil.which(name, path=_FOLDERS)
    if found is None:
        leave_out(f"{name} is missing (Debian and Ubuntu: apt install --no-install-recommends {DEBIAN_PACKAGES[name]})")
    return found


def find_file(path: str, package: str) -> str:
    """Return the path of a file, or leave the test out and say which package has it. Under CI=true, fail."""
    if not Path(path).exists():
        leave_out(f"{path} is missing (Debian and Ubuntu: apt install --no-install-recommends {package})")
    return path


def leave_out(reason: str) -> NoReturn:
    """Leave the running test out, with a reason that the end of the run repeats. Under CI=true, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def install_packages(folder: Path) -> Path:
    """Install what a folder's `package-lock.json` names, unless that is done, and return the folder of the packages.

    If npm cannot, leave the test out. Under CI=true, fail.
    """
    packages = folder / "node_modules"
    stamp, lock = packages / ".package-lock.json", folder / "package-lock.json"
    if stamp.exists() and stamp.stat().st_mtime >= lock.stat().st_mtime:
        return packages
    command = [find_tool("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_S_MAX, check=False)
    if done.returncode:
        leave_out(f"npm cannot install the packages of {folder.name}: {done.stderr[-500:]}")
    return packages
