"""Tests of the supported versions of Python: one bound, which all pages repeat, and wheels for each."""

import re
import tomllib
from typing import Final

import pytest

from tests.setup.wheels import ROOT, missing, supported

PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PAGES: Final = ("README.md", "CONTRIBUTING.md", "docs/operate/install.md")
COMPILED: Final = ["miniaudio 1.71: linux.*aarch64"]
"""The packages that the page about the installation says to need a compiler."""


def test_the_classifiers_name_the_versions_of_the_bound() -> None:
    prefix = "Programming Language :: Python :: "
    assert [line.removeprefix(prefix) for line in PROJECT["classifiers"] if line.startswith(prefix)] == supported()


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_the_versions_of_the_bound(page: str) -> None:
    said = re.findall(r"Python (3\.\d+) to (3\.\d+)", (ROOT / page).read_text("utf-8"))
    assert said == [(supported()[0], supported()[-1])]


def test_the_lock_file_is_for_these_versions() -> None:
    lock = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))
    assert lock["requires-python"].replace(" ", "") == PROJECT["requires-python"]


@pytest.mark.parametrize("python", supported())
def test_every_locked_package_comes_as_a_wheel(python: str) -> None:
    assert missing((ROOT / "uv.lock").read_text("utf-8"), python) == COMPILED
    assert "miniaudio" in (ROOT / "docs" / "operate" / "install.md").read_text("utf-8")


LOCK: Final = """
[[package]]
name = "one"
version = "1"
source = { registry = "x" }
wheels = [{ url = "x/one-1-cp311-abi3-manylinux_2_17_x86_64.whl" }, { url = "x/one-1-cp312-cp312-win_amd64.whl" },
    { url = "x/one-1-cp311-abi3-musllinux_1_2_aarch64.whl" }, { url = "x/one-1-cp312-cp312-macosx_11_0_arm64.whl" }]

[[package]]
name = "two"
version = "2"
source = { registry = "x" }
wheels = [{ url = "x/two-2-py2.py3-none-any.whl" }]
"""


@pytest.mark.parametrize(
    ("python", "lacking"),
    [
        ("3.10", ["linux.*x86_64", "linux.*aarch64", "macosx.*(arm64|universal2)", "win_amd64"]),
        ("3.12", []),
        ("3.13", ["macosx.*(arm64|universal2)", "win_amd64"]),
    ],
)
def test_a_missing_wheel_is_named_with_its_platform(python: str, lacking: list[str]) -> None:
    assert missing(LOCK, python) == [f"one 1: {platform}" for platform in lacking]
