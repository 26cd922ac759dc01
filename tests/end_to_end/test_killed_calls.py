"""A test that kills the service, and the process of its lines, in calls over SIP."""

from pathlib import Path
from typing import Final

from tests.end_to_end.killed_calls import LINES_DIE, POINTS, all_lives
from tests.sizes import IS_WHOLE

SOME: Final = ("before the mark", "the answer is heard", LINES_DIE)


def test_a_call_is_placed_billed_and_ended_once_wherever_a_process_is_killed(tmp_path: Path) -> None:
    seen, audit = all_lives(tmp_path, SOME if not IS_WHOLE else tuple(POINTS))
    assert [one for one in seen if not one.is_right] == []
    assert audit == 0
