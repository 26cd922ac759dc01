"""Tests of a callee on hold in a FreeSWITCH: parted from an agent, and in the middle of a recording."""

import pytest

from dialer.carriers.freeswitch import legs
from dialer.domain.sessions.leg_protocol import Bridge, Done, Hold, Record
from tests.carriers.freeswitch.fake_switch import FakeSwitch
from tests.carriers.freeswitch.test_line import ADA, BERT, STAYS, Scene


async def test_a_callee_on_hold_hears_music_and_the_agent_stays() -> None:
    with FakeSwitch({ADA.number: STAYS, BERT.number: STAYS}) as switch:
        scene, channels = Scene(switch), switch.channels
        await scene.calls(ADA, BERT)
        scene.line.perform("ada", Bridge(1, "bert"))
        await scene.watch.until(lambda: channels["ada"].other == "bert")
        scene.line.perform("ada", Hold(2))
        scene.line.perform("bert", Hold(1, is_silent=True))
        await scene.watch.until(lambda: scene.applications != [])
        assert (scene.applications, channels["ada"].other) == ([("endless_playback", "local_stream://moh")], "")
        scene.line.perform("ada", Hold(3, file="music.wav"))
        await scene.watch.until(lambda: ("endless_playback", "/media/music.wav") in scene.applications)
        scene.line.perform("ada", Bridge(4, "bert"))
        await scene.watch.until(lambda: channels["ada"].other == "bert")
        switch.hang_up(BERT.number)
        await scene.watch.until(lambda: Done(4, 0) in scene.said)
        assert (list(channels), switch.nested) == (["ada"], [])
        await scene.line.close()


async def test_a_recording_of_a_callee_who_holds_the_call_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The switch reads no sound then, so it would record for as long as the call may last."""
    monkeypatch.setattr(legs, "RECORDING_MS_MAX", 0)
    with FakeSwitch({ADA.number: STAYS}) as switch:
        scene = Scene(switch)
        await scene.calls(ADA)
        scene.line.perform("ada", Record(1, "r.wav"))
        await scene.watch.until(lambda: Done(1, 0, recording_ms=1_500) in scene.said)
        assert switch.channels["ada"].application is None
        await scene.line.close()
