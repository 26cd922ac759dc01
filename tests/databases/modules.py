"""Which tests run on PostgreSQL: on demand all that can, in CI a cross-section."""

from collections.abc import Mapping
from typing import Final

FOLDERS: Final = frozenset({"api", "app", "end_to_end", "forecast", "runtime", "store"})
"""Folders of tests that use a database. The fault simulator and the demonstration stay on SQLite."""
BESIDE: Final[Mapping[str, str]] = {}
"""Modules in these folders that do not run on PostgreSQL, and why."""
CONTRACT: Final = frozenset[str]()
"""Modules that CI runs on both databases."""
