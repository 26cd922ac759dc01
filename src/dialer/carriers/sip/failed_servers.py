"""Servers of a carrier that have left requests without an answer: passed over, and asked until they answer again."""

from typing import Final

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.register_and_options import OPTIONS_EVERY_MS, probe
from dialer.carriers.sip.signalling import Signalling

PASSED_OVER_MS: Final = 600_000
"""Time for which a server that answers nothing is passed over. Not every server answers what it is asked."""


class FailedServers:
    """Passes over the servers of one trunk that have failed."""

    def __init__(self, signalling: Signalling) -> None:
        """Begin to hear of servers that do not answer."""
        self._signalling: Final = signalling
        self._asked: Final[set[Flow]] = set()
        signalling.hear_silence = self._note

    def _note(self, server: Flow) -> None:
        servers, wire = self._signalling.servers, self._signalling.wire
        if not servers.has_others:
            return
        servers.fail(server, wire.now_ms + PASSED_OVER_MS)
        if server not in self._asked:
            self._asked.add(server)
            wire.after(OPTIONS_EVERY_MS, lambda: self._ask(server))

    def _ask(self, server: Flow) -> None:
        wire = self._signalling.wire
        if self._signalling.servers.has_failed(server, wire.now_ms):
            probe(self._signalling, server)
            wire.after(OPTIONS_EVERY_MS, lambda: self._ask(server))
        else:
            self._asked.discard(server)
