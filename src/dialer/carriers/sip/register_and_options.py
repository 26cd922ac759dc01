"""Requests that a trunk gets again and again: REGISTER (RFC 3261 10) and OPTIONS (RFC 3261 11)."""

from itertools import count
from typing import Final

from msgspec.structs import replace

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import Outgoing, Received, address_in
from dialer.carriers.sip.outputs import TrunkState
from dialer.carriers.sip.registered_contacts import granted_s
from dialer.carriers.sip.retry_after import retry_after_ms
from dialer.carriers.sip.signalling import HOME, OUT_OF_ORDER, AuthorisedRequest, Hear, Signalling
from dialer.carriers.sip.timers import Timer
from dialer.carriers.sip.transactions import OK, REFUSED
from dialer.carriers.sip.trunk import Trunk, mark

EXPIRES_S: Final = 3_600
EXPIRES_S_MIN: Final = 10
INTERVAL_TOO_BRIEF: Final = 423
RETRY_MS_MIN: Final = 30_000
RETRY_MS_MAX: Final = 600_000
OPTIONS_EVERY_MS: Final = 30_000
UNANSWERED_MAX: Final = 3
"""OPTIONS requests in a row without an answer after which a trunk that has answered them before counts as down."""


class Registration:
    """The registration of a trunk that wants one. The trunk is up while it is registered."""

    def __init__(self, signalling: Signalling) -> None:
        self._signalling: Final = signalling
        self._wire: Final = signalling.wire
        self._cseqs: Final = count(1)
        self._expires_s = EXPIRES_S
        self._retry_ms = RETRY_MS_MIN
        self._has_begun = False
        self._began_ms = 0
        self._server = self._signalling.servers_for(HOME)[0]
        self._sent: AuthorisedRequest | None = None
        self.is_over = False
        """True once it is taken back, as far as anybody can tell, or was never made."""

    def begin(self) -> None:
        """Register, and keep doing so before the time is over."""
        self._has_begun = True
        # Another process may have registered before, and numbers begin again.
        self._began_ms = self._wire.now_ms
        self._send(self._expires_s, self._heard)

    def end(self) -> None:
        """Remove the registration at the trunk, if there is one."""
        if self._sent is None:
            self.is_over = True
        elif self._has_begun:
            self._has_begun = False
            self._sent.stop()
            self._send(0, self._ended, self._signalling.home)

    def abandon(self) -> None:
        """Let go of the registration: another one takes its place."""
        self._has_begun = False
        if self._sent is not None:
            self._sent.hear_only(_ignore)

    def _ended(self, response: Received | None) -> None:
        self.is_over = response is None or response.status >= OK

    def _send(self, expires_s: int, hear: Hear, server: Flow | None = None) -> None:
        trunk = self._signalling.trunk
        account = trunk.named(trunk.credentials.username if trunk.credentials else "dialer")
        call_id = mark(self._signalling.secret, "register", account, trunk.hostport, str(self._began_ms))
        draft = _draft(trunk, "REGISTER", call_id, account, to=account)
        draft = replace(draft, headers=(*draft.headers, ("Expires", str(expires_s))))
        self._server = server or self._signalling.servers_for(HOME)[0]
        self._sent = AuthorisedRequest(self._signalling, draft, self._server, "", self._cseqs.__next__, hear)

    def _heard(self, response: Received | None) -> None:
        if not self._has_begun or (response is not None and response.status < OK):
            return
        if response is not None and response.status < REFUSED:
            self._registered(response)
        elif response is not None and self._asks_for_longer(response):
            self._send(self._expires_s, self._heard)
        else:
            self._failed(response)

    def _registered(self, response: Received) -> None:
        self._retry_ms = RETRY_MS_MIN
        self._signalling.home = self._server
        granted_s = self._granted_s(response)
        # A fifth of the time is left for what may go wrong.
        self._wire.after(max(EXPIRES_S_MIN, granted_s) * 800, self._again)
        self._wire.tell(TrunkState(""))

    def _granted_s(self, response: Received) -> int:
        return min(granted_s(response, address_in(self._signalling.trunk.contact).uri, self._expires_s), EXPIRES_S)

    def _asks_for_longer(self, response: Received) -> bool:
        wanted_s = response.number_in("Min-Expires")
        if response.status != INTERVAL_TOO_BRIEF or wanted_s is None or not self._expires_s < wanted_s <= 2**31:
            return False
        self._expires_s = wanted_s
        return True

    def _failed(self, response: Received | None) -> None:
        if response is None or response.status in OUT_OF_ORDER:
            self._signalling.hear_silence(self._server)
            if self._signalling.has_other_server(self._server):
                self._send(self._expires_s, self._heard)
                return
        reason = "no answer" if response is None else f"the answer {response.status}"
        asked_ms = 0 if response is None else retry_after_ms(response)
        asks = f", which wants no other request for {asked_ms // 1_000} s" if asked_ms else ""
        self._wire.tell(TrunkState(f"not registered: {reason}{asks}"))
        self._wire.after(max(self._retry_ms, asked_ms), self._again)
        self._retry_ms = min(self._retry_ms * 2, RETRY_MS_MAX)

    def _again(self) -> None:
        if self._has_begun:
            self._send(self._expires_s, self._heard)


class Keepalive:
    """Asks a trunk regularly whether it is there. Any answer will do, but that it is out of order.

    Some trunks never answer OPTIONS, so silence means something only of one that did before. And any response to a call
    shows that the trunk is there.
    """

    def __init__(self, signalling: Signalling) -> None:
        self._signalling: Final = signalling
        self._wire: Final = signalling.wire
        self._cseqs: Final = count(1)
        self._unanswered = 0
        self._has_answered = self._is_down = False
        self._next: Timer | None = None
        self._server = signalling.servers_for(HOME)[0]

    def begin(self) -> None:
        """Ask now, and every half minute."""
        self._signalling.hear_life = self._hear_life
        self._ask()

    def _hear_life(self, response: Received) -> None:
        if response.method != "OPTIONS" and response.status not in OUT_OF_ORDER:
            self._unanswered = 0
            if self._is_down:
                self._tell("")

    def _ask(self) -> None:
        trunk = self._signalling.trunk
        call_id = mark(self._signalling.secret, "options", trunk.hostport, str(self._wire.now_ms))
        draft = _draft(trunk, "OPTIONS", call_id, trunk.named("dialer"), to=f"sip:{trunk.domain}")
        self._server = self._signalling.servers_for(HOME)[0]
        AuthorisedRequest(self._signalling, draft, self._server, "", self._cseqs.__next__, self._heard)
        self._next = self._wire.after(OPTIONS_EVERY_MS, self._ask)

    def _heard(self, response: Received | None) -> None:
        if response is not None and response.status < OK:
            return
        if response is not None:
            self._has_answered = True
            self._wait(retry_after_ms(response))
        if response is not None and response.status not in OUT_OF_ORDER:
            self._unanswered = 0
            self._tell("")
            return
        self._unanswered += self._has_answered
        if self._has_answered:
            self._signalling.hear_silence(self._server)
        if self._unanswered >= UNANSWERED_MAX:
            reason = "no answer" if response is None else f"the answer {response.status}"
            self._tell(f"{self._unanswered} OPTIONS in a row: {reason}")

    def _wait(self, wait_ms: int) -> None:
        """Ask later if the carrier wants to be asked later."""
        if wait_ms > OPTIONS_EVERY_MS and self._next is not None:
            self._next.cancel()
            self._next = self._wire.after(wait_ms, self._ask)

    def _tell(self, why_not: str) -> None:
        self._is_down = bool(why_not)
        self._wire.tell(TrunkState(why_not))


def _ignore(_response: Received | None) -> None:
    """Ignore a response that changes nothing."""


def probe(signalling: Signalling, server: Flow) -> None:
    """Ask one server whether it is there. Any answer shows that it is."""
    trunk = signalling.trunk
    call_id = mark(signalling.secret, "probe", *map(str, server.address), str(signalling.wire.now_ms))
    draft = _draft(trunk, "OPTIONS", call_id, trunk.named("dialer"), to=f"sip:{trunk.domain}")
    AuthorisedRequest(signalling, draft, server, "", count(1).__next__, _ignore)


def _draft(trunk: Trunk, method: str, call_id: str, sender: str, to: str) -> Outgoing:
    """Return a request to a trunk, but for its CSeq and branch."""
    return Outgoing(
        method=method,
        uri=f"sip:{trunk.domain}",
        via=trunk.via,
        call_id=call_id,
        sender=f"<{sender}>;tag={mark(call_id, 'from')}",
        to=f"<{to}>",
        headers=(("Contact", trunk.contact),),
    )
