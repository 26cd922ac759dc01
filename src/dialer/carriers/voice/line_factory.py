"""Lines of SIP gateways for a worker: the process that holds their calls is started when it is needed."""

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

from dialer.carriers.line_port import Exchange
from dialer.carriers.sip.trunk import mark
from dialer.carriers.voice.line_process import socket_path
from dialer.carriers.voice.process_frames import OpenLine
from dialer.carriers.voice.remote_line import RemoteLine
from dialer.domain.calls.call_recording import SoundStore
from dialer.domain.credentials.environment import clean_environment
from dialer.domain.words.voices import NO_VOICE, SpeechVoice


def lines_folder(media: Path, name: str = "") -> Path:
    """Return the folder of the socket of a worker's lines. Workers that share a media folder have names."""
    # A name may hold anything, and the path of a socket has at most 108 bytes.
    return media.absolute() / ".line" / (mark(name) if name else "")


def sip_lines(
    folder: Path,
    media: Path,
    speech: SpeechVoice = NO_VOICE,
    helpers: int = 0,
    seal: Callable[[], str] = str,
    opened: Callable[[SoundStore], SoundStore | None] = lambda store: store,
    agent_networks: tuple[str, ...] = (),
) -> Callable[[int, str, Exchange], RemoteLine]:
    """Return a factory of lines, from the id and the parameters of a gateway.

    All of them are held by one process, which is found again by its socket in `folder`. It reads and writes sound files
    in `media`, and speaks texts with the voice `speech`. At most `helpers` others carry the sound of its calls for it.
    `seal` returns the keys that encrypt the keys of sound in the handles of legs.
    `opened` returns the place of a recording from what is stored of it.
    Programs that talk may be in `agent_networks` besides the public internet.
    """
    started: list[int] = []

    def start() -> None:
        while started:
            # One that has ended is not kept as a zombie. It may be another one's child by now.
            with contextlib.suppress(ChildProcessError):
                os.waitpid(started.pop(), os.WNOHANG)
        command = [sys.executable, "-c", "from dialer.cli import main; main()", "line"]
        arguments = ["--folder", str(folder), "--media", str(media), "--helpers", str(helpers)]
        nothing = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
        # In a session of its own, the signals of the worker's terminal do not end it.
        whole = [*command, *arguments]
        started.append(
            os.posix_spawn(sys.executable, whole, clean_environment(os.environ), file_actions=[nothing], setsid=True)
        )

    def new_line(gateway_id: int, parameters: str, exchange: Exchange) -> RemoteLine:
        opening = OpenLine(gateway_id, parameters, speech, seal(), agent_networks)
        return RemoteLine(opening, exchange, socket_path(folder), start, opened)

    return new_line
