"""Requests of ours and their responses, with credentials where the carrier asks for them."""

from collections.abc import Callable
from enum import Enum, auto
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.carriers.sip.allowed_hosts import Peers
from dialer.carriers.sip.digest_authentication import SignedRequest, authorise, read_challenge
from dialer.carriers.sip.flows import Flow, Target, Transport
from dialer.carriers.sip.messages import BRANCH_START, Outgoing, Received
from dialer.carriers.sip.outputs import Outputs
from dialer.carriers.sip.server_pool import ServerPool
from dialer.carriers.sip.transactions import ASKED_ANEW, ClientTransaction
from dialer.carriers.sip.trunk import Trunk, mark

CHALLENGES: Final = frozenset({401, 407})
UNAVAILABLE: Final = 503
"""A server that cannot take a request now. Another one may."""
OUT_OF_ORDER: Final = frozenset({408, 502, 503, 504})
"""The answers of a server that does not work, or that gets no answer from those behind it."""
TRIES_MAX: Final = 4
"""Sendings of a request with other credentials or intervals: one for each proxy that asks, and for stale nonces."""
NONCES_MAX: Final = 1_000
REALMS_MAX: Final = 16
"""Realms of the carrier for which credentials are given."""

HOME: Final = ""
"""The key by which the server is chosen that has the registration, and is asked whether it is there."""

Hear = Callable[[Received | None], None]
"""Gets each response, and None if there is none in time."""


class Trust(Enum):
    """The challenges to a request that are answered. Only the carrier's own addresses ever get an answer."""

    CARRIER = auto()
    """Any: the request begins a call or a registration, and goes to the carrier itself."""
    KNOWN_REALMS = auto()
    """Those for a realm that the carrier had for such a request before."""
    NOBODY = auto()
    """None: somebody else has begun the dialog, and may be anywhere behind the carrier."""


class Signalling:
    """The requests that we sent, and that wait for a response.

    `secret` is a text that nobody can guess, from which identifiers are made that no other process needs.
    """

    def __init__(self, wire: Outputs, trunk: Trunk, secret: str) -> None:
        self.wire: Final = wire
        self.trunk = trunk
        """The trunk. Another connection to it has another address of ours."""
        self.secret: Final = secret
        self.servers: Final = ServerPool(trunk.server)
        self.home: Flow | None = None
        """The server that has our registration, if any has it."""
        self.peers: Final = Peers(wire.resolution)
        self.hear_life: Callable[[Received], None] = lambda _: None
        """Called with each response of the carrier."""
        self.hear_silence: Callable[[Flow], None] = lambda _: None
        """Called with a server of the carrier that has left requests without any response."""
        self._realms: Final[dict[str, None]] = {}
        self._waiting: dict[tuple[str, str], ClientTransaction] = {}
        self._uses: dict[str, int] = {}

    def request(self, outgoing: Outgoing, target: Target, key: str, hear: Hear) -> ClientTransaction:
        """Send a request, and hear its responses."""
        transaction = ClientTransaction(self.wire, outgoing, target, key, hear, self.forget)
        self._expect(transaction, target)
        return transaction

    def expect(self, outgoing: Outgoing, target: Target, key: str, hear: Hear) -> None:
        """Accept responses to a request that another process may have sent."""
        transaction = ClientTransaction(self.wire, outgoing, target, key, hear, self.forget, is_sent=True)
        self._expect(transaction, target)

    def _expect(self, transaction: ClientTransaction, target: Target) -> None:
        name = (transaction.request.branch, transaction.request.method)
        self._waiting[name] = transaction
        self.peers.note(name, target)

    def receive(self, response: Received, flow: Flow) -> None:
        """Hand a response to the request it answers. A response from elsewhere, or to no request, is dropped."""
        name = (response.branch, response.method)
        waiting = self._waiting.get(name)
        if waiting is None or response.call_id != waiting.request.call_id:
            return
        is_carrier = self.trunk.is_end_of(flow)
        if is_carrier or self.peers.is_end(name, flow):
            if is_carrier:
                if response.status not in OUT_OF_ORDER:
                    self.servers.revive(flow)
                self.hear_life(response)
            waiting.receive(response)

    def send_again(self, *, with_invites: bool) -> None:
        """Send requests once more that nothing has answered, over a new connection.

        `with_invites` is for the same server, which knows an INVITE again. Another one would let a second
        telephone ring, now and after each further connection. Calls that are up send a refresh of their own.
        """
        for waiting in tuple(self._waiting.values()):
            if waiting.is_refresh or (waiting.is_invite and not with_invites):
                waiting.keep_back()
            elif waiting.request.method not in ASKED_ANEW:
                waiting.send_again()

    def servers_for(self, key: str) -> list[Flow]:
        """Return the carrier's servers in the order in which a call tries them.

        At a carrier that knows us by a registration, all calls go to the server that has it.
        """
        if not self.trunk.registers:
            return self.servers.order(key, self.wire.now_ms)
        ordered = self.servers.order(HOME, self.wire.now_ms)
        if self.home in ordered and not self.servers.has_failed(self.home, self.wire.now_ms):
            # A server that works again does not know us yet.
            ordered.sort(key=lambda one: one != self.home)
        return ordered

    def has_other_server(self, server: Flow) -> bool:
        """Return whether a server with our registration has a successor that has not failed lately."""
        successor = self.servers_for(HOME)[0]
        return successor != server and not self.servers.has_failed(successor, self.wire.now_ms)

    def place_of(self, target: Target) -> str:
        """Return the name of a server of the carrier in branches; empty for connections, and for others.

        Another process may have another server as its first one. So each has a name.
        """
        is_named = isinstance(target, Flow) and target.transport is Transport.UDP
        return "{}:{}".format(*target.address) if is_named else ""

    def note_end(self, key: str, target: Target, *, is_further: bool = False) -> None:
        """Accept messages from the other end of a leg, unless nothing may be sent to that end.

        A further one is heard beside those that are known already: more than one telephone may ring.
        """
        if self.wire.way(target, key) == self.wire.resolution.resolved(target):
            self.peers.note(key, target, is_further=is_further)
        elif not is_further:
            self.peers.forget(key)

    def is_of_carrier(self, target: Target, key: str) -> bool:
        """Return whether what a leg sends to a target certainly goes to the carrier."""
        to = self.wire.way(target, key)
        return isinstance(to, Flow) and self.trunk.is_end_of(to)

    def permitted(
        self, target: Target, credentials: tuple[tuple[str, str], ...], key: str
    ) -> tuple[tuple[str, str], ...]:
        """Return the headers with credentials that may go to a target: none if it is not the carrier's."""
        return credentials if self.is_of_carrier(target, key) else ()

    def trust(self, realm: str) -> None:
        """Give credentials for a realm within calls, too."""
        if len(self._realms) < REALMS_MAX:
            self._realms[realm] = None

    def trusts(self, realm: str) -> bool:
        """Return whether the carrier has asked for credentials for a realm."""
        return realm in self._realms

    def uses_of(self, nonce: str) -> int:
        """Count a use of a nonce, and return the number of its uses."""
        uses = self._uses.pop(nonce, 0) + 1
        self._uses[nonce] = uses
        if len(self._uses) > NONCES_MAX:
            del self._uses[next(iter(self._uses))]
        return uses

    def forget(self, transaction: ClientTransaction) -> None:
        """Expect no more responses to a request."""
        name = (transaction.request.branch, transaction.request.method)
        self._waiting.pop(name, None)
        self.peers.forget(name)

    def __len__(self) -> int:
        return len(self._waiting)


class _Given(msgspec.Struct, frozen=True):
    """Credentials that were given."""

    realm: str
    nonce: str
    value: str
    is_second: bool = False
    """True if they were given again for another nonce."""


class AuthorisedRequest:
    """A request that is sent again with credentials when the carrier asks for them."""

    def __init__(
        self,
        signalling: Signalling,
        draft: Outgoing,
        target: Target,
        key: str,
        next_cseq: Callable[[], int],
        hear: Hear,
        trust: Trust = Trust.CARRIER,
    ) -> None:
        """Send `draft`, with the CSeq and the branch that follow from `next_cseq`."""
        self._signalling, self._draft, self._target, self._key = signalling, draft, target, key
        self._next_cseq, self._hear = next_cseq, hear
        self._trust: Final = trust
        self._answers: dict[str, _Given] = {}
        self._tries = 0
        self._is_stopped = False
        self._transaction = self._send()

    @property
    def sent(self) -> Outgoing:
        """The request as it was sent last, with credentials if any."""
        return self._transaction.request

    @property
    def credentials(self) -> tuple[tuple[str, str], ...]:
        """The authorization headers that the request carries."""
        return tuple((name, answer.value) for name, answer in self._answers.items())

    @property
    def realms(self) -> tuple[str, ...]:
        """The realms for which credentials were given."""
        return tuple(answer.realm for answer in self._answers.values())

    def stop(self) -> None:
        """Stop sending the request again, even if the other side asks for credentials."""
        self._is_stopped = True

    def hear_only(self, hear: Hear) -> None:
        """Give all that comes to `hear` from now on, and send the request no more."""
        self._is_stopped, self._hear = True, hear

    def forget(self) -> None:
        """Ignore further responses to the request."""
        self._signalling.forget(self._transaction)

    def abandon(self) -> None:
        """Repeat the request no more, and hear nothing of it."""
        self._transaction.abandon()

    def send_elsewhere(self, target: Target) -> None:
        """Send the request to another server of the carrier, which nobody has sent it to yet."""
        self._target, self._tries = target, 0
        # This server may have a nonce of its own.
        self._answers = {name: replace(given, is_second=False) for name, given in self._answers.items()}
        self._transaction = self._send()

    def send_anew(self, draft: Outgoing) -> bool:
        """Send the request again in another form, and return True; False if it was sent too often."""
        if self._tries >= TRIES_MAX:
            return False
        self._draft = draft
        self._transaction = self._send()
        return True

    def _send(self) -> ClientTransaction:
        self._tries += 1
        cseq = self._next_cseq()
        outgoing = replace(
            self._draft,
            cseq=cseq,
            branch=branch_of(self._draft.call_id, self._draft.method, cseq, self._signalling.place_of(self._target)),
            headers=(*self._draft.headers, *self.credentials),
        )
        return self._signalling.request(outgoing, self._target, self._key, self._heard)

    def _heard(self, response: Received | None) -> None:
        if response is None or response.status not in CHALLENGES or not self._answer(response):
            self._hear(response)

    def _answer(self, response: Received) -> bool:
        """Send the request with credentials, and return True; False if that cannot help."""
        challenge, account = read_challenge(response), self._signalling.trunk.credentials
        if challenge is None or account is None or self._is_stopped or self._tries >= TRIES_MAX:
            return False
        if not self._is_due(challenge.realm):
            return False
        answer, is_second = self._answers.get(challenge.answer_header), False
        if answer is not None and answer.realm == challenge.realm and not challenge.is_stale:
            # The carrier has seen the credentials. With another nonce, it may have forgotten the first one.
            is_second = True
            if answer.is_second or answer.nonce == challenge.nonce:
                return False
        signed = SignedRequest(self._draft.method, self._draft.uri, self._draft.body)
        uses = self._signalling.uses_of(challenge.nonce)
        cnonce = mark(self._signalling.secret, self._draft.call_id, challenge.nonce, str(uses))
        value = authorise(challenge, account, signed, uses, cnonce)
        self._answers[challenge.answer_header] = _Given(challenge.realm, challenge.nonce, value, is_second)
        self._transaction = self._send()
        return True

    def _is_due(self, realm: str) -> bool:
        """Return whether credentials for a realm belong to the target of this request."""
        if self._trust is Trust.NOBODY or not self._signalling.is_of_carrier(self._target, self._key):
            return False
        if self._trust is Trust.CARRIER:
            self._signalling.trust(realm)
        return self._signalling.trusts(realm)


def branch_of(call_id: str, method: str, cseq: int, place: str = "") -> str:
    """Return the branch of a request: the same each time the request is made to a place."""
    return f"{BRANCH_START}{mark(call_id, method, str(cseq), *((place,) if place else ()))}"
