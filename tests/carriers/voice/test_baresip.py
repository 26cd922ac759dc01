"""A call to baresip, a SIP telephone that nobody here wrote: its keys and its hanging up."""

import asyncio
import json
from pathlib import Path
from typing import Final

from dialer.carriers.media.tones import tone
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.domain.line import Ask, Dialling, Done, Heard
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.listener import Listener
from tests.optional_tools import find_tool

MODULES: Final = "/usr/lib/baresip/modules"
KEYS: Final = ("1", "9", "#")
CONFIG: Final = """module_path {modules}
module g711.so
module aufile.so
module_tmp account.so
module_app menu.so
module_app ctrl_tcp.so
ctrl_tcp_listen 127.0.0.1:{control}
sip_listen 127.0.0.1:{port}
audio_source aufile,{folder}/tone.wav
audio_player aufile,{folder}/played.wav
audio_alert aufile,{folder}/alert.wav
"""


class Buttons:
    """The buttons of a baresip."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def press(self, command: str, parameter: str = "") -> None:
        """Give a command, and read up to its response: events come between."""
        text = json.dumps({"command": command, "params": parameter})
        self._writer.write(f"{len(text)}:{text},".encode())
        while not (await self._message()).get("response"):
            pass

    async def _message(self) -> dict[str, object]:
        length = int((await self._reader.readuntil(b":"))[:-1])
        found: dict[str, object] = json.loads(await self._reader.readexactly(length))
        await self._reader.readexactly(1)
        return found


class Pressing(Listener):
    """Presses buttons of the other side, one after the other, each once the one before was understood."""

    def __init__(self, buttons: Buttons) -> None:
        super().__init__(*(Ask(turn, (), 1, 60_000) for turn in range(1, len(KEYS) + 1)))
        self._buttons = buttons
        self.pressed: set[asyncio.Task[None]] = set()

    def hear(self, key: str, at_ms: int, heard: Heard, because: str) -> None:
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
    baresip, port, control = find_tool("baresip"), free_port(), free_port()
    SoundFiles(tmp_path).write("tone.wav", tone((440,), 20_000))
    config = CONFIG.format(modules=MODULES, control=control, port=port, folder=tmp_path)
    (tmp_path / "config").write_text(config)
    (tmp_path / "accounts").write_text(
        f"<sip:777@127.0.0.1:{port}>;regint=0;answermode=auto;audio_codecs=PCMA/8000/1\n"
    )
    (tmp_path / "contacts").touch()
    process = await asyncio.create_subprocess_exec(
        baresip, "-f", str(tmp_path), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        while b"is ready" not in await process.stdout.readline():
            assert process.returncode is None
        reader, writer = await asyncio.open_connection("127.0.0.1", control)
        listener = Pressing(Buttons(reader, writer))
        parameters = SipParameters(server=f"127.0.0.1:{port}", session_expires=0)
        await listener.call(parameters, tmp_path, Dialling("call", "777", "", 20_000, 20_000))
        writer.close()
    finally:
        process.kill()
        await process.wait()
    assert listener.heard == {"call": ["rings", "answered", "over 16"]}
    assert [one.keys for one in listener.done["call"]] == list(KEYS)
