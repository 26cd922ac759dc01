"""LargerSlices: parts of gateways that an engine may use, once everything that was due before they grew is done."""

from collections.abc import Mapping
from typing import Final

from msgspec import structs

from dialer.domain.calls.campaign_events import GatewayOpened
from dialer.domain.calls.plans import NOTHING_LENT, GatewayKey, Lent
from dialer.domain.engine.gateway_load import GatewayLoad


class LargerSlices:
    """The gateways of which one engine may use more than it does."""

    def __init__(self, open_gateways: Mapping[GatewayKey, GatewayLoad]) -> None:
        self._open_gateways: Final = open_gateways
        self.keys: frozenset[GatewayKey] = frozenset()

    def limited(self, gateways: list[GatewayOpened]) -> list[GatewayOpened]:
        """Return gateways with slices that are not larger than before, and note those that are.

        The engine is told of them at the time of its last step, when others may have used what it has now.
        """
        limited = []
        for gateway in gateways:
            open_gateway, lent = self._open_gateways.get(gateway.plan.id), gateway.lent
            if lent is not None:
                less = (
                    NOTHING_LENT
                    if open_gateway is None
                    else Lent(min(open_gateway.channels, lent.channels), min(open_gateway.cps, lent.cps))
                )
                if less != lent:
                    self.keys |= {gateway.plan.id}
                    gateway = structs.replace(gateway, lent=less)  # noqa: PLW2901 - with another slice
            limited.append(gateway)
        return limited

    def take(self) -> frozenset[GatewayKey]:
        """Return the gateways that are still open, once."""
        keys, self.keys = self.keys & self._open_gateways.keys(), frozenset()
        return keys
