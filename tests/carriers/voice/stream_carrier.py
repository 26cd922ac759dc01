"""A SIP carrier that takes connections: it answers every call, and its connections can be cut."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.message_stream import PING, PONG, MessageStream
from dialer.carriers.sip.messages import Received, read_message, write_response
from dialer.carriers.sip.sdp import SDP_TYPE, Codec, LocalSound, write_offer


class StreamCarrier:
    """A carrier over TCP or TLS. It keeps the requests that it gets, in their order."""

    def __init__(self, changed: Callable[[], None], contact: str = "sip:callee@127.0.0.1:9;transport=udp") -> None:
        """Prepare it. `changed` is called after each event; `contact` is where its answers say that it is."""
        self._changed, self._contact = changed, contact
        self.seen: list[Received] = []
        self.writers: list[asyncio.StreamWriter] = []
        self.statuses: dict[str, int] = {}
        """Responses to methods that are no 200; 0 for none."""
        self.port = 0
        self.answers_pings = True
        self.pings = self.pongs = 0
        self._offer = write_offer(LocalSound("127.0.0.1", 9, (Codec.PCMU,), 1))

    @property
    def methods(self) -> list[str]:
        """The methods of the requests."""
        return [request.method for request in self.seen]

    def of(self, method: str) -> list[Received]:
        """Return the requests with a method."""
        return [request for request in self.seen if request.method == method]

    def cut(self) -> None:
        """Cut all connections."""
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        stream = MessageStream()
        self.writers.append(writer)
        try:
            while data := await reader.read(65_536):
                for message in stream.feed(data):
                    self._take(message, writer)
                self._changed()
        except OSError:
            return
        finally:
            writer.close()
            self._changed()

    def _take(self, message: bytes, writer: asyncio.StreamWriter) -> None:
        self.pings += message is PING
        self.pongs += message is PONG
        if message is PING and self.answers_pings:
            writer.write(PONG)
        elif message not in {PING, PONG}:
            received = read_message(message)
            if not received.status:
                self._answer(received, writer)
            self._changed()

    def _answer(self, request: Received, writer: asyncio.StreamWriter) -> None:
        self.seen.append(request)
        status = self.statuses.get(request.method, 200)
        if request.method == "ACK" or not status:
            return
        is_call = request.method == "INVITE" and status == 200
        headers = (("Contact", f"<{self._contact}>"), SDP_TYPE) if is_call else ()
        body = self._offer if is_call else b""
        flow = Flow(writer.get_extra_info("peername")[:2])
        writer.write(write_response(request, status, "Text", flow, to_tag="t", headers=headers, body=body))


@asynccontextmanager
async def stream_carrier(
    changed: Callable[[], None], settings: ssl.SSLContext | None = None, port: int = 0
) -> AsyncIterator[StreamCarrier]:
    """Run a carrier over TCP, or over TLS with settings."""
    carrier = StreamCarrier(changed)
    server = await asyncio.start_server(carrier.serve, "127.0.0.1", port, ssl=settings)
    carrier.port = server.sockets[0].getsockname()[1]
    try:
        yield carrier
    finally:
        server.close()
        carrier.cut()


def of_carrier(certificate: str, key: str, *, wants: str = "") -> ssl.SSLContext:
    """Return the settings of a carrier with a certificate. `wants` is the authority of ours, if it wants one."""
    settings = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    settings.load_cert_chain(certificate, key)
    if wants:
        settings.load_verify_locations(wants)
        settings.verify_mode = ssl.CERT_REQUIRED
    return settings
