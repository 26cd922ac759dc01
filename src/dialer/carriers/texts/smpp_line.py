"""A line that sends text messages over SMPP."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Coroutine
from typing import Any, Final

import structlog

from dialer.carriers.line_port import Exchange, Found, Unknown, Unplaced
from dialer.carriers.texts.backoff import PAUSE_S, PAUSE_S_MAX, WAIT_S
from dialer.carriers.texts.smpp_messages import MessageError, heard_in, submit_bodies
from dialer.carriers.texts.smpp_parameters import SmppParameters, read_smpp_parameters
from dialer.carriers.texts.smpp_pdus import RESPONSE, Command, Pdu, PduError, Status, data_of, delivery_of, first_text
from dialer.carriers.texts.smpp_receipts import name_of
from dialer.carriers.texts.smpp_session import SessionError, SmppSession, opened
from dialer.carriers.texts.text_line import DETAIL_MAX, TextLine
from dialer.domain.sessions.leg_protocol import Accepted, Ended, LegReport, Receipt, Texting
from dialer.domain.words.enums import Cause, MessageStatus

MESSAGES_MAX: Final = 500
"""Messages that wait for the window or for a response."""
UNSETTLED_MAX: Final = 5_000
"""Receipts and texts without a response. The carrier is told to try further ones later."""
PART_TRIES: Final = 30
"""Tries of a part of a message that the carrier does not take now, after it has taken another part."""
NOT_BOUND: Final = "it is not bound yet"
LOST: Final = "the connection to the carrier was lost"
NO_NAME: Final = b"\x00"
"""The body of a response to a delivery: its name of the message is not used (SMPP 3.4, 4.6.2)."""
_FOR_NOW: Final = frozenset({Status.THROTTLED, Status.QUEUE_FULL})

_log = structlog.get_logger(__name__)


class SmppLine(TextLine[SmppParameters]):
    """The SMPP line of one gateway. It binds by itself, and again when the connection ends."""

    messages_max = MESSAGES_MAX

    def __init__(self, gateway_id: int, parameters: str, exchange: Exchange) -> None:
        super().__init__(gateway_id, exchange, lambda: read_smpp_parameters(parameters))
        self._session: SmppSession | None = None
        self._number = 0
        """Number of things heard that the carrier repeats until they are answered."""
        self._unsettled: Final[deque[tuple[int, SmppSession, Pdu]]] = deque()
        """Numbers of things heard, with the session and the request to answer once they are stored."""
        self._work: asyncio.Task[None] | None = None
        if self._parameters is not None:
            self._window: Final = asyncio.Semaphore(self._parameters.window)
            self._work = asyncio.get_running_loop().create_task(self._live(self._parameters))

    def settled(self, number: int) -> None:
        """Acknowledge stored receipts and texts to the carrier, which repeats all others after a lost connection."""
        while self._unsettled and self._unsettled[0][0] <= number:
            _, session, pdu = self._unsettled.popleft()
            _respond(session, pdu, body=NO_NAME)

    async def close(self) -> None:
        """Unbind. Messages without an answer count as sent."""
        if self._work is not None:
            self._work.cancel()
        await super().close()
        if self._work is not None:
            await asyncio.gather(self._work, return_exceptions=True)

    # --- the connection -------------------------------------------------------------------------------------------

    async def _live(self, parameters: SmppParameters) -> None:
        """Bind, and bind again after a pause whenever the connection ends."""
        pause_s = PAUSE_S
        self._exchange.is_up(NOT_BOUND)
        while True:
            why = LOST
            try:
                async with opened(parameters) as session:
                    pause_s = PAUSE_S
                    await self._serve(session, parameters)
            except SessionError as error:
                why = str(error)
            except Exception:  # noqa: BLE001 - whatever a carrier sends, the line tries again
                _log.exception("smpp_session_failed", gateway_id=self._gateway_id)
            self._exchange.is_up(why[:DETAIL_MAX])
            _log.warning("smpp_connection_ended", gateway_id=self._gateway_id, reason=why)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, PAUSE_S_MAX)

    async def _serve(self, session: SmppSession, parameters: SmppParameters) -> None:
        enquiring = asyncio.get_running_loop().create_task(session.enquire(parameters.enquire_seconds))
        self._session = session
        self._exchange.is_up("")
        try:
            async for pdu in session.requests():
                if not self._take(session, parameters, pdu):
                    return
        finally:
            self._session = None
            self._pauses.close()
            enquiring.cancel()
            session.end(LOST)
            while self._unsettled:
                self._unsettled.pop()  # The carrier repeats them.
            await asyncio.gather(enquiring, return_exceptions=True)

    def _take(self, session: SmppSession, parameters: SmppParameters, pdu: Pdu) -> bool:
        """Answer a request of the carrier, and return False if it ends the connection."""
        match pdu.command:
            case Command.DELIVER_SM | Command.DATA_SM:
                self._deliver(session, parameters, pdu)
            case Command.ENQUIRE_LINK:
                _respond(session, pdu)
            case Command.UNBIND:
                _respond(session, pdu)
                return False
            case Command.ALERT_NOTIFICATION:
                pass  # It has no response (SMPP 3.4, 4.12.1).
            case _:
                _respond(session, pdu._replace(command=Command.GENERIC_NACK), Status.INVALID_COMMAND)
        return True

    def _deliver(self, session: SmppSession, parameters: SmppParameters, pdu: Pdu) -> None:
        """Pass on a receipt or a text. It is answered once it is stored; anything else is answered at once."""
        try:
            heard = heard_in(parameters, data_of(pdu.body) if pdu.command == Command.DATA_SM else delivery_of(pdu.body))
        except PduError:
            _respond(session, pdu, Status.REFUSED, NO_NAME)
            return
        if heard is None:
            _respond(session, pdu, body=NO_NAME)
        elif len(self._unsettled) >= UNSETTLED_MAX:
            _respond(session, pdu, Status.QUEUE_FULL, NO_NAME)
        else:
            self._number += 1
            self._unsettled.append((self._number, session, pdu._replace(body=b"")))
            self._exchange.heard(self._number, "", heard)

    # --- messages -------------------------------------------------------------------------------------------------

    def _sending(self, parameters: SmppParameters, leg: Texting) -> Coroutine[Any, Any, None] | None:
        return None if self._session is None else self._send(self._session, parameters, leg)

    async def _send(self, session: SmppSession, parameters: SmppParameters, leg: Texting) -> None:
        try:
            reports = await self._outcome(session, parameters, leg)
        except SessionError as error:
            _log.warning("message_unanswered", gateway_id=self._gateway_id, key=leg.key, reason=str(error))
            reports = (Unknown(),)
        except MessageError as error:
            _log.warning("message_impossible", gateway_id=self._gateway_id, key=leg.key, reason=str(error))
            reports = (Receipt("", MessageStatus.FAILED),)
        for heard in reports:
            self._exchange.heard(0, leg.key, heard)

    async def _outcome(
        self, session: SmppSession, parameters: SmppParameters, leg: Texting
    ) -> tuple[LegReport | Found, ...]:
        """Send the parts one after another, and return everything that the carrier says of the message."""
        names = []
        for number, body in enumerate(submit_bodies(parameters, leg)):
            async with self._window:
                if number == 0 and (session is not self._session or self._pauses.is_down):
                    return (Unplaced(),)
                answer = await self._submit(session, body, tries=PART_TRIES if number else 1)
            if answer.status in _FOR_NOW:
                return (Unplaced(),) if number == 0 else (Receipt("", MessageStatus.FAILED),)
            if answer.status != Status.OK or answer.command != Command.SUBMIT_SM | RESPONSE:
                is_unknown = answer.status == Status.INVALID_DESTINATION
                return (Receipt("", MessageStatus.NO_ROUTE if is_unknown else MessageStatus.FAILED),)
            names.append(name_of(parameters, first_text(answer.body)))
        self._pauses.worked()
        if not parameters.receipts:
            return (Ended(0, Cause.NORMAL_CLEARING),)
        return (Accepted(tuple(name for name in names if name)),)

    async def _submit(self, session: SmppSession, body: bytes, tries: int) -> Pdu:
        """Send a part. If the carrier does not take it now, pause, and try again as often as this is allowed."""
        pause_s = WAIT_S
        while True:
            answer = await session.ask(Command.SUBMIT_SM, body)
            if answer.status not in _FOR_NOW:
                return answer
            self._pauses.wait(f"the carrier asks to wait (status 0x{answer.status:08X})")
            tries -= 1
            if tries <= 0:
                return answer
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, PAUSE_S)


def _respond(session: SmppSession, request: Pdu, status: Status = Status.OK, body: bytes = b"") -> None:
    """Answer a request, if the connection is still there."""
    with contextlib.suppress(SessionError):
        session.send(Pdu(request.command | RESPONSE, status, request.sequence, body))
