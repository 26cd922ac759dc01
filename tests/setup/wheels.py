"""Say which locked packages come without a wheel for a Python: `python -m tests.setup.wheels 3.15`.

A new Python is supported as soon as nothing is missing. The bound in pyproject.toml is raised then.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
BOUND: Final = re.compile(r'^requires-python = ">=3\.(\d+),<3\.(\d+)"$', re.MULTILINE)
PLATFORMS: Final = ("linux.*x86_64", "linux.*aarch64", "macosx.*(arm64|universal2)", "win_amd64")
"""The systems that the package is meant for. On each, no compiler may be needed."""
ELSEWHERE: Final = frozenset({"pywin32", "uvloop"})
"""Packages of one system only: pywin32 of Windows, uvloop of all others."""


def supported() -> list[str]:
    """Return the versions of Python that pyproject.toml names, such as `3.11`."""
    found = BOUND.search((ROOT / "pyproject.toml").read_text("utf-8"))
    assert found is not None
    return [f"3.{minor}" for minor in range(*map(int, found.groups()))]


def missing(lock: str, python: str) -> list[str]:
    """Return the packages of a lock file that come without a wheel for a Python, each with the platform."""
    return [line for package in tomllib.loads(lock)["package"] for line in _lacking(package, python)]


def _lacking(package: dict[str, Any], python: str) -> Iterator[str]:
    names = [wheel["url"].rpartition("/")[2].removesuffix(".whl") for wheel in package.get("wheels", ())]
    if "editable" in package["source"] or package["name"] in ELSEWHERE:
        return
    for platform in PLATFORMS:
        if not any(_suits(name, python, platform) for name in names):
            yield f"{package['name']} {package['version']}: {platform}"


def _suits(name: str, python: str, platform: str) -> bool:
    """Return whether a wheel, such as `cffi-2.1.1-cp314-cp314-win_amd64`, runs on a Python of a platform."""
    pythons, abis, platforms = name.split("-")[-3:]
    if platforms != "any" and not re.search(platform, platforms):
        return False
    tag = f"cp{python.replace('.', '')}"
    if abis == "abi3":
        return int(re.sub(r"\D", "", pythons.split(".")[0])[1:]) <= int(python.split(".")[1])
    return (abis == "none" and "py3" in pythons.split(".")) or tag in abis.split(".")


def _locked_for(python: str) -> str:
    """Return what the lock file would be if a Python were supported. uv asks the package index."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    above = int(python.split(".")[1]) + 1
    with tempfile.TemporaryDirectory() as folder:
        for name in ("uv.lock", "README.md", "LICENSE"):
            (Path(folder) / name).write_bytes((ROOT / name).read_bytes())
        wider = BOUND.sub(rf'requires-python = ">=3.\1,<3.{above}"', project)
        (Path(folder) / "pyproject.toml").write_text(wider, "utf-8")
        subprocess.run([Path(sys.executable).parent / "uv", "lock", "--quiet"], cwd=folder, check=True)
        return (Path(folder) / "uv.lock").read_text("utf-8")


if __name__ == "__main__":
    (asked,) = sys.argv[1:]
    lines = missing(_locked_for(asked), asked)
    sys.stdout.write("".join(f"{line}\n" for line in lines) or f"All locked packages have wheels for Python {asked}.\n")
    sys.exit(bool(lines))
