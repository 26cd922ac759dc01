"""Tests that a seed of the fault simulator does the same in another process."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.sizes import HASH_SEEDS
from tests.vopr.building import Folder
from tests.vopr.run import run_seed

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("hash_seed", HASH_SEEDS)
async def test_the_trace_does_not_depend_on_the_process(hash_seed: str, tmp_path: Path) -> None:
    with closing(Folder()) as folder:
        digests = [(await run_seed(seed, folder)).digest[:16] for seed in (3, 4)]
    assert digests_of_a_process(hash_seed, tmp_path) == digests


def digests_of_a_process(hash_seed: str, folder: Path) -> list[str]:
    """Return the digests that a process with this hash seed prints for the same seeds."""
    program = (sys.executable, "-m", "tests.vopr", "--seeds", "2", "--from", "3")
    environ = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    printed = subprocess.run(program, check=True, capture_output=True, text=True, cwd=folder, env=environ).stdout
    return [line.rpartition(", ")[2] for line in printed.splitlines()]
