"""The fault simulator has teeth: whatever is planted is found, by the seed that is known to find it."""

from collections.abc import Iterator

import pytest

from dialer.vopr.building import Folder
from dialer.vopr.run import run_seed
from tests.vopr.planted import PLANTED, Planted

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
async def test_a_planted_bug_is_found(folder: Folder, monkeypatch: pytest.MonkeyPatch, bug: Planted) -> None:
    sound = await run_seed(bug.seed, folder)
    bug.plant(monkeypatch)
    sick = await run_seed(bug.seed, folder)
    assert (sound.ok, sick.ok) == (True, False)
    assert sick.broken
