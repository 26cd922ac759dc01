"""Docstrings and comments name their subject: no sentence begins with "What", "Who", "Whether" or "The same"."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
RIDDLE: Final = re.compile(r"(What|Who|Whom|Whose|Whoever|Whomever|Whatever|Whether|How|The same)\b")
SENTENCE_END: Final = re.compile(r"(?<=[.!?;:])\s+")


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and comments of a module, each with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


def riddles(source: str) -> list[tuple[int, str]]:
    """Return the sentences that begin with a word instead of their subject. Questions are sentences that may."""
    if not RIDDLE.search(source):  # Most modules, which takes a tenth of the time of reading them.
        return []
    return [
        (line, sentence)
        for line, text in texts(source)
        for sentence in SENTENCE_END.split(" ".join(text.split()))
        if RIDDLE.match(sentence) and not sentence.endswith("?")
    ]


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "clients"])
def test_every_sentence_names_its_subject(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {sentence}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, sentence in riddles(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""What is refused."""', [(1, "What is refused.")]),
        ("x = 1\n# Who asks for it.", [(2, "Who asks for it.")]),
        ('"""Return it. The same for a gateway."""', [(1, "The same for a gateway.")]),
        ('"""Return the number. Why? How so?"""', []),
        ('"""Whole numbers only."""', []),
    ],
)
def test_a_planted_riddle_is_found(source: str, found: list[tuple[int, str]]) -> None:
    assert riddles(source) == found
