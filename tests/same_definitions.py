"""The proof that commits only moved code: each definition before them is there after them, the same.

    python -m tests.same_definitions BEFORE AFTER

It compares the definitions of `src/` in two commits, whatever their modules are called, without imports and
docstrings, which name modules. It prints those that only one of the commits has, and ends with 1 if there are any.
"""

import ast
import io
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

Definition = tuple[str, str]
"""A name, and the syntax tree of what it names."""


def definitions(source: str) -> Iterator[Definition]:
    """Yield the statements of a module that define something, and whatever else it runs, without its imports."""
    for statement in _Bare().visit(ast.parse(source)).body:
        names = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
        yield getattr(statement, "name", "") or " ".join(names[:1]), ast.dump(statement)


class _Bare(ast.NodeTransformer):
    """Remove imports and texts that stand alone. A body that is empty without them gets a `pass`."""

    def visit_Import(self, _: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, _: ast.ImportFrom) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        visited = super().generic_visit(node)
        if getattr(visited, "body", None) == [] and not isinstance(visited, ast.Module):
            visited.body = [ast.Pass()]  # type: ignore[attr-defined] # it has a body
        return visited


def of_commit(commit: str) -> Counter[Definition]:
    """Return the definitions of all modules of a commit, each as often as it stands there."""
    command = ["git", "archive", commit, "src"]
    archive = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        modules = [files.extractfile(entry) for entry in files if entry.isfile() and entry.name.endswith(".py")]
        return Counter(found for module in modules if module for found in definitions(module.read().decode()))


def main(before: str, after: str) -> int:
    """Print what only one of two commits defines, and return the exit code."""
    old, new = of_commit(before), of_commit(after)
    for sign, rest in (("-", old - new), ("+", new - old)):
        for name, _ in sorted(rest.elements()):
            print(f"{sign} {name}")
    print(f"{old.total()} definitions before, {new.total()} after, {(old & new).total()} the same")
    return int(old != new)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
