"""Client transactions: a request is repeated until it is answered (RFC 3261 17.1, RFC 6026)."""

from collections.abc import Callable
from typing import Final

from dialer.carriers.sip.flows import Target
from dialer.carriers.sip.messages import Outgoing, Received
from dialer.carriers.sip.outputs import Outputs
from dialer.carriers.sip.timers import GIVES_UP_AFTER, T2_MS, Timer

OK: Final = 200
REFUSED: Final = 300
INVITE: Final = "INVITE"
ASKED_ANEW: Final = frozenset({"REGISTER", "OPTIONS"})
"""Requests that a new connection begins with anyway."""
_SUCCESSES: Final = range(OK, REFUSED)


class ClientTransaction:
    """A request in progress, until its final response or timer B or F."""

    def __init__(
        self,
        wire: Outputs,
        request: Outgoing,
        target: Target,
        key: str,
        hear: Callable[[Received | None], None],
        forget: Callable[["ClientTransaction"], None],
        *,
        is_sent: bool = False,
    ) -> None:
        """Send the request, unless another process did.

        `hear` gets each response, or None if there is none in time; `forget` is called last.
        """
        self.request: Final = request
        self._wire, self._target, self._key = wire, target, key
        self._hear, self._forget = hear, forget
        self._final = 0
        self._wait_ms = wire.t1_ms
        self._may_go_again = not is_sent
        self._repeating: Timer | None = None
        if not is_sent:
            self._send(request.encode())
            if wire.repeats:
                self._repeating = wire.after(self._wait_ms, self._repeat)
        self._giving_up: Timer | None = wire.after(GIVES_UP_AFTER * wire.t1_ms, self._give_up)

    @property
    def is_invite(self) -> bool:
        """True for an INVITE, which waits for a person once it rings."""
        return self.request.method == INVITE

    @property
    def is_refresh(self) -> bool:
        """True for an INVITE within a call."""
        return self.is_invite and ";tag=" in self.request.to

    def send_again(self) -> None:
        """Send the request once more if nothing has answered it: the connection may have broken with it on its way.

        One that another process may have sent is never sent from here.
        """
        if self._may_go_again and self._giving_up is not None:
            self._send(self.request.encode())

    def keep_back(self) -> None:
        """Never send the request again: another server is the next one, and would not know it."""
        self._may_go_again = False

    def abandon(self) -> None:
        """Repeat the request no more, and hear nothing of it."""
        self._stop()
        self._forget(self)

    def receive(self, response: Received) -> None:
        """Take a response. A refusal of an INVITE is acknowledged each time it comes, and heard once."""
        if response.status >= REFUSED and self.is_invite:
            self._send(self.request.as_ack(response.header("To")).encode())
        if not self._final:
            self._advance(response)
        elif self.is_invite and response.status in _SUCCESSES:
            # One that is repeated has lost its ACK, one with another tag is a fork, and one after a refusal is wrong:
            # its telephone is off the hook until our BYE.
            self._hear(response)

    def _advance(self, response: Received) -> None:
        if response.status >= OK:
            self._final = response.status
        if response.status >= OK or self.is_invite:
            self._stop()
        if response.status >= OK and self.is_invite:
            self._wire.after(GIVES_UP_AFTER * self._wire.t1_ms, lambda: self._forget(self))
        elif response.status >= OK:
            self._forget(self)
        self._hear(response)

    def _stop(self) -> None:
        for timer in (self._repeating, self._giving_up):
            if timer is not None:
                timer.cancel()
        self._repeating = self._giving_up = None

    def _repeat(self) -> None:
        self._send(self.request.encode())
        self._wait_ms = self._wait_ms * 2 if self.is_invite else min(self._wait_ms * 2, T2_MS)
        self._repeating = self._wire.after(self._wait_ms, self._repeat)

    def _give_up(self) -> None:
        if self._wire.is_cut and self.request.method not in {INVITE, *ASKED_ANEW}:
            # The next connection begins with it: a call that was ended here must end there, too.
            self._giving_up = self._wire.after(GIVES_UP_AFTER * self._wire.t1_ms, self._give_up)
            return
        self._stop()
        self._forget(self)
        self._hear(None)

    def _send(self, data: bytes) -> None:
        self._wire.send(self._target, data, self._key)
