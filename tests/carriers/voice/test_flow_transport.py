"""The contract of transports: messages reach the other side whole, and a response finds its way back by their flow."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from dialer.carriers.sip.flows import Address, Flow, Transport
from dialer.carriers.voice.flow_transport import FlowTransport, Take
from dialer.carriers.voice.sockets import bind
from dialer.carriers.voice.stream_transport import StreamTransport, bind_stream
from dialer.carriers.voice.udp_transport import UdpTransport
from tests.carriers.sip.test_sipp import free_port
from tests.certificates import Authority, dns

HOST: Final = "127.0.0.1"
WAIT_S: Final = 20
PLAIN: Final = b"OPTIONS sip:a@b SIP/2.0\r\nCall-ID: 1\r\nContent-Length: 0\r\n\r\n"
LONG: Final = b"INFO sip:a@b SIP/2.0\r\nCall-ID: 2\r\nContent-Length: 8000\r\n\r\n" + bytes(range(250)) * 32
"""A message that no packet of a network holds, with all that bodies may have in them."""

Opens = Callable[[Take], Awaitable[FlowTransport]]


async def _udp(take: Take, _folder: Path) -> FlowTransport:
    return UdpTransport(bind(socket.AF_INET, 0), take)


async def _tcp(take: Take, _folder: Path) -> FlowTransport:
    transport = StreamTransport(take, Transport.TCP)
    transport.listen(bind_stream(socket.AF_INET, 0), lambda _: True)
    return transport


async def _tls(take: Take, folder: Path) -> FlowTransport:
    authority = Authority(folder)
    certificate, key = authority.sign("us", dns("us.example"))
    client, server = ssl.create_default_context(cafile=authority.file), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    server.load_cert_chain(certificate, key)
    transport = StreamTransport(take, Transport.TLS, client=client)
    transport.listen(bind_stream(socket.AF_INET, 0), lambda _: True, lambda: server)
    return transport


TRANSPORTS: Final = {Transport.UDP: _udp, Transport.TCP: _tcp, Transport.TLS: _tls}


@pytest.fixture(params=list(Transport), ids=[transport.value for transport in Transport])
def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Opens:
    """Return how a transport is opened: each that a flow may have."""
    return lambda take: TRANSPORTS[request.param](take, tmp_path)


class Side:
    """One side, and what came to it."""

    def __init__(self) -> None:
        self.transport: FlowTransport
        self.came: asyncio.Queue[tuple[bytes, Flow]] = asyncio.Queue()

    @property
    def address(self) -> Address:
        """The address at which the other side finds it."""
        return HOST, self.transport.port

    def take(self, data: bytes, flow: Flow) -> None:
        """Keep a message."""
        self.came.put_nowait((data, flow))

    async def hears(self) -> tuple[bytes, Flow]:
        """Wait for the next message."""
        async with asyncio.timeout(WAIT_S):
            return await self.came.get()


@asynccontextmanager
async def two_sides(opens: Opens) -> AsyncIterator[tuple[Side, Side]]:
    """Yield two sides with open transports."""
    sides = Side(), Side()
    for side in sides:
        side.transport = await opens(side.take)
    try:
        yield sides
    finally:
        for side in sides:
            side.transport.close()


async def test_messages_come_whole_and_in_their_order(opens: Opens) -> None:
    async with two_sides(opens) as (ours, theirs):
        flow = await ours.transport.open(theirs.address)
        for data in (PLAIN, LONG, PLAIN):
            ours.transport.send(data, flow)
        assert [(await theirs.hears())[0] for _ in range(3)] == [PLAIN, LONG, PLAIN]


async def test_a_response_on_the_flow_of_its_request_reaches_the_sender(opens: Opens) -> None:
    async with two_sides(opens) as (ours, theirs):
        flow = await ours.transport.open(theirs.address)
        ours.transport.send(PLAIN, flow)
        _, came_by = await theirs.hears()
        theirs.transport.send(LONG, came_by)
        # It comes by the flow that we opened: the dialog that remembers the flow knows its other end again.
        assert await ours.hears() == (LONG, flow)


async def test_each_flow_leads_to_its_own_other_side(opens: Opens) -> None:
    async with two_sides(opens) as (ours, first), two_sides(opens) as (second, _):
        flows = [await ours.transport.open(side.address) for side in (first, second)]
        for flow, data in zip(flows, (PLAIN, LONG), strict=True):
            ours.transport.send(data, flow)
        assert [(await side.hears())[0] for side in (first, second)] == [PLAIN, LONG]
        assert len(set(flows)) == 2
        assert [flow.address for flow in flows] == [first.address, second.address]


async def test_a_lost_message_harms_no_other_flow(opens: Opens) -> None:
    async with two_sides(opens) as (ours, theirs):
        flow = await ours.transport.open(theirs.address)
        gone = Flow((HOST, free_port()), flow.transport)
        for data in (PLAIN, LONG):
            ours.transport.send(data, gone)
        ours.transport.send(LONG, flow)
        assert (await theirs.hears())[0] == LONG


async def test_nothing_is_sent_or_heard_after_the_end(opens: Opens) -> None:
    async with two_sides(opens) as (ours, theirs):
        flow = await ours.transport.open(theirs.address)
        ours.transport.send(PLAIN, flow)
        _, came_by = await theirs.hears()
        ours.transport.close()
        ours.transport.close()
        ours.transport.send(LONG, flow)
        theirs.transport.send(LONG, came_by)
        async with two_sides(opens) as (further, _):
            further.transport.send(PLAIN, await further.transport.open(theirs.address))
            assert (await theirs.hears())[0] == PLAIN
        assert ours.came.empty()


async def test_a_connection_from_the_address_of_our_own_one_takes_nothing_from_it() -> None:
    lost: asyncio.Queue[Flow] = asyncio.Queue()
    ours, theirs = Side(), Side()
    ours.transport = transport = StreamTransport(
        ours.take, Transport.TCP, on_lost=lambda flow, _: lost.put_nowait(flow)
    )
    transport.listen(bind_stream(socket.AF_INET, 0), lambda _: True)
    theirs.transport = await _tcp(theirs.take, Path())
    loop = asyncio.get_running_loop()
    with socket.socket() as caller:
        caller.settimeout(0)
        caller.bind((HOST, 0))
        # The carrier connects to us from the port at which it listens.
        flow = Flow(caller.getsockname(), Transport.TCP)
        connection = await transport.connect(flow, theirs.address)
        await loop.sock_connect(caller, ours.address)
        await loop.sock_sendall(caller, PLAIN)
        assert await ours.hears() == (PLAIN, flow)
    async with asyncio.timeout(WAIT_S):
        assert await lost.get() == flow
        transport.send(LONG, flow)
        assert (await theirs.hears())[0] == LONG
        connection.transport.abort()
        assert await lost.get() == flow
    assert not transport.is_open(flow)
    for side in (ours, theirs):
        side.transport.close()
