"""A test that a server loses no acknowledged write when it is killed during writes and calls."""

from pathlib import Path

from tests.end_to_end import killing
from tests.sizes import KILLS


def test_a_killed_server_loses_nothing_and_dials_nobody_twice(tmp_path: Path) -> None:
    report = killing.kill_often(tmp_path, kills=KILLS, seed=13, people_per_kill=40, writes_max=40)
    assert report.broken == []
    assert report.audit[0] == 0, report.audit[1]
    assert [start["event"] for start in report.starts] == ["dialling_taken_up"] * KILLS
    assert all(count > 0 for count in report.sizes.values())
    assert sum(report.acknowledged.values()) > 0
