"""Tests of calls that come in through a FreeSWITCH."""

from collections.abc import AsyncIterator

import pytest

from dialer.carriers.freeswitch.leg_lookup import ringing_in
from dialer.carriers.line_port import Alive, LiveLeg, Over, Unknown
from dialer.domain.sessions.leg_protocol import Arrived, Arriving, Ask, Clear, Done, Ended, Hold
from dialer.domain.words.enums import Cause
from tests.carriers.freeswitch.fake_channel import SwitchCallee
from tests.carriers.freeswitch.fake_switch import FakeSwitch
from tests.carriers.freeswitch.test_line import Scene

DID = "12025550199"
ZOE = "12025550999"
MARK = "gateway-7"


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    with FakeSwitch({ZOE: SwitchCallee(keys=["1"])}) as switch:
        scene = Scene(switch)
        await scene.up()
        yield scene
        await scene.line.close()


def order(key: str, arrived: object) -> Arriving:
    """Return the order to answer a call."""
    assert isinstance(arrived, Arrived)
    return Arriving(key, arrived.caller, 60_500, arrived.handle)


@pytest.mark.parametrize("knob", ["", "doubles", "strangers", "tears"])
async def test_a_parked_call_is_answered_asked_and_ended(scene: Scene, knob: str) -> None:
    if knob:
        setattr(scene.switch.knobs, knob, True)
    key = scene.switch.call_in(ZOE, DID, MARK)
    await scene.heard("Arrived")
    arrived = scene.worker.first(Arrived)
    assert (arrived.called, arrived.caller) == (DID, ZOE)  # type: ignore[union-attr] # it was heard
    for _ in range(2):
        scene.line.dial(order(key, arrived))
    await scene.heard("Arrived", "Answered")
    scene.line.perform(key, Ask(1, (), 1, 1_000))
    await scene.heard("Arrived", "Answered", "Done")
    scene.line.perform(key, Clear(2))
    await scene.heard("Arrived", "Answered", "Done", "Ended")
    done = scene.worker.first(Done)
    assert (done.answer, scene.switch.channels) == ("1", {})  # type: ignore[union-attr] # it was heard
    said = [one for one in scene.switch.commands if (key in one and "sched" in one) or "uuid_answer" in one]
    assert said == [f"api sched_del {key}", f"api sched_hangup +61 {key} allotted_timeout", f"api uuid_answer {key}"]


@pytest.mark.parametrize(
    ("cause", "name"),
    [
        (Cause.UNALLOCATED_NUMBER, "UNALLOCATED_NUMBER"),
        (Cause.USER_BUSY, "USER_BUSY"),
        (Cause.NO_CIRCUIT, "NORMAL_CIRCUIT_CONGESTION"),
        (Cause.TEMPORARY_FAILURE, "NORMAL_TEMPORARY_FAILURE"),
        (Cause.NORMAL_CLEARING, "NORMAL_CLEARING"),
    ],
)
async def test_a_call_is_refused_with_its_cause(scene: Scene, cause: Cause, name: str) -> None:
    key = scene.switch.call_in(ZOE, DID, MARK)
    await scene.heard("Arrived")
    scene.line.perform(key, Clear(1, cause))
    await scene.heard("Arrived", "Ended")
    assert f"api uuid_kill {key} {name}" in scene.switch.commands


async def test_a_caller_who_gives_up_is_over(scene: Scene) -> None:
    key = scene.switch.call_in(ZOE, DID, MARK)
    await scene.heard("Arrived")
    scene.switch.hang_up(DID)
    await scene.heard("Arrived", "Ended")
    scene.line.dial(Arriving(key, ZOE, 60_000, ""))
    scene.line.dial(Arriving("nobody", "", 1, ""))
    await scene.heard("Arrived", "Ended", "Unplaced")
    assert not [one for one in scene.switch.commands if "uuid_answer" in one]


@pytest.mark.parametrize(
    ("caller", "called", "more", "heard"),
    [
        (ZOE, DID, {"Caller-Privacy-Hide-Number": "true"}, [(DID, "")]),
        ("x" * 65, "\u0000", {}, [("", "")]),
        (ZOE, DID, {"Answer-State": "answered"}, []),
        (ZOE, DID, {"Unique-ID": "a b"}, []),
        (ZOE, DID, {"Unique-ID": "a" * 37}, []),
        (ZOE, DID, {"Call-Direction": "outbound"}, []),
    ],
)
async def test_only_new_calls_with_a_name_arrive(
    scene: Scene, caller: str, called: str, more: dict[str, str], heard: list[tuple[str, str]]
) -> None:
    scene.switch.call_in(caller, called, MARK, more)
    scene.switch.call_in(ZOE, "1", MARK)
    wanted = [*heard, ("1", ZOE)]
    await scene.heard(*["Arrived"] * len(wanted))
    arrived = [one for _, _, one in scene.worker.heard_of if isinstance(one, Arrived)]
    assert [(one.called, one.caller) for one in arrived] == wanted


async def test_a_call_that_was_parked_while_nobody_listened_is_found_and_answered_once(scene: Scene) -> None:
    """Calls of other gateways are none of ours, nor are calls that are answered, or placed by somebody else."""
    await scene.line.close()
    key = scene.switch.call_in(ZOE, DID, MARK)
    scene.switch.call_in(ZOE, DID, "gateway-8")
    answered = scene.switch.call_in(ZOE, DID, MARK)
    scene.switch.channels[answered].answered_us = 1
    await scene.again(clears=False)
    await scene.heard("Arrived")
    scene.switch.drop_connections()
    later = scene.switch.call_in(ZOE, "1", MARK)
    await scene.heard("Arrived", "Arrived")
    assert scene.worker.kinds == [(key, "Arrived"), (later, "Arrived")]
    await scene.up()
    for one, (_, _, arrived) in zip((key, later), scene.worker.heard_of, strict=True):
        scene.line.dial(order(one, arrived))
    await scene.heard("Arrived", "Arrived", "Answered", "Answered")
    assert len([one for one in scene.switch.commands if "uuid_answer" in one]) == 2


async def test_a_parked_call_that_is_found_can_be_refused(scene: Scene) -> None:
    await scene.line.close()
    key = scene.switch.call_in(ZOE, DID, MARK)
    await scene.again(clears=False)
    await scene.heard("Arrived")
    scene.line.perform(key, Clear(1, Cause.USER_BUSY))
    await scene.heard("Arrived", "Ended")
    assert scene.switch.channels == {}


@pytest.mark.parametrize(
    "listed", ["", "-ERR no", "[]", '{"rows": 1}', '{"rows": [{"uuid": 1, "direction": "inbound"}]}', "[" * 100_000]
)
def test_a_list_of_channels_that_is_none_has_no_calls(listed: str) -> None:
    assert ringing_in(listed) == []


async def test_a_call_is_taken_up_after_a_restart_and_answered_if_it_still_rings(scene: Scene) -> None:
    keys = [scene.switch.call_in(ZOE, DID, MARK) for _ in range(3)]
    await scene.heard(*["Arrived"] * 3)
    handles = [order(key, scene.worker.first(Arrived)) for key in keys]
    scene.line.dial(handles[0])
    await scene.heard(*["Arrived"] * 3, "Answered")
    await scene.again(clears=False)
    await scene.heard(*["Arrived"] * 2)  # The service has them on record, and ignores that.
    scene.worker.heard_of.clear()
    scene.switch.channels.pop(keys[2])
    found = await scene.line.find([LiveLeg(one, 10, 5 if one is handles[0] else None) for one in handles])
    assert found == [Alive(), Alive(), Unknown()]
    await scene.heard("Answered")
    assert scene.worker.kinds == [(keys[1], "Answered")]
    scene.line.perform(keys[0], Hold(1))
    scene.switch.hang_up(DID, "USER_BUSY")
    await scene.heard("Answered", "Ended", "Ended")
    (over,) = await scene.line.find([LiveLeg(handles[1], 10, 5)])
    assert isinstance(over, Over)
    assert isinstance(over.ended, Ended)
