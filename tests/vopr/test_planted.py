"""The fault simulator has teeth: whatever is planted is found."""

from collections.abc import Iterator

import pytest

from tests.vopr.building import Folder
from tests.vopr.planted import PLANTED, Planted
from tests.vopr.search import first_seed

PLANTED_MIN = 20


@pytest.fixture(scope="module")
def folder() -> Iterator[Folder]:
    """Where the databases of these tests are."""
    one = Folder()
    yield one
    one.close()


def test_enough_is_planted() -> None:
    assert len({bug.plant for bug in PLANTED}) == len(PLANTED) >= PLANTED_MIN


@pytest.mark.parametrize("bug", PLANTED, ids=lambda bug: bug.name.replace(" ", "-"))
async def test_a_planted_bug_is_found(folder: Folder, bug: Planted) -> None:
    """By the seed that is known to find it, or, where that has come to do something else, by another soon."""
    assert await first_seed(bug, folder, try_first=bug.seed) is not None
