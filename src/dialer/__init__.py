"""A self-hosted platform for outbound voice and SMS campaigns."""

from importlib.metadata import version
from typing import Final

import dialer.time_zone_rules  # noqa: F401 - it chooses the rules before any module can look up a zone

__version__: Final = version("dialer")
