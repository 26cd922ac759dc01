"""Tests of the page of the first program: it has the programs that the tests of the clients run."""

from pathlib import Path
from typing import Final

import pytest

from clients.making import PYTHON, TYPESCRIPT
from tests.clients.touring import FIRST
from tests.test_readme import ROOT, blocks

PAGE: Final = (ROOT / "docs" / "first-program.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("language", "programs"),
    [
        ("python", [PYTHON / "examples" / name for name in ("first_campaign.py", "webhook.py")]),
        ("typescript", [TYPESCRIPT / "examples" / name for name in ("first-campaign.ts", "webhook.ts")]),
    ],
)
def test_the_page_has_the_programs_that_are_tested(language: str, programs: list[Path]) -> None:
    assert blocks(PAGE, language) == [program.read_text("utf-8") for program in programs]


def test_the_page_shows_what_the_programs_print() -> None:
    assert [block.splitlines() for block in blocks(PAGE, "text")] == [FIRST]
