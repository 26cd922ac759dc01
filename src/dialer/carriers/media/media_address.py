"""The place of the other side: where sound is sent, and from where it is believed (RFC 3264 5.1, RFC 3550 8.2, 9.1).

Anybody can send a datagram to the port of a call. So sound belongs to the address of the session description, to
others of the same host, to the carrier's hosts, or goes nowhere.
"""

from collections.abc import Callable
from enum import IntEnum
from ipaddress import ip_address, ip_network
from typing import Final, TypeAlias

import msgspec

from dialer.carriers.media.rtp import RtpPacket, sequences_between
from dialer.carriers.sip.sdp import NOWHERE

Address: TypeAlias = tuple[str, int]
LEARNING_PACKETS: Final = 4
"""Packets of one source in a row from which an unknown place is learnt, or another SSRC is believed."""
LEARNING_STEP_MAX: Final = 8
"""Packets of one source in a row of which all but one may be lost."""
LEARNING_MAX: Final = 16
"""Hosts that are being learnt at the same time."""
HOSTS_KEPT_MAX: Final = 64
"""Hosts whose rank is remembered."""
MOVING_MS: Final = 2_000
"""Time after a new description in which packets from the former place may still be under way."""
QUIET_MS: Final = 2_000
"""Silence of a trusted place after which another trusted one takes over."""
_PRIVATE: Final = tuple(
    ip_network(network)
    for network in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "fc00::/7")
)
"""Networks behind NAT. The rest of the world cannot reach an address in them (RFC 1918, 6598, 3927, 4193)."""


class Rank(IntEnum):
    """The trust in a source of packets. A higher one takes over from a lower one whenever it sends."""

    STRANGER = 0
    LEARNT = 1
    """It may be the other side behind NAT, whose description has a private address."""
    CARRIER = 2
    HOST = 3
    """The host of the description, at another port."""
    AGREED = 4
    """The address of the description itself."""


class _Run(msgspec.Struct):
    """Packets of one SSRC in a row."""

    source: Address
    ssrc: int
    sequence: int
    count: int = 1

    def goes_on_with(self, source: Address, packet: RtpPacket) -> bool:
        """Count a packet, and return whether the run is long enough to be believed."""
        step = sequences_between(self.sequence, packet.sequence)
        is_next = (source, packet.ssrc) == (self.source, self.ssrc) and 0 < step <= LEARNING_STEP_MAX
        self.count = self.count + 1 if is_next else 1
        self.source, self.ssrc, self.sequence = source, packet.ssrc, packet.sequence
        return self.count >= LEARNING_PACKETS


class Peer:
    """The address of the other side of one leg, from which sound is accepted and to which it is sent."""

    def __init__(self, is_carrier: Callable[[Address], bool], *, is_symmetric: bool) -> None:
        """Prepare it. A symmetric one gets its sound where it sends from, as NAT needs it."""
        self._is_carrier: Final = is_carrier
        self._is_symmetric: Final = is_symmetric
        self._agreed: Address | None = None
        self._may_be_learnt = False
        self._learnt: Address | None = None
        """The place behind NAT that was learnt. It may come back after a trusted one was heard in between."""
        self._ranks: dict[str, Rank] = {}
        self._runs: dict[str, _Run] = {}
        self._former: frozenset[Address | None] = frozenset()
        self._agreed_ms = 0
        self.remote: Address | None = None
        """The place to which sound is sent; None before the first description, and while that names no place."""
        self._forget()

    def _forget(self) -> None:
        """Forget from where it sends."""
        self.heard: Address | None = None
        """The place that is believed at present."""
        # An address of hold is nobody's. Systems take it for this machine.
        self.remote = None if self._agreed is None or self._agreed[0] in NOWHERE else self._agreed
        self._rank = Rank.STRANGER
        self._heard_ms = 0
        self._ssrcs: dict[bool, int] = {}
        """The SSRC of the sound (False), and the one of the keys (True)."""
        self._run: _Run | None = None

    def agree(self, now_ms: int, agreed: Address) -> None:
        """Take the address of a new description."""
        self._ssrcs, self._run = {}, None
        if agreed == self._agreed:
            return
        self._former = frozenset({self._agreed, self.heard}) - {agreed, None}
        self._agreed, self._agreed_ms = agreed, now_ms
        self._may_be_learnt = self._is_symmetric and _is_private(agreed[0]) and not self._is_carrier(agreed)
        self._learnt = None
        self._ranks.clear()
        self._runs.clear()
        self._forget()

    def rank_of(self, source: Address) -> Rank:
        """Return the trust in a source, from its address alone."""
        if source == self._agreed:
            return Rank.AGREED
        rank = self._ranks.get(source[0])
        if rank is None:
            if len(self._ranks) >= HOSTS_KEPT_MAX:
                self._ranks.clear()
            rank = self._ranks[source[0]] = self._rank_of_host(source)
        return rank

    def _rank_of_host(self, source: Address) -> Rank:
        if self._agreed is None:
            return Rank.STRANGER
        if source[0] == self._agreed[0]:
            return Rank.HOST
        if self._is_symmetric and self._is_carrier(source):
            return Rank.CARRIER
        return Rank.LEARNT if self._may_be_learnt else Rank.STRANGER

    def is_here(self, host: str) -> bool:
        """Return whether reports from a host are believed: it is the one that is heard, or one that is trusted."""
        is_heard = self.heard is not None and host == self.heard[0]
        return is_heard or self.rank_of((host, 0)) >= Rank.CARRIER

    def believes(self, now_ms: int, source: Address, packet: RtpPacket, *, is_key: bool, is_agreed: bool) -> bool:
        """Return whether a packet comes from the other side of the leg, and follow the other side to a new address.

        A packet whose payload type is not `is_agreed` tells nothing about the place.
        """
        if source != self.heard:
            if not is_agreed or not self._may_take_over(now_ms, source, packet):
                return False
            if source in self._former and now_ms - self._agreed_ms < MOVING_MS:
                # It is under way since before the new description: it is heard, and nothing is sent there.
                return self.heard is None
            self._forget()
            self.heard, self._rank = source, self.rank_of(source)
            if self._is_symmetric:
                self.remote = source
        self._heard_ms = now_ms
        return self._ssrcs.get(is_key) == packet.ssrc or self._believes_ssrc(source, packet, is_key=is_key)

    def _may_take_over(self, now_ms: int, source: Address, packet: RtpPacket) -> bool:
        rank = self.rank_of(source)
        if rank is Rank.STRANGER:
            return False
        if rank > max(self._rank, Rank.LEARNT):
            return True
        is_quiet = now_ms - self._heard_ms >= QUIET_MS
        is_open = self.heard is None or (is_quiet and (rank > Rank.LEARNT or source == self._learnt))
        if not is_open or not self._is_learnt(source, packet):
            return False
        if rank is Rank.LEARNT:
            self._learnt = source
        return True

    def _is_learnt(self, source: Address, packet: RtpPacket) -> bool:
        run = self._runs.get(source[0])
        if run is not None:
            return run.goes_on_with(source, packet)
        if len(self._runs) >= LEARNING_MAX:
            del self._runs[next(iter(self._runs))]
        self._runs[source[0]] = _Run(source, packet.ssrc, packet.sequence)
        return False

    def _believes_ssrc(self, source: Address, packet: RtpPacket, *, is_key: bool) -> bool:
        """Return whether a packet of an SSRC that is new for its kind is believed: only a forger sends one alone."""
        if self._ssrcs and packet.ssrc not in self._ssrcs.values():
            if self._run is None:
                self._run = _Run(source, packet.ssrc, packet.sequence)
                return False
            if not self._run.goes_on_with(source, packet):
                return False
        self._run = None
        self._ssrcs[is_key] = packet.ssrc
        return True


def _is_private(host: str) -> bool:
    address = ip_address(host)
    return any(address in network for network in _PRIVATE)
