"""What is asked of a forecast, and how much of it."""

from typing import Final

import msgspec

SEEDS: Final = 20
"""As many seeds as nobody asks for."""
SEEDS_MAX: Final = 100
FIRST_SEED_MAX: Final = 2**63 - 1 - SEEDS_MAX
"""The last seed is one that the service can be started with."""


class Order(msgspec.Struct, frozen=True):
    """Which campaign, from which moment on, under which seeds; `service_zone` is the setting `timezone`."""

    campaign_id: int
    now_ms: int
    service_zone: str
    seeds: int = SEEDS
    first_seed: int = 0
