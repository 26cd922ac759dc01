"""A call to baresip, a SIP telephone that nobody here wrote: its keys and its hanging up."""

import asyncio
from pathlib import Path
from typing import Final

from dialer.carriers.sip.parameters import SipParameters
from dialer.domain.sessions.leg_protocol import Ask, Dialling, Done, LegReport
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.baresip import Buttons, baresip
from tests.carriers.voice.listener import Listener

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
    assert [one.keys for one in listener.done["call"]] == list(KEYS)
