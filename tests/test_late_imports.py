"""Tests of imports that wait: everything that waits is there when something asks for it."""

import subprocess
import sys
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


def run(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"{BEGIN}\n{program}"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(YAML, id="a late module runs once, whichever thread asks first"),
        pytest.param(WHOLE, id="all of advanced-alchemy is there when it is asked for"),
        pytest.param(
            "import attr, attrs, pydantic, rich.console; pydantic.BaseModel", id="libraries are not hidden for good"
        ),
        pytest.param(MISSING, id="a missing name is an error"),
    ],
)
def test_what_waits_is_there(program: str) -> None:
    run(program)
