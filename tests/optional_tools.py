"""Programs that some tests need: without one, its tests are left out, and under CI=true they fail."""

import os
import shutil
from typing import Final, NoReturn

import pytest

DEBIAN_PACKAGES: Final = {
    "baresip": "baresip",
    "bearerbox": "kannel",
    "caddy": "caddy",
    "chromium": "chromium",
    "curl": "curl",
    "espeak-ng": "espeak-ng",
    "kamailio": "kamailio",
    "nginx": "nginx",
    "node": "nodejs",
    "npm": "npm",
    "openssl": "openssl",
    "pgbouncer": "pgbouncer",
    "promtool": "prometheus",
    "sipp": "sip-tester",
    "smsbox": "kannel",
    "systemd-analyze": "systemd",
}
"""Names of programs, and the Debian packages that have them. `.ci/run` installs them."""
_FOLDERS: Final = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin"))
"""Servers are in folders that are not on everybody's path."""


def find_tool(name: str) -> str:
    """Return the path of a program, or leave the test out and say how to have it. Under CI=true, fail."""
    found = shutil.which(name, path=_FOLDERS)
    if found is None:
        leave_out(f"{name} is missing (Debian and Ubuntu: apt install --no-install-recommends {DEBIAN_PACKAGES[name]})")
    return found


def leave_out(reason: str) -> NoReturn:
    """Leave the running test out, with a reason that the end of the run repeats. Under CI=true, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
