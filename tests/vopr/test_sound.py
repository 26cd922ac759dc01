"""Tests of strangers at the sound of a call: no seed breaks the rule, and it finds bugs that are planted."""

import pytest

from tests.sizes import SOUND_SEEDS
from tests.vopr.search import first_sound_seed
from tests.vopr.sound import SOUND_PLANTED, sound_findings


def test_no_seed_breaks_the_rule() -> None:
    assert [seed for seed in SOUND_SEEDS if sound_findings(seed)] == []


@pytest.mark.parametrize("name", SOUND_PLANTED)
def test_a_planted_bug_is_found(name: str) -> None:
    assert first_sound_seed(name) is not None
