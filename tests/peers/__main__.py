"""Play all calls with other telephones, and write what came of them into the guide: `python -m tests.peers`."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from tests.peers.matrix import NO, YES, cells, update, written

PLACES: Final = ("tests/peers/test_peers.py", "tests/peers/test_registrars.py", "tests/carriers/voice/test_kamailio.py")


def results_in(report: Path) -> dict[tuple[str, str], str]:
    """Return the word for each cell that a test filled. One failure of several tests counts."""
    words: dict[tuple[str, str], str] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest has written it
        has_passed = all(case.find(name) is None for name in ("failure", "error", "skipped"))
        for one in case.iter("property"):
            name, _, what = one.attrib["value"].partition("/")
            words[name, what] = YES if has_passed and words.get((name, what)) != NO else NO
    return words


def main() -> int:
    """Run the tests one after the other, with all cases."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = (
            sys.executable,
            "-m",
            "pytest",
            *PLACES,
            "-n",
            "2",
            "-o",
            "junit_family=xunit1",
            f"--junitxml={report}",
        )
        code = subprocess.run(command, env={**os.environ, "CI": "true"}, check=False).returncode
        results = results_in(report)
    if results.keys() >= cells():
        update(written(results))
    return code


sys.exit(main())
