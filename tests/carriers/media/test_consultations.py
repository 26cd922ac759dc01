"""Tests of an agent who consults a third person: who hears whom, measured by tones of three pitches."""

from typing import Final

from dialer.domain.sessions.leg_protocol import Bridge, Confer, Hold
from tests.carriers.media.test_supervision import EVERYBODY, Call

THIRD: Final = "supervisor"
"""The third telephone of the studio."""
NOBODY: Final[set[str]] = set()


def test_each_hears_whom_the_agent_wants_and_nobody_else() -> None:
    call = Call()
    order = call.studio.order
    order("callee", Hold(2))
    order("agent", Hold(1, is_silent=True))
    assert call.talk(*EVERYBODY)["agent"] == NOBODY  # The third person has not answered.
    order(THIRD, Bridge(1, "agent"))
    assert call.talk(*EVERYBODY) == {"callee": NOBODY, "agent": {THIRD}, THIRD: {"agent"}}
    order(THIRD, Hold(2))
    order("callee", Bridge(3, "agent"))
    assert call.talk(*EVERYBODY) == {"callee": {"agent"}, "agent": {"callee"}, THIRD: NOBODY}
    for who, turn in (("callee", 4), ("agent", 2), (THIRD, 3)):
        order(who, Confer(turn, "consultation:1"))
    assert call.talk(*EVERYBODY) == {who: set(EVERYBODY) - {who} for who in EVERYBODY}
    order("callee", Hold(5))
    order("agent", Hold(3, is_silent=True))
    order(THIRD, Bridge(4, "agent"))
    assert call.talk(*EVERYBODY) == {"callee": NOBODY, "agent": {THIRD}, THIRD: {"agent"}}
    order("callee", Hold(6))
    order("callee", Bridge(7, THIRD))
    call.studio.router.remove("agent")
    heard = call.talk("callee", THIRD)
    assert (heard["callee"], heard[THIRD]) == ({THIRD}, {"callee"})


def test_a_third_person_who_hangs_up_leaves_the_agent_to_the_callee() -> None:
    call = Call()
    order = call.studio.order
    order("callee", Hold(2))
    order("agent", Hold(1, is_silent=True))
    order(THIRD, Bridge(1, "agent"))
    call.studio.router.remove(THIRD)
    order("callee", Bridge(3, "agent"))
    heard = call.talk("callee", "agent")
    assert (heard["callee"], heard["agent"]) == ({"agent"}, {"callee"})
