"""Requests of ours and their responses, with credentials where the other side asks for them."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from dialer.carriers.sip.digest import SignedRequest, authorise, read_challenge
from dialer.carriers.sip.messages import BRANCH_START, Outgoing, Received
from dialer.carriers.sip.transactions import ClientTransaction
from dialer.carriers.sip.trunk import Trunk, mark
from dialer.carriers.sip.wire import Address, Wire

CHALLENGES: Final = frozenset({401, 407})
TRIES_MAX: Final = 4
"""Sendings of a request with other credentials or intervals: one for each proxy that asks, and for stale nonces."""
NONCES_MAX: Final = 1_000

Hear = Callable[[Received | None], None]
"""Gets each response, and None if there is none in time."""


class Signalling:
    """The requests of ours that wait for a response."""

    def __init__(self, wire: Wire, trunk: Trunk) -> None:
        self.wire: Final = wire
        self.trunk: Final = trunk
        self._waiting: dict[tuple[str, str], ClientTransaction] = {}
        self._uses: dict[str, int] = {}

    def request(self, outgoing: Outgoing, destination: Address, key: str, hear: Hear) -> ClientTransaction:
        """Send a request, and hear its responses."""
        transaction = ClientTransaction(self.wire, outgoing, destination, key, hear, self.forget)
        self._waiting[outgoing.branch, outgoing.method] = transaction
        return transaction

    def expect(self, outgoing: Outgoing, destination: Address, key: str, hear: Hear) -> None:
        """Hear the responses to a request that another process may have sent."""
        transaction = ClientTransaction(self.wire, outgoing, destination, key, hear, self.forget, is_sent=True)
        self._waiting[outgoing.branch, outgoing.method] = transaction

    def receive(self, response: Received) -> None:
        """Hand a response to its request. One that belongs to none is dropped."""
        waiting = self._waiting.get((response.branch, response.method))
        if waiting is not None and response.call_id == waiting.request.call_id:
            waiting.receive(response)

    def uses_of(self, nonce: str) -> int:
        """Return how often a nonce was used, with this time."""
        uses = self._uses.pop(nonce, 0) + 1
        self._uses[nonce] = uses
        if len(self._uses) > NONCES_MAX:
            del self._uses[next(iter(self._uses))]
        return uses

    def forget(self, transaction: ClientTransaction) -> None:
        """Expect no more responses to a request."""
        self._waiting.pop((transaction.request.branch, transaction.request.method), None)

    def __len__(self) -> int:
        return len(self._waiting)


class AuthorisedRequest:
    """A request that is sent again with credentials when the other side asks for them."""

    def __init__(
        self,
        signalling: Signalling,
        draft: Outgoing,
        destination: Address,
        key: str,
        next_cseq: Callable[[], int],
        hear: Hear,
    ) -> None:
        """Send `draft`, with the CSeq and the branch that follow from `next_cseq`."""
        self._signalling, self._draft, self._destination, self._key = signalling, draft, destination, key
        self._next_cseq, self._hear = next_cseq, hear
        self._answers: dict[str, tuple[str, str]] = {}
        self._tries = 0
        self._is_stopped = False
        self._transaction = self._send()

    @property
    def sent(self) -> Outgoing:
        """The request as it was sent last."""
        return self._transaction.request

    @property
    def credentials(self) -> tuple[tuple[str, str], ...]:
        """The headers with credentials."""
        return tuple((name, value) for name, (_, value) in self._answers.items())

    def stop(self) -> None:
        """Do not send it again, whatever is asked for."""
        self._is_stopped = True

    def forget(self) -> None:
        """Expect no more responses."""
        self._signalling.forget(self._transaction)

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
            branch=branch_of(self._draft.call_id, self._draft.method, cseq),
            headers=(*self._draft.headers, *self.credentials),
        )
        return self._signalling.request(outgoing, self._destination, self._key, self._heard)

    def _heard(self, response: Received | None) -> None:
        if response is None or response.status not in CHALLENGES or not self._answer(response):
            self._hear(response)

    def _answer(self, response: Received) -> bool:
        """Send the request with credentials, and return True; False if that cannot help."""
        challenge, known = read_challenge(response), self._signalling.trunk.credentials
        if challenge is None or known is None or self._is_stopped or self._tries >= TRIES_MAX:
            return False
        realm, _ = self._answers.get(challenge.answer_header, (None, ""))
        if realm == challenge.realm and not challenge.is_stale:
            # The other side has seen the credentials, and does not take them.
            return False
        signed = SignedRequest(self._draft.method, self._draft.uri, self._draft.body)
        uses = self._signalling.uses_of(challenge.nonce)
        cnonce = mark(self._draft.call_id, challenge.nonce, str(uses))
        value = authorise(challenge, known, signed, uses, cnonce)
        self._answers[challenge.answer_header] = (challenge.realm, value)
        self._transaction = self._send()
        return True


def branch_of(call_id: str, method: str, cseq: int) -> str:
    """Return the branch of a request: the same each time the request is made."""
    return f"{BRANCH_START}{mark(call_id, method, str(cseq))}"
