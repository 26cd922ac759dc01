"""The connections of all conversations of a process, beside the clock of its sound."""

from collections.abc import Callable

import structlog

from dialer.carriers.media.conversing import Conversing
from dialer.carriers.media.orders_in_progress import Activity
from dialer.carriers.voice.agent_socket import AgentSocket

_log = structlog.get_logger(__name__)


class AgentSockets:
    """One socket for each conversation, which ends with its order."""

    def __init__(self) -> None:
        self._talks: dict[str, AgentSocket] = {}
        self._leaving: list[AgentSocket] = []
        """Sockets that say their last word."""

    def __len__(self) -> int:
        return len(self._talks) + len(self._leaving)

    def begin(self, key: str, talk: Conversing) -> None:
        """Connect the program of a conversation that a leg begins."""
        self._end(key)
        self._talks[key] = AgentSocket(talk)

    def tick(self, activity_of: Callable[[str], Activity | None]) -> None:
        """Send what the conversations have to say, and end those whose leg does something else."""
        for key, socket in list(self._talks.items()):
            if activity_of(key) is socket.talk:
                socket.flush()
            else:
                self._end(key)
        self._leaving = [one for one in self._leaving if not one.is_gone]

    def _end(self, key: str) -> None:
        socket = self._talks.pop(key, None)
        if socket is not None:
            socket.stop()
            self._leaving.append(socket)
            stream = socket.talk.stream
            _log.info(
                "conversation_over",
                key=key,
                because=stream.why,
                passed_over=stream.bad_messages,
                unheard_bytes=stream.playout.dropped,
            )

    def end(self, key: str) -> None:
        """Stop the conversation of a leg that is over, or that another process is to carry."""
        self._end(key)

    def close(self) -> None:
        """Close all connections at once."""
        for socket in (*self._talks.values(), *self._leaving):
            socket.cancel()
        self._talks.clear()
        self._leaving.clear()
