"""`kill -9`, again and again: nothing that was acknowledged is lost, nobody is called twice, no cent goes astray."""

from pathlib import Path

import pytest

from tests.end_to_end.killing import kill_often


@pytest.mark.parametrize("seed", [1])
def test_a_server_that_is_killed_again_and_again_loses_nothing_and_does_nothing_twice(
    tmp_path: Path, seed: int
) -> None:
    """`python -m tests.end_to_end.killing --kills 20` is the same for longer."""
    report = kill_often(tmp_path, kills=3, seed=seed)
    assert report.broken == []
    assert report.audit[0] == 0, report.audit[1]
    assert [start["event"] for start in report.starts] == ["dialling_taken_up"] * 3
    assert max(start["calls"] for start in report.starts) > 0
    assert min(report.acknowledged.values()) > 0
