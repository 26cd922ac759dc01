"""A connection to a carrier over SMPP 3.4, bound as a transceiver, until it ends."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from dialer.carriers.texts.smpp_messages import bind_body
from dialer.carriers.texts.smpp_parameters import SmppParameters
from dialer.carriers.texts.smpp_pdus import HEADER, RESPONSE, Command, Pdu, PduError, Status, body_length, pdu_of

CONNECT_S: Final = 10.0
ANSWER_S: Final = 15.0
"""Time for the carrier to answer. After that, nobody can say whether a message was sent."""
GOODBYE_S: Final = 1.0
UNSENT_BYTES_MAX: Final = 262_144
"""Bytes that wait for a carrier that does not read. With more, the connection ends."""
SEQUENCE_MAX: Final = 0x7FFFFFFF
"""The number of the bind and the unbind. All others are below."""

Note = Callable[[str, Pdu], None]
"""Takes each PDU, and `→` for one that was sent or `←` for one that was received."""


class SessionError(Exception):
    """The connection ended, or was never there. The message says why."""


class SmppSession:
    """A bound connection. `requests` yields what the carrier asks; `ask` sends a request, and returns its response."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, note: Note | None = None) -> None:
        self._reader: Final = reader
        self._writer: Final = writer
        self._note: Final = note
        self._sequence = 0
        self._waiting: Final[dict[int, asyncio.Future[Pdu]]] = {}
        """Requests without a response, by sequence number."""

    async def ask(self, command: int, body: bytes = b"") -> Pdu:
        """Send a request, and return the response.

        Raises:
            SessionError: no response came; the carrier may have the request.
        """
        self._sequence = self._sequence % (SEQUENCE_MAX - 1) + 1
        sequence = self._sequence
        future: asyncio.Future[Pdu] = asyncio.get_running_loop().create_future()
        self._waiting[sequence] = future
        try:
            self.send(Pdu(command, Status.OK, sequence, body))
            async with asyncio.timeout(ANSWER_S):
                return await future
        except TimeoutError:
            raise SessionError("the carrier does not answer") from None
        finally:
            del self._waiting[sequence]

    def send(self, pdu: Pdu) -> None:
        """Send a PDU.

        Raises:
            SessionError: the connection is closed, or the carrier does not read.
        """
        if self._writer.is_closing():
            raise SessionError("the connection is closed")
        if self._writer.transport.get_write_buffer_size() > UNSENT_BYTES_MAX:
            self._writer.close()
            raise SessionError("the carrier does not read")
        if self._note is not None:
            self._note("→", pdu)
        self._writer.write(pdu.encode())

    async def requests(self) -> AsyncIterator[Pdu]:
        """Yield requests of the carrier, until the connection ends. Responses go to those who wait for them."""
        while (pdu := await self.read()) is not None:
            if pdu.command & RESPONSE:
                future = self._waiting.get(pdu.sequence)
                if future is not None and not future.done():
                    future.set_result(pdu)
            else:
                yield pdu

    async def enquire(self, every_s: float) -> None:
        """Ask the carrier for a sign of life again and again. Close the connection if it gives none."""
        with contextlib.suppress(SessionError):
            while True:
                await asyncio.sleep(every_s)
                await self.ask(Command.ENQUIRE_LINK)
        self._writer.close()

    def end(self, why: str) -> None:
        """Fail all requests that wait for a response, because the session is over."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(SessionError(why))

    async def read(self) -> Pdu | None:
        """Return the next PDU; None if the connection ends, or the carrier sends bytes that are no PDU."""
        try:
            header = await self._reader.readexactly(HEADER.size)
            pdu = pdu_of(header, await self._reader.readexactly(body_length(header)))
        except (asyncio.IncompleteReadError, OSError):
            return None
        except PduError:
            self._writer.close()
            return None
        if self._note is not None:
            self._note("←", pdu)
        return pdu


@asynccontextmanager
async def opened(parameters: SmppParameters, note: Note | None = None) -> AsyncIterator[SmppSession]:
    """Connect and bind; leave with `unbind` and close.

    Raises:
        SessionError: the carrier cannot be reached, or refuses the bind.
    """
    security = ssl.create_default_context() if parameters.tls else None
    try:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(parameters.host, parameters.port, ssl=security)
    except (OSError, ValueError) as error:
        raise SessionError(f"the carrier cannot be reached: {error}"[:200]) from None
    session = SmppSession(reader, writer, note)
    try:
        await _bind(session, parameters)
        yield session
    finally:
        with contextlib.suppress(SessionError):
            session.send(Pdu(Command.UNBIND, Status.OK, SEQUENCE_MAX))
        writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await writer.wait_closed()


async def _bind(session: SmppSession, parameters: SmppParameters) -> None:
    """Bind as a transceiver. Anything that the carrier sends before its response is ignored."""
    session.send(Pdu(Command.BIND_TRANSCEIVER, Status.OK, SEQUENCE_MAX, bind_body(parameters)))
    try:
        async with asyncio.timeout(ANSWER_S):
            while (answer := await session.read()) is not None and answer.sequence != SEQUENCE_MAX:
                pass
    except TimeoutError:
        answer = None
    if answer is None:
        raise SessionError("the carrier does not answer the bind")
    if answer.status != Status.OK or answer.command != Command.BIND_TRANSCEIVER | RESPONSE:
        raise SessionError(f"the carrier refuses the bind with status 0x{answer.status:08X}")
