"""Tests that docs/simulating.md is true: its commands print what it shows, and its table has all strategies."""

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from dialer.domain.pacing.strategies import STRATEGIES
from tests.test_readme import BASH, STEP_S_MAX, blocks, environment

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs" / "simulating.md").read_text("utf-8")


@pytest.mark.skipif(not BASH, reason="the commands need bash")
@pytest.mark.parametrize("block", blocks(PAGE, "console"), ids=lambda block: block.partition("\n")[0])
def test_a_command_prints_what_the_page_shows(block: str) -> None:
    command, _, shown = block.removeprefix("$ ").partition("\n")
    done = subprocess.run(
        [BASH, "-eu", "-c", command],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        timeout=STEP_S_MAX,
        check=True,
    )
    assert done.stdout == shown


def test_the_strategies_are_listed_in_their_order() -> None:
    table, _, _ = PAGE.partition("| Name |")[2].partition("\n\n")
    assert re.findall(r"^\| `(\w+)` \| ", table, re.MULTILINE) == list(STRATEGIES)
