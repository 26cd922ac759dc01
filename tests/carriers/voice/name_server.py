"""A name server on this machine, over UDP and TCP, with the records that a test gives it."""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import dns.asyncresolver
import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest

from dialer.carriers.voice import dns_records


class NameServer(asyncio.DatagramProtocol):
    """Answers questions with records, or as it is told to."""

    def __init__(self, changed: Callable[[], None]) -> None:
        """Prepare it. `changed` is called after each question."""
        self._changed: Final = changed
        self.records: Final[dict[tuple[str, str], list[str]]] = {}
        """Records by name and kind, as in a zone file."""
        self.asked: Final[list[tuple[str, str]]] = []
        """The questions that came over UDP."""
        self.is_away = False
        self.lives_s = 60
        self.by_tcp = 0
        """Questions that came over TCP, after an answer that was too long for UDP."""
        self.transport: asyncio.DatagramTransport

    def add(self, name: str, kind: str, *values: str) -> None:
        """Set the records of a name."""
        self.records[name, kind] = list(values)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answer a question, with no more than a datagram holds."""
        query = dns.message.from_wire(data)
        self.asked.append(_question(query))
        self._changed()
        if not self.is_away:
            wire = self._answer(query).to_wire(max_size=65_535)
            if len(wire) > 512:
                short = dns.message.make_response(query)
                short.flags |= dns.flags.TC
                wire = short.to_wire()
            self.transport.sendto(wire, addr)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one question over TCP."""
        (length,) = struct.unpack("!H", await reader.readexactly(2))
        wire = self._answer(dns.message.from_wire(await reader.readexactly(length))).to_wire(max_size=65_535)
        self.by_tcp += 1
        writer.write(struct.pack("!H", len(wire)) + wire)
        await writer.drain()
        writer.close()

    def _answer(self, query: dns.message.Message) -> dns.message.Message:
        response = dns.message.make_response(query)
        name, kind = _question(query)
        for _ in range(20):
            alias = self.records.get((name, "CNAME"))
            if alias is None:
                break
            response.answer.append(dns.rrset.from_text(f"{name}.", self.lives_s, "IN", "CNAME", *alias))
            name = alias[0].rstrip(".")
        found = self.records.get((name, kind))
        if found:
            response.answer.append(dns.rrset.from_text(f"{name}.", self.lives_s, "IN", kind, *found))
        elif not response.answer and all(known != name for known, _ in self.records):
            response.set_rcode(dns.rcode.NXDOMAIN)
        return response


def _question(query: dns.message.Message) -> tuple[str, str]:
    [question] = query.question
    return question.name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(question.rdtype)


@asynccontextmanager
async def name_server(
    monkeypatch: pytest.MonkeyPatch, changed: Callable[[], None] = lambda: None
) -> AsyncIterator[NameServer]:
    """Run a name server, and let this process ask it and nobody else."""
    server, loop = NameServer(changed), asyncio.get_running_loop()
    over_tcp = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = over_tcp.sockets[0].getsockname()[1]
    server.transport, _ = await loop.create_datagram_endpoint(lambda: server, ("127.0.0.1", port))

    def resolver() -> dns.asyncresolver.Resolver:
        asking = dns.asyncresolver.Resolver(configure=False)
        asking.nameservers, asking.port = ["127.0.0.1"], port
        return asking

    monkeypatch.setattr(dns_records, "system_resolver", resolver)
    try:
        yield server
    finally:
        server.transport.close()
        over_tcp.close()
