"""Tests of imports that wait: everything that waits is there when something asks for it."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

BEGIN: Final = (
    "from dialer import late_imports; late_imports.install(); import sys, threading; import dialer.store.tables"
)
YAML: Final = """
import yaml
assert "yaml.reader" not in sys.modules
found = []
threads = [threading.Thread(target=lambda: found.append(yaml.safe_load("a: 1"))) for _ in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert found == [{"a": 1}] * 20, found
"""
WHOLE: Final = """
from dialer.store.tables import Campaign
assert "advanced_alchemy.service" not in sys.modules
from advanced_alchemy.base import IdentityBase
from advanced_alchemy.repository import SQLAlchemySyncRepository
import advanced_alchemy
assert advanced_alchemy.base.IdentityBase is IdentityBase and issubclass(Campaign, IdentityBase)
"""
MISSING: Final = """
import yaml
try: yaml.no_such_name
except AttributeError as error: assert str(error) == "module 'yaml' has no attribute 'no_such_name'"
else: raise AssertionError
"""
DIALECTS: Final = """
from advanced_alchemy.types import GUID, json
assert not {"sqlalchemy.dialects.mssql.base", "sqlalchemy.dialects.oracle.base"} & set(sys.modules)
assert str(json.ORA_BLOB()) == "BLOB" and "sqlalchemy.dialects.oracle.base" in sys.modules
from sqlalchemy.dialects import mssql, oracle
assert isinstance(GUID(binary=True).load_dialect_impl(oracle.dialect()), oracle.RAW)
assert mssql.dialect() and isinstance(mssql.UNIQUEIDENTIFIER, type)
"""
STAND_INS: Final = """
import sys, threading
sys.path.insert(0, {folder!r})
from dialer import late_imports
late_imports.install()
begun, asked, is_confused = threading.Event(), threading.Event(), False
"""
"""The begin of a program that has packages of its own in place of those that are imported in another way."""
CROSSED: Final = {
    "yaml/__init__.py": "import __main__; __main__.asked.set(); from yaml.part import found",
    "yaml/part.py": """
import __main__, yaml
found = 1
__main__.begun.set()
__main__.asked.wait()
getattr(yaml, "missing", None)
""",
}
CROSSING: Final = """
import yaml
thread = threading.Thread(target=lambda: __import__("yaml.part"))
thread.start()
begun.wait()
assert yaml.found == 1
thread.join()
"""
BOUND: Final = {
    "structlog/__init__.py": "",
    "structlog/dev.py": """
import __main__
try: import rich
except ModuleNotFoundError: __main__.begun.set()
__main__.asked.wait()
""",
    "rich.py": "",
}
NEEDING: Final = {**BOUND, "structlog/dev.py": "import __main__, rich; __main__.begun.set(); __main__.asked.wait()"}
CONFUSED: Final = {
    "structlog/__init__.py": "",
    "structlog/dev.py": """
import __main__
try: import rich
except ImportError: pass
else:
    try: from rich.part import found
    except ImportError: __main__.is_confused = True
__main__.begun.set()
__main__.asked.wait()
""",
    "rich/__init__.py": "",
    "rich/part.py": "found = 1",
}
"""A module that would be confused by a library without its parts."""
BINDING: Final = """
thread = threading.Thread(target=lambda: __import__("structlog.dev"))
thread.start()
begun.wait()
try: import rich
finally: asked.set()
thread.join()
assert not is_confused
"""
TIMEOUT_S: Final = 60


def run(program: str) -> None:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(YAML, id="a late module runs once, whichever thread asks first"),
        pytest.param(WHOLE, id="all of advanced-alchemy is there when it is asked for"),
        pytest.param(
            "import attr, attrs, pydantic, rich.console; pydantic.BaseModel", id="libraries are not hidden for good"
        ),
        pytest.param(DIALECTS, id="types of dialects are made when somebody makes one"),
        pytest.param(MISSING, id="a missing name is an error"),
    ],
)
def test_what_waits_is_there(program: str) -> None:
    run(f"{BEGIN}\n{program}")


@pytest.mark.parametrize(
    ("files", "program"),
    [
        pytest.param(CROSSED, CROSSING, id="two threads that wait for each other's imports go on"),
        pytest.param(BOUND, BINDING, id="no library is hidden from other threads"),
        pytest.param(NEEDING, BINDING, id="a module that needs a library finds it"),
        pytest.param(CONFUSED, f"import rich\n{BINDING}", id="a library that is there is there with all of its parts"),
    ],
)
def test_threads_import_at_the_same_time(files: Mapping[str, str], program: str, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    run(f"{STAND_INS.format(folder=str(tmp_path))}\n{program}")
