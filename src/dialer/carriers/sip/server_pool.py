"""The servers of a carrier, and which of them gets the next call (RFC 2782, RFC 3263 4.3)."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

import msgspec

from dialer.carriers.sip.flows import Address, Flow
from dialer.carriers.sip.trunk import mark

SERVERS_MAX: Final = 8
"""Servers of a carrier that are used."""


class ServerTarget(msgspec.Struct, frozen=True):
    """A target of an SRV record, with the addresses of its host."""

    addresses: tuple[Address, ...]
    priority: int = 0
    weight: int = 0


def in_order(targets: Sequence[ServerTarget], key: str) -> list[Address]:
    """Return the addresses in the order in which they are tried for a key: by priority, and by chance by weight.

    The chance follows from the key, so a process that begins anew finds the same order.
    """
    ordered: list[Address] = []
    for _, group in groupby(sorted(targets, key=lambda one: one.priority), key=lambda one: one.priority):
        # Those of weight 0 first: so they, too, are chosen now and then.
        left = sorted(group, key=lambda one: one.weight > 0)
        while left:
            chosen = _drawn(left, key, len(ordered))
            left.remove(chosen)
            ordered += chosen.addresses
    return list(dict.fromkeys(ordered))[:SERVERS_MAX]


def _drawn(targets: Sequence[ServerTarget], key: str, place: int) -> ServerTarget:
    draw = int(mark(key, "server", str(place)), 16) % (sum(one.weight for one in targets) + 1)
    for one in targets:
        draw -= one.weight
        if draw <= 0:
            return one
    return targets[-1]


class ServerPool:
    """The servers of a carrier whose messages are datagrams, and those that have failed lately."""

    def __init__(self, server: Flow) -> None:
        """Prepare it, with the only server so far."""
        self._kind: Final = server.transport
        self._targets: tuple[ServerTarget, ...] = (ServerTarget((server.address,)),)
        self._silent: Final[dict[Flow, int]] = {}
        """Servers that do not work, and until when others come first."""
        self._resting: Final[dict[Flow, int]] = {}
        """Servers that have asked for rest, and until when. No answer of theirs ends it earlier."""

    @property
    def has_others(self) -> bool:
        """True if there is more than one server."""
        return len(self._targets) > 1 or len(self._targets[0].addresses) > 1

    def replace(self, targets: Sequence[ServerTarget]) -> None:
        """Set the servers, of which there is at least one."""
        self._targets = tuple(targets)

    def order(self, key: str, now_ms: int) -> list[Flow]:
        """Return the servers in the order in which they are tried for a key. Those that have failed come last."""
        if not self.has_others:
            # Most carriers have one, and each call asks: there is nothing to draw.
            return [Flow(self._targets[0].addresses[0], self._kind)]
        flows = [Flow(address, self._kind) for address in in_order(self._targets, key)]
        return sorted(flows, key=lambda one: self.has_failed(one, now_ms))

    def has_failed(self, flow: Flow, now_ms: int) -> bool:
        """Return whether a server is passed over now."""
        return max(self._silent.get(flow, 0), self._resting.get(flow, 0)) > now_ms

    def fail(self, flow: Flow, until_ms: int) -> None:
        """Note that a server does not work, and is passed over until a moment, or until it answers."""
        self._pass_over(self._silent, flow, until_ms)

    def rest(self, flow: Flow, until_ms: int) -> None:
        """Note that a server wants no calls until a moment, whatever it answers."""
        self._pass_over(self._resting, flow, until_ms)

    def _pass_over(self, kept: dict[Flow, int], flow: Flow, until_ms: int) -> None:
        if self.has_others:
            if len(kept) >= 2 * SERVERS_MAX:
                kept.clear()
            kept[flow] = until_ms

    def revive(self, flow: Flow) -> None:
        """Note that a server has answered."""
        if self._silent:
            self._silent.pop(flow, None)
