"""Progressive dialling: so many calls for each idle agent."""

import math
from typing import Final

from dialer.domain.pacing.situation import Pace, Situation

_ROUNDING: Final = 1e-9
"""What binary fractions may fall short of a whole number: 0.29 x 100 is 28.999999999999996."""


class Progressive:
    """`agent_dial_rate` calls for each agent who is idle, those under way included: 1 abandons nobody."""

    name = "progressive"

    def pace(self, situation: Situation) -> Pace:
        """As many calls as are missing; none while there are more than enough."""
        wanted = math.floor(situation.agent_dial_rate * situation.idle + _ROUNDING)
        return Pace(calls=max(0, wanted - situation.pending))
