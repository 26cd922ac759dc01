"""The connection of a SIP gateway to its carrier: tried at each server, watched, and opened again when it is lost."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import structlog

from dialer.carriers.sip.flows import Address, Flow, Transport
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.sip.server_pool import SERVERS_MAX
from dialer.carriers.voice.flow_transport import Take
from dialer.carriers.voice.stream_transport import Connection, StreamTransport, bind_stream
from dialer.carriers.voice.tls_checks import CallCertificate, check_name, context_for_carrier, in_words

REFUSED_S: Final = 0.5
"""Silence after a handshake. Under TLS 1.3 a carrier reads our certificate after it, and what we send would push its
reasons aside."""
PROVEN_S: Final = 1.0
"""Time for the answer to the first ping, or for the end of a connection that the carrier does not want."""
PING_EVERY_S: Final = 30.0
PONG_S: Final = 10.0
"""Time for the answer to a ping of a carrier that has answered one before (RFC 5626 4.4.1)."""
AGAIN_S: Final = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Pauses before a lost connection is opened again. The last one repeats."""
STEADY_S: Final = 30.0
"""A connection that has held for so long begins with the first pause again."""
_log: Final = structlog.get_logger(__name__)

Servers = Callable[[], Awaitable[Sequence[Address]]]
"""Finds the addresses of the carrier's servers, in the order in which they are tried."""


class ConnectionOwner(Protocol):
    """The receiver of what becomes of the connection. No method may raise."""

    def cut(self, why: str) -> None:
        """Hear that the connection is lost, or that it cannot be opened again, with the reason in words."""

    def joined(self, here: Address, *, is_same_server: bool) -> None:
        """Hear that there is a connection again, from another address of ours."""


class CarrierConnection:
    """The transport of a gateway over TCP or TLS. All that has no connection of its own goes to the carrier's."""

    def __init__(self, parameters: SipParameters, take: Take, owner: ConnectionOwner) -> None:
        """Prepare it. `take` gets each message."""
        self._parameters: Final = parameters
        self._take: Final = take
        self._owner: Final = owner
        self._connection: Connection | None = None
        self._server: Address | None = None
        self._here: Address = "", 0
        self._is_ready = False
        self._since_s = 0.0
        self._tries = 0
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._listener: socket.socket | None = None
        self._calls: Final = CallCertificate(parameters)
        self._transport: StreamTransport
        self._flow: Flow
        self._servers: Servers

    @property
    def port(self) -> int:
        """Our port for SIP messages: the one on which we listen, or else the one of the connection."""
        return self._here[1]

    async def open(self, family: socket.AddressFamily, server: Address, servers: Servers) -> tuple[Flow, Address]:
        """Connect, and return the carrier's flow with our address. The flow has the address `server` for good.

        Raises:
            OSError: no server can be reached, or one of the certificates is not right. The message says so.
        """
        parameters = self._parameters
        self._flow, self._servers = Flow(server, parameters.kind), servers
        self._transport = StreamTransport(
            self._hear, parameters.kind, server_name=parameters.certificate_name, on_lost=self._lost
        )
        if parameters.local_port:
            self._listener = bind_stream(family, parameters.local_port)
        try:
            await self._connect()
        except BaseException:
            self.close()
            raise
        self._is_ready = True
        return self._flow, self._here

    def listen(self, may_connect: Callable[[str], bool]) -> None:
        """Take connections to our port, if the gateway has one, from hosts that may connect."""
        if self._listener is not None:
            is_secure = self._parameters.kind is Transport.TLS
            self._transport.listen(self._listener, may_connect, self._calls.settings if is_secure else None)

    def send(self, data: bytes, flow: Flow) -> None:
        """Send a message on its flow, or to the carrier if its own connection is lost."""
        self._transport.send(data, flow if self._transport.is_open(flow) else self._flow)

    def close(self) -> None:
        """Close all connections."""
        for pending in (self._task, self._timer):
            if pending is not None:
                pending.cancel()
        self._transport.close()
        if self._listener is not None:
            self._listener.close()

    def _hear(self, data: bytes, flow: Flow) -> None:
        """Hand over a message, once there is somebody who takes it."""
        if self._is_ready:
            self._take(data, flow)

    def _read_certificates(self) -> None:
        """Read the files of TLS: they may have been renewed since the last connection."""
        parameters = self._parameters
        self._transport.client = context_for_carrier(parameters)
        if parameters.local_port:
            self._calls.settings()

    async def _connect(self) -> bool:
        """Connect to the first server that takes us, and return whether it is the one of before.

        Raises:
            OSError: none does.
        """
        if self._parameters.kind is Transport.TLS:
            await asyncio.to_thread(self._read_certificates)
        problem = OSError("the carrier has no server")
        for server in (await self._servers())[:SERVERS_MAX]:
            try:
                connection = await self._proven(server)
            except (OSError, ValueError) as error:
                problem = OSError(in_words(error))
                _log.info("carrier_server_not_reached", server=server, reason=str(problem))
                continue
            is_same = server == self._server
            self._connection, self._server = connection, server
            host, port = connection.transport.get_extra_info("sockname")[:2]
            self._here = host, self._parameters.local_port or port
            self._since_s = asyncio.get_running_loop().time()
            self._ping_later(connection)
            return is_same
        raise problem

    async def _proven(self, server: Address) -> Connection:
        """Return a connection to a server that is the right one, and has not refused us."""
        connection = await self._transport.connect(self._flow, server)
        tls = connection.transport.get_extra_info("ssl_object")
        try:
            if tls is not None:
                check_name(tls.getpeercert(), self._parameters.certificate_name)
        except OSError:
            connection.transport.abort()
            raise
        if tls is not None:
            await asyncio.wait([connection.answered], timeout=REFUSED_S)
        connection.ping()
        await asyncio.wait([connection.answered], timeout=PROVEN_S)
        refusal = connection.answered.result() if connection.answered.done() else None
        if refusal is not None or connection.is_lost:
            raise refusal or ConnectionResetError()
        return connection

    def _lost(self, flow: Flow, error: BaseException | None) -> None:
        if flow != self._flow or self._connection is None or not self._connection.is_lost:
            # It is one that the carrier has opened, or one that is not in use yet.
            return
        self._connection = None
        has_held = asyncio.get_running_loop().time() - self._since_s >= STEADY_S
        self._tries = 0 if has_held else self._tries
        self._owner.cut(f"the connection is lost: {in_words(error)}")
        self._task = asyncio.get_running_loop().create_task(self._join_again())

    async def _join_again(self) -> None:
        is_same: bool | None = None
        while is_same is None:
            wait_s = AGAIN_S[min(self._tries, len(AGAIN_S) - 1)]
            self._tries += 1
            await asyncio.sleep(wait_s)
            try:
                is_same = await self._connect()
            except OSError as error:
                self._owner.cut(f"it cannot be opened: {error}")
        self._owner.joined(self._here, is_same_server=is_same)

    def _ping_later(self, connection: Connection) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PING_EVERY_S, self._ping, connection)

    def _ping(self, connection: Connection) -> None:
        """Keep the connection open for the routers on its way, and find out whether it still leads to anybody."""
        loop = asyncio.get_running_loop()
        connection.ping()
        self._timer = loop.call_later(PONG_S, self._pinged, connection, loop.time())

    def _pinged(self, connection: Connection, at_s: float) -> None:
        if connection.is_lost:
            return
        if connection.has_ponged and connection.heard_s < at_s:
            _log.info("carrier_pings_unanswered", server=self._server)
            connection.transport.abort()
        else:
            self._ping_later(connection)
