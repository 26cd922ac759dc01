"""Tests of the line of a FreeSWITCH gateway: what the service hears, and what the switch was told."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from dialer.carriers.freeswitch import connection, legs
from dialer.carriers.freeswitch.line import FreeSwitchLine
from dialer.carriers.line_port import Alive, LiveLeg, Over, Unknown, Unplaced
from dialer.carriers.voice.call_trace import Capture
from dialer.carriers.voice.kept_messages import read_capture
from dialer.carriers.voice.sound_files import read_sound_file
from dialer.carriers.voice.speech import Speaker
from dialer.domain.sessions.leg_protocol import (
    SPEECH_FOLDER,
    Answered,
    Ask,
    AwaitBeep,
    Bridge,
    Clear,
    Confer,
    Detect,
    Dialling,
    Done,
    Ended,
    Hold,
    Order,
    Play,
    Record,
    Ringing,
    Speech,
    Texting,
)
from dialer.domain.words.enums import AmdStatus, Cause
from dialer.domain.words.voices import SpeechVoice
from dialer.store.media.folder import FolderMedia
from tests.carriers.freeswitch.fake_channel import SwitchCallee
from tests.carriers.freeswitch.fake_switch import PASSWORD, FakeSwitch
from tests.carriers.listening import Watch, Worker
from tests.optional_tools import find_tool

ADA: Final = Dialling("ada", "+12025550101", "+12025550199", 30_000, 60_500)
BERT: Final = Dialling("bert", "+12025550102", "", 30_000, 60_000)
HELLO: Final = (Speech("hello.wav"), Speech("name.wav"), Speech(text="nobody says this"))
RINGS: Final = SwitchCallee(rings=True)
STAYS: Final = SwitchCallee(keys=[None], stays=frozenset({"playback", "conference", "endless_playback", "record"}))


class Scene:
    """A switch, a line to it, and what the service has heard."""

    def __init__(self, switch: FakeSwitch) -> None:
        self.switch = switch
        self.watch = Watch()
        switch.on_change = self.watch.touch
        self.worker = Worker(self.watch)
        self.line = self.connect()

    def connect(self, **parameters: Any) -> FreeSwitchLine:  # noqa: ANN401 - any parameter
        """Open a line."""
        given = {"port": self.switch.port, "password": PASSWORD, "dial_string": "sofia/gateway/trunk/{number}"}
        text = json.dumps({**given, **parameters})
        return FreeSwitchLine(7, text, self.worker, Path("/media"), first_wait_s=0.01)

    async def up(self) -> None:
        """Wait until the line works."""
        await self.watch.until(lambda: not self.worker.why_not)

    async def heard(self, *kinds: str) -> None:
        """Wait until these were heard, of any leg."""
        wanted = sorted(kinds)
        await self.watch.until(lambda: sorted(kind for _, kind in self.worker.kinds) == wanted)

    async def calls(self, *legs: Dialling) -> None:
        """Place calls, and wait until they are answered."""
        await self.up()
        for leg in legs:
            self.line.dial(leg)
        await self.heard(*["Ringing", "Answered"] * len(legs))

    async def again(self, *, clears: bool = True) -> None:
        """Replace the service's process. Forget everything that is heard at its start, unless `clears` is false."""
        await self.line.close()
        self.worker = Worker(self.watch)
        self.line = self.connect()
        await self.up()
        if clears:
            self.worker.heard_of.clear()

    @property
    def applications(self) -> list[tuple[str, str]]:
        """The applications that were executed, with their arguments."""
        return [one[1:] for one in self.switch.applications]

    @property
    def said(self) -> list[object]:
        """Everything that was heard, without ages."""
        return [heard for _, _, heard in self.worker.heard_of]

    def last(self) -> object:
        """Return what was heard last."""
        return self.worker.heard_of[-1][2]


@pytest.fixture
def switch() -> Iterator[FakeSwitch]:
    with FakeSwitch() as one:
        yield one


@pytest.fixture
async def scene(switch: FakeSwitch) -> AsyncIterator[Scene]:
    one = Scene(switch)
    yield one
    await one.line.close()


async def test_a_call_is_placed_with_its_limits_and_hears_its_callee(scene: Scene) -> None:
    await scene.calls(ADA)
    (originate,) = [one for one in scene.switch.commands if one.startswith("bgapi")]
    assert originate == (
        "bgapi originate {origination_uuid=ada,originate_timeout=30,ignore_early_media=true,playback_terminators=none,"
        "hangup_after_bridge=false,park_after_bridge=true,dialer=gateway-7,"
        "execute_on_answer='sched_hangup +61 allotted_timeout',"
        "origination_caller_id_number=+12025550199,origination_caller_id_name=+12025550199}"
        "sofia/gateway/trunk/+12025550101 &park()\nJob-UUID: ada"
    )
    assert scene.said == [Ringing(0), Answered(0, scene.switch.core)]
    scene.switch.hang_up(ADA.number)
    await scene.heard("Ringing", "Answered", "Ended")
    assert scene.last() == Ended(0, Cause.NORMAL_CLEARING)


async def test_each_order_is_performed_by_an_application_and_its_result_is_heard(scene: Scene) -> None:
    scene.switch.callees[ADA.number] = SwitchCallee(keys=["12"], is_machine=True)
    orders: list[Order] = [Detect(1), AwaitBeep(2), Play(3, HELLO), Ask(4, HELLO[:1], 3, 5_000), Record(5, "r.wav")]
    results = [
        *(Done(1, 0, status=AmdStatus.MACHINE), Done(2, 0), Done(3, 0)),
        *(Done(4, 0, answer="12"), Done(5, 0, recording_ms=1_500)),
    ]
    await scene.calls(ADA)
    for number, order in enumerate(orders):
        scene.line.perform("ada", order)
        await scene.watch.until(lambda: len(scene.said) == number + 3)  # noqa: B023 - it is called at once
    assert scene.said[2:] == results
    assert scene.applications == [
        ("wait_for_silence", "200 25 5 6000"),
        ("wait_for_silence", "200 50 1 30000"),
        ("playback", "file_string:///media/hello.wav!/media/name.wav"),
        ("play_and_get_digits", "0 3 1 5000 # /media/hello.wav silence_stream://1 keys_4 .* 5000"),
        ("record", "/media/r.wav 120 200 5"),
    ]
    scene.line.perform("ada", Clear(6))
    await scene.watch.until(lambda: isinstance(scene.last(), Ended))
    assert scene.switch.channels == {}


async def test_an_order_replaces_the_one_in_progress_which_is_stopped_first(scene: Scene) -> None:
    scene.switch.callees[ADA.number] = STAYS
    await scene.calls(ADA)
    for order in (Play(1, HELLO), Hold(2), Confer(3, "7-room"), Confer(3, "again"), Ask(4, (), 1, 1_000), Hold(5)):
        scene.line.perform("ada", order)
        await scene.watch.until(lambda: len(scene.switch.applications) == min(order.turn, 5))  # noqa: B023 - at once
    assert [name for name, _ in scene.applications] == [
        *("playback", "endless_playback", "conference", "play_and_get_digits", "endless_playback")
    ]
    assert (scene.switch.nested, len(scene.said)) == ([], 2)


async def test_two_legs_are_bridged_until_one_is_gone(scene: Scene) -> None:
    await scene.calls(ADA, BERT)
    scene.line.perform("ada", Bridge(1, "nobody"))
    await scene.watch.until(lambda: Done(1, 0) in scene.said)
    scene.line.perform("ada", Bridge(2, "bert"))
    await scene.watch.until(lambda: scene.switch.channels["ada"].other == "bert")
    scene.switch.hang_up(BERT.number)
    await scene.watch.until(lambda: Done(2, 0) in scene.said)
    assert list(scene.switch.channels) == ["ada"]


@pytest.mark.parametrize(
    ("cause", "heard"),
    [
        *[("USER_BUSY", 17), ("UNALLOCATED_NUMBER", 1), ("GATEWAY_DOWN", 38), ("ALLOTTED_TIMEOUT", 16)],
        *[("NO_ANSWER", 19), ("USER_NOT_REGISTERED", 20), ("SOMETHING_NEW", 16), ("OUTGOING_CALL_BARRED", 53)],
    ],
)
async def test_a_call_that_fails_has_a_cause_of_q850(scene: Scene, cause: str, heard: int) -> None:
    """The number of FreeSWITCH's own causes is 16 in its events, whatever they mean."""
    scene.switch.callees[ADA.number] = SwitchCallee(cause=cause)
    await scene.up()
    scene.line.dial(ADA)
    await scene.heard("Ended")
    assert scene.last() == Ended(0, Cause(heard))


async def test_a_call_that_is_never_placed_ends_by_the_reply_or_by_its_job(scene: Scene) -> None:
    scene.switch.callees[BERT.number] = SwitchCallee(cause="NORMAL_TEMPORARY_FAILURE")
    scene.switch.knobs.loses = frozenset({"CHANNEL_HANGUP_COMPLETE", "CHANNEL_CREATE"})
    await scene.up()
    scene.line.dial(BERT)
    await scene.heard("Ended")
    scene.switch.knobs.errs_at = "bgapi"
    scene.line.dial(ADA)
    for leg in (Dialling("one", "12 34", "", 1, 1), Dialling("two", "1", "a,b", 1, 1), Dialling("x\n", "1", "", 1, 1)):
        scene.line.dial(leg)
    scene.line.dial(Texting("text", "1", "", "hello", 1))
    await scene.heard(*["Ended"] * 4, *["Unplaced"] * 2)
    ended = {key: heard.cause for _, key, heard in scene.worker.heard_of if isinstance(heard, Ended)}
    assert ended == {"bert": 41, "ada": 41, "one": 28, "two": 28}
    assert sum(scene.switch.dialled.values()) == 1


async def test_a_callee_who_hangs_up_during_a_recording_leaves_it(scene: Scene) -> None:
    scene.switch.callees[ADA.number] = SwitchCallee(hangs_up_in="record")
    await scene.calls(ADA)
    scene.line.perform("ada", Record(1, "r.wav"))
    await scene.heard("Ringing", "Answered", "Ended")
    assert scene.last() == Ended(0, Cause.NORMAL_CLEARING, 1_500)


async def test_a_leg_is_cleared_even_before_its_channel_exists(scene: Scene) -> None:
    scene.switch.callees[ADA.number] = RINGS
    await scene.up()
    scene.line.dial(ADA)
    scene.line.perform("ada", Clear(0))
    await scene.watch.until(lambda: scene.said and isinstance(scene.last(), Ended))
    assert scene.switch.channels == {}


@pytest.mark.parametrize("is_connected", [True, False])
async def test_the_note_of_an_end_is_deleted_once_the_end_is_stored(scene: Scene, *, is_connected: bool) -> None:
    await scene.calls(ADA)
    await scene.watch.until(lambda: "api_reporting_hook" in scene.switch.channels["ada"].variables)
    scene.switch.hang_up(ADA.number)
    await scene.heard("Ringing", "Answered", "Ended")
    assert list(scene.switch.notes) == ["ada"]
    scene.switch.knobs.rejects = not is_connected
    if not is_connected:
        scene.switch.drop_connections()
        await scene.watch.until(lambda: scene.worker.why_not)
    scene.line.settled(scene.worker.heard_of[-1][0])
    scene.switch.knobs.rejects = False
    await scene.watch.until(lambda: not scene.switch.notes)


async def test_legs_are_found_after_a_lost_connection(scene: Scene) -> None:
    gone = Dialling("gone", "3", "", 30_000, 60_000)
    late = Dialling("late", "4", "", 30_000, 60_000)
    scene.switch.callees[late.number] = RINGS
    await scene.calls(ADA, BERT, gone)
    scene.line.dial(late)
    scene.line.perform("ada", Hold(1))
    await scene.watch.until(lambda: len(scene.switch.applications) == 1)
    await scene.watch.until(lambda: "late" in scene.switch.channels)
    scene.switch.knobs.rejects = True
    scene.switch.drop_connections()
    await scene.watch.until(lambda: "access control list" in scene.worker.why_not)
    scene.line.dial(Dialling("refused", "1", "", 1, 1))
    assert scene.last() == Unplaced()
    scene.switch.hang_up(BERT.number, "USER_BUSY")
    scene.switch.knobs.forgets = True
    scene.switch.hang_up(gone.number)
    scene.switch.answer(late.number)
    scene.switch.knobs.rejects = False
    await scene.up()
    ages = (1_000, 900)
    found = await scene.line.find([LiveLeg(ADA, *ages), LiveLeg(BERT, *ages), LiveLeg(gone, *ages), LiveLeg(late, 99)])
    assert [type(one) for one in found] == [Alive, Over, Unknown, Alive]
    assert isinstance(found[1], Over)
    assert (found[1].ended.cause, found[1].answered) == (Cause.USER_BUSY, None)
    assert isinstance(found[3], Alive)
    assert found[3].answered is not None
    scene.line.perform("ada", Ask(2, (), 1, 1_000))
    await scene.watch.until(lambda: Done(2, 0) in scene.said)
    assert (scene.switch.nested, set(scene.switch.dialled.values())) == ([], {1})


async def test_another_process_takes_legs_up_and_knows_how_they_ended(scene: Scene) -> None:
    await scene.calls(ADA, BERT)
    scene.line.perform("ada", Confer(3, "room"))
    await scene.watch.until(lambda: len(scene.switch.applications) == 1)
    await scene.line.close()
    scene.switch.hang_up(BERT.number)
    await scene.again()
    never = Dialling("never", "9", "", 1, 1)
    found = await scene.line.find([LiveLeg(ADA, 90, 80, "h"), LiveLeg(BERT, 90), LiveLeg(never, 90)])
    assert (found[0], found[2]) == (Alive(), Unknown())
    assert isinstance(found[1], Over)
    assert found[1].answered is not None
    assert found[1].answered.age_ms >= found[1].ended.age_ms
    scene.line.perform("ada", Confer(4, "room"))
    await scene.watch.until(lambda: len(scene.switch.applications) == 2)
    scene.switch.finish(ADA.number)
    await scene.heard("Done")
    assert (scene.switch.nested, scene.last()) == ([], Done(4, 0))


async def test_a_leg_that_nobody_knew_of_is_ended_when_it_appears(scene: Scene) -> None:
    await scene.up()
    assert await scene.line.find([LiveLeg(ADA, 90), LiveLeg(Dialling("un fit", "1", "", 1, 1), 9)]) == [Unknown()] * 2
    scene.switch.callees[ADA.number] = RINGS
    scene.switch._do(lambda: scene.switch.originate(_originate("ada", ADA.number)))  # noqa: SLF001 - late
    await scene.watch.until(lambda: scene.switch.dialled["ada"] and not scene.switch.channels)
    assert scene.said == []


def _originate(key: str, number: str) -> str:
    return f"originate {{origination_uuid={key},dialer=gateway-7}}sofia/gateway/trunk/{number} &park()"


async def test_after_a_restart_of_the_switch_nobody_can_say_what_became_of_its_calls(scene: Scene) -> None:
    await scene.calls(ADA)
    scene.switch.restart()
    await scene.watch.until(lambda: scene.worker.why_not)
    await scene.up()
    assert await scene.line.find([LiveLeg(ADA, 90, 80)]) == [Unknown()]


@pytest.mark.parametrize("knob", ["tears", "doubles", "swaps", "strangers"])
async def test_a_call_goes_well_over_a_bad_way(scene: Scene, knob: str) -> None:
    setattr(scene.switch.knobs, knob, True)
    scene.switch.callees[ADA.number] = SwitchCallee(keys=["5"])
    await scene.calls(ADA)
    scene.line.perform("ada", Play(1, HELLO))
    await scene.watch.until(lambda: Done(1, 0) in scene.said)
    scene.line.perform("ada", Ask(2, (), 1, 1_000))
    await scene.watch.until(lambda: Done(2, 0, answer="5") in scene.said)
    scene.line.perform("ada", Clear(3))
    await scene.watch.until(lambda: isinstance(scene.last(), Ended))
    assert sorted(kind for _, kind in scene.worker.kinds) == ["Answered", "Done", "Done", "Ended", "Ringing"]


@pytest.mark.parametrize(
    "raw",
    [
        *(b"Content-Length: 104857600\nContent-Type: text/event-json\n\n", b"x" * 70_000, b"no header\n\n"),
        *(b"Content-Length: -1\n\n", b"Content-Type: text/disconnect-notice\n\n"),
    ],
)
async def test_a_stream_that_cannot_be_read_is_left_and_opened_again(scene: Scene, raw: bytes) -> None:
    scene.switch.knobs.raw = raw
    await scene.up()
    scene.line.dial(ADA)
    await scene.watch.until(lambda: scene.worker.why_not)
    await scene.up()
    assert isinstance((await scene.line.find([LiveLeg(ADA, 10)]))[0], Alive)


@pytest.mark.parametrize("cut", ["event", "filter", "bgapi", "sendmsg", "api uuid_dump"])
@pytest.mark.parametrize("when", ["cuts_before", "cuts_after"])
async def test_a_connection_that_is_cut_at_any_command_is_opened_again(scene: Scene, cut: str, when: str) -> None:
    await scene.line.close()
    setattr(scene.switch.knobs, when, cut)
    scene.worker.why_not = "it is opened again"
    scene.line = scene.connect()
    await scene.up()
    scene.line.dial(ADA)
    scene.line.perform("ada", Play(1, HELLO))
    scene.line.perform("ada", Hold(2))
    found = await scene.line.find([LiveLeg(ADA, 10)])
    is_placed = (cut, when) != ("bgapi", "cuts_before")
    assert isinstance(found[0], Alive if is_placed else Unknown)
    assert scene.switch.dialled["ada"] == int(is_placed)


async def test_a_switch_that_says_nothing_any_more_is_lost(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    await scene.up()
    monkeypatch.setattr(connection, "SILENCE_S", 0.05)
    scene.switch.drop_connections()
    await scene.watch.until(lambda: "nothing was heard of it" in scene.worker.why_not)


async def test_a_switch_that_does_not_reply_any_more_is_lost(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    await scene.up()
    monkeypatch.setattr(connection, "REPLY_S", -1.0)
    scene.switch.knobs.is_mute = True
    scene.line.dial(ADA)
    await scene.watch.until(lambda: "has not replied" in scene.worker.why_not)


async def test_events_that_the_switch_has_dropped_are_asked_for(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legs, "QUIET_MS", 0)
    await scene.up()
    scene.switch.knobs.loses = frozenset({"CHANNEL_ANSWER", "CHANNEL_HANGUP_COMPLETE"})
    scene.line.dial(ADA)
    await scene.heard("Ringing", "Answered")
    scene.switch.hang_up(ADA.number)
    await scene.watch.until(lambda: isinstance(scene.last(), Over))
    assert isinstance(scene.last(), Over)


async def test_a_line_that_cannot_log_in_says_why(scene: Scene) -> None:
    await scene.up()
    for parameters, why in (
        ({"password": "wrong"}, "the password is wrong"),
        ({"port": 1}, "FreeSWITCH on 127.0.0.1:1: "),
        ({"dial_string": "{number}&{number}"}, "dial_string"),
    ):
        await scene.line.close()
        scene.worker.why_not = ""
        scene.line = scene.connect(**parameters)
        await scene.watch.until(lambda: why in scene.worker.why_not)  # noqa: B023 - it is called at once


async def test_texts_are_spoken_into_files_that_the_switch_finds(scene: Scene, tmp_path: Path) -> None:
    find_tool("espeak-ng")
    await scene.line.close()
    text = json.dumps(
        {"port": scene.switch.port, "password": PASSWORD, "dial_string": "x/{number}", "media_path": "/m"}
    )
    scene.line = FreeSwitchLine(
        7, text, scene.worker, tmp_path, speaker=Speaker(FolderMedia(tmp_path), SpeechVoice("en"))
    )
    await scene.calls(ADA)
    scene.line.perform("ada", Play(1, (Speech("hello.wav"), Speech(text="Ada"))))
    await scene.watch.until(lambda: len(scene.said) == 3)
    (name,) = (path.name for path in (tmp_path / SPEECH_FOLDER).iterdir())
    assert scene.applications == [("playback", f"file_string:///m/hello.wav!/m/speech/{name}")]
    assert read_sound_file(tmp_path / SPEECH_FOLDER / name)


async def test_commands_and_events_of_a_leg_are_kept_without_secrets_numbers_and_keys(
    scene: Scene, tmp_path: Path
) -> None:
    """The last ones, too, if the line is closed at once."""
    key = "44b9b292-7228-7814-aed3-831155b76d23"
    scene.line.capture = Capture(tmp_path)
    await scene.calls(replace(ADA, key=key))
    scene.line.perform(key, Ask(1, (Speech("hello.wav"),), 1, 5_000))
    await scene.heard("Ringing", "Answered", "Done")
    scene.switch.hang_up(ADA.number)
    await scene.heard("Ringing", "Answered", "Done", "Ended")
    await scene.line.close()
    kept = [line.partition("  ")[2] for line in read_capture(tmp_path, key, time.time())]
    assert kept[0] == "→ bgapi originate {…}sofia/gateway/trunk/+xxxxxxxx101 &park()"
    assert [line for line in kept if "play_and_get_digits" in line] == [
        "→ sendmsg … play_and_get_digits x x x x000 # /media/hello.wav silence_stream://1 keys_1 .* 5000",
        "← CHANNEL_EXECUTE_COMPLETE play_and_get_digits",
    ]
    assert kept[-1] == "← CHANNEL_HANGUP_COMPLETE NORMAL_CLEARING"
    assert not [line for line in kept if key in line or ADA.number in line]
