"""Tests of the clock that a hand moves, and of the letters that move it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dialer.dev.terminal import HELP, Terminal
from dialer.local_service.errors import DemoError
from dialer.local_service.hand_clock import BEHIND_S_MAX, HandClock


class Service:
    """A service that remembers how its clock was moved, or refuses it."""

    def __init__(self, problem: str = "") -> None:
        self.moves: list[dict[str, Any]] = []
        self.problem = problem

    def advance_clock(self, **target: Any) -> str:  # noqa: ANN401 - JSON
        if self.problem:
            raise DemoError(self.problem)
        self.moves.append(target)
        return "now"


class Machine:
    """A steady clock."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_clock_runs_at_its_speed_and_stands_still() -> None:
    service, machine = Service(), Machine()
    clock = HandClock(service, machine)
    machine.now_s += 1
    clock.tick()
    clock.run_at(60)
    machine.now_s += 0.5
    clock.tick()
    clock.move(next=True)
    machine.now_s += 0.25
    clock.tick()
    clock.run_at(0)
    machine.now_s += 1
    clock.tick()
    ran = [{"seconds": 30.0, "speed": 60}, {"next": True}, {"seconds": 15.0, "speed": 60}]
    assert service.moves == [*ran, {"seconds": 0, "speed": 0}]


def test_a_clock_that_ran_is_stopped_with_its_program() -> None:
    service, machine = Service(), Machine()
    clock = HandClock(service, machine)
    clock.end()
    assert service.moves == []
    clock.run_at(60)
    clock.end()
    assert (service.moves, clock.speed) == ([{"seconds": 0, "speed": 0}], 0)


@given(st.lists(st.floats(0, 100_000), max_size=20), st.sampled_from([1, 60]))
def test_a_laptop_that_slept_never_dials_a_night_at_once(passed: list[float], speed: int) -> None:
    service, machine = Service(), Machine()
    clock = HandClock(service, machine)
    clock.run_at(speed)
    for seconds in passed:
        machine.now_s += seconds
        clock.tick()
    assert all(0 <= move["seconds"] <= BEHIND_S_MAX * speed for move in service.moves)


def test_a_clock_that_cannot_be_moved_stops_and_says_why() -> None:
    service, machine = Service("the service is gone"), Machine()
    clock = HandClock(service, machine)
    clock.run_at(1)
    machine.now_s += 1
    clock.tick()
    assert (clock.speed, clock.problem) == (0, "the service is gone")


def test_letters_move_the_clock() -> None:
    service, machine, said = Service(), Machine(), list[str]()
    clock = HandClock(service, machine)
    terminal = Terminal(clock, lambda: f"speed {clock.speed}", said.append)
    assert terminal.obey(["\n", "n\n", "M\n", " h \n", "d\n", "6\n", "1\n", "s\n", "?\n", "q\n", "d\n"])
    by_hand = [{"next": True}, {"seconds": 60}, {"seconds": 3_600}, {"seconds": 86_400}]
    assert service.moves == [*by_hand, {"seconds": 0, "speed": 0}]
    assert said == ["speed 0"] * 5 + ["speed 60", "speed 1", "speed 0", HELP]
    service.problem = "Nothing is due"
    assert not terminal.obey(["n\n"])
    assert said[-1] == "Nothing is due"
