"""Tests of the source tree's rules: imports, determinism, and the length of functions and files.

The checkers read source text and import nothing. They find slips, not clocks that are hidden on purpose: they follow
a name through the imports that bind it, but not a value that is passed around.
"""

import ast
import builtins
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
FUNCTION_LINES_MAX: Final = 60
FILE_LINES_MAX: Final = 450

# The packages and modules that each package may import. A top-level module without a row (cli, server, ...) may import
# all of them.
MAY_IMPORT: Final[dict[str, frozenset[str]]] = {
    "domain": frozenset({"domain"}),
    "carriers": frozenset({"carriers", "domain"}),
    "sim": frozenset({"sim", "domain", "carriers", "runtime.steps.kernel"}),
    "store": frozenset({"store", "domain", "settings", "__version__"}),
    "runtime": frozenset({"runtime", "domain", "carriers", "store", "settings", "__version__"}),
    "app": frozenset({"app", "domain", "store", "settings", "time_zone_rules", "__version__"}),
    "forecast": frozenset({"forecast", "app", "domain", "sim", "store", "runtime", "logs", "shares"}),
    "webhooks": frozenset({"webhooks", "domain", "store", "shares"}),
    "mail": frozenset({"mail", "domain", "settings_values"}),
    "resources": frozenset({"resources", "app", "domain", "store", "webhooks", "settings_values", "passwords"})
    | {"shares", "sim.callee_parameters", "sim.agent_profile", "sim.callee_profile", "sim.spans"}
    | {"carriers.parameters", "carriers.sip.parameters", "carriers.freeswitch.parameters"}
    | {f"carriers.texts.{name}" for name in ("parameters", "callbacks", "smpp_parameters")},
    "files": frozenset({"files", "resources", "app", "domain", "store", "settings"}),
    "api": frozenset({"api", "files", "resources", "app", "domain", "store", "runtime", "forecast", "webhooks"})
    | {"time_zone_rules", "settings", "settings_values", "passwords", "shares", "__version__"}
    | {"sim.spans", "sim.trial_call", "carriers.parameters", "carriers.texts.parameters", "carriers.texts.callbacks"}
    | {"carriers.texts.smpp_parameters"},
    "console": frozenset({"console", "resources", "app", "domain", "store", "forecast", "mail", "shares"})
    | {"settings", "settings_values", "passwords", "time_zone_rules", "__version__"}
    | {"api.actions", "api.answers", "api.http", "api.service", "carriers.parameters"}
    | {"webhooks.retries", "webhooks.signing"},
    "local_service": frozenset({"local_service", "domain", "server"}),
    "mcp": frozenset({"mcp", "__version__"}),
    "settings": frozenset(
        {"contact_settings", "domain", "mail_settings", "recording_settings", "settings_values", "speech_settings"}
    )
    | {"database_settings", "telephone_settings", "transcription_settings"},
    "contact_settings": frozenset({"domain", "settings_values"}),
    "database_settings": frozenset({"settings_values"}),
    "mail_settings": frozenset({"settings_values"}),
    "recording_settings": frozenset({"domain", "settings_values"}),
    "speech_settings": frozenset({"domain", "settings_values"}),
    "telephone_settings": frozenset({"settings_values"}),
    "transcription_settings": frozenset({"domain", "settings_values"}),
    "settings_values": frozenset({"domain"}),
    "shares": frozenset({"domain"}),
    "__init__": frozenset({"time_zone_rules"}),
    "time_zone_rules": frozenset(),
}
OUTERMOST: Final = frozenset({"commands", "demo", "dev", "scenarios", "testing", "usage"})
"""Packages that may import every other package."""
DETERMINISTIC: Final = frozenset(
    {"domain", "sim", "carriers.line_port", "carriers.engine_port", "carriers.parameters", "carriers.sip"}
    | {"carriers.browser", "carriers.media", "runtime.steps.kernel"}
    | {f"carriers.freeswitch.{name}" for name in ("causes", "commands", "events", "finding", "framing")}
    | {f"carriers.freeswitch.{name}" for name in ("legs", "parameters")}
    | {f"carriers.texts.{name}" for name in ("parameters", "templates", "requests", "callbacks")}
    | {f"carriers.texts.smpp_{name}" for name in ("parameters", "pdus", "messages")}
)
THIRD_PARTY: Final = frozenset({"msgspec", "holidays", "phonenumbers", "pylibsrtp", "sipmessage"})

SQLITE_FILES: Final = frozenset(
    {"store.backends.database_files", "app.imports.seen_numbers", "forecast.memory_database"}
)
"""Modules for files and memory of SQLite, which hold the service's rows on no other database."""
_BACKENDS: Final = ("dialer.store.backends.sqlite", "dialer.store.backends.postgresql")
DIALECTS: Final = ("sqlite3", "psycopg", "sqlalchemy.dialects", *_BACKENDS)
MAY_NAME_A_DIALECT: Final = frozenset({"store.backends", "store.migrations"}) | SQLITE_FILES

# Names that a deterministic package may not use: clocks, waiting, chance, values that differ between two runs
# (ids, hashes), and input and output. A module stands for everything in it.
BANNED: Final = frozenset(
    {
        "time",
        "sched",
        "random",
        "secrets",
        "asyncio",
        "threading",
        "multiprocessing",
        "concurrent",
        "subprocess",
    }
    | {"signal", "socket", "logging", "os", "io", "pathlib", "tempfile", "importlib"}
    | {f"datetime.{name}" for name in ("datetime.now", "datetime.utcnow", "datetime.today", "date.today")}
    | {f"uuid.{name}" for name in ("uuid1", "uuid4", "uuid6", "uuid7", "uuid8", "getnode")}
    | {f"builtins.{name}" for name in ("open", "print", "input", "hash", "id", "__import__")}
)

Checker = Callable[[str, str], Iterator[str]]


class Import(NamedTuple):
    """One name that an import binds, and where it comes from."""

    line: int
    origin: str
    name: str
    means: str


parsed: Final = lru_cache(maxsize=1)(ast.parse)
"""The syntax tree of a source: checkers look at the same one after each other."""


@lru_cache(maxsize=1)
def imports(tree: ast.AST, module: str) -> tuple[Import, ...]:
    """Return every import of a module, wherever in the file and however it is spelt."""
    return tuple(_imports(tree, module))


def _imports(tree: ast.AST, module: str) -> Iterator[Import]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield Import(node.lineno, alias.name, alias.asname or top, alias.name if alias.asname else top)
        elif isinstance(node, ast.ImportFrom):
            parents = module.split(".")[: -node.level] if node.level else []
            source = ".".join([*parents, node.module] if node.module else parents)
            for alias in node.names:
                origin = f"{source}.{alias.name}"
                yield Import(node.lineno, origin, alias.asname or alias.name, origin)


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    """Return what a name or a chain of attributes stands for, or an empty string."""
    if isinstance(node, ast.Name):
        return names.get(node.id, f"builtins.{node.id}" if hasattr(builtins, node.id) else "")
    if isinstance(node, ast.Attribute) and (owner := dotted(node.value, names)):
        return f"{owner}.{node.attr}"
    return ""


def is_within(name: str, places: frozenset[str]) -> bool:
    """Return whether a dotted name is one of these packages or modules, or within one."""
    inside = name.split(".")[1:]
    return any(inside[: place.count(".") + 1] == place.split(".") for place in places)


def wrong_arrows(module: str, source: str) -> Iterator[str]:
    """Find imports that the arrows forbid."""
    _, part, *inside = module.split(".")
    if part not in MAY_IMPORT:
        if inside and part not in OUTERMOST:
            yield f"{module}: the package {part} has no row in the table of imports"
        return
    for found in imports(parsed(source), module):
        if found.origin.split(".")[0] == "dialer" and not is_within(found.origin, MAY_IMPORT[part]):
            yield f"{module}:{found.line}: {part} may not import {found.origin}"


def strangers(module: str, source: str) -> Iterator[str]:
    """Find third-party code that a deterministic package may not use."""
    if is_within(module, DETERMINISTIC):
        for found in imports(parsed(source), module):
            root = found.origin.partition(".")[0]
            if root not in sys.stdlib_module_names | THIRD_PARTY | {"dialer"}:
                yield f"{module}:{found.line}: third-party code, {root}"


def chance_and_effects(module: str, source: str) -> Iterator[str]:
    """Find clocks, waiting, chance and effects in a deterministic package."""
    if not is_within(module, DETERMINISTIC):
        return
    tree = parsed(source)
    found = imports(tree, module)
    for line, origin, _, _ in found:
        if any(origin == banned or origin.startswith(f"{banned}.") for banned in BANNED):
            yield f"{module}:{line}: imports {origin}"
    names = {item.name: item.means for item in found}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            used = dotted(node, names)
            if "." in used and used in BANNED:
                yield f"{module}:{node.lineno}: uses {used.removeprefix('builtins.')}"


def dialects(module: str, source: str) -> Iterator[str]:
    """Find imports of one kind of database where both must work."""
    if not is_within(module, MAY_NAME_A_DIALECT):
        for found in imports(parsed(source), module):
            if any(found.origin == name or found.origin.startswith((f"{name}.", f"{name}_")) for name in DIALECTS):
                yield f"{module}:{found.line}: names a dialect, {found.origin}"


def overlong(module: str, source: str) -> Iterator[str]:
    """Find functions and files that are too long."""
    if (lines := len(source.splitlines())) > FILE_LINES_MAX:
        yield f"{module}: {lines} lines in a file, {FILE_LINES_MAX} allowed"
    for node in ast.walk(parsed(source)) if module.startswith("dialer.") else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                yield f"{module}:{node.lineno}: {lines} lines in {node.name}, {FUNCTION_LINES_MAX} allowed"


def public_classes(module: str, source: str) -> Iterator[str]:
    """Yield the public classes of a module."""
    names = [node.name for node in parsed(source).body if isinstance(node, ast.ClassDef)]
    yield from (f"{name} {module}" for name in names if not name.startswith("_"))


def table_aliases(module: str, source: str) -> Iterator[str]:
    """Find names that stand for the table of one model. Its typed columns are attributes of the model."""
    for node in ast.walk(parsed(source)) if "__table__" in source else ():
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            value = ast.unparse(node.value).removesuffix(".c")
            model = value.removesuffix(".__table__")
            if model != value and model.isidentifier() and model[0].isupper():
                yield f"{module}:{node.lineno}: names the table of {model}, whose columns are typed"


ARROWS: Final = (wrong_arrows, strangers, chance_and_effects, dialects)


@cache
def all_problems(folder: str) -> dict[Checker, list[str]]:
    """Run all checkers over a folder that holds top-level packages. Each file is parsed once."""
    found: dict[Checker, list[str]] = {checker: [] for checker in (*ARROWS, overlong, public_classes, table_aliases)}
    for path in sorted((ROOT / folder).rglob("*.py")):
        module = ".".join(path.relative_to((ROOT / folder).parent).with_suffix("").parts)
        source = path.read_text("utf-8")
        for checker, lines in found.items():
            if folder == "src/dialer" or checker in {overlong, table_aliases}:
                lines.extend(checker(module, source))
    return found


def problems(checker: Checker, *folders: str) -> list[str]:
    """Return what a checker finds in these folders."""
    return [problem for folder in folders for problem in all_problems(folder)[checker]]


@pytest.mark.parametrize("checker", ARROWS)
def test_packages_import_only_allowed_packages(checker: Checker) -> None:
    assert problems(checker, "src/dialer") == []


def test_functions_and_files_stay_short() -> None:
    assert problems(overlong, "src/dialer", "tests", "benchmarks", "clients") == []


def test_statements_name_typed_columns() -> None:
    assert problems(table_aliases, "src/dialer", "tests", "benchmarks") == []


def test_a_name_means_one_class() -> None:
    """A table may have the name of the domain's value that it stores."""
    found = [line.split() for line in problems(public_classes, "src/dialer")]
    names = Counter(name for name, module in found if not module.startswith("dialer.store.tables."))
    assert [f"{name} {module}" for name, module in found if names[name] > 1] == []


def test_the_tree_is_really_read() -> None:
    assert problems(public_classes, "src/dialer") != []


def lines_of(count: int) -> str:
    """Return the source of a function with `count` lines."""
    return "def f():\n" + "    x = 1\n" * (count - 1)


@pytest.mark.parametrize(
    ("checker", "module", "source"),
    [
        (wrong_arrows, "dialer.domain.a", "import dialer.store.database.database"),
        (wrong_arrows, "dialer.domain.a", "from dialer import sim"),
        (wrong_arrows, "dialer.domain.a", "from dialer.settings import Settings"),
        (wrong_arrows, "dialer.domain.a", "import dialer"),
        (wrong_arrows, "dialer.domain.a", "def f():\n    from dialer.api import app"),
        (wrong_arrows, "dialer.domain.a", "if TYPE_CHECKING:\n    from dialer.store import rows"),
        (wrong_arrows, "dialer.domain.deep.a", "from ...store import rows"),
        (wrong_arrows, "dialer.domain.__init__", "from .. import store"),
        (wrong_arrows, "dialer.sim.a", "from dialer.runtime import worker"),
        (wrong_arrows, "dialer.runtime.a", "from dialer.sim.carrier import SimulatedCarrier"),
        (wrong_arrows, "dialer.app.a", "from dialer.api.http import errors"),
        (wrong_arrows, "dialer.sim.a", "import dialer.settings as s"),
        (wrong_arrows, "dialer.store.a", "from dialer.sim import carrier"),
        (wrong_arrows, "dialer.runtime.a", "from dialer.api import app"),
        (wrong_arrows, "dialer.api.a", "from dialer.cli import main"),
        (wrong_arrows, "dialer.api.a", "from dialer.console.app import Console"),
        (wrong_arrows, "dialer.console.a", "from dialer.api.routes import root"),
        (wrong_arrows, "dialer.console.a", "from dialer.runtime.steps.worker import Worker"),
        (wrong_arrows, "dialer.settings", "from dialer.api import app"),
        (wrong_arrows, "dialer.__init__", "from dialer.domain import enums"),
        (wrong_arrows, "dialer.newcomer.a", ""),
        (strangers, "dialer.domain.a", "import sqlalchemy.orm"),
        (strangers, "dialer.sim.a", "from structlog import get_logger"),
        (strangers, "dialer.sim.a", "import anyio"),
        (chance_and_effects, "dialer.domain.a", "import time"),
        (chance_and_effects, "dialer.domain.a", "from time import monotonic as tick"),
        (chance_and_effects, "dialer.domain.a", "from random import Random"),
        (chance_and_effects, "dialer.domain.a", "import os.path"),
        (chance_and_effects, "dialer.domain.a", "import concurrent.futures as f"),
        (chance_and_effects, "dialer.domain.a", "from uuid import uuid4"),
        (chance_and_effects, "dialer.domain.a", "import uuid as u\nx = u.uuid1()"),
        (chance_and_effects, "dialer.domain.a", "import datetime\nx = datetime.datetime.now()"),
        (chance_and_effects, "dialer.domain.a", "from datetime import datetime as D, UTC\nx = D.now(UTC)"),
        (chance_and_effects, "dialer.domain.a", "from datetime import datetime\nx = datetime.utcnow"),
        (chance_and_effects, "dialer.sim.a", "import datetime as dt\nx = dt.date.today()"),
        (chance_and_effects, "dialer.sim.a", "import logging"),
        (chance_and_effects, "dialer.sim.a", "import asyncio"),
        (chance_and_effects, "dialer.sim.a", "open('x')"),
        (chance_and_effects, "dialer.sim.a", "list(map(print, []))"),
        (chance_and_effects, "dialer.sim.a", "seed = hash('x')"),
        (dialects, "dialer.store.a", "import sqlite3"),
        (dialects, "dialer.app.a", "from sqlalchemy.dialects.postgresql import insert"),
        (dialects, "dialer.api.a", "from dialer.store.backends import sqlite"),
        (dialects, "dialer.store.a", "from dialer.store.backends.postgresql_functions import TRIGGERS"),
        (overlong, "dialer.api.a", lines_of(61)),
        (overlong, "dialer.api.a", "async " + lines_of(61)),
        (overlong, "dialer.api.a", "class C:\n" + "\n".join(f"    {x}" for x in lines_of(61).splitlines())),
        (overlong, "dialer.api.a", "x = 1\n" * 451),
        (overlong, "tests.test_a", "x = 1\n" * 451),
        (table_aliases, "dialer.app.a", "_campaigns: Final = Campaign.__table__"),
        (table_aliases, "tests.test_a", "columns = Campaign.__table__.c"),
    ],
)
def test_a_planted_violation_is_found(checker: Checker, module: str, source: str) -> None:
    assert len(list(checker(module, source))) == 1


@pytest.mark.parametrize(
    ("checker", "module", "source"),
    [
        (wrong_arrows, "dialer.domain.a", "from dialer.domain import enums\nfrom .enums import Status"),
        (
            wrong_arrows,
            "dialer.sim.a",
            "from ..domain.engine import Engine\nfrom dialer.runtime.steps.kernel import Kernel",
        ),
        (wrong_arrows, "dialer.store.a", "from dialer.settings import Settings"),
        (wrong_arrows, "dialer.api.a", "from dialer import __version__, runtime\nimport dialer.store.rows"),
        (wrong_arrows, "dialer.cli", "from dialer.api import app\nfrom dialer import demo"),
        (strangers, "dialer.domain.a", "import msgspec, re\nfrom phonenumbers import timezone"),
        (strangers, "dialer.store.a", "import sqlalchemy"),
        (
            chance_and_effects,
            "dialer.domain.a",
            "from datetime import datetime, time\nx = datetime.min, time.min",
        ),
        (chance_and_effects, "dialer.domain.a", "from uuid import UUID, uuid5\nx = state.now"),
        (chance_and_effects, "dialer.domain.a", "class C:\n    id: int\n\nx = C.id, C().open()"),
        (chance_and_effects, "dialer.runtime.a", "import time, asyncio\nx = time.monotonic()"),
        (dialects, "dialer.store.backends.a", "import sqlite3"),
        (dialects, "dialer.store.a", "from dialer.store.backends.backend import backend_of"),
        (overlong, "dialer.api.a", lines_of(60) + "x = 1\n" * 390),
        (table_aliases, "dialer.app.a", "table = model.__table__\nfind = select(Campaign.__table__)"),
    ],
)
def test_allowed_source_passes(checker: Checker, module: str, source: str) -> None:
    assert list(checker(module, source)) == []
