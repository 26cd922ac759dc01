"""baresip, a SIP telephone that nobody here wrote, and its buttons."""

import asyncio
import contextlib
import json
import struct
from array import array
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from dialer.carriers.media import g711
from dialer.carriers.media.dtmf_inband import tone
from dialer.carriers.media.rtp import RATE_HZ
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.store.media.folder import FolderMedia
from tests.carriers.pitches import voices_in
from tests.carriers.sip.test_sipp import free_port
from tests.optional_tools import find_tool

MODULES: Final = "/usr/lib/baresip/modules"
LOOKS_EVERY_S: Final = 0.05
LOOKS_MAX: Final = 400
PITCH_SAMPLES: Final = 1_600
"""The last 0.2 s of what it has heard, by which the pitch is told."""
CONFIG: Final = """module_path {modules}
module g711.so
module aufile.so
module sndfile.so
snd_path {folder}
module_tmp account.so
module_app menu.so
module_app ctrl_tcp.so
ctrl_tcp_listen 127.0.0.1:{control}
sip_listen 127.0.0.1:{port}
{more}audio_source aufile,{folder}/tone.wav
audio_alert aufile,{folder}/alert.wav
"""


class Buttons:
    """The buttons of a baresip, and its loudspeaker."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, folder: Path) -> None:
        self._reader, self._writer, self._folder = reader, writer, folder

    async def press(self, command: str, parameter: str = "") -> None:
        """Give a command, and read up to its response: events come between."""
        text = json.dumps({"command": command, "params": parameter})
        self._writer.write(f"{len(text)}:{text},".encode())
        while not (await self._message()).get("response"):
            pass

    async def hears(self, hz: int) -> None:
        """Wait until it hears a tone."""
        for _ in range(LOOKS_MAX):
            if abs(self._pitch_hz() - hz) < hz // 20:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOKS_EVERY_S):
                    await self._message()
        raise AssertionError(f"no tone of {hz} Hz is heard")

    async def hears_voices(self, expected: set[str]) -> None:
        """Wait until it hears these voices, and no other."""
        found: set[str] = set()
        for _ in range(LOOKS_MAX):
            found = voices_in(g711.encode(array("h", self._last_sound())))
            if found == expected:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOKS_EVERY_S):
                    await self._message()
        raise AssertionError(f"it hears {found}")

    def _last_sound(self) -> bytes:
        sound = b"".join(path.read_bytes()[-2 * PITCH_SAMPLES :] for path in self._folder.glob("dump-*-dec.wav"))
        return sound[: len(sound) // 2 * 2]

    def _pitch_hz(self) -> int:
        """Return the frequency of the last sound, from its zero crossings; 0 if there is none."""
        sound = self._last_sound()
        samples: tuple[int, ...] = struct.unpack(f"<{len(sound) // 2}h", sound)
        crossings = sum((one < 0) != (two < 0) for one, two in pairwise(samples))
        return crossings * RATE_HZ // (2 * PITCH_SAMPLES)

    async def _message(self) -> dict[str, object]:
        length = int((await self._reader.readuntil(b":"))[:-1])
        found: dict[str, object] = json.loads(await self._reader.readexactly(length))
        await self._reader.readexactly(1)
        return found


@contextlib.asynccontextmanager
async def baresip(
    folder: Path, number: str, port: int, hz: int = 440, *, encryption: str = ""
) -> AsyncIterator[Buttons]:
    """Run a baresip with a number, which answers calls to its port with a tone. The folder is its own.

    `encryption` is baresip's word for how it encrypts sound, such as `srtp-mand`.
    """
    program, control = find_tool("baresip"), free_port()
    SoundFiles(FolderMedia(folder)).write("tone.wav", tone((hz,), 20_000))
    more, account = ("module srtp.so\n", f";mediaenc={encryption}") if encryption else ("", "")
    config = CONFIG.format(modules=MODULES, control=control, port=port, folder=folder, more=more)
    (folder / "config").write_text(config)
    (folder / "accounts").write_text(
        f"<sip:{number}@127.0.0.1:{port}>;regint=0;answermode=auto;audio_codecs=PCMA/8000/1{account}\n"
    )
    (folder / "contacts").touch()
    process = await asyncio.create_subprocess_exec(
        program, "-f", str(folder), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        printed: list[bytes] = []
        while b"is ready" not in (line := await process.stdout.readline()):
            assert line, b"".join(printed)  # It has ended.
            printed.append(line)
        reader, writer = await asyncio.open_connection("127.0.0.1", control)
        yield Buttons(reader, writer, folder)
        writer.close()
    finally:
        process.kill()
        await process.wait()
