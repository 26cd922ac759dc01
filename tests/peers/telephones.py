"""Telephones that others wrote, each behind the same buttons."""

import asyncio
import contextlib
import os
import re
import termios
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

from dialer.carriers.media.dtmf_inband import tone
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.store.media.folder import FolderMedia
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.baresip import MODULES
from tests.optional_tools import find_tool, install_packages
from tests.peers.environment import PROGRAMS, python_of_peers

NUMBER: Final = "777"
"""The number of each telephone. Some answer 404 to any other than their own."""
LOOKS_S_MAX: Final = 20
GOODBYE_S: Final = 5


class Telephone(ABC):
    """A telephone with a screen of text: commands go in, and lines come out."""

    name: ClassVar[str]
    rings: ClassVar[str]
    """A pattern on the screen when a call comes in."""
    is_over: ClassVar[str]
    """A pattern on the screen when a call has ended."""
    sounds: ClassVar[str] = ""
    """A pattern on the screen when a call that was held has its sound again. Most have it when they acknowledge."""
    buttons: ClassVar[Mapping[str, str]]
    """The commands of its buttons, by name, with a place for a key or for an address."""
    source: ClassVar[tuple[str, str]]
    """The registry from which it comes, and the name of the package there."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self.port = free_port()
        self._screen = ""
        self.transcript = ""
        self._changed = asyncio.Event()
        self._process: asyncio.subprocess.Process

    @abstractmethod
    def command(self) -> Sequence[str]:
        """Write the settings, and return the command that starts the telephone."""

    @abstractmethod
    async def ready(self) -> None:
        """Wait until the telephone takes calls."""

    async def push(self, button: str, what: str = "") -> None:
        """Push a button."""
        await self.say(self.buttons[button].format(what))

    async def say(self, line: str) -> None:
        """Type a line."""
        os.write(self._terminal, f"{line}\n".encode())

    async def shows(self, pattern: str) -> None:
        """Wait until a pattern is on the screen, and clear the screen up to its end."""
        async with asyncio.timeout(LOOKS_S_MAX):
            while (found := re.search(pattern, self._screen)) is None:
                self._changed.clear()
                await self._changed.wait()
        self._screen = self._screen[found.end() :]

    async def ring(self) -> None:
        """Wait until a call comes in."""
        await self.shows(self.rings)

    async def over(self) -> None:
        """Wait until the call has ended."""
        await self.shows(self.is_over)

    async def sound(self) -> None:
        """Wait until a call that was held has its sound again."""
        await self.shows(self.sounds)

    async def start(self) -> None:
        """Start the program at a terminal: some show nothing of a call elsewhere."""
        ours, theirs = os.openpty()
        terminal = termios.tcgetattr(theirs)
        terminal[3] &= ~termios.ECHO
        termios.tcsetattr(theirs, termios.TCSANOW, terminal)
        self._terminal = ours
        asyncio.get_running_loop().add_reader(ours, self._read)
        self._process = await asyncio.create_subprocess_exec(
            *self.command(),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=self.folder,
            env={**os.environ, "HOME": str(self.folder), "TERM": "dumb"},
            start_new_session=True,
        )
        os.close(theirs)
        await self.ready()

    async def stop(self) -> None:
        """End the program."""
        asyncio.get_running_loop().remove_reader(self._terminal)
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        os.close(self._terminal)

    def _read(self) -> None:
        try:
            piece = os.read(self._terminal, 4_096).decode(errors="replace")
            self._screen += piece
            self.transcript += piece
        except OSError:  # The program has ended.
            asyncio.get_running_loop().remove_reader(self._terminal)
        self._changed.set()


class Linphone(Telephone):
    """linphonec, the console of Linphone: liblinphone, belle-sip and oRTP."""

    name = "linphonec"
    rings = r"Receiving new incoming call"
    is_over = r"Call \d+ with .* (?:ended|error)"
    source = ("Debian", "linphone-cli")
    buttons: ClassVar = {
        **dict.fromkeys(("hang up", "decline"), "terminate"),
        "answer": "answer",
        "press": "{}",
        "hold": "pause",
        "resume": "resume",
        "call": "call {}",
    }

    def command(self) -> Sequence[str]:
        # Without this folder it cannot open its database, and answers each call with 503.
        (self.folder / ".local/share/linphone").mkdir(parents=True)
        settings = ("[rtp]", f"audio_rtp_port={free_port()}", "[sip]", f'contact="" <sip:{NUMBER}@127.0.0.1>')
        (self.folder / "linphonerc").write_text("\n".join(settings) + "\n")
        return (find_tool("linphonec"), "-c", str(self.folder / "linphonerc"))

    async def ready(self) -> None:
        await self.shows("linphonec>")
        # It has no sound card, and ignores the port in its settings. With IPv6 it offers sound there.
        for line in ("soundcard use files", "ipv6 disable", f"ports sip {self.port}"):
            await self.say(line)
        await self.shows(f"Setting sip port to {self.port}")


class Twinkle(Telephone):
    """twinkle-console."""

    name = "Twinkle"
    rings = r"incoming call"
    is_over = r"(?:ended|cancelled|failed)"
    # It acknowledges first, and loses a key that is pressed between the two.
    sounds = r"(?s)(?:re-INVITE successful.*){2}far end supports DTMF"
    source = ("Debian", "twinkle-console")
    buttons: ClassVar = {
        "answer": "answer",
        "press": "dtmf {}",
        "hang up": "bye",
        "decline": "reject",
        "hold": "hold",
        "resume": "retrieve",
        "call": "call {}",
    }

    def command(self) -> Sequence[str]:
        settings = self.folder / ".twinkle"
        settings.mkdir()
        (self.folder / ".asoundrc").write_text("pcm.!default { type null }\n")
        (settings / f"{NUMBER}.cfg").write_text(f"user_name={NUMBER}\nuser_domain=127.0.0.1\nregister_at_startup=no\n")
        ports = (f"sip_udp_port={self.port}", f"sip_port={self.port}", f"rtp_port={free_port()}")
        (settings / "twinkle.sys").write_text("\n".join(ports) + "\n")
        return (find_tool("twinkle-console"), f"{NUMBER}.cfg")

    async def ready(self) -> None:
        await self.shows("Twinkle>")


class Baresip(Telephone):
    """baresip: re and rem, at its terminal."""

    name = "baresip"
    rings = r"Incoming call from"
    is_over = r"(?:session|terminate|closed)"
    source = ("Debian", "baresip")
    buttons: ClassVar = {
        **dict.fromkeys(("hang up", "decline"), "/hangup"),
        "answer": "/accept",
        "press": "/sndcode {}",
        "hold": "/hold",
        "resume": "/resume",
        "call": "/dial {}",
    }

    def command(self) -> Sequence[str]:
        modules = ("g711.so", "aufile.so", "stdio.so")
        SoundFiles(FolderMedia(self.folder)).write("tone.wav", tone((440,), 20_000))
        lines = [f"module_path {MODULES}", *(f"module {name}" for name in modules)]
        lines += ["module_tmp account.so", "module_app menu.so", f"sip_listen 127.0.0.1:{self.port}"]
        lines += [f"audio_source aufile,{self.folder}/tone.wav", f"audio_alert aufile,{self.folder}/tone.wav"]
        (self.folder / "config").write_text("\n".join(lines) + "\n")
        (self.folder / "accounts").write_text(f"<sip:{NUMBER}@127.0.0.1:{self.port}>;regint=0\n")
        (self.folder / "contacts").touch()
        return (find_tool("baresip"), "-f", str(self.folder))

    async def ready(self) -> None:
        await self.shows("is ready")


class Program(Telephone):
    """A program of a few lines around a library, which takes its orders as words."""

    rings = r"rings"
    is_over = r"over"
    password: ClassVar[str] = ""
    buttons: ClassVar = {
        **{name: name for name in ("answer", "busy", "decline", "hold", "resume")},
        "press": "press {}",
        "INFO": "info {}",
        "hang up": "hangup",
    }

    async def ready(self) -> None:
        await self.shows("ready")


class Aiosipua(Program):
    """aiosipua and aiortp, libraries for Python."""

    name = "aiosipua"
    source = ("PyPI", "aiosipua")

    def command(self) -> Sequence[str]:
        python = python_of_peers()
        return (str(python), str(PROGRAMS / "aiosipua_phone.py"), str(self.port), str(free_port()))


class NpmSip(Program):
    """The npm package `sip`."""

    name = "npm sip"
    source = ("npm", "sip")

    def command(self) -> Sequence[str]:
        install_packages(PROGRAMS / "node")
        program = str(PROGRAMS / "node" / "phone.js")
        return (find_tool("node"), program, str(self.port), str(free_port()), self.password)


class VoipUtils(Program):
    """voip-utils, a library for Python. It answers each call at once, with Opus, and with the caller's Contact."""

    name = "voip-utils"
    source = ("PyPI", "voip-utils")

    def command(self) -> Sequence[str]:
        return (str(python_of_peers()), str(PROGRAMS / "voip_utils_phone.py"), str(self.port))


class BehindSippy(NpmSip):
    """sippy's `b2bua_simple`, an exchange, with a telephone on the npm package `sip` behind it."""

    name = "sippy"
    source = ("PyPI", "sippy")

    async def start(self) -> None:
        await super().start()
        exchange, telephone = free_port(), f"127.0.0.1:{self.port}"
        program = str(python_of_peers().with_name("b2bua_simple"))
        options = ("-f", "-l", "127.0.0.1", "-p", str(exchange), "-n", telephone, "-L", str(self.folder / "sippy.log"))
        null = asyncio.subprocess.DEVNULL
        self._exchange = await asyncio.create_subprocess_exec(
            program, *options, stdout=null, stderr=null, cwd=self.folder
        )
        self.port = exchange

    async def stop(self) -> None:
        self._exchange.kill()
        await self._exchange.wait()
        await super().stop()


class NpmRegistrar(NpmSip):
    """The npm package `sip`, which wants a password to register and to call."""

    password = "secret, with a comma"


@contextlib.asynccontextmanager
async def running(telephone: Telephone) -> AsyncIterator[Telephone]:
    """Run a telephone."""
    await telephone.start()
    try:
        yield telephone
    finally:
        await telephone.stop()
