"""A test that every number that always does the same has a name for tests."""

from dialer.sim.callee_profile import ALWAYS_THE_SAME, TEXTED_ALWAYS_THE_SAME
from dialer.testing import MagicNumber


def test_every_number_that_always_does_the_same_has_a_name() -> None:
    assert {
        number.removeprefix("+") for number in MagicNumber
    } == ALWAYS_THE_SAME.keys() | TEXTED_ALWAYS_THE_SAME.keys()
