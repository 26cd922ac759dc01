"""The fields of a campaign that say how many of its answered calls may find no agent in time."""

from typing import Final

from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.pacing.inputs import ABANDON_HOURS_MAX
from dialer.resources.crud.declaration import writable
from dialer.resources.crud.fields import AmountNumber, Boolean, Integer
from dialer.resources.crud.resource import Change, FieldRule
from dialer.resources.words.errors import Errors

ABANDONED_FIELDS: Final = {
    "abandon_rate_max": writable(
        AmountNumber(minimum=0),
        "The most answered calls that may be abandoned, in per cent from 0 to 100. Used with `dial_method` 3, and"
        " with 2 if `agent_dial_rate` is above 1. Default: 3.",
        example=3.0,
        title="Abandoned calls at most",
        hint="Dialling ahead slows down before more answered calls find no agent.",
    ),
    "abandon_hours": writable(
        Integer(1, ABANDON_HOURS_MAX),
        "The hours of each of the campaign's successive periods, from its first call on, each of which keeps"
        " `abandon_rate_max` by itself. Default: `DIALER_ABANDON_HOURS`, or 720, which is 30 days.",
        example=720,
        title="Counted over",
        hint="Hours of each period that keeps the limit of abandoned calls. 720 are 30 days.",
    ),
    "abandon_allowance": writable(
        Boolean(),
        "True if each period may begin with the abandoned calls that its first 100 answers allow: 3 at a limit of 3 per"
        " cent. False: the limit holds from the first answer, so none of the first 33 is abandoned. A simulated gateway"
        " always has the allowance. Default: false.",
        title="Abandoned calls from the start",
        hint="Those that a hundred answers allow, before a hundred people have answered.",
    ),
}
"""The fields of a voice campaign about abandoned calls."""


def _abandon_rate(change: Change) -> Errors:
    """Return an error if the abandon rate is more than 100 per cent."""
    if change.values["abandon_rate_max"] <= 100 * MONEY_SCALE:
        return {}
    return {"abandon_rate_max": ["Ensure this value is less than or equal to 100."]}


ABANDONED_RULE: Final = FieldRule(("abandon_rate_max",), _abandon_rate)
