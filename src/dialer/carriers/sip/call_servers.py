"""The servers of the carrier that one call tries, one after the other (RFC 3263 4.3)."""

from collections.abc import Callable
from typing import Final

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import Outgoing, Received
from dialer.carriers.sip.retry_after import asked_ms
from dialer.carriers.sip.signalling import Signalling

SILENT_AFTER: Final = 8
"""Times T1 without any response after which other calls pass over a server: an INVITE was sent four times."""
LEFT_AFTER: Final = 20
"""Times T1 without any response after which a call goes on to the next server: its INVITE was sent five times."""
REST_MS_MAX: Final = 600_000
"""Longest time for which a server that asks for rest is passed over."""


class CallServers:
    """The servers that are left to one call. It is at the first one."""

    def __init__(self, signalling: Signalling, key: str) -> None:
        """Choose the servers of a call."""
        self._signalling: Final = signalling
        self._wire: Final = signalling.wire
        self._key: Final = key
        self.left: Final = signalling.servers_for(key)

    @property
    def now(self) -> Flow:
        """The server that has the call."""
        return self.left[0]

    def watch(self, is_silent: Callable[[], bool], go_on: Callable[[], None]) -> None:
        """Let other calls pass over the server if it does not say within a few sendings that it has the INVITE.

        This call stays a little longer, as another server would let a second telephone ring. Then it is told to go on.
        """
        server = self.now

        def when_silent(action: Callable[[], None]) -> Callable[[], None]:
            return lambda: action() if server is self.now and is_silent() else None

        if len(self.left) > 1:
            note = when_silent(lambda: self._signalling.hear_silence(server))
            self._wire.after(SILENT_AFTER * self._wire.t1_ms, note)
            self._wire.after(LEFT_AFTER * self._wire.t1_ms, when_silent(go_on))

    def leave_silent(self, sent: Outgoing, hear_late: Callable[[Received | None, Flow], None]) -> None:
        """Go on to the next server after an INVITE that nothing has answered.

        The server may have the INVITE all the same. So it is cancelled there, and `hear_late` gets what still comes,
        with the server.
        """
        silent = self.now
        self._leave()
        self._signalling.request(sent.as_cancel(), silent, self._key, lambda _: None)
        self._signalling.expect(sent, silent, self._key, lambda response: hear_late(response, silent))

    def leave_busy(self, refusal: Received) -> bool:
        """Go on to the next server after a 503, and return whether there is one. It gets the rest that it asks for."""
        if len(self.left) == 1:
            return False
        rest_ms = min(asked_ms(refusal), REST_MS_MAX)
        if rest_ms:
            self._signalling.servers.rest(self.now, self._wire.now_ms + rest_ms)
        self._leave()
        return True

    def _leave(self) -> None:
        del self.left[0]
        self._wire.resolution.fall_back(self._key, self.now)
