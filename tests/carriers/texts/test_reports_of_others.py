"""Public bug reports of other stacks for SMPP, tried with PDUs of our own.

The names in the docstrings are the rows of `docs/reference/reports-of-others.md`.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import pytest

from dialer.carriers.texts.smpp_line import SmppLine
from dialer.carriers.texts.smpp_messages import heard_in
from dialer.carriers.texts.smpp_parameters import SmppParameters
from dialer.carriers.texts.smpp_pdus import HEADER, RESPONSE, Address, Command, Delivery, Pdu, Tag, delivery_of, pdu_of
from dialer.carriers.texts.smpp_user_data import part_of, text_of
from dialer.domain.sessions.leg_protocol import Accepted, Receipt, Texting, TextPart, TextReceived
from dialer.domain.words.enums import MessageStatus
from tests.carriers.listening import Watch, Worker

SHOP: Final = SmppParameters(host="carrier.example", system_id="shop")
ANNA, US = Address(1, 1, "12025550407"), Address(1, 1, "3545550199")
FAILED: Final = 0x45
"""ESME_RSUBMITFAIL."""


def delivery(message: bytes, coding: int = 0, esm_class: int = 0, options: dict[int, bytes] | None = None) -> Delivery:
    """Return a text of Anna's."""
    return Delivery(ANNA, US, esm_class, coding, message, options or {})


def body(message: bytes, options: bytes = b"", coding: int = 0) -> bytes:
    """Return the body of a `deliver_sm`."""
    fixed = b"\0" + ANNA.encode() + US.encode() + bytes(3) + b"\0\0" + bytes((0, 0, coding, 0, len(message)))
    return fixed + message + options


# --- texts and receipts ----------------------------------------------------------------------------------------------


def test_a_receipt_in_ascii_that_says_ucs_2_is_read() -> None:
    """Q31."""
    told = delivery(b"id:S21311 sub:001 dlvrd:001 stat:DELIVRD err:000 text:", coding=8, esm_class=4)
    assert heard_in(SHOP, told) == Receipt("S21311", MessageStatus.DELIVERED)


def test_a_receipt_without_some_of_the_usual_fields_is_read() -> None:
    """Q32."""
    told = delivery(b"id:1526758174 submit date:2701240904 stat:DELIVRD err:0000", esm_class=4)
    assert heard_in(SHOP, told) == Receipt("1526758174", MessageStatus.DELIVERED)


@pytest.mark.parametrize("coding", [8, 0x18, 0x19, 0x1A, 0xE0])
def test_ucs_2_has_its_high_byte_first_whatever_the_class_of_the_message(coding: int) -> None:
    """Q33, Q34."""
    assert text_of(delivery("Стоп 短信".encode("utf-16-be"), coding)) == "Стоп 短信"


@pytest.mark.parametrize("coding", [0, 0x10, 0x11, 0xC0, 0xD8, 0xF0, 0xF1, 0xF2])
def test_the_default_alphabet_is_read_with_every_class(coding: int) -> None:
    """Q34."""
    assert text_of(delivery(b"\x00 \x1be\x02", coding)) == "@ €$"


@pytest.mark.parametrize("coding", [3, 4, 0x14, 0x80, 0xF4, 0xF5])
def test_eight_bits_are_latin_1(coding: int) -> None:
    """Q34."""
    assert text_of(delivery(b"arr\xeat", coding)) == "arrêt"


def test_a_header_may_stand_in_the_payload() -> None:
    """Q35."""
    options = {int(Tag.MESSAGE_PAYLOAD): b"\5\0\3\x2a\2\1Hello"}
    found = delivery(b"", esm_class=0x40, options=options)
    assert (text_of(found), part_of(found)) == ("Hello", TextPart("0/2a", 1, 2))


@pytest.mark.parametrize(
    "options",
    [b"\x14\0\0\x03abc", b"\x03\x02\0\x01\x71", b"\x04\x28\0\x01\0", b"\x14\x01\0\0", b"\x14\0\xff\xffabc", b"\x14"],
)
def test_parameters_that_nobody_knows_change_nothing(options: bytes) -> None:
    """Q36, Q37."""
    assert heard_in(SHOP, delivery_of(body(b"STOP", options))) == TextReceived("+12025550407", "3545550199", "STOP")


# --- connections -----------------------------------------------------------------------------------------------------


class Carrier:
    """A carrier that answers as a test tells it, and keeps what it reads."""

    def __init__(self) -> None:
        self.read: list[Pdu] = []
        self.watch = Watch()
        self.writer: asyncio.StreamWriter
        self.opened: list[asyncio.StreamWriter] = []
        self.answers: dict[int, tuple[int, bytes]] = {}
        """Status and body for each command."""
        self.may_bind = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read PDUs until the connection ends."""
        self.writer = writer
        self.opened.append(writer)
        try:
            await self._answer(reader, writer)
        except asyncio.IncompleteReadError:
            return
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            header = await reader.readexactly(HEADER.size)
            pdu = pdu_of(header, await reader.readexactly(HEADER.unpack(header)[0] - HEADER.size))
            self.read.append(pdu)
            self.watch.touch()
            if pdu.command == Command.BIND_TRANSCEIVER:
                await self.may_bind.wait()
            if not pdu.command & RESPONSE:
                status, answer = self.answers.get(pdu.command, (0, b"id1\0"))
                writer.write(Pdu(pdu.command | RESPONSE, status, pdu.sequence, answer).encode())

    def commands(self) -> list[int]:
        """Return the commands that were read."""
        return [pdu.command for pdu in self.read]


@asynccontextmanager
async def line_to(carrier: Carrier) -> AsyncIterator[tuple[SmppLine, Worker]]:
    """Open a line to a carrier."""
    server = await asyncio.start_server(carrier.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    worker = Worker(carrier.watch)
    parameters = {"host": "127.0.0.1", "port": port, "system_id": "shop", "enquire_seconds": 5}
    line = SmppLine(1, json.dumps(parameters), worker)
    try:
        yield line, worker
    finally:
        await line.close()
        server.close()
        for writer in carrier.opened:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


async def test_nothing_is_asked_before_the_bind_is_answered() -> None:
    """Q38."""
    carrier = Carrier()
    async with line_to(carrier) as (line, worker):
        await carrier.watch.until(lambda: carrier.read)
        line.dial(Texting("k", "+12025550407", "Shop", "Hi", 1))
        await carrier.watch.until(lambda: ("k", "Unplaced") in worker.kinds)
        assert carrier.commands() == [Command.BIND_TRANSCEIVER]
        carrier.may_bind.set()
        await carrier.watch.until(lambda: not worker.why_not)


async def test_a_refusal_without_a_body_is_one() -> None:
    """Q39."""
    carrier = Carrier()
    carrier.may_bind.set()
    carrier.answers[Command.SUBMIT_SM] = (FAILED, b"")
    async with line_to(carrier) as (line, worker):
        await carrier.watch.until(lambda: not worker.why_not)
        line.dial(Texting("k", "+12025550407", "Shop", "Hi", 1))
        await carrier.watch.until(lambda: worker.heard_of)
        assert worker.heard_of == [(0, "k", Receipt("", MessageStatus.FAILED))]


async def test_further_parameters_of_a_response_change_nothing() -> None:
    """Q36."""
    carrier = Carrier()
    carrier.may_bind.set()
    carrier.answers[Command.SUBMIT_SM] = (0, b"3df0ca1f\0\x04\x28\0\x01\0")
    async with line_to(carrier) as (line, worker):
        await carrier.watch.until(lambda: not worker.why_not)
        line.dial(Texting("k", "+12025550407", "Shop", "Hi", 1))
        await carrier.watch.until(lambda: worker.heard_of)
        assert worker.heard_of == [(0, "k", Accepted(("3df0ca1f",)))]


async def test_requests_are_read_however_they_are_cut_into_pieces() -> None:
    """Q40, Q41. The answers to signs of life have no body, and the other numbers are those of the requests."""
    carrier = Carrier()
    carrier.may_bind.set()
    asked = [Pdu(Command.ENQUIRE_LINK, 0, number) for number in (7, 8)]
    asked[1:1] = [Pdu(Command.DELIVER_SM, 0, 9, body(b"STOP")), Pdu(Command.DELIVER_SM, 0, 10, body(b"Hello"))]
    sent = b"".join(pdu.encode() for pdu in asked)
    async with line_to(carrier) as (line, worker):
        await carrier.watch.until(lambda: not worker.why_not)
        for piece in (sent[:3], sent[3:40], sent[40:]):
            carrier.writer.write(piece)
            await carrier.writer.drain()
        await carrier.watch.until(lambda: len(worker.heard_of) == 2)
        line.settled(worker.heard_of[-1][0])
        answers = [pdu for pdu in asked if pdu.command]
        await carrier.watch.until(lambda: len(carrier.read) >= 1 + len(answers))
        found = {pdu.sequence: (pdu.command, pdu.status, pdu.body) for pdu in carrier.read[1:]}
        sign, taken = (Command.ENQUIRE_LINK | RESPONSE, 0, b""), (Command.DELIVER_SM | RESPONSE, 0, b"\0")
        assert found == {7: sign, 8: sign, 9: taken, 10: taken}
        assert [heard.text for _, _, heard in worker.heard_of if isinstance(heard, TextReceived)] == ["STOP", "Hello"]


async def test_a_carrier_that_speaks_another_protocol_is_left_in_words() -> None:
    """Q42."""
    carrier = Carrier()
    async with line_to(carrier) as (_, worker):
        await carrier.watch.until(lambda: carrier.read)
        carrier.writer.write(b"220 mail.example ESMTP\r\n")
        await carrier.watch.until(lambda: "bind" in worker.why_not and "yet" not in worker.why_not)
        assert worker.why_not == "the carrier does not answer the bind"
