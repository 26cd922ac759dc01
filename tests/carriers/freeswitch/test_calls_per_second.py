"""Tests of `max_cps` where calls leave for the switch."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from msgspec.structs import replace

from dialer.carriers.freeswitch.calls_per_second import LoopClock
from dialer.carriers.line_port import LiveLeg, Unplaced
from dialer.domain.sessions.leg_protocol import Clear, Ended
from dialer.domain.words.enums import Cause
from tests.carriers.freeswitch.fake_switch import FakeSwitch
from tests.carriers.freeswitch.test_line import ADA, Scene


class HandClock:
    """A clock that a test turns by hand, in the place of the event loop's."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now_ms = 0
        self.latest: Callable[[], None] = self.cancel
        """The action that waits."""
        patch.setattr(LoopClock, "now_ms", property(lambda _: self.now_ms))
        patch.setattr(LoopClock, "after", lambda _, _wait_ms, action: self._wait(action))

    def _wait(self, action: Callable[[], None]) -> "HandClock":
        self.latest = action
        return self

    def cancel(self) -> None:
        """Leave it to the test."""


@pytest.fixture
def switch() -> Iterator[FakeSwitch]:
    with FakeSwitch() as one:
        yield one


@pytest.fixture
async def scene(switch: FakeSwitch) -> AsyncIterator[Scene]:
    one = Scene(switch)
    yield one
    await one.line.close()


async def test_no_second_has_more_calls_than_the_carrier_takes(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is late orders several calls at once. They leave in turns, and too many are taken back."""
    clock = HandClock(monkeypatch)
    await scene.up()
    dials = [replace(ADA, key=f"ada{place}", cps_max=2) for place in range(5)]
    for dial in dials:
        scene.line.dial(dial)
    scene.line.dial(dials[3])
    assert [(key, heard) for _, key, heard in scene.worker.heard_of] == [("ada4", Unplaced())]
    scene.line.perform("ada3", Clear(1, Cause.NO_ANSWER))
    assert scene.worker.heard_of[-1][1:] == ("ada3", Ended(0, Cause.NO_ANSWER))
    await scene.watch.until(lambda: scene.switch.dialled.total() == 2)
    clock.latest()
    assert scene.switch.dialled.total() == 2
    clock.now_ms = 1_000
    clock.latest()
    await scene.watch.until(lambda: scene.switch.dialled.total() == 3)
    originated = [one.partition("uuid=")[2][:4] for one in scene.switch.commands if one.startswith("bgapi")]
    assert originated == ["ada0", "ada1", "ada2"]


async def test_a_call_that_waits_for_its_turn_when_its_line_is_asked_or_closed_is_never_placed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = HandClock(monkeypatch)
    await scene.up()
    for place in range(2):
        scene.line.dial(replace(ADA, key=f"ada{place}", cps_max=1))
    assert await scene.line.find([LiveLeg(replace(ADA, key="ada1"), 0, None)]) == [Unplaced()]
    scene.line.dial(replace(ADA, key="ada2", cps_max=1))
    await scene.line.close()
    clock.now_ms = 10_000
    clock.latest()
    assert [one for one in scene.switch.commands if "uuid=ada1" in one or "uuid=ada2" in one] == []


async def test_a_call_whose_turn_comes_without_a_connection_is_taken_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = HandClock(monkeypatch)
    await scene.up()
    for place in range(2):
        scene.line.dial(replace(ADA, key=f"ada{place}", cps_max=1))
    monkeypatch.setattr(scene.line, "_connection", None)
    clock.now_ms = 10_000
    clock.latest()
    assert scene.worker.heard_of[-1][1:] == ("ada1", Unplaced())
