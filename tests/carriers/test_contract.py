"""The contract of lines (`dialer.carriers.line_port.Line`), against each carrier.

`DIALER_TEST_FREESWITCH` may name a real FreeSWITCH by the parameters of its gateway, as docs/freeswitch.md explains.
"""

import json
import os
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from dialer.carriers.freeswitch.line import FreeSwitchLine
from dialer.carriers.line_port import Alive, Line, LiveLeg, Over, Unplaced
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import (
    Answered,
    Ask,
    Bridge,
    Clear,
    Confer,
    Converse,
    Dialling,
    Done,
    Ended,
    Hold,
    Texting,
)
from dialer.domain.words.enums import Cause
from dialer.store.media.folder import FolderMedia
from tests.carriers.freeswitch.fake_switch import PASSWORD, FakeSwitch
from tests.carriers.listening import Watch, Worker
from tests.carriers.voice.agents import agent_place, is_done
from tests.carriers.voice.carrier import SmallCarrier

REAL: Final = "DIALER_TEST_FREESWITCH"
TIMEOUT_MS: Final = 200
CALL: Final = "0a1b2c3d-0000-8000-8000-0123456789ab"
NewBench = Callable[[Path, Worker, Watch, ExitStack], tuple[Line, str]]


def sip(folder: Path, worker: Worker, watch: Watch, stack: ExitStack) -> tuple[Line, str]:
    """Return a line over SIP, and a number that answers."""
    carrier = stack.enter_context(SmallCarrier(watch.touch))
    parameters = json.dumps({"server": f"127.0.0.1:{carrier.port}", "session_expires": 0})
    return SipLine(parameters, worker, SoundRoom(), SoundFiles(FolderMedia(folder)), t1_ms=100), "1"


def fake_freeswitch(folder: Path, worker: Worker, watch: Watch, stack: ExitStack) -> tuple[Line, str]:
    """Return a line to the switch of the tests, and a number that answers."""
    switch = stack.enter_context(FakeSwitch())
    switch.on_change = watch.touch
    return _freeswitch({"port": switch.port, "password": PASSWORD, "dial_string": "user/{number}"}, worker, folder), "1"


def real_freeswitch(folder: Path, worker: Worker, _watch: Watch, _stack: ExitStack) -> tuple[Line, str]:
    """Return a line to a real switch, and a number that answers."""
    return _freeswitch(json.loads(os.environ[REAL]), worker, folder), "9196"


def _freeswitch(parameters: dict[str, Any], worker: Worker, folder: Path) -> FreeSwitchLine:
    return FreeSwitchLine(1, json.dumps(parameters), worker, folder)


class Bench(NamedTuple):
    """A line, what is heard of it, and a number that answers."""

    line: Line
    number: str
    worker: Worker
    watch: Watch

    def count(self, kind: type) -> int:
        """Return how many such things were heard."""
        return sum(isinstance(heard, kind) for _, _, heard in self.worker.heard_of)


CARRIERS: Final = [sip, fake_freeswitch, *([real_freeswitch] if REAL in os.environ else [])]


@pytest.fixture(params=CARRIERS)
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    new_bench: NewBench = request.param
    watch = Watch()
    worker = Worker(watch)
    with ExitStack() as stack:
        line, number = new_bench(tmp_path, worker, watch, stack)
        await watch.until(lambda: not worker.why_not)
        yield Bench(line, number, worker, watch)
        await line.close()


async def test_a_line_keeps_its_contract_through_a_call(bench: Bench) -> None:
    line, heard_of, until = bench.line, bench.worker.heard_of, bench.watch.until
    call = Dialling(secrets.token_hex(16), bench.number, "", 20_000, 20_000)
    text = Texting("text", "1", "", "hello", 1)
    line.dial(call)
    line.dial(call)
    await until(lambda: bench.count(Answered))
    line.settled(heard_of[-1][0])
    assert list(await line.find([LiveLeg(call, 10, 5), LiveLeg(text, 10)])) == [Alive(), Unplaced()]
    for order in (Hold(1), Ask(2, (), 1, TIMEOUT_MS), Hold(1)):
        line.perform(call.key, order)
        line.perform("nobody", order)
    await until(lambda: bench.count(Done))
    for _ in range(2):
        line.perform(call.key, Clear(3))
    await until(lambda: bench.count(Ended))
    (found,) = await line.find([LiveLeg(call, 10, 5)])
    assert isinstance(found, Over)
    assert found.ended.cause is Cause.NORMAL_CLEARING
    line.settled(heard_of[-1][0])
    line.perform(call.key, Hold(4))
    (done,) = [heard for _, _, heard in heard_of if isinstance(heard, Done)]
    assert (done.turn, done.answer, bench.count(Answered), bench.count(Ended)) == (2, "", 1, 1)
    assert [number for number, *_ in heard_of] == list(range(1, len(heard_of) + 1))
    assert {key for _, key, _ in heard_of} == {call.key}


async def test_two_legs_are_connected_until_one_is_gone(bench: Bench) -> None:
    line, until = bench.line, bench.watch.until
    first, second = (Dialling(secrets.token_hex(16), bench.number, "", 20_000, 20_000) for _ in range(2))
    for leg in (first, second):
        line.dial(leg)
    await until(lambda: bench.count(Answered) == 2)
    line.settled(bench.worker.heard_of[-1][0])
    for order in (Hold(1), Bridge(2, second.key)):
        line.perform(first.key, order)
    for key, order in ((first.key, Hold(3)), (second.key, Hold(1, is_silent=True)), (first.key, Bridge(4, second.key))):
        line.perform(key, order)
    assert list(await line.find([LiveLeg(first, 10, 5), LiveLeg(second, 10, 5)])) == [Alive(), Alive()]
    line.perform(second.key, Clear(2))
    await until(lambda: bench.count(Done) and bench.count(Ended))
    line.perform(first.key, Confer(5, "room"))
    line.perform(first.key, Bridge(6, second.key))
    await until(lambda: bench.count(Done) == 2)
    line.perform(first.key, Clear(7))
    await until(lambda: bench.count(Ended) == 2)
    shown = [(key, heard.turn) for _, key, heard in bench.worker.heard_of if isinstance(heard, Done)]
    assert shown == [(first.key, 4), (first.key, 6)]


async def test_a_program_talks_or_the_line_says_at_once_that_none_can(bench: Bench) -> None:
    line, until = bench.line, bench.watch.until
    call = Dialling(secrets.token_hex(16), bench.number, "", 20_000, 20_000)
    async with agent_place(is_done) as place:
        line.dial(call)
        await until(lambda: bench.count(Answered))
        line.settled(bench.worker.heard_of[-1][0])
        line.perform(call.key, Converse(1, (), place.url, 20_000, 60_000, CALL))
        await until(lambda: bench.count(Done))
        (done,) = [heard for _, _, heard in bench.worker.heard_of if isinstance(heard, Done)]
        talks = isinstance(line, SipLine)
        assert (done.turn, done.branch, len(place.called)) == ((1, "0", 1) if talks else (1, "invalid", 0))
        line.perform(call.key, Converse(2, (), place.url, 20_000, 60_000, CALL, goes_on=True))
        await until(lambda: bench.count(Done) == 2)
    line.perform(call.key, Clear(3))
    await until(lambda: bench.count(Ended))
