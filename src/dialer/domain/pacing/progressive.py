"""Progressive dialling: a fixed number of calls for each idle agent."""

import math
from typing import Final

from dialer.domain.pacing.inputs import Pace, PacingInputs

_ROUNDING: Final = 1e-9
"""Tolerance for binary fractions just below a whole number: 0.29 x 100 is 28.999999999999996."""


class Progressive:
    """A strategy with `agent_dial_rate` calls for each idle agent, calls in progress included: 1 abandons no callee."""

    name = "progressive"

    def pace(self, situation: PacingInputs) -> Pace:
        """Return the number of calls to add for the idle agents; 0 while enough calls are on their way."""
        wanted = math.floor(situation.agent_dial_rate * situation.idle + _ROUNDING)
        return Pace(calls=max(0, wanted - situation.pending))
