"""Progressive dialling: a fixed number of calls for each idle agent."""

import math
from typing import Final

from dialer.domain.pacing.inputs import Pace, PacingInputs
from dialer.domain.pacing.predictive import room

_ROUNDING: Final = 1e-9
"""Tolerance for binary fractions just below a whole number: 0.29 x 100 is 28.999999999999996."""


class Progressive:
    """A strategy with `agent_dial_rate` calls for each idle agent, calls in progress included: 1 abandons no callee.

    With more than one for each, it keeps the budget of abandoned calls as predictive dialling does: it dials ahead of
    the idle agents only as far as all callees could be abandoned who would find none.
    """

    name = "progressive"

    def pace(self, situation: PacingInputs) -> Pace:
        """Return the number of calls to add for the idle agents; 0 while enough calls are on their way."""
        wanted = math.floor(situation.agent_dial_rate * situation.idle + _ROUNDING) - situation.pending
        ahead = situation.agent_dial_rate > 1 and wanted > 0
        return Pace(calls=max(0, min(wanted, room(situation)) if ahead else wanted))
