"""TelephoneExchange: the telephones of all agents in browsers, over one UDP port, and the calls that they have."""

import asyncio
import contextlib
import secrets
import socket
from collections.abc import Callable
from typing import Final

from dialer.carriers.browser.offers import OfferError, read_offer
from dialer.carriers.browser.paths import Paths
from dialer.carriers.media.rtp import PACKET_BYTES_MAX
from dialer.carriers.sip.flows import Address
from dialer.carriers.voice.browser_telephone import BrowserTelephone
from dialer.carriers.voice.clock import steady_ms
from dialer.carriers.voice.dtls import DtlsContext
from dialer.carriers.voice.sockets import address_towards, bind
from dialer.carriers.voice.telephone_frames import (
    AnswerOffer,
    FromExchange,
    TelephoneAnswered,
    TelephoneDone,
    TelephoneRefusal,
    TelephoneRefused,
    TelephoneRings,
    TelephoneState,
)

TELEPHONES_MAX: Final = 400
"""Telephones of one exchange. Each costs about a hundredth of a core while it has a call."""
TELEPHONES_OF_USER_MAX: Final = 200
"""Telephones of the agents of one user."""
DATAGRAMS_AT_ONCE: Final = 64
"""Datagrams that are read before others have their turn."""
LOOKS_EVERY_S: Final = 0.05
KEPT_MS: Final = 12_000
"""Time for which a call waits for its telephone after a change of network, or a page that was loaded anew."""
LOOPBACK: Final = "127.0.0.1"
_OUTSIDE: Final = ("192.0.2.1", 9)
"""An address of documentation: nothing is sent there, and its route is the one to the outside."""
_HANDSHAKES: Final = range(20, 64)
"""The first bytes of datagrams of DTLS (RFC 7983)."""
_STUN: Final = range(4)
_SOUND: Final = range(128, 192)
_IPV4: Final = 2
"""Parts of an IPv4 address and its port. Those of IPv6 have more."""


class _Call:
    """The call that a telephone has: its sound is at a port of this machine."""

    def __init__(self, agent_id: int, port: int, gone: Callable[[str], None]) -> None:
        self.agent_id: Final = agent_id
        self.gone: Final = gone
        self.lost_ms: int | None = None
        """The moment from which the telephone was not connected; None while it is."""
        self.socket: Final = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(0)
        self.socket.bind((LOOPBACK, 0))
        # So packets of any other socket never arrive.
        self.socket.connect((LOOPBACK, port))

    @property
    def port(self) -> int:
        return int(self.socket.getsockname()[1])


class TelephoneExchange:
    """The telephones in browsers of one service."""

    def __init__(self, now_ms: Callable[[], int] = steady_ms) -> None:
        """Prepare it. The port is opened for the first telephone."""
        self._now_ms: Final = now_ms
        self._context: Final = DtlsContext()
        self._paths = Paths()
        self._telephones: Final[dict[int, BrowserTelephone]] = {}
        """The telephone of each agent, by the id of the agent."""
        self._by_name: Final[dict[str, BrowserTelephone]] = {}
        self._calls: Final[dict[int, _Call]] = {}
        self._place: tuple[int, str] | None = None
        """The port that is open, and the host that browsers know."""
        self._host = ""
        self._opening: Final = asyncio.Lock()
        """Held while the port is opened: what opens another one ends the telephones on this one."""
        self._socket: socket.socket | None = None

    # --- what the API asks ------------------------------------------------------------------------------------------

    async def answer(self, asked: AnswerOffer) -> FromExchange:
        """Answer an offer. A telephone that the agent has already is replaced, and its call goes on."""
        before = self._telephones.get(asked.agent_id)
        if asked.token and (before is None or before.token != asked.token):
            return TelephoneRefused(TelephoneRefusal.UNKNOWN)
        try:
            offer = read_offer(asked.offer)
        except OfferError as error:
            return TelephoneRefused(TelephoneRefusal.OFFER, str(error))
        try:
            async with self._opening:
                await self._open(asked.port, asked.host)
        except OSError as error:
            return TelephoneRefused(TelephoneRefusal.PORT, error.strerror or str(error))
        if asked.agent_id not in self._telephones and not self._has_place(asked.user_id):
            return TelephoneRefused(TelephoneRefusal.FULL)
        token = asked.token or secrets.token_urlsafe(16)
        telephone = BrowserTelephone(asked.agent_id, asked.user_id, token, offer, self._context)
        # It may have been replaced while the port was opened.
        self._end(asked.agent_id)
        self._telephones[asked.agent_id] = self._by_name[telephone.path.ufrag] = telephone
        self._paths.add(telephone.path)
        return TelephoneAnswered(telephone.answer(self._now_ms(), self._host, asked.port), token)

    def _has_place(self, user_id: int) -> bool:
        of_user = sum(one.user_id == user_id for one in self._telephones.values())
        return len(self._telephones) < TELEPHONES_MAX and of_user < TELEPHONES_OF_USER_MAX

    def hang_up(self, agent_id: int, token: str) -> FromExchange:
        """End a telephone, and its call."""
        telephone = self._telephones.get(agent_id)
        if telephone is None or telephone.token != token:
            return TelephoneRefused(TelephoneRefusal.UNKNOWN)
        self._end(agent_id)
        if agent_id in self._calls:
            self._leave(self._calls[agent_id], "the telephone was hung up")
        return TelephoneDone()

    def state(self, agent_id: int) -> TelephoneState:
        """Return the state of an agent's telephone."""
        telephone = self._telephones.get(agent_id)
        return TelephoneState() if telephone is None else telephone.state(self._now_ms())

    # --- what lines ask ---------------------------------------------------------------------------------------------

    def ring(
        self, agent_id: int, port: int, gone: Callable[[str], None], *, is_kept: bool
    ) -> TelephoneRings | TelephoneRefused:
        """Give a call to a telephone that is connected. `gone` hears, once, that it has left the call.

        A call in progress (`is_kept`) waits for its telephone for a while.
        """
        now_ms = self._now_ms()
        telephone = self._telephones.get(agent_id)
        is_here = telephone is not None and telephone.is_connected(now_ms)
        if not is_here and not is_kept:
            return TelephoneRefused(TelephoneRefusal.UNKNOWN)
        if agent_id in self._calls:
            self._leave(self._calls[agent_id], "the telephone has another call")
        try:
            call = self._calls[agent_id] = _Call(agent_id, port, gone)
        except OSError as error:
            return TelephoneRefused(TelephoneRefusal.PORT, error.strerror or str(error))
        call.lost_ms = None if is_here else now_ms
        if telephone is not None and telephone.sound is not None:
            telephone.sound.begin()
        asyncio.get_running_loop().add_reader(call.socket.fileno(), self._say, call)
        return TelephoneRings(call.port)

    def release(self, agent_id: int, gone: Callable[[str], None]) -> None:
        """Take a call from its telephone, because it is over. One that is gone is ignored."""
        call = self._calls.get(agent_id)
        if call is not None and call.gone is gone:
            self._close(call)

    def _leave(self, call: _Call, why: str) -> None:
        self._close(call)
        call.gone(why)

    def _close(self, call: _Call) -> None:
        del self._calls[call.agent_id]
        asyncio.get_running_loop().remove_reader(call.socket.fileno())
        call.socket.close()

    # --- sound ------------------------------------------------------------------------------------------------------

    async def _open(self, port: int, host: str) -> None:
        """Open the port, unless it is open. Telephones on another one are over.

        Raises:
            OSError: it cannot be opened, or the host is unknown.
        """
        if self._place == (port, host):
            return
        loop = asyncio.get_running_loop()
        family, known = socket.AddressFamily.AF_INET, ""
        if host:
            family, _, _, _, found = (await loop.getaddrinfo(host, port, type=socket.SOCK_DGRAM))[0]
            known = str(found[0])
        else:
            with contextlib.suppress(OSError):
                known = address_towards(family, _OUTSIDE)
        self.close()
        self._socket = bind(family, port)
        self._place, self._host = (port, host), known or LOOPBACK
        loop.add_reader(self._socket.fileno(), self._read, self._socket)

    def _read(self, bound: socket.socket) -> None:
        now_ms = self._now_ms()
        for _ in range(DATAGRAMS_AT_ONCE):
            try:
                data, source = bound.recvfrom(PACKET_BYTES_MAX + 1)
            except OSError:
                return  # There is none, or somebody's ICMP message about a datagram of ours.
            if data:
                self._take(now_ms, data, source[:_IPV4])

    def _take(self, now_ms: int, data: bytes, source: Address) -> None:
        """Take a datagram. Only who has signed a request of STUN gets more than a look at the address."""
        if data[0] in _STUN:
            answered = self._paths.take(now_ms, data, source)
            if answered is not None:
                self._send([answered.data], source)
            return
        path = self._paths.at(source)
        if path is None:
            return
        telephone = self._by_name[path.ufrag]
        if data[0] in _HANDSHAKES:
            self._send(telephone.take_handshake(now_ms, data), source)
        elif data[0] in _SOUND:
            heard = telephone.hear(now_ms, data)
            call = self._calls.get(telephone.agent_id) if heard else None
            if call is not None:
                with contextlib.suppress(OSError):
                    call.socket.send(heard)

    def _say(self, call: _Call) -> None:
        """Pass on what the leg of a call says."""
        for _ in range(DATAGRAMS_AT_ONCE):
            try:
                data = call.socket.recv(PACKET_BYTES_MAX + 1)
            except OSError:
                return
            telephone = self._telephones.get(call.agent_id)
            if telephone is not None and telephone.sound is not None and telephone.path.remote is not None:
                self._send([telephone.sound.say(data)], telephone.path.remote)

    def _send(self, datagrams: list[bytes], destination: Address) -> None:
        for datagram in datagrams:
            if datagram and self._socket is not None:
                # A full buffer or an unreachable network loses it, as a network may.
                with contextlib.suppress(OSError):
                    self._socket.sendto(datagram, destination)

    # --- time -------------------------------------------------------------------------------------------------------

    async def live(self) -> None:
        """Do what is due, until cancelled."""
        while True:
            await asyncio.sleep(LOOKS_EVERY_S)
            self.look()

    def look(self) -> None:
        """Send what is due, and end telephones and calls whose time is over."""
        now_ms = self._now_ms()
        for telephone in list(self._telephones.values()):
            if telephone.is_over(now_ms):
                self._end(telephone.agent_id)
            elif telephone.path.remote is not None:
                self._send(telephone.look(now_ms), telephone.path.remote)
        for call in list(self._calls.values()):
            self._watch(now_ms, call)

    def _watch(self, now_ms: int, call: _Call) -> None:
        found = self._telephones.get(call.agent_id)
        if found is not None and found.is_connected(now_ms):
            call.lost_ms = None
        elif call.lost_ms is None:
            call.lost_ms = now_ms
        elif now_ms - call.lost_ms >= KEPT_MS:
            self._leave(call, "the telephone in the browser is lost")

    def _end(self, agent_id: int) -> None:
        telephone = self._telephones.pop(agent_id, None)
        if telephone is None:
            return
        if telephone.path.remote is not None:
            self._send(telephone.close(), telephone.path.remote)
        self._by_name.pop(telephone.path.ufrag, None)
        self._paths.remove(telephone.path)

    @property
    def is_used(self) -> bool:
        """True if there is a telephone or a call."""
        return bool(self._telephones or self._calls)

    def close(self) -> None:
        """End all telephones, and close the port. Calls wait for their telephones."""
        for agent_id in list(self._telephones):
            self._end(agent_id)
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket.fileno())
            self._socket.close()
        self._socket = self._place = None
