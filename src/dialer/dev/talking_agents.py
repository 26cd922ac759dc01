"""Programs that talk without a model: for users who try a line, and for tests."""

import asyncio
import base64
import json
import math
from array import array
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from dialer.carriers.media import g711
from dialer.carriers.media.rtp import RATE_HZ

ECHO, TONE, SCRIPT, SLOW, RUDE = "echo", "tone", "script", "slow", "rude"
TONE_HZ: Final = 440
LEVEL: Final = 8_000
"""Amplitude of the tone, of 32,767."""
SLOW_S: Final = 15.0
RUDE_S: Final = 3.0
SECONDS_MAX: Final = 300.0
STEPS_MAX: Final = 1_000
_NUMBERED: Final = frozenset({"tone", "silence"})
_NAMED: Final = frozenset({"mark", "end"})
_PLAIN: Final = frozenset({"key", "clear", "close", "end"})
Tell = Callable[[str], None]


class ScriptError(ValueError):
    """Raised for a script that cannot be read; the message names the line."""


class ScriptStep(NamedTuple):
    """A step of a script."""

    word: str
    seconds: float = 0.0
    name: str = ""


def read_script(text: str) -> tuple[ScriptStep, ...]:
    """Return the steps of a script, one a line. Empty lines and those that begin with # are left out.

    Raises:
        ScriptError: a line is no step.
    """
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    wanted = [(number, words) for number, words in lines if words and not words[0].startswith("#")]
    if len(wanted) > STEPS_MAX:
        raise ScriptError(f"it has more than {STEPS_MAX} steps")
    return tuple(_step(number, words) for number, words in wanted)


def _step(number: int, words: list[str]) -> ScriptStep:
    word, rest = words[0].lower(), words[1:]
    if word in _NUMBERED and len(rest) == 1:
        try:
            seconds = float(rest[0])
        except ValueError:
            seconds = -1.0
        if 0 <= seconds <= SECONDS_MAX:
            return ScriptStep(word, seconds=seconds)
        raise ScriptError(f"line {number}: {word} needs seconds from 0 to {SECONDS_MAX:.0f}")
    if (word in _NAMED and len(rest) == 1) or (word in _PLAIN and not rest):
        return ScriptStep(word, name=rest[0] if rest else "")
    raise ScriptError(
        f"line {number}: {' '.join(words)[:40]!r} is no step: use tone SECONDS, silence SECONDS, mark NAME, key, clear,"
        " end [BRANCH] or close"
    )


@cache
def tone_of(milliseconds: int) -> bytes:
    """Return a tone as µ-law."""
    count = RATE_HZ * milliseconds // 1_000
    samples = array("h", (round(LEVEL * math.sin(2 * math.pi * TONE_HZ * at / RATE_HZ)) for at in range(count)))
    return g711.encode(samples)


def silence_of(milliseconds: int) -> bytes:
    """Return silence as µ-law."""
    return b"\xff" * (RATE_HZ * milliseconds // 1_000)


class TalkingAgent:
    """One talk: it answers the messages of a call."""

    def __init__(self, socket: ServerConnection, kind: str, steps: Sequence[ScriptStep], tell: Tell) -> None:
        self._socket, self._kind, self._steps, self._tell = socket, kind, steps, tell
        self._keys: asyncio.Queue[str] = asyncio.Queue()

    async def talk(self) -> None:
        """Talk until one side ends it."""
        speaking: asyncio.Task[None] | None = None
        try:
            async for raw in self._socket:
                message = json.loads(raw)
                if message["event"] == "start":
                    told = message["start"]["customParameters"]
                    self._tell(f"a call from {told.get('from_number', '?')} to {told.get('to_number', '?')}")
                    speaking = asyncio.create_task(self._speak())
                else:
                    await self._answer(message)
        except ConnectionClosed as error:
            self._tell(f"the connection is lost: {error}")
        finally:
            if speaking is not None:
                speaking.cancel()
            self._tell("the talk is over")

    async def _answer(self, message: dict[str, Any]) -> None:
        match message["event"]:
            case "media" if self._kind == ECHO:
                await self._say("media", payload=message["media"]["payload"])
            case "dtmf":
                key = message["dtmf"]["digit"]
                self._tell(f"key {key}")
                await self._press(key)
            case "mark":
                self._tell(f"mark {message['mark']['name']}")
            case "stop":
                self._tell("stop")
            case _:
                pass

    async def _press(self, key: str) -> None:
        if self._kind == SCRIPT:
            self._keys.put_nowait(key)
        elif key == "*":
            await self._say("clear")
        else:
            await self._say("end", **({"branch": key} if key.isdigit() else {}))

    async def _speak(self) -> None:
        speak: dict[str, Callable[[], Awaitable[None]]] = {
            TONE: self._beep,
            SLOW: self._beep_late,
            RUDE: self._drop,
            SCRIPT: self._play,
        }
        if self._kind in speak:
            await speak[self._kind]()

    async def _beep(self) -> None:
        number = 0
        while True:
            number += 1
            await self._sound(tone_of(500) + silence_of(500))
            await self._say("mark", name=f"beep {number}")
            await asyncio.sleep(1.0)

    async def _beep_late(self) -> None:
        await asyncio.sleep(SLOW_S)
        await self._beep()

    async def _drop(self) -> None:
        await self._sound(tone_of(5_000))
        await asyncio.sleep(RUDE_S)
        self._tell("drops the connection")
        self._socket.transport.abort()

    async def _play(self) -> None:
        for step in self._steps:
            match step.word:
                case "tone":
                    await self._sound(tone_of(round(step.seconds * 1_000)))
                case "silence":
                    await self._sound(silence_of(round(step.seconds * 1_000)))
                case "mark":
                    await self._say("mark", name=step.name)
                case "key":
                    await self._keys.get()
                case "clear":
                    await self._say("clear")
                case "end":
                    await self._say("end", **({"branch": step.name} if step.name else {}))
                case _:
                    await self._socket.close()

    async def _sound(self, sound: bytes) -> None:
        await self._say("media", payload=base64.b64encode(sound).decode())

    async def _say(self, event: str, **body: str) -> None:
        await self._socket.send(json.dumps({"event": event, event: body}))


async def serve_agent(
    kind: str,
    steps: Sequence[ScriptStep],
    host: str,
    port: int,
    tell: Tell,
    is_open: Callable[[int], None] = lambda _port: None,
) -> None:
    """Serve agents of one kind for ever. `is_open` learns the port."""

    async def handle(socket: ServerConnection) -> None:
        await TalkingAgent(socket, kind, steps, tell).talk()

    async with serve(handle, host, port, compression=None) as server:
        number = next(iter(server.sockets)).getsockname()[1]
        tell(f"{kind} listens on ws://{host}:{number}/")
        is_open(number)
        await server.serve_forever()
