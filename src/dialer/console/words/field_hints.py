"""Units and words of choices in forms, and the hints of fields in the words of the console."""

import re
from collections.abc import Mapping
from typing import Final

from dialer.console.words.field_titles import title_of
from dialer.resources.crud.shapes import Field

UNITS: Final[Mapping[str, str]] = {
    "abandon_rate_max": "%",
    "agent_dial_rate": "",
    "calltimeout": "seconds",
    "first_increment": "seconds",
    "next_increment": "seconds",
    "timeout": "seconds",
}
"""The units that stand beside inputs. Empty: what looks like an amount of money is none."""
DURATIONS: Final = frozenset(
    {
        "abandoned_intervalretry",
        "call_back_wait",
        "callmaxduration",
        "completion_intervalretry",
        "discard_abandoned_after",
        "intervalretry",
        "longer_wrap_up",
        "max_break_time",
        "max_wait_time",
        "max_wait_time_with_no_agent",
        "max_wait_time_with_no_agent_time_reached",
        "tier_rule_wait_second",
        "wrap_up_time",
    }
)
"""Fields in seconds that people also give in minutes or hours."""
TIME_UNITS: Final = ((1, "seconds"), (60, "minutes"), (3_600, "hours"))
"""The units of durations, each with its seconds."""
CHOICES: Final[Mapping[str, Mapping[str, str]]] = {
    "amd_behavior": {"1": "Everybody who answers", "2": "People only", "3": "Answering machines only"},
    "amd_sensitivity": {
        "1": "Cautious: hardly any person is taken for a machine",
        "2": "Balanced",
        "3": "Eager: hardly any machine is missed",
    },
    "on_completed": {"0": "the call goes on with the branch 0", "hangup": "the call is hung up"},
    "dial_method": {
        "1": "A fixed number of calls a minute",
        "2": "Some calls for each free agent",
        "3": "Ahead of free agents (predictive)",
        "4": "Agents see each person first (preview)",
    },
    "after": {
        "": "No rest: a limit",
        "conversation": "A conversation",
        "refusal": "A refusal",
        "abandoned": "A call that no agent took",
        "machine": "A call that was hung up on a machine",
    },
    "counts": {
        "attempts": "Every call and every text",
        "answers": "Calls that a person answered",
        "conversations": "Conversations",
        "abandoned": "Calls that no agent took",
    },
    "media": {"call": "Calls", "text": "Text messages"},
    "per": {"number": "Number"},
    "purpose": {
        "": "Not said",
        "sales": "To sell",
        "survey": "A survey",
        "information": "Reminders and notices",
        "debt": "To collect a debt",
        "fundraising": "To ask for donations",
        "political": "To ask for votes or support",
        "emergency": "To warn of danger (admins only)",
    },
    "purposes": {
        "sales": "To sell",
        "survey": "A survey",
        "information": "Reminders and notices",
        "debt": "To collect a debt",
        "fundraising": "To ask for donations",
        "political": "To ask for votes or support",
        "emergency": "To warn of danger (admins only)",
    },
    "role": {
        "admin": "Admin: everything",
        "manager": "Manager: everything with their own records",
        "agent": "Agent: takes calls",
        "viewer": "Viewer: reads a manager's records",
    },
    "scopes": {
        "read": "Read all that the user may read",
        "campaigns": "Change campaigns, lists, surveys, queues and agents",
        "recordings": "Hear and delete recordings of whole calls",
        "money": "Payments, refunds and rates",
        "admin": "Users, keys, carriers and the clock",
    },
    "scope": {
        "campaign": "Each campaign for itself",
        "account": "All campaigns of the account",
        "seller": "All campaigns for the same firm",
    },
    "unit": {"hours": "Hours", "days": "Times 24 hours", "calendar_days": "Days of the calendar"},
    "strategy": {
        "1": "All free agents at once",
        "2": "Who has been free the longest",
        "3": "One after the other, in turn",
        "4": "Always from the first one, by level",
        "5": "Who has talked the least",
        "6": "Who has taken the fewest calls",
        "7": "Who was asked the longest time ago",
        "8": "Any free agent, by chance",
        "9": "One, and one more every 10 seconds",
    },
    "record": {"campaign": "As the campaign of the call says", "all": "All, from the agent's answer on"},
    "time_base_score": {"queue": "When they came into the queue", "system": "When their call began"},
}
"""The words for choices in forms, where a list has shorter ones."""
SET_BY_PEOPLE: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {("subscriber-list", "status"): ("1", "2", "3")}
"""The choices that people make where only the program makes the others, by the path and the field."""
_QUOTED: Final = re.compile(r"`([a-z][a-z0-9_]*)`")
_TRUE: Final = re.compile(r"^True (if|to) ")
_DEFAULT: Final = re.compile(r"\s*(?:Default|Null): [^.]*(?:\.(?=\d)[^.]*)*\.")
"""The sentences with the default, which forms show as the value, and with the meaning of null."""


def hint_of(path: str, field: Field) -> str:
    """Return the hint for a field in a form: its own, or the API's description in the words of the console."""
    ticked = _TRUE.sub(r"Tick it \1 ", field.description).replace("False: ", "Without a tick: ")
    hint = ticked if field.hint is None else field.hint
    return _QUOTED.sub(lambda match: title_of(path, match[1]), _DEFAULT.sub("", hint)).replace("`", "").strip()
