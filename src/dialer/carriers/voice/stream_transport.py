"""SIP over connections: each is a flow, and all that it carries is read as a stream of messages."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable
from typing import Final, TypeAlias, cast

import structlog

from dialer.carriers.sip.flows import Address, Flow, Transport
from dialer.carriers.sip.message_stream import PING, PONG, MessageStream, StreamError
from dialer.carriers.voice.flow_transport import Take

CONNECT_S: Final = 5.0
"""Time for a connection and its handshake."""
CONNECTIONS_MAX: Final = 64
"""Connections of the carrier to us. The one that was silent for longest makes room for a further one."""
HANDSHAKES_MAX: Final = 16
"""Connections of the carrier to us that are being set up. Further ones are closed at once."""
UNSENT_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes that wait for another side which does not read. Then the connection is cut."""
UNANSWERED_MS: Final = 20_000
"""Time after which a network that confirms nothing counts as gone (TCP_USER_TIMEOUT)."""
_log: Final = structlog.get_logger(__name__)

Settings: TypeAlias = Callable[[], ssl.SSLContext]
"""Gives the settings of TLS."""


class Connection(asyncio.Protocol):
    """One connection, as the event loop reads it."""

    def __init__(self, owner: "StreamTransport", flow: Flow | None = None) -> None:
        """Prepare it. Without `flow`, its flow is that of the other side's address."""
        self._owner: Final = owner
        self._is_ours: Final = flow is not None
        self.flow = flow or Flow(("", 0), owner.kind)
        """The flow of the messages that come."""
        self._stream: Final = MessageStream()
        self.transport: asyncio.Transport
        self.heard_s = asyncio.get_running_loop().time()
        self.is_lost = False
        self.has_ponged = False
        """True if the other side answers pings, as far as is known."""
        self._is_pinged = False
        self.answered: Final[asyncio.Future[BaseException | None]] = asyncio.get_running_loop().create_future()
        """Set when anything has come, or the connection is lost, with the reason."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self.transport = cast("asyncio.Transport", transport)
        if not self._is_ours:
            host, port = transport.get_extra_info("peername")[:2]
            self.flow = Flow((host, port), self._owner.kind)
            self._owner.came(self)

    def data_received(self, data: bytes) -> None:
        """Hand over what is whole. Bytes that are no messages end this connection, and no other."""
        self.heard_s = asyncio.get_running_loop().time()
        if not self.answered.done():
            self.answered.set_result(None)
        try:
            messages = self._stream.feed(data)
            for message, following in zip(messages, [*messages[1:], b""], strict=True):
                # The first half of a ping of the other side is no answer to ours.
                if message is not PONG or following is not PING:
                    self._take(message)
        except StreamError as error:
            _log.warning("connection_without_sip", peer=self.flow.address, reason=str(error))
            self.transport.abort()

    def _take(self, message: bytes) -> None:
        if message is PING:
            self.send(PONG)
        elif message is PONG:
            self.has_ponged = self.has_ponged or self._is_pinged
            self._is_pinged = False
        elif not self.transport.is_closing():
            try:
                self._owner.take(message, self.flow)
            except Exception:  # noqa: BLE001 - a message that breaks its reader must not end the calls of a connection
                _log.exception("sip_message_not_handled", peer=self.flow.address)

    def ping(self) -> None:
        """Ask whether the other side is there."""
        self._is_pinged = True
        self.send(PING)

    def send(self, data: bytes) -> None:
        """Send bytes, or cut the connection if its other side does not read."""
        if self.transport.is_closing():
            return
        self.transport.write(data)
        if self.transport.get_write_buffer_size() > UNSENT_BYTES_MAX:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the owner."""
        self.is_lost = True
        if not self.answered.done():
            self.answered.set_result(exc or ConnectionResetError())
        self._owner.lost(self, exc)


class StreamTransport:
    """The connections of one gateway: those that we open, and those that come to our port, if it listens."""

    def __init__(
        self,
        take: Take,
        kind: Transport,
        *,
        client: ssl.SSLContext | None = None,
        server_name: str = "",
        on_lost: Callable[[Flow, BaseException | None], None] = lambda _flow, _error: None,
    ) -> None:
        """Prepare it. `client` are the settings of TLS, and `server_name` the name that is asked for.

        `on_lost` is called with each flow whose connection is lost, and why.
        """
        self.take: Final = take
        self.kind: Final = kind
        self.port = 0
        self.client, self._server_name = client, server_name
        self._on_lost: Final = on_lost
        self._opened: dict[Address, Connection] = {}
        """The connections that we have opened, by the addresses of their flows."""
        self._came: dict[Address, Connection] = {}
        """Those that the other side has opened, which may come from the address of one of ours."""
        self._listener: socket.socket | None = None
        self._accepting: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def listen(self, bound: socket.socket, may_connect: Callable[[str], bool], server: Settings | None = None) -> None:
        """Take connections on a bound socket from the hosts that may connect. All others are closed unread.

        `server` gives the settings of TLS. It is called in a thread for each connection, as it reads files.
        """
        bound.listen(HANDSHAKES_MAX)
        self._listener, self.port = bound, bound.getsockname()[1]
        asyncio.get_running_loop().add_reader(bound.fileno(), self._accept, bound, may_connect, server)

    def _accept(self, listener: socket.socket, may_connect: Callable[[str], bool], server: Settings | None) -> None:
        try:
            accepted, (host, *_) = listener.accept()
        except OSError:
            # It was closed again before its turn.
            return
        if not may_connect(host) or len(self._accepting) >= HANDSHAKES_MAX:
            accepted.close()
            return
        accepted.settimeout(0)
        task = asyncio.get_running_loop().create_task(self._set_up(accepted, server))
        self._accepting.add(task)
        task.add_done_callback(self._accepting.discard)

    async def _set_up(self, accepted: socket.socket, server: Settings | None) -> None:
        limit_s = None if server is None else CONNECT_S
        try:
            settings = None if server is None else await asyncio.to_thread(server)
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: Connection(self), accepted, ssl=settings, ssl_handshake_timeout=limit_s
            )
        except OSError as error:
            _log.info("connection_not_set_up", reason=str(error))
            accepted.close()

    def came(self, connection: Connection) -> None:
        """Keep a connection that came in."""
        _watch(connection)
        if len(self._came) >= CONNECTIONS_MAX:
            min(self._came.values(), key=lambda one: one.heard_s).transport.abort()
        self._came[connection.flow.address] = connection

    def lost(self, connection: Connection, error: BaseException | None) -> None:
        """Forget a connection that is lost, unless another one has taken its place."""
        address = connection.flow.address
        for connections in (self._opened, self._came):
            if connections.get(address) is connection:
                del connections[address]
                if not self._is_closed:
                    self._on_lost(connection.flow, error)

    async def open(self, address: Address) -> Flow:
        """Connect to an address, and return its flow.

        Raises:
            OSError: there is no connection.
        """
        flow = Flow(address, self.kind)
        await self.connect(flow, address)
        return flow

    async def connect(self, flow: Flow, address: Address) -> Connection:
        """Connect to an address, and send the messages of a flow there from now on.

        Raises:
            OSError: there is no connection.
        """
        async with asyncio.timeout(CONNECT_S):
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: Connection(self, flow),
                *address,
                ssl=self.client,
                server_hostname=(self._server_name or address[0]) if self.client else None,
            )
        if self._is_closed:
            connection.transport.abort()
            raise ConnectionAbortedError("the line is closed")
        _watch(connection)
        before = self._opened.get(flow.address)
        self._opened[flow.address] = connection
        if before is not None:
            before.transport.abort()
        return connection

    def is_open(self, flow: Flow) -> bool:
        """Return whether a flow has a connection now."""
        return flow.address in self._opened or flow.address in self._came

    def send(self, data: bytes, flow: Flow) -> None:
        """Send a message on the connection of its flow. Without one, it is lost."""
        connection = self._opened.get(flow.address) or self._came.get(flow.address)
        if connection is not None:
            connection.send(data)

    def close(self) -> None:
        """Close all connections, after what was sent has left."""
        self._is_closed = True
        if self._listener is not None:
            asyncio.get_running_loop().remove_reader(self._listener.fileno())
            self._listener.close()
            self._listener = None
        for task in tuple(self._accepting):
            task.cancel()
        for connection in (*self._opened.values(), *self._came.values()):
            connection.transport.close()
        self._opened.clear()
        self._came.clear()


def _watch(connection: Connection) -> None:
    """Let the system notice that the other side is gone."""
    bound = connection.transport.get_extra_info("socket")
    with contextlib.suppress(OSError, AttributeError):  # Not every system has both.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNANSWERED_MS)


def bind_stream(family: socket.AddressFamily, port: int) -> socket.socket:
    """Return a TCP socket on a port of all addresses; 0 is any port.

    Raises:
        OSError: the port is in use, or not allowed.
    """
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.settimeout(0)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(("", port))
    except OSError:
        bound.close()
        raise
    return bound
