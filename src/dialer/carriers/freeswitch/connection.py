"""A connection to the event socket: it logs in, sends commands, and hears replies and events."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from dialer.carriers.freeswitch.event_socket_frames import Frame, FrameReader, FramingError
from dialer.carriers.freeswitch.events import SwitchEvent, read_event
from dialer.carriers.freeswitch.parameters import FreeSwitchParameters

LOGIN_S: Final = 10.0
"""Time for connecting and logging in."""
SILENCE_S: Final = 65.0
"""A switch that is silent for so long is gone: its heartbeat comes every 20 seconds."""
REPLY_S: Final = 20.0
"""Time for a reply to a command."""
REPLIES_MAX: Final = 20_000
"""Limit of commands without a reply."""
UNSENT_BYTES_MAX: Final = 4 * 1024 * 1024
"""Limit of commands that the switch has not taken."""
EARLY_MAX: Final = 1_000
"""Limit of events that come before the replies to the first commands."""
READ_BYTES: Final = 65_536

Trace = Callable[[str, bool], None]
"""Called with each message, and whether it was sent."""


class SwitchLostError(Exception):
    """The connection cannot be used; the message says why, for people."""


class SwitchConnection:
    """One connection to FreeSWITCH's event socket, logged in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, trace: Trace | None) -> None:
        self._reader, self._writer, self._trace = reader, writer, trace
        self._frames: Final = FrameReader()
        self._waiting: Final[deque[Frame]] = deque()
        self._replies: Final[deque[tuple[float, Callable[[str], None]]]] = deque()
        self._asked: Final[set[asyncio.Future[str]]] = set()
        self._why_lost = ""

    def send(self, command: str, on_reply: Callable[[str], None] | None = None) -> None:
        """Send a command; `on_reply` is called with the reply, unless the connection is lost before."""
        if self._why_lost or self._writer.is_closing():
            return
        if len(self._replies) >= REPLIES_MAX or self._writer.transport.get_write_buffer_size() > UNSENT_BYTES_MAX:
            self._abort("it does not take commands any more")
            return
        self._show(command, is_sent=True)
        self._writer.write(command.encode() + b"\n\n")
        self._replies.append((asyncio.get_running_loop().time(), on_reply or (lambda _: None)))

    async def ask(self, command: str) -> str:
        """Send a command, and return its reply.

        Raises:
            SwitchLostError: the connection was lost before.
        """
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._asked.add(future)
        future.add_done_callback(self._asked.discard)
        self.send(command, lambda reply: None if future.done() else future.set_result(reply))
        if self._why_lost:
            raise SwitchLostError(self._why_lost)
        return await future

    async def listen(self, hear: Callable[[SwitchEvent], None]) -> None:
        """Handle events of the switch until the connection is lost.

        Raises:
            SwitchLostError: always, in the end.
        """
        while not self._why_lost:
            self._take(await self._next(), hear)
        raise SwitchLostError(self._why_lost)

    def look(self) -> None:
        """Give the connection up if a reply is overdue."""
        if self._replies and asyncio.get_running_loop().time() - self._replies[0][0] > REPLY_S:
            self._abort(f"it has not replied for {REPLY_S:.0f} seconds")

    def close(self) -> None:
        """Close the connection. Tasks that wait for a reply get an error."""
        self._why_lost = self._why_lost or "the connection was closed"
        self._writer.close()
        for future in list(self._asked):
            if not future.done():
                future.set_exception(SwitchLostError(self._why_lost))

    async def log_in(self, password: str) -> None:
        """Log in to FreeSWITCH's event socket.

        Raises:
            SwitchLostError: the switch does not want to speak with us.
        """
        greeting = await self._next()
        if greeting.kind == "text/rude-rejection":
            raise SwitchLostError("its access control list (apply-inbound-acl) refuses this machine")
        if greeting.kind != "auth/request":
            raise SwitchLostError("it is no event socket of FreeSWITCH")
        self._writer.write(f"auth {password}\n\n".encode())
        if not (await self._next()).reply.startswith("+OK"):
            raise SwitchLostError("the password is wrong")

    async def choose(self, commands: Sequence[str]) -> None:
        """Subscribe to events by commands to the switch. Call it before `listen`.

        Raises:
            SwitchLostError: the switch refuses one of the commands.
        """
        early: list[Frame] = []
        for command in commands:
            self._show(command, is_sent=True)
            self._writer.write(command.encode() + b"\n\n")
            while (frame := await self._next()).kind != "command/reply":
                early.append(frame)
                if len(early) > EARLY_MAX:
                    raise SwitchLostError("it sends events and no replies")
            if not frame.reply.startswith("+OK"):
                raise SwitchLostError(f"it refuses {command.partition(' ')[0]!r}: {frame.reply.strip()[:100]}")
        self._waiting.extendleft(reversed(early))

    def _take(self, frame: Frame, hear: Callable[[SwitchEvent], None]) -> None:
        match frame.kind:
            case "text/event-json":
                event = read_event(frame.body)
                if event is not None:
                    self._show(_named(event), is_sent=False)
                    hear(event)
            case "command/reply" | "api/response":
                self._show(frame.reply.strip(), is_sent=False)
                if self._replies:
                    self._replies.popleft()[1](frame.reply)
            case "text/disconnect-notice":
                self._abort("it has ended the connection")
            case _:  # Later versions of the switch may send others.
                pass

    async def _next(self) -> Frame:
        """Return the next frame."""
        while not self._waiting:
            try:
                async with asyncio.timeout(SILENCE_S):
                    data = await self._reader.read(READ_BYTES)
                self._waiting.extend(self._frames.feed(data))
            except TimeoutError:
                raise SwitchLostError(f"nothing was heard of it for {SILENCE_S:.0f} seconds") from None
            except (FramingError, OSError) as error:
                raise SwitchLostError(self._why_lost or f"the connection broke: {error}") from None
            if not data and not self._waiting:
                raise SwitchLostError(self._why_lost or "it has closed the connection")
        return self._waiting.popleft()

    def _abort(self, why: str) -> None:
        self._why_lost = self._why_lost or why
        self._writer.transport.abort()

    def _show(self, text: str, *, is_sent: bool) -> None:
        if self._trace is not None:
            self._trace(text, is_sent)


async def connect(
    parameters: FreeSwitchParameters, events: Sequence[str], trace: Trace | None = None
) -> SwitchConnection:
    """Return a connection that is logged in, after the commands that choose events.

    Raises:
        SwitchLostError: the switch is not there, or does not want to speak with us.
    """
    connection = None
    try:
        async with asyncio.timeout(LOGIN_S):
            reader, writer = await asyncio.open_connection(parameters.host, parameters.port)
            connection = SwitchConnection(reader, writer, trace)
            await connection.log_in(parameters.password)
            await connection.choose(events)
    except BaseException as error:
        if connection is not None:
            connection.close()
        if not isinstance(error, OSError | SwitchLostError | UnicodeError):  # TimeoutError is an OSError.
            raise
        why = f"nothing was heard of it for {LOGIN_S:.0f} seconds" if isinstance(error, TimeoutError) else str(error)
        raise SwitchLostError(why) from None
    return connection


def _named(event: SwitchEvent) -> str:
    """Return the event with the fields that say something."""
    fields = ("Application", "Application-UUID", "Hangup-Cause", "_body")
    return " ".join([event.name, *(event[name].strip() for name in fields if event[name])])
