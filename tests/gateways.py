"""Gateways, as the engine knows them."""

from typing import Final

from dialer.domain.calls.plans import SMS, VOICE, GatewayKey

FIRST: Final = GatewayKey(VOICE, 1)
SECOND: Final = GatewayKey(VOICE, 2)
TEXTS: Final = GatewayKey(SMS, 1)
