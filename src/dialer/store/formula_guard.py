"""The guard of exported cells: an apostrophe before a text that a spreadsheet would take for a formula.

A text that begins with apostrophes before a formula is guarded, too. So `unguard` restores every guarded text exactly.
"""

import re
from typing import Final

GUARD: Final = "'"
FORMULA_STARTS: Final = frozenset("=+-@\t\r")
"""The first characters of texts that a spreadsheet takes for formulas, unless they are numbers."""
_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
_NUMBER: Final = re.compile(r"'*[+-]?[0-9]+(\.[0-9]+)?")


def guard(text: str) -> str:
    """Return the cell for a text, with a guard if the text needs one."""
    return f"{GUARD}{text}" if _is_guarded(text) else text


def unguard(cell: str) -> str:
    """Return the text of a cell, without the guard that `guard` wrote."""
    return cell[1:] if cell.startswith(GUARD) and _is_guarded(cell) else cell


def _is_guarded(text: str) -> bool:
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None
