"""Tests of the process of the lines: what becomes of calls if the worker, or the process itself, dies."""

import asyncio
import json
import os
import signal
import socket
import struct
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from dialer.carriers.line_port import Alive, LiveLeg, Unknown, Unplaced
from dialer.carriers.sip.messages import read_message
from dialer.carriers.voice import shared_room
from dialer.carriers.voice.call_trace import Capture
from dialer.carriers.voice.kept_messages import read_capture
from dialer.carriers.voice.line_factory import sip_lines
from dialer.carriers.voice.line_process import LineProcess, socket_path
from dialer.carriers.voice.process_frames import OpenLine
from dialer.carriers.voice.remote_line import RemoteLine
from dialer.domain.sessions.leg_protocol import Answered, Arrived, Arriving, Clear, Dialling, Ended, Hold, Texting
from dialer.domain.words.enums import Cause
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.sip.calling import Calling, invitation
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.carrier import SmallCarrier

ANSWERING: Final = Dialling("answering", "1", "", 60_000, 60_000)
RINGING: Final = Dialling("ringing", "2", "", 60_000, 60_000)


class Scene(NamedTuple):
    """A carrier, and the folder of the process."""

    watch: Watch
    carrier: SmallCarrier
    folder: Path

    @property
    def parameters(self) -> str:
        """The parameters of the gateway."""
        return json.dumps({"server": f"127.0.0.1:{self.carrier.port}", "session_expires": 0})

    def connect(self, worker: Worker) -> RemoteLine:
        """Connect to a process that runs."""
        return RemoteLine(OpenLine(1, self.parameters), worker, socket_path(self.folder), lambda: None)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """Run a carrier."""
    watch = Watch()
    with SmallCarrier(watch.touch) as carrier:
        yield Scene(watch, carrier, tmp_path)


async def test_a_call_goes_on_while_the_worker_is_replaced(scene: Scene) -> None:
    until, carrier, stop = scene.watch.until, scene.carrier, asyncio.Event()
    capture = Capture(scene.folder / "messages")
    lines = LineProcess(FolderMedia(scene.folder), capture=capture)
    process = asyncio.create_task(lines.serve(socket_path(scene.folder), stop))
    first, second = Worker(scene.watch), Worker(scene.watch)
    line = scene.connect(first)
    line.dial(Dialling("early", "1", "", 1_000, 1_000))
    await until(lambda: not first.why_not)
    line.dial(Texting("text", "1", "", "hello", 1))
    for dialling in (ANSWERING, ANSWERING, RINGING):
        line.dial(dialling)
    await until(lambda: len(first.heard_of) == 4)
    assert first.kinds[:2] == [("early", "Unplaced"), ("text", "Unplaced")]
    assert sorted(first.kinds[2:]) == [("answering", "Answered"), ("ringing", "Ringing")]
    assert ("1", "ACK") not in carrier.seen
    await line.close()

    line = scene.connect(second)
    await until(lambda: len(second.heard_of) == 3)
    assert [one[:2] for one in second.heard_of] == [one[:2] for one in first.heard_of[1:]]
    line.settled(second.heard_of[-1][0])
    await until(lambda: ("1", "ACK") in carrier.seen)
    legs = [LiveLeg(ANSWERING, 10), LiveLeg(RINGING, 10), LiveLeg(Dialling("never", "1", "", 1, 1), -5_000)]
    assert await line.find(legs) == [Alive(), Alive(), Unplaced()]
    line.perform("answering", Hold(1))
    for key in ("answering", "ringing", "nobody"):
        line.perform(key, Clear(2))
    await until(lambda: ("1", "BYE") in carrier.seen and ("2", "CANCEL") in carrier.seen)
    await until(lambda: ("answering", "Ended") in second.kinds)
    await line.close()
    stop.set()
    await process
    assert [one for one in carrier.seen if one == ("1", "INVITE")] == [("1", "INVITE")]
    capture.close()
    kept = read_capture(scene.folder / "messages", "answering", 0)
    shown = [one[15:].partition(" sip:")[0] for one in kept if one[15:16] in {"→", "←"}]
    assert shown[:3] == ["→ INVITE", "← SIP/2.0 200 Text", "→ ACK"]
    assert "→ BYE" in shown


async def test_a_process_that_ends_lets_its_workers_go_without_an_error(scene: Scene) -> None:
    errors, stop, worker = list[object](), asyncio.Event(), Worker(scene.watch)
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context["message"]))
    process = asyncio.create_task(LineProcess(FolderMedia(scene.folder)).serve(socket_path(scene.folder), stop))
    line = scene.connect(worker)
    await scene.watch.until(lambda: not worker.why_not)
    stop.set()
    await process
    await scene.watch.until(lambda: worker.why_not)
    await line.close()
    assert errors == []


async def test_calls_of_a_killed_process_are_taken_up_or_cleared(scene: Scene) -> None:
    until, carrier, worker = scene.watch.until, scene.carrier, Worker(scene.watch)
    line = sip_lines(scene.folder, scene.folder)(1, scene.parameters, worker)
    try:
        await until(lambda: not worker.why_not)
        line.dial(ANSWERING)
        line.dial(RINGING)
        await until(lambda: len(worker.heard_of) == 2)
        handle = worker.first(Answered)
        assert isinstance(handle, Answered)
        os.kill(process_of(scene.folder), signal.SIGKILL)
        await until(lambda: worker.why_not)
        carrier.seen.clear()
        await until(lambda: not worker.why_not)
        legs = [
            LiveLeg(ANSWERING, 10**6, 0, handle.handle),
            LiveLeg(RINGING, 10**6),
            LiveLeg(RINGING, 10**6, 0, "torn"),
        ]
        assert await line.find(legs[:2]) == [Alive(), Unknown()]
        await until(lambda: carrier.seen.count(("1", "ACK")) == 2 and ("2", "CANCEL") in carrier.seen)
        assert ("1", "INVITE") in carrier.seen
        line.perform("answering", Clear(1))
        await until(lambda: ("1", "BYE") in carrier.seen and ("answering", "Ended") in worker.kinds)
        ended = worker.first(Ended)
        assert isinstance(ended, Ended)
        assert (ended.cause, worker.heard_of[-1][0]) == (Cause.NORMAL_CLEARING, 3)
    finally:
        await line.close()
        os.kill(process_of(scene.folder), signal.SIGTERM)


async def test_calls_of_a_killed_helper_end_with_a_cause_and_others_go_on(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_room, "CALLS_EACH", 1)
    until, carrier, stop, worker = scene.watch.until, scene.carrier, asyncio.Event(), Worker(scene.watch)
    lines = LineProcess(FolderMedia(scene.folder), helpers=1)
    process = asyncio.create_task(lines.serve(socket_path(scene.folder), stop))
    line = scene.connect(worker)
    await until(lambda: not worker.why_not)

    def has_answered(key: str) -> bool:
        return (key, "Answered") in worker.kinds

    for key in ("here", "starts it", "away"):
        line.dial(Dialling(key, "1", "", 60_000, 60_000))
        await until(partial(has_answered, key))
        for helper in lines.room.helpers:
            await helper.started.wait()
    line.settled(worker.heard_of[-1][0])
    await until(lambda: carrier.seen.count(("1", "ACK")) == 3)
    os.kill(lines.room.helpers[0].pid, signal.SIGKILL)
    await until(lambda: ("away", "Ended") in worker.kinds and ("1", "BYE") in carrier.seen)
    ended = worker.first(Ended)
    assert isinstance(ended, Ended)
    assert ended.cause is Cause.CONNECTION_OUT_OF_SERVICE
    legs = [LiveLeg(Dialling(key, "1", "", 60_000, 60_000), 10) for key in ("here", "starts it")]
    assert await line.find(legs) == [Alive(), Alive()]
    await line.close()
    stop.set()
    await process


async def test_a_call_that_rings_in_a_killed_process_is_answered_by_the_next(scene: Scene) -> None:
    """Its INVITE is all that is left of it."""
    until, worker, ours = scene.watch.until, Worker(scene.watch), free_port()
    parameters = json.dumps({**json.loads(scene.parameters), "local_port": ours})
    line = sip_lines(scene.folder, scene.folder)(1, parameters, worker)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as caller:
        caller.bind(("127.0.0.1", 0))
        caller.settimeout(0)
        try:
            await until(lambda: not worker.why_not)
            caller.sendto(invitation(), ("127.0.0.1", ours))
            await until(lambda: worker.kinds)
            number, key, arrived = worker.heard_of[0]
            assert isinstance(arrived, Arrived)
            assert (arrived.called, arrived.caller) == ("+12025550199", "+12025550999")
            line.settled(number)
            os.kill(process_of(scene.folder), signal.SIGKILL)
            await until(lambda: worker.why_not)
            await until(lambda: not worker.why_not)
            order = Arriving(key, arrived.caller, 60_000, arrived.handle)
            assert await line.find([LiveLeg(order, 10**6)]) == [Alive()]
            loop = asyncio.get_running_loop()
            answer = read_message(await loop.sock_recv(caller, 4_000))
            while answer.status != 200:  # It rang, if the first process came so far.
                answer = read_message(await loop.sock_recv(caller, 4_000))
            phone = Calling()
            phone.tag = answer.to_tag
            caller.sendto(phone.request_bytes("ACK", 7, "ack"), ("127.0.0.1", ours))
            await until(lambda: worker.kinds == [(key, "Arrived"), (key, "Answered")])
            line.dial(order)
            line.dial(Arriving("nobody", "", 1, ""))
            await until(lambda: worker.kinds[2:] == [("nobody", "Unplaced")])
        finally:
            await line.close()
            os.kill(process_of(scene.folder), signal.SIGTERM)


def process_of(folder: Path) -> int:
    """Return the process that serves the lines of a folder."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(socket_path(folder)))
        credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", credentials)[0])
