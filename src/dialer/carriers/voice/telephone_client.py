"""The exchange of browsers' telephones, as the API asks it: its process is started when it is needed."""

import asyncio
import contextlib
import os
import sys
from pathlib import Path
from typing import Final

from dialer.carriers.voice.telephone_frames import (
    FRAME_BYTES_MAX,
    FromExchange,
    TelephoneFrameError,
    ToExchange,
    encode_frame,
    exchange_path,
    read_news,
)
from dialer.domain.credentials.environment import clean_environment

ANSWER_S: Final = 10.0
"""Time for an answer, in which the process may have to be started."""
CONNECT_EVERY_S: Final = 0.05
_COMMAND: Final = "from dialer.carriers.voice.telephone_process import main; main()"
_started: Final[set[int]] = set()
"""Processes that this one has started. Those that have ended are not kept as zombies."""


async def ask_exchange(media: Path, question: ToExchange, *, starts: bool = True) -> FromExchange | None:
    """Return the answer of the exchange of a service; None if it does not answer.

    Without `starts`, only one that runs is asked.
    """
    try:
        async with asyncio.timeout(ANSWER_S):
            reader, writer = await _connect(media, starts=starts)
            try:
                writer.write(encode_frame(question))
                return await read_news(reader)
            finally:
                writer.close()
    except (OSError, TelephoneFrameError):
        return None


async def _connect(media: Path, *, starts: bool) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    path, has_started = str(exchange_path(media)), False
    while True:
        try:
            return await asyncio.open_unix_connection(path, limit=FRAME_BYTES_MAX)
        except OSError:
            if not starts:
                raise
        if not has_started:
            start_exchange(media)
            has_started = True
        await asyncio.sleep(CONNECT_EVERY_S)


def start_exchange(media: Path) -> None:
    """Start the process of the exchange. It ends at once if there is one."""
    for pid in tuple(_started):
        # One may be another one's child by now.
        ended = pid
        with contextlib.suppress(ChildProcessError):
            ended, _ = os.waitpid(pid, os.WNOHANG)
        if ended:
            _started.discard(pid)
    command = [sys.executable, "-c", _COMMAND, str(media.absolute())]
    nothing = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    environment = clean_environment(os.environ)
    # In a session of its own, the signals of the service's terminal do not end it.
    _started.add(os.posix_spawn(sys.executable, command, environment, file_actions=[nothing], setsid=True))
