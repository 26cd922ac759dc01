"""A trial call: one call over a gateway, with every message shown."""

import asyncio
import contextlib
import errno
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from dialer.carriers.media.dtmf_inband import tone
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.sip.sdp_security import Suite
from dialer.carriers.sip.timers import T1_MS
from dialer.carriers.voice.clock import steady_ms
from dialer.carriers.voice.memory_media import MemoryMedia
from dialer.carriers.voice.sip_trunk_endpoint import SipTrunkEndpoint
from dialer.carriers.voice.sound_files import SoundFiles, read_sound_file
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Ask,
    Clear,
    Dialling,
    Done,
    Ended,
    LegReport,
    Order,
    Play,
    Receipt,
    Record,
    Ringing,
    Speech,
    TextReceived,
)
from dialer.domain.words.enums import Cause

GREETING_S: Final = 1
GREETING: Final = "greeting.wav"
RECORDING: Final = "recording.wav"
LAST_ANSWER_S: Final = 0.2
LAST_TURN: Final = 1_000_000
"""The number of the order that ends a call whose trial is cancelled."""
_GRACE_S: Final = 40
"""The longest time in which a call ends after its limits: 64 times T1 for the answer to the last request."""
_SUITES: Final = b"|".join(suite.value.encode() for suite in Suite)
_SECRETS: Final = re.compile(
    rb"(?im)(^(?:Proxy-)?Authorization:|a[ \t]*=[ \t]*crypto[ \t]*:(?:[0-9]+[ \t]+(?:%b)(?![!-~]))?).*$" % _SUITES
)


class TrialOrder(msgspec.Struct, frozen=True):
    """The call to try."""

    number: str
    callerid: str
    ring_limit_ms: int
    talk_limit_ms: int
    play: Path | None = None
    record: Path | None = None


class TrialOutcome(msgspec.Struct, frozen=True):
    """The outcome of a trial call. Times are milliseconds since the call was placed."""

    rang_ms: int | None
    answered_ms: int | None
    ended_ms: int
    cause: Cause
    because: str
    keys: str


class Trial:
    """A trial call in progress. It prints a line for each event of the call."""

    def __init__(self, show: Callable[[str], None] | None, *, is_full: bool = False) -> None:
        self._show, self._is_full = show, is_full
        self._began_ms = steady_ms()
        self._rang_ms: int | None = None
        self._answered_ms: int | None = None
        self._ended: tuple[int, Cause, str] | None = None
        self._keys = ""
        self.on_heard: Callable[[LegReport], None] = lambda _: None
        """Called with everything that is heard."""

    def outcome(self) -> TrialOutcome:
        """Return the outcome, after the end."""
        ended_ms, cause, because = self._ended or (steady_ms() - self._began_ms, Cause.TEMPORARY_FAILURE, "no end")
        return TrialOutcome(self._rang_ms, self._answered_ms, ended_ms, cause, because, self._keys)

    def hear(self, key: str, at_ms: int, heard: LegReport, because: str) -> None:  # noqa: ARG002 - there is one leg
        """Print an event of the trial call, and note its time."""
        after_ms = at_ms - self._began_ms
        match heard:
            case Ringing():
                self._rang_ms = after_ms
                self.say("ringing")
            case Answered():
                self._answered_ms = after_ms
                self.say("answered")
            case Done(answer=keys) if keys:
                self._keys += keys
                self.say(f"key {keys}")
            case Ended():
                self._ended = (after_ms, heard.cause, because)
                self.say(f"over: {because}")
            case Done() | Arrived() | Accepted() | Receipt() | TextReceived():
                pass
        self.on_heard(heard)

    def trunk_is(self, why_not: str) -> None:
        """Show whether the carrier answers."""
        self.say(f"the carrier does not answer: {why_not}" if why_not else "the carrier is there")

    def found(self, text: str) -> None:
        """Show how the carrier's servers were found."""
        for line in text.splitlines():
            self.say(line)

    def trace(self, data: bytes, flow: Flow, *, is_sent: bool) -> None:
        """Show a SIP message, without what could prove the password, or decrypt the sound."""
        host, port = flow.address
        shown = _SECRETS.sub(rb"\1 [not shown]", data).decode("utf-8", "replace").strip()
        self.show_message(f"{host}:{port} {shown or f'{len(data)} bytes'}", is_sent)

    def remark(self, key: str, text: str) -> None:  # noqa: ARG002 - there is one leg
        """Show a remark about the call."""
        self.say(text)

    def show_message(self, text: str, is_sent: bool) -> None:  # noqa: FBT001 - as the trace of a connection
        """Show the first line of a message, or all of it."""
        first, *others = text.splitlines() or [""]
        self.say(f"{'→' if is_sent else '←'} {first}")
        for line in others if self._is_full else ():
            self._print(f"            {line}")

    def say(self, text: str) -> None:
        """Show a line with its time in seconds."""
        self._print(f"{(steady_ms() - self._began_ms) / 1_000:9.3f}  {text}")

    def _print(self, line: str) -> None:
        if self._show is not None:
            self._show(line)


async def place_trial_call(parameters: SipParameters, order: TrialOrder, trial: Trial, t1_ms: int = T1_MS) -> None:
    """Place a call and follow it to its end.

    Raises:
        OSError: the carrier's name is unknown, there is no way to it, or no port is free.
        SoundFileError: the file cannot be played.
    """
    greeting = tone((440,), GREETING_S * 1_000) if order.play is None else read_sound_file(order.play)
    room = SoundRoom()
    media = MemoryMedia()
    files = SoundFiles(media)
    files.write(GREETING, greeting)
    telephone = await _opened(parameters, room, files, trial, t1_ms)
    try:
        await _call(telephone, order, trial)
    finally:
        await telephone.close()
        room.close()
    recording = media.read(RECORDING)
    if order.record is not None and recording is not None:
        order.record.write_bytes(recording)


async def _opened(
    parameters: SipParameters, room: SoundRoom, files: SoundFiles, trial: Trial, t1_ms: int
) -> SipTrunkEndpoint:
    """Return an open telephone, on any port if the service's line has the gateway's."""
    telephone = SipTrunkEndpoint(parameters, room, files, trial, t1_ms)
    try:
        await telephone.open()
    except OSError as error:
        if error.errno != errno.EADDRINUSE or not parameters.local_port:
            raise
        trial.say(f"port {parameters.local_port} is in use, so the call takes another")
        telephone = SipTrunkEndpoint(msgspec.structs.replace(parameters, local_port=0), room, files, trial, t1_ms)
        await telephone.open()
    return telephone


async def _call(telephone: SipTrunkEndpoint, order: TrialOrder, trial: Trial) -> None:
    """Dial, play the greeting, and collect keys until the limit."""
    key, over = secrets.token_hex(16), asyncio.Event()

    def go_on(heard: LegReport) -> None:
        if isinstance(heard, Answered):
            telephone.acknowledge(key)
            telephone.perform(key, _first(order))
        elif isinstance(heard, Done):
            is_greeted = heard.turn == 1 and order.record is not None
            next_turn = heard.turn + 1
            record = Record(next_turn, RECORDING)
            telephone.perform(key, record if is_greeted else Ask(next_turn, (), 1, order.talk_limit_ms))
        elif isinstance(heard, Ended):
            over.set()

    trial.on_heard = go_on
    telephone.dial(Dialling(key, order.number, order.callerid, order.ring_limit_ms, order.talk_limit_ms))
    await wait_for_end(order, over, lambda last: telephone.perform(key, last))


async def wait_for_end(order: TrialOrder, over: asyncio.Event, perform: Callable[[Order], None]) -> None:
    """Wait until a call is over. Clear the call at its limits, and if the trial is cancelled."""
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout((order.ring_limit_ms + order.talk_limit_ms) / 1_000 + _GRACE_S):
                await over.wait()
    finally:
        if not over.is_set():
            perform(Clear(LAST_TURN))
        # The answer to the last request comes within a round trip, if it comes.
        await asyncio.sleep(LAST_ANSWER_S)


def _first(order: TrialOrder) -> Order:
    """Return the first order: the greeting, which keys stop unless the callee is recorded."""
    greeting = (Speech(GREETING),)
    return Play(1, greeting) if order.record is not None else Ask(1, greeting, 1, order.talk_limit_ms)
