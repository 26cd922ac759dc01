"""The parameters of a forecast, and their limits."""

from typing import Final

import msgspec

SEEDS: Final = 20
"""The default number of seeds."""
SEEDS_MAX: Final = 100
CHECK_SEEDS: Final = 3
"""The number of seeds in the check of a campaign."""
FIRST_SEED_MAX: Final = 2**63 - 1 - SEEDS_MAX
"""With the most seeds, the last of them is the highest that DIALER_SEED may be."""


class Order(msgspec.Struct, frozen=True):
    """A forecast to compute: the campaign, the moment from which it runs, and the seeds.

    `service_zone` and `calling_hours` are the service's settings `timezone` and `calling_hours`.
    """

    campaign_id: int
    now_ms: int
    service_zone: str
    seeds: int = SEEDS
    first_seed: int = 0
    calling_hours: str | None = None
    processes: int = 1
    """Processes among which the seeds are shared out."""
    service_seed: int | None = None
    """The seed of the service, under which its calls in progress were placed. None: that of each run."""
    is_rich: bool = False
    """True if the owner of the campaign is taken to have an unlimited balance."""
