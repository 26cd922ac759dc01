"""Tests of the fixtures of the benchmarks, in a process that has no key of stored secrets as the tests do."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

SCRIPT: Final = """
import sys
from pathlib import Path
from benchmarks.campaigning import ready
from benchmarks.fixture_database import create_database
print(ready(create_database(Path(sys.argv[1]), contacts=3), 1_772_442_000_000))
"""


def test_a_campaign_of_a_benchmark_can_be_made(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DIALER_SECRETS_KEY"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("1\n", "")
