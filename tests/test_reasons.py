"""docs/reasons.md tells every reason that the code gives, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from dialer.domain.reasons import CAMPAIGN_REASONS, SUBSCRIBER_REASONS, TRANSFER_REASONS, WAITS

ROOT: Final = Path(__file__).parents[1]
TABLES: Final = {
    "Subscribers and call requests": SUBSCRIBER_REASONS,
    "What a subscriber waits for": WAITS,
    "Campaigns": CAMPAIGN_REASONS,
    "Transfers": TRANSFER_REASONS,
}
FOLDERS: Final = ("domain", "store", "api/records")
"""Where reasons are given."""
GIVEN_BY: Final = frozenset({"_move", "_final", "_unserved"})
"""Functions that are given a reason as an argument."""
GIVES: Final = re.compile(r"refus|reason|gives_up|nobody")
"""The names of functions that return one."""
CODE: Final = re.compile(r"[a-z]+(_[a-z]+)*")
NO_REASONS: Final = frozenset({"reasons.py", "states.py", "journal_statements.py"})
"""The tables themselves; moves between states, which need no reason; the names of parameters."""
Constants = dict[str, ast.expr]


def written(value: ast.AST, constants: Constants) -> Iterator[str]:
    """The texts that an expression may come to, as far as they look like a reason."""
    keys = {id(part) for node in ast.walk(value) if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)}
    for node in ast.walk(value):
        if id(node) in keys:
            continue
        if isinstance(node, ast.Name) and node.id in constants:
            yield from written(constants[node.id], {})
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
            yield node.value


def is_reason(target: ast.expr) -> bool:
    name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
    return name.lower().endswith(("reason", "reasons"))


def names_reason(key: ast.expr | None) -> bool:
    """Whether a key of a dictionary is the name of a column that holds a reason."""
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.endswith("reason")


def assigned(target: ast.expr, value: ast.expr) -> Iterator[ast.expr]:
    """What becomes a reason by an assignment."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=True):
            yield from assigned(one, its)
    elif is_reason(target):
        yield from value.values if isinstance(value, ast.Dict) else [value]


def places(tree: ast.AST) -> Iterator[ast.expr]:
    """Every expression of a module whose value is a reason."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (word.value for word in node.keywords if (word.arg or "").endswith("reason"))
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield from node.args if name in GIVEN_BY else ()
        elif isinstance(node, ast.Assign):
            yield from (found for target in node.targets for found in assigned(target, node.value))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from assigned(node.target, node.value)
        elif isinstance(node, ast.Dict):
            yield from (value for key, value in zip(node.keys, node.values, strict=True) if names_reason(key))
        elif isinstance(node, ast.FunctionDef) and GIVES.search(node.name):
            returned = (step.value for step in ast.walk(node) if isinstance(step, ast.Return))
            yield from (value for value in returned if value is not None and not isinstance(value, ast.Dict))


def constants_of(tree: ast.Module) -> Constants:
    """The names that a module gives to values."""
    return {
        node.target.id: node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None
    }


def reasons_of(source: str, others: Constants | None = None) -> set[str]:
    """The reasons that a module gives, which may import the names of `others`."""
    tree = ast.parse(source)
    imported = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    known = {name: value for name, value in (others or {}).items() if name in imported}
    constants = known | constants_of(tree)
    return {text for place in places(tree) for text in written(place, constants)}


def table(title: str) -> dict[str, str]:
    """A table of the document: reason and meaning."""
    text = (ROOT / "docs/reasons.md").read_text("utf-8")
    _, _, rest = text.partition(f"\n## {title}\n")
    return dict(re.findall(r"^\| `([a-z_]+)` \| (.*) \|$", rest.partition("\n## ")[0], re.MULTILINE))


@pytest.mark.parametrize("title", TABLES)
def test_the_document_says_what_the_code_says(title: str) -> None:
    assert table(title) == TABLES[title]


def test_every_reason_that_is_given_is_in_a_table_and_none_besides() -> None:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / "src/dialer" / folder).rglob("*.py"))]
    sources = {path: path.read_text("utf-8") for path in paths if "story" not in path.parts}
    names: Constants = {}
    for source in sources.values():
        names |= constants_of(ast.parse(source))
    given: set[str] = set()
    for path, source in sources.items():
        given |= set() if path.name in NO_REASONS else reasons_of(source, names)
    assert given == set(SUBSCRIBER_REASONS) | set(CAMPAIGN_REASONS) | set(TRANSFER_REASONS)


@pytest.mark.parametrize(
    "source",
    [
        "f(reason='new_one')",
        "update(status_reason='new_one' if x else '')",
        "call.reason = 'new_one'",
        "values = {'status_reason': case((x, 'new_one'), else_=y), 'status': 'old'}",
        "status, reason = FAILED, 'new_one'",
        "_REASONS: Final = {BUSY: 'new_one'}",
        "NEW: Final = 'new_one'\nupdate(halt_reason=case((x, NEW), else_=y))",
        "self._move(campaign, END, 'new_one')",
        "def _refusal(x):\n    return 'new_one'",
        "def failure_reason(x):\n    return _REASONS.get(x, 'new_one')",
    ],
)
def test_a_reason_is_found_wherever_it_is_given(source: str) -> None:
    assert reasons_of(source) == {"new_one"}
