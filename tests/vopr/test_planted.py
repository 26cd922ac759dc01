"""Tests that the fault simulator finds planted bugs."""

from collections.abc import Iterator

import pytest

from tests.vopr.building import Folder
from tests.vopr.contact_rules_planted import CONTACTS_PLANTED
from tests.vopr.desks_planted import DESK_PLANTED
from tests.vopr.events_planted import EVENT_PLANTED
from tests.vopr.manual_planted import MANUAL_PLANTED
from tests.vopr.planted import AHEAD_PLANTED, PLANTED, Planted
from tests.vopr.search import first_seed

PLANTED_MIN = 20


@pytest.fixture(scope="module")
def folder() -> Iterator[Folder]:
    """Return a folder for the databases of these tests."""
    one = Folder()
    yield one
    one.close()


def test_there_are_enough_planted_bugs() -> None:
    assert len({bug.plant for bug in PLANTED}) == len(PLANTED) >= PLANTED_MIN


@pytest.mark.parametrize(
    "bug",
    [*PLANTED, *DESK_PLANTED, *MANUAL_PLANTED, *CONTACTS_PLANTED, *AHEAD_PLANTED, *EVENT_PLANTED],
    ids=lambda bug: bug.name.replace(" ", "-"),
)
async def test_a_planted_bug_is_found(folder: Folder, bug: Planted) -> None:
    """Try the recorded seed first. A change of the generators may have moved the find to another seed."""
    assert await first_seed(bug, folder, try_first=bug.seed) is not None
