"""Tests of the page of durations at the end of a run."""

from typing import Literal

import pytest

from tests.durations import CPU, Row, Totals, folder_of, page

When = Literal["setup", "call", "teardown"]


def report(nodeid: str, when: When, duration: float, cpu_s: str | None = None) -> pytest.TestReport:
    properties = [(CPU, cpu_s)] if cpu_s else []
    place = (nodeid, None, nodeid)
    return pytest.TestReport(nodeid, place, {}, "passed", None, when, (), duration, user_properties=properties)


@pytest.mark.parametrize(
    ("nodeid", "folder"),
    [
        ("tests/domain/engine/test_retry.py::test_it[a/b]", "domain/engine"),
        ("tests/test_prose.py::test_it", "test_prose.py"),
        ("api/test_etags.py::test_it", "api"),
    ],
)
def test_a_test_belongs_to_the_folder_of_its_module(nodeid: str, folder: str) -> None:
    assert folder_of(nodeid) == folder


def test_the_page_begins_with_the_folder_that_computed_longest_and_ends_with_the_sum() -> None:
    totals = Totals()
    for one in (
        report("tests/api/test_a.py::test_a", "setup", 1.0),
        report("tests/api/test_a.py::test_a", "call", 20.0),
        report("tests/api/test_a.py::test_a", "teardown", 0.5, "1.5"),
        report("tests/sim/test_b.py::test_b", "setup", 0.0),
        report("tests/sim/test_b.py::test_b", "teardown", 0.5, "2.25"),
        report("tests/sim/test_b.py::test_c", "call", 2.0),
        report("tests/sim/test_b.py::test_c", "teardown", 0.0, "2.0"),
    ):
        totals.add(one)
    assert totals.rows() == [Row("sim", 2, 2.5, 4.25), Row("api", 1, 21.5, 1.5)]
    assert list(page(totals.rows())) == [
        " tests   seconds  computed  folder",
        "     2       2.5       4.2  sim",
        "     1      21.5       1.5  api",
        "     3      24.0       5.8  all",
    ]
