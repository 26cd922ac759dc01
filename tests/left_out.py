"""Tests that need a program which not every machine has: left out without it, and failed without it in CI."""

import os
import shutil
from typing import NoReturn

import pytest


def need(program: str, how: str) -> str:
    """Return the path of a program. Without it, leave the test out; `how` says how to get the program."""
    found = shutil.which(program)
    if found is None:
        leave_out(f"{program} is missing. {how}")
    return found


def leave_out(reason: str) -> NoReturn:
    """Leave out the running test, with a reason that the end of the run repeats; fail it in CI, where `CI` is true."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
