"""Migrations only add, so that code of the revision before goes on; the id of one that does not says so."""

import ast
from pathlib import Path
from typing import Final

import pytest

from dialer.store.database.migrate import FLOOR, MIGRATIONS, floor_of

NAMES: Final = ("revision = ", "down_revision = ")
ADDING: Final = frozenset({"create_table", "add_column", "create_index", "f"})
"""Functions of `op` after which older code can still read and write."""


def misnamed(folder: Path) -> list[str]:
    """Return the migrations of a folder whose revisions have the wrong floor, each with the right revision."""
    found = []
    for path in sorted(folder.glob("0*.py")):
        source = path.read_text("utf-8")
        given = {ast.unparse(one) for one in ast.parse(source).body if isinstance(one, ast.Assign)}
        ids = [next(one for one in given if one.startswith(name))[len(name) :].strip("'") for name in NAMES]
        is_floor = ids[1] == "None" or troubles(source)
        right = path.name[:4] + FLOOR + (path.name[:4] if is_floor else floor_of(ids[1]))
        if ids[0] != right:
            found.append(f"{path.name}: {right}")
    return found


def troubles(source: str) -> list[str]:
    """Return the calls of a migration that older code would trip over."""
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    created = {ast.unparse(one.args[0]) for one in calls if ast.unparse(one.func) == "op.create_table"}
    return [ast.unparse(one) for one in calls if ast.unparse(one.func).startswith("op.") and _is_trouble(one, created)]


def _is_trouble(call: ast.Call, created: set[str]) -> bool:
    name = ast.unparse(call.func).removeprefix("op.")
    given = {one.arg: ast.unparse(one.value) for one in call.keywords}
    if name == "create_index":  # Older code may write what the index refuses, unless the table is new.
        return given.get("unique") == "True" and ast.unparse(call.args[1]) not in created
    if name == "drop_index":  # Older code only reads more slowly, unless it relies on the index to refuse a row.
        return ast.unparse(call.args[0]).startswith("'uq_")
    if name == "add_column":
        column = ast.unparse(call.args[1])
        return "nullable=False" in column and "server_default=" not in column
    return name not in ADDING


def test_a_migration_that_does_not_only_add_is_its_own_floor() -> None:
    assert misnamed(MIGRATIONS / "versions") == []


@pytest.mark.parametrize(
    ("statement", "before", "right"),
    [
        ("op.create_table('x')", "0029_from_0029", "0030_from_0029"),
        ("op.create_table('x')", "0029_from_0021", "0030_from_0021"),
        ("op.drop_table('x')", "0029_from_0021", "0030_from_0030"),
    ],
)
def test_a_wrong_floor_is_found(tmp_path: Path, statement: str, before: str, right: str) -> None:
    for revision, found in (("0030", [f"0030_x.py: {right}"]), (right, [])):
        source = f"revision = '{revision}'\ndown_revision = '{before}'\n{statement}\n"
        (tmp_path / "0030_x.py").write_text(source, "utf-8")
        assert misnamed(tmp_path) == found


@pytest.mark.parametrize(
    ("statement", "is_fine"),
    [
        ("op.add_column('campaign', sa.Column('x', sa.Integer(), nullable=True))", True),
        ("op.add_column('campaign', sa.Column('x', sa.Integer(), server_default='0', nullable=False))", True),
        ("op.add_column('campaign', sa.Column('x', sa.Integer(), nullable=False))", False),
        ("op.create_index('ix', 'campaign', ['x'])", True),
        ("op.create_index('ix', 'campaign', ['x'], unique=True)", False),
        ("op.create_table('x'); op.create_index('ix', 'x', ['y'], unique=True)", True),
        ("op.drop_index('ix', table_name='campaign')", True),
        ("op.drop_index('uq_x', table_name='campaign')", False),
        ("op.drop_column('campaign', 'x')", False),
        ("op.execute('DELETE FROM campaign')", False),
    ],
)
def test_the_check_knows_what_older_code_trips_over(statement: str, *, is_fine: bool) -> None:
    assert (troubles(statement) == []) is is_fine
