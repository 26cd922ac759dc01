"""Calls whose caller is signed by a service that the carrier trusts (STIR/SHAKEN, RFC 8224), asked at each dial.

The service speaks the signing API of ATIS-1000082. Its answer is passed through as it is, in the `Identity` header.
"""

import asyncio
import re
import secrets
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec
import structlog

from dialer.carriers.sip import causes
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.voice.clock import steady_ms
from dialer.carriers.voice.sip_trunk_endpoint import EndpointOwner
from dialer.domain.numbers.agent_contacts import is_extension
from dialer.domain.sessions.leg_protocol import Clear, Dialling, Ended, Order
from dialer.domain.words.enums import Cause

if TYPE_CHECKING:
    import httpx

ANSWER_S: Final = 0.3
"""Time for the answer of the service: the callee waits for it."""
ASKED_MAX: Final = 200
"""Calls of one line that wait for a signature. Further ones go on as if the service had not answered."""
ANSWER_BYTES_MAX: Final = 16_384
OK: Final = 200
_IDENTITY: Final = re.compile(r"[!-~](?:[ -~]{0,4094}[!-~])?", re.ASCII)
_DIGITS: Final = re.compile(r"[^0-9]")
_log = structlog.get_logger(__name__)


class _Signed(msgspec.Struct):
    identity: str


class _Answer(msgspec.Struct):
    signing: _Signed = msgspec.field(name="signingResponse")


class IdentityError(Exception):
    """Raised when a call gets no signature. The message says why, without its numbers."""


class SignedCalls:
    """The calls of one line that are signed before they leave."""

    def __init__(self, owner: EndpointOwner, place: Callable[[Dialling], None]) -> None:
        """Prepare it. `place` places a call."""
        self._owner: Final = owner
        self._place: Final = place
        self._parameters: SipParameters | None = None
        self._origin: Final = str(uuid.UUID(bytes=secrets.token_bytes(16), version=4))
        """The name of this line to the service (`origid`), which tells nobody who we are."""
        self._asked: Final[dict[str, asyncio.Task[None]]] = {}
        self._client: httpx.AsyncClient | None = None

    def begin(self, parameters: SipParameters) -> None:
        """Sign calls from now on, if the parameters name a service."""
        self._parameters = parameters if parameters.identity_url else None

    def dial(self, dialling: Dialling) -> bool:
        """Ask for a signature, place the call then, and return True.

        Return False for a call that is not signed: none is, or it is one to an extension.
        """
        parameters = self._parameters
        if parameters is None or is_extension(dialling.number):
            return False
        work = self._sign(dialling, parameters)
        self._asked[dialling.key] = asyncio.get_running_loop().create_task(work)
        return True

    def obey(self, key: str, order: Order) -> bool:
        """End a call that waits for its signature, if that is the order. Return whether it was."""
        task = self._asked.get(key) if isinstance(order, Clear) else None
        if task is None:
            return False
        del self._asked[key]
        task.cancel()
        self._owner.hear(key, steady_ms(), Ended(0, Cause.NORMAL_CLEARING), "hung up before it was signed")
        return True

    async def close(self) -> None:
        """Place no more calls."""
        tasks = list(self._asked.values())
        self._asked.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    async def _sign(self, dialling: Dialling, parameters: SipParameters) -> None:
        identity, why_not = "", "too many calls wait for their signatures"
        if len(self._asked) <= ASKED_MAX:
            try:
                async with asyncio.timeout(ANSWER_S):
                    identity, why_not = await self._ask(dialling, parameters), ""
            except TimeoutError:
                why_not = "the signing service takes longer than 300 ms"
            except IdentityError as error:
                why_not = str(error)
        self._asked.pop(dialling.key, None)
        if why_not:
            _log.warning("call_not_signed", key=dialling.key, reason=why_not)
        if why_not and parameters.identity_required:
            ended = Ended(0, Cause(causes.TEMPORARY_FAILURE))
            self._owner.hear(dialling.key, steady_ms(), ended, f"it is not signed: {why_not}")
        else:
            self._place(msgspec.structs.replace(dialling, identity=identity))

    async def _ask(self, dialling: Dialling, parameters: SipParameters) -> str:
        """Return the `Identity` of a call.

        Raises:
            IdentityError: the service refuses, or answers something else.
        """
        import httpx  # noqa: PLC0415 - most lines have no such service

        if self._client is None:
            # Numbers of people go to the service that is set, and over no proxy of the environment.
            self._client = httpx.AsyncClient(timeout=None, trust_env=False)  # noqa: S113 - the whole has a limit
        body = {"signingRequest": self._claims(dialling, parameters)}
        try:
            async with self._client.stream("POST", parameters.identity_url, json=body) as answer:
                read = bytearray()
                async for piece in answer.aiter_bytes():
                    read += piece
                    if len(read) > ANSWER_BYTES_MAX:
                        raise IdentityError("the signing service sends too much")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise IdentityError(f"the signing service cannot be reached: {type(error).__name__}") from None
        if answer.status_code != OK:
            raise IdentityError(f"the signing service answers {answer.status_code}")
        return _identity_in(bytes(read))

    def _claims(self, dialling: Dialling, parameters: SipParameters) -> dict[str, Any]:
        caller = parameters.asserted_identity or dialling.callerid
        return {
            "attest": parameters.identity_attest,
            "orig": {"tn": _DIGITS.sub("", caller)},
            "dest": {"tn": [_DIGITS.sub("", dialling.number)]},
            "iat": int(time.time()),
            "origid": self._origin,
        }


def _identity_in(body: bytes) -> str:
    """Return the `Identity` in an answer of the service.

    Raises:
        IdentityError: it has none that may stand in a header.
    """
    try:
        identity = msgspec.json.decode(body, type=_Answer).signing.identity
    except msgspec.DecodeError:
        raise IdentityError("the signing service answers something else than a signature") from None
    if not _IDENTITY.fullmatch(identity):
        raise IdentityError("the signing service answers with a text that is no header")
    return identity
