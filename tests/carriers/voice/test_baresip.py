"""Calls to baresip, a SIP telephone that nobody here wrote: keys, hanging up, and a supervisor who hears two others."""

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Ask, Bridge, Dialling, Done, LegReport, Supervise
from dialer.domain.words.enums import SupervisionMode
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.pitches import PITCHES
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.baresip import Buttons, baresip
from tests.carriers.voice.listener import Listener
from tests.carriers.voice.private_exchange import exchange

KEYS: Final = ("1", "9", "#")


class Pressing(Listener):
    """Presses buttons of the other side, one after the other, each once the one before was understood."""

    def __init__(self, buttons: Buttons) -> None:
        super().__init__(*(Ask(turn, (), 1, 60_000) for turn in range(1, len(KEYS) + 1)))
        self._buttons = buttons
        self.pressed: set[asyncio.Task[None]] = set()

    def hear(self, key: str, at_ms: int, heard: LegReport, because: str) -> None:
        """Press what comes next."""
        super().hear(key, at_ms, heard, because)
        keys = len(self.done[key])
        if isinstance(heard, Done) or self.heard[key][-1] == "answered":
            self.pressed.add(asyncio.get_running_loop().create_task(self._press(keys)))

    async def _press(self, keys: int) -> None:
        if keys == len(KEYS):
            await self._buttons.press("hangup")
            return
        await self._buttons.press("sndcode", KEYS[keys])


async def test_keys_and_hanging_up_of_another_telephone_are_understood(tmp_path: Path) -> None:
    port = free_port()
    async with baresip(tmp_path, "777", port) as buttons:
        listener = Pressing(buttons)
        parameters = SipParameters(server=f"127.0.0.1:{port}", session_expires=0)
        await listener.call(parameters, tmp_path, Dialling("call", "777", "", 20_000, 20_000))
    assert listener.heard == {"call": ["rings", "answered", "over 16"]}
    assert [one.answer for one in listener.done["call"]] == list(KEYS)


BOTH: Final = {"callee", "agent"}
HEARD: Final = {
    SupervisionMode.LISTEN: ({"agent"}, {"callee"}),
    SupervisionMode.WHISPER: ({"agent"}, {"callee", "supervisor"}),
    SupervisionMode.JOIN: ({"agent", "supervisor"}, {"callee", "supervisor"}),
}
"""The voices that the callee hears, and those that the agent hears."""


async def test_a_supervisor_listens_whispers_and_joins_until_hanging_up(tmp_path: Path) -> None:
    """Three telephones, each with a tone of its own, which the others record."""
    async with AsyncExitStack() as stack:
        ports, phones = {who: free_port() for who in PITCHES}, {}
        for who, hz in PITCHES.items():
            (tmp_path / who).mkdir()
            phones[who] = await stack.enter_async_context(baresip(tmp_path / who, who, ports[who], hz))
        watch = Watch()
        worker = Worker(watch)
        parameters = {"server": f"127.0.0.1:{await stack.enter_async_context(exchange(ports))}", "session_expires": 0}
        line = SipLine(json.dumps(parameters), worker, SoundRoom(), SoundFiles(FolderMedia(tmp_path)))
        stack.push_async_callback(line.close)
        await watch.until(lambda: not worker.why_not)
        for who in PITCHES:
            line.dial(Dialling(who, who, "", 20_000, 60_000))
        await watch.until(lambda: [kind for _, kind in worker.kinds].count("Answered") == len(PITCHES))
        line.settled(worker.heard_of[-1][0])
        line.perform("callee", Bridge(1, "agent"))
        for turn, (mode, (callee, agent)) in enumerate(HEARD.items(), 1):
            line.perform("supervisor", Supervise(turn, "callee", "agent", mode))
            for who, voices in (("supervisor", BOTH), ("callee", callee), ("agent", agent)):
                await phones[who].hears_voices(voices)
        await phones["supervisor"].press("hangup")
        await watch.until(lambda: ("supervisor", "Ended") in worker.kinds)
        await phones["callee"].hears_voices({"agent"})
        await phones["agent"].hears_voices({"callee"})
        assert [key for key, kind in worker.kinds if kind == "Ended"] == ["supervisor"]
