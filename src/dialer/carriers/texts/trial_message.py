"""One text message over a carrier, told message by message, without the service."""

import asyncio
from collections.abc import Callable
from typing import Final
from uuid import uuid4

import msgspec
from msgspec.structs import replace

from dialer.carriers.line_port import (
    Alive,
    Found,
    Over,
    Unknown,
    Unplaced,
)
from dialer.carriers.texts.http_line import NotSentError, UnansweredError, WebSender
from dialer.carriers.texts.parameters import SECRET_MIN, HttpParameters, read_http_parameters
from dialer.carriers.texts.requests import outcome_of, request_of
from dialer.carriers.texts.smpp_messages import MessageError, heard_in, submit_bodies
from dialer.carriers.texts.smpp_parameters import SmppParameters, read_smpp_parameters
from dialer.carriers.texts.smpp_pdus import RESPONSE, Command, Pdu, PduError, Status, data_of, delivery_of, first_text
from dialer.carriers.texts.smpp_receipts import name_of
from dialer.carriers.texts.smpp_session import SessionError, SmppSession, opened
from dialer.domain.calls.plans import SMPP
from dialer.domain.messages.carrier_names import name_meant
from dialer.domain.messages.sms_parts import parts_of
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Done,
    Ended,
    LegReport,
    Receipt,
    Ringing,
    Texting,
    TextReceived,
)
from dialer.domain.words.enums import MessageStatus

BODY_SHOWN_MAX: Final = 500
HIDDEN: Final = "*" * SECRET_MIN

Show = Callable[[str], None]


class TextOutcome(msgspec.Struct, frozen=True):
    """The end of a trial: a status, and the reason in words."""

    status: str
    because: str
    parts: int


async def send_trial_text(
    protocol: str, parameters: str, gateway_id: int, order: tuple[str, str, str], wait_s: float, show: Show
) -> TextOutcome:
    """Send a test message, with its number, sender and text in `order`. Over SMPP, wait for its receipts.

    Raises:
        ParametersError: the parameters are wrong.
    """
    number, sender, text = order
    texting = Texting(str(uuid4()), number, sender, text, parts_of(text))
    if protocol == SMPP:
        return await _over_smpp(read_smpp_parameters(parameters), texting, wait_s, show)
    return await _over_http(read_http_parameters(protocol, parameters), gateway_id, texting, show)


async def _over_http(parameters: HttpParameters, gateway_id: int, order: Texting, show: Show) -> TextOutcome:
    shown = request_of(replace(parameters, password=HIDDEN, secret=HIDDEN), gateway_id, order)
    show(f"→ {shown.method} {shown.url}")
    if shown.content:
        show(f"  {shown.content[:BODY_SHOWN_MAX].decode(errors='replace')}")
    sender = WebSender()
    try:
        answer = await sender.send(request_of(parameters, gateway_id, order))
    except NotSentError as error:
        return TextOutcome(MessageStatus.UNSENT, f"the carrier cannot be reached: {error}", order.parts)
    except UnansweredError as error:
        return TextOutcome(MessageStatus.SENT, f"the carrier did not answer: {error}", order.parts)
    finally:
        await sender.close()
    show(f"← {answer.status} {answer.body[:BODY_SHOWN_MAX].decode(errors='replace')}")
    reports = outcome_of(parameters, answer.status, answer.body)
    return TextOutcome(*_in_words(reports[0]), order.parts)


def _in_words(heard: LegReport | Found) -> tuple[str, str]:
    match heard:
        case Accepted(names):
            return MessageStatus.SENT, f"accepted as {', '.join(names) or 'a message without a name'}"
        case Receipt(_, status):
            return status, "the carrier refuses the message"
        case Unplaced():
            return MessageStatus.UNSENT, "the carrier asks to wait"
        case Ended():
            return MessageStatus.SENT, "accepted"
        case Arrived() | Ringing() | Answered() | Done() | TextReceived() | Alive() | Over() | Unknown():
            return MessageStatus.SENT, "the answer says nothing that the parameters explain"


class _Trial:
    """A trial over SMPP: sends the parts, and notes receipts for them."""

    def __init__(self, session: SmppSession, parameters: SmppParameters, order: Texting) -> None:
        self._session: Final = session
        self._parameters: Final = parameters
        self._order: Final = order
        self.names: Final[list[str]] = []
        self.waiting: Final[set[str]] = set()
        self.status = MessageStatus.SENT
        self.is_over: Final = asyncio.Event()

    async def send(self) -> TextOutcome | None:
        """Send all parts of the test message. Return the outcome if the carrier refuses a part."""
        for body in submit_bodies(self._parameters, self._order):
            answer = await self._session.ask(Command.SUBMIT_SM, body)
            if answer.status != Status.OK:
                because = f"the carrier refuses the message with status 0x{answer.status:08X}"
                return TextOutcome(MessageStatus.FAILED, because, self._order.parts)
            self.names.append(name_of(self._parameters, first_text(answer.body)))
        self.waiting.update(self.names)
        return None

    async def listen(self) -> None:
        """Answer the carrier. Receipts of other messages are refused for now, so that the service gets them later."""
        async for pdu in self._session.requests():
            if pdu.command == Command.ALERT_NOTIFICATION:
                continue  # It has no response.
            status, body = Status.OK, b""
            if pdu.command in {Command.DELIVER_SM, Command.DATA_SM}:
                status, body = (Status.OK if self._is_ours(pdu) else Status.QUEUE_FULL), b"\x00"
            self._session.send(Pdu(pdu.command | RESPONSE, status, pdu.sequence, body))
        self._session.end("the carrier ended the connection")
        self.is_over.set()

    def _is_ours(self, pdu: Pdu) -> bool:
        try:
            read = data_of if pdu.command == Command.DATA_SM else delivery_of
            heard = heard_in(self._parameters, read(pdu.body))
        except PduError:
            return False
        name = name_meant(heard.name, tuple(self.names)) if isinstance(heard, Receipt) else None
        if not isinstance(heard, Receipt) or name is None:
            return False
        self.waiting.discard(name)
        if heard.status is not MessageStatus.DELIVERED or not self.waiting:
            self.status = heard.status
            self.is_over.set()
        return True


async def _over_smpp(parameters: SmppParameters, order: Texting, wait_s: float, show: Show) -> TextOutcome:
    try:
        async with opened(parameters, lambda way, pdu: show(f"{way} {_line_of(pdu)}")) as session:
            trial = _Trial(session, parameters, order)
            listening = asyncio.get_running_loop().create_task(trial.listen())
            try:
                refused = await trial.send()
                if refused is None and parameters.receipts:
                    await asyncio.wait([asyncio.ensure_future(trial.is_over.wait())], timeout=wait_s)
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)
    except (MessageError, SessionError) as error:
        return TextOutcome(MessageStatus.UNSENT, str(error), order.parts)
    accepted = f"accepted as {', '.join(trial.names)}"
    return refused or TextOutcome(trial.status, accepted, order.parts)


def _line_of(pdu: Pdu) -> str:
    command_names = {command.value: command.name.lower() for command in Command}
    name = command_names.get(pdu.command) or f"{command_names.get(pdu.command & ~RESPONSE, hex(pdu.command))}_resp"
    status = f" status 0x{pdu.status:08X}" if pdu.command & RESPONSE else ""
    return f"{name} {pdu.sequence}{status}"
