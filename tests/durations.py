"""The page at the end of a whole run: how long the tests of each folder took, and how much of it they computed."""

import os
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.sizes import IS_WHOLE

ROOT: Final = Path(__file__).parent
CPU: Final = "cpu_s"
"""The property of a test's last report that has its processor time."""
_BEGAN: Final = pytest.StashKey[float]()


class Row(NamedTuple):
    """The tests of a folder. Those of a module that stands in no folder have a row of their own."""

    folder: str
    tests: int
    seconds: float
    cpu_s: float
    """Processor time of the tests, and of the programs which they started and which have ended."""


class Totals:
    """Sums over all reports of a run."""

    def __init__(self) -> None:
        self._tests: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._cpu_s: defaultdict[str, float] = defaultdict(float)

    def add(self, report: pytest.TestReport) -> None:
        """Add a report: a test has one for its set-up, its call, and its end."""
        folder = folder_of(report.nodeid)
        self._seconds[folder] += report.duration
        if report.when == "teardown":
            self._tests[folder] += 1
            self._cpu_s[folder] += sum(float(str(value)) for name, value in report.user_properties if name == CPU)

    def rows(self) -> list[Row]:
        """Return a row for each folder, the one that computed longest first."""
        found = (Row(name, self._tests[name], self._seconds[name], self._cpu_s[name]) for name in self._tests)
        return sorted(found, key=lambda row: (-row.cpu_s, row.folder))


def folder_of(nodeid: str) -> str:
    """Return the folder of a test below `tests/`."""
    place = Path(nodeid.partition("::")[0])
    parts = place.parts[1:] if place.parts[0] == ROOT.name else place.parts
    return "/".join(parts[:-1] or parts)


def page(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of the page, with the sum as the last one."""
    listed = list(rows)
    whole = Row(
        "all",
        sum(row.tests for row in listed),
        sum(row.seconds for row in listed),
        sum(row.cpu_s for row in listed),
    )
    yield f"{'tests':>6} {'seconds':>9} {'computed':>9}  folder"
    for row in (*listed, whole):
        yield f"{row.tests:>6} {row.seconds:>9.1f} {row.cpu_s:>9.1f}  {row.folder}"


def computed_s() -> float:
    """Return the processor time of this process and of its children that have ended."""
    return sum(os.times()[:4])


class Reporter:
    """Collects the reports of a run, and shows the page at its end."""

    def __init__(self, *, shows_page: bool) -> None:
        self._totals: Final = Totals()
        self._shows_page: Final = shows_page

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._totals.add(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._shows_page:
            terminalreporter.section("durations by folder")
            for line in page(self._totals.rows()):
                terminalreporter.write_line(line)


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "show at the end how long the tests of each folder took, as in continuous integration"
    parser.addoption("--folders", action="store_true", default=IS_WHOLE, help=text)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Reporter(shows_page=config.getoption("--folders")))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_BEGAN] = computed_s()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    if call.when == "teardown":
        item.user_properties.append((CPU, f"{computed_s() - item.stash[_BEGAN]:.3f}"))
    return (yield)
