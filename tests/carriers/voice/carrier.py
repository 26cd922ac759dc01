"""A SIP carrier on a socket of this machine: it answers numbers that begin with 1, and lets others ring."""

import socket
from collections.abc import Callable
from threading import Thread
from typing import Self

from dialer.carriers.sip.flows import Address, Flow
from dialer.carriers.sip.messages import Received, read_message, write_response
from dialer.carriers.sip.sdp import SDP_TYPE, Codec, LocalSound, read_sound, write_offer


class SmallCarrier:
    """A carrier that keeps nothing but a list of requests: the start of the number, and the method."""

    def __init__(self, changed: Callable[[], None], sound_port: int = 9, contact: str = "") -> None:
        """Listen. `changed` is called from a thread after each request. Its sound is at a port of this machine.

        `contact` is the place that its answers name: its own if it is empty, and the caller's if it is `mirror`.
        """
        self._changed, self._contact = changed, contact
        self.seen: list[tuple[str, str]] = []
        self.ports: list[int] = []
        """The other side's port for the sound of each answered call."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._offer = write_offer(LocalSound("127.0.0.1", sound_port, (Codec.PCMU,), 1))
        self._thread = Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while (found := self._socket.recvfrom(65_535))[0]:
            self._take(read_message(found[0]), found[1])

    def _take(self, request: Received, source: Address) -> None:
        called = request.header("To").partition("sip:")[2][:1]
        self.seen.append((called, request.method))
        if request.method == "INVITE" and called == "1":
            self.ports.append(read_sound(request.message.body, (Codec.PCMU,)).port)
            place = self._contact or f"127.0.0.1:{self.port}"
            contact = request.header("Contact") if place == "mirror" else f"<sip:callee@{place}>"
            self._answer(request, source, 200, ("Contact", contact), SDP_TYPE, body=self._offer)
        elif request.method == "INVITE":
            self._answer(request, source, 180)
        elif request.method != "ACK":
            self._answer(request, source, 200)
        self._changed()

    def _answer(
        self, request: Received, source: Address, status: int, *headers: tuple[str, str], body: bytes = b""
    ) -> None:
        answer = write_response(request, status, "Text", Flow(source), to_tag="t", headers=headers, body=body)
        self._socket.sendto(answer, source)
