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
    currency: str = ""
    """The currency of the costs: an ISO 4217 code, or empty."""
    obey_calling_hours: bool | None = None
    """True to obey the calling hours over a simulated gateway, too; False not to; None as the service does."""
    obey_contact_rules: bool | None = None
    """True, False and None mean the same for rows of law about contacts. Rules of the account always hold."""


SETTINGS_MAX: Final = 20
"""Settings that are compared with the present one at once."""
COMPARED_SEEDS_MAX: Final = 50
"""Seeds of each setting of a comparison."""
AGENTS_MAX: Final = 1_000
"""Agents of a setting."""

Column = str | int | bool | None


class TriedSetting(msgspec.Struct, frozen=True):
    """A change of a campaign and its surroundings that is tried on a copy. None and no columns: as it is."""

    columns: dict[str, Column] = {}
    """Columns of the campaign."""
    channels: int | None = None
    """The most calls at the same time over the campaign's gateway; 0: no limit."""
    calls_a_second: int | None = None
    """The most calls, or messages, a second over that gateway; 0: no limit."""
    agents: int | None = None
    """Agents who are available in the queues of the survey."""
    obey_calling_hours: bool | None = None
    """As in an `Order`; None: as that says."""
    rate: int | None = None
    """The price of a minute, or of a part of a message, to all numbers: an integer of 1e-5."""
