"""Each report in the table is a row of its own, and has a test that names it."""

import ast
import re
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
PAGE: Final = FOLDER.parents[1] / "docs" / "reference" / "reports-of-others.md"


def named(module: Path) -> list[str]:
    """Return the rows that the docstrings of a module's tests name."""
    tests = [
        node
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)
    ]
    return [row for node in tests for row in re.findall(r"\bQ\d+\b", ast.get_docstring(node) or "")]


def test_every_row_has_a_test_and_every_test_a_row() -> None:
    rows = re.findall(r"^\| (Q\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    tests = {row for part in ("sip", "texts") for row in named(FOLDER / part / "test_reports_of_others.py")}
    assert rows == [f"Q{number}" for number in range(1, len(rows) + 1)]
    assert tests == set(rows)
