"""The settings that bind every contact with people: the hours, and how many calls may be abandoned."""

from functools import partial
from pathlib import Path
from typing import Final

from dialer.domain.pacing.inputs import ABANDON_HOURS, ABANDON_HOURS_MAX
from dialer.domain.words.contact_words import OFF, ON
from dialer.settings_values import (
    ANSWERS_FOR_IT,
    CONSENT,
    Setting,
    read_answer,
    read_calling_hours,
    read_consent,
    read_one_of,
    read_whole,
)

CONTACT_SETTINGS: Final = (
    Setting(
        variable="DIALER_CALLING_HOURS",
        field="calling_hours",
        default="08:00-21:00",
        meaning="the hours for calls and texts, where the callee is",
        may_hold="two times of one day, such as 08:00-21:00, or off",
        read=read_calling_hours,
    ),
    Setting(
        variable="DIALER_PLACES_FILE",
        field="places_file",
        default="unset",
        meaning="a file with the time zones of area codes that this version does not know",
        may_hold="the path of a file",
        read=Path,
    ),
    Setting(
        variable="DIALER_ALLOW_ANY_HOUR",
        field="allow_any_hour",
        default="unset",
        meaning="permission to set DIALER_CALLING_HOURS to off",
        may_hold=CONSENT,
        read=read_consent,
    ),
    Setting(
        variable="DIALER_CONTACT_RULES",
        field="contact_rules",
        default="real gateways",
        meaning="the gateways on which rows of law limit contacts",
        may_hold="on: simulated ones, too; off: none",
        read=partial(read_one_of, words=frozenset({ON, OFF})),
    ),
    Setting(
        variable="DIALER_ALLOW_ANY_CONTACT",
        field="allow_any_contact",
        default="unset",
        meaning="permission to set DIALER_CONTACT_RULES to off",
        may_hold=ANSWERS_FOR_IT,
        read=read_answer,
    ),
    Setting(
        variable="DIALER_ABANDON_HOURS",
        field="abandon_hours",
        default=str(ABANDON_HOURS),
        meaning="hours of each period with a budget of abandoned calls, for new campaigns",
        may_hold=f"a whole number from 1 to {ABANDON_HOURS_MAX}",
        read=partial(read_whole, least=1, most=ABANDON_HOURS_MAX),
    ),
)
"""The variables of contacts, in the order of the help."""
