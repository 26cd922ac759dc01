"""Hints, units and words of choices in forms, where the API's own descriptions do not do."""

import re
from collections.abc import Mapping
from typing import Final

from dialer.console.words.field_titles import title_of
from dialer.passwords import PASSWORD_LENGTH_MIN

HINTS: Final[Mapping[str, str]] = {
    "abandon_rate_max": "Dialling ahead slows down before more answered calls find no agent.",
    "abandoned_resume_allowed": "Tick it if a caller who hung up and calls again does not wait from the beginning.",
    "additional_vars": "Further values for texts, such as {city}: a JSON object.",
    "addprefix": "Digits that are put before each number when it is dialled, such as 9 for an outside line.",
    "agent_dial_rate": "How many calls are in progress for each agent who is free.",
    "agent_script": "Agents read it at the desk during the call. {first_name}, {full_name} and other columns of the"
    " list are replaced.",
    "aleg_gateway": "The carrier over which the calls go.",
    "allowed_callerids": "The numbers that your contract lets you show, separated by commas. Empty: any. A campaign"
    " that shows another one does not start.",
    "allowed_countries": "Tick none to allow all countries. If you tick any, numbers without a country code are"
    " refused.",
    "allows_special": "Without a tick, only those whose beginning is in a rate of the user.",
    "amd_behavior": "",
    "amd_sensitivity": "",
    "areacode": "The caller ID is shown to people whose numbers begin so. * fits all numbers. Empty: none.",
    "break_reason": "Why the agent is on a break, for reports.",
    "dispositions": "Agents choose one of them, such as: Sold = success, call_back. Empty: the usual ones.",
    "break_reasons": "Agents of the queue choose one of them, such as: Lunch, Training. Empty: they write any.",
    "telephone": "It rings when the user listens to a call of an agent. Calls to it cost nothing.",
    "callerid": "The number that callees see, if the group of caller IDs has none for them.",
    "callerid_group": "A set of numbers, of which callees see the one that fits their area.",
    "callerid_name": "Some carriers show it beside the number.",
    "call_back_wait": "If the agent wants to take the call-back themselves. Then any agent of the queue takes it.",
    "callmaxduration": "Longer calls are cut off.",
    "calltimeout": "Then the call counts as not answered.",
    "campaign": "",
    "completion_intervalretry": "",
    "completion_maxretry": "Calls again people who answered, and left before a section that completes the survey."
    " 0: none.",
    "connection_fee": "Added once to each answered call.",
    "contact": "",
    "daily_start_time": "In the callee's own time zone.",
    "daily_stop_time": "In the callee's own time zone.",
    "description": "",
    "dial_method": "Dialling for agents needs a survey that transfers calls to a queue.",
    "discard_abandoned_after": "",
    "dnc": "Numbers on it are not called. Whoever asks not to be called again is put on it.",
    "dnc_lists": "Numbers on any of them are not called.",
    "email": "No mail is sent to it.",
    "enabled": "Without a tick, nobody can sign in with it.",
    "end_when_done": "Without a tick, it stays open until its end, for call-backs and for people who are added later.",
    "expirationdate": "In your time zone. Agents can promise call-backs until then. Empty: 24 hours after the start.",
    "extra_data": "It is kept, and not used.",
    "first_increment": "A shorter call costs as much.",
    "frequency": "Spread evenly over the minute.",
    "full_name": "It replaces {full_name} in texts; its first word replaces {first_name}.",
    "gmt_offset": "Used if there is no time zone. Example: -5.",
    "intervalretry": "From the end of a call that reached nobody to the next one.",
    "is_assigned": "Without a tick, the number waits for an admin, and calls do not reach it.",
    "is_global": "Tick it if nobody in this service may call these numbers.",
    "login": "The user account with which this agent signs in and takes calls.",
    "manager": "The user for whom this one works. A viewer reads the manager's records.",
    "manual_dialling": "Numbers of their own choice, within the rules of the campaign.",
    "max_aleg": "0: as many as the gateway allows.",
    "max_channels": "What your contract allows, all campaigns together. 0: no limit.",
    "max_cps": "What your contract allows, all campaigns together. 0: no limit.",
    "max_break_time": "Supervisors see who takes longer: on the wall board, and on the overview. 0: no limit.",
    "max_wait_time": "Then the caller leaves the queue. 0: no limit.",
    "max_wait_time_with_no_agent": "While nobody of the queue is on duty. 0: no limit.",
    "max_wait_time_with_no_agent_time_reached": "New callers wait at least so long, once that wait is over.",
    "max_xfer": "Calls that wait for an agent count too. 0: no limit.",
    "maxretry": "0: nobody is called a second time.",
    "moh_sound": "It is kept, and not used.",
    "name": "",
    "next_increment": "A started step is charged as a whole.",
    "object_id": "When the campaign starts, it keeps the survey as it is then. Later changes do not reach it.",
    "password": f"At least {PASSWORD_LENGTH_MIN} characters.",
    "phone_number": "In any usual spelling.",
    "phonebook": "Contacts that are added later are called too.",
    "preview_calls": "Without a tick, the person waits, and the agent goes on a break.",
    "preview_seconds": "In which an agent calls or skips the person.",
    "protocol": "",
    "queue": "Callers wait here for an agent.",
    "rate": "For example 0.015.",
    "record_template": "It is kept, and not used.",
    "removeprefix": "The beginning that is taken off each number before it is dialled, if it is there. Some carriers"
    " want numbers without +.",
    "section": "",
    "sms_gateway": "For surveys that send text messages.",
    "startingdate": "In your time zone. Empty: now.",
    "status": "",
    "strategy": "",
    "text_message": "{first_name}, {full_name} and other columns of the list are replaced.",
    "tier_rule_no_agent_no_wait": "",
    "tier_rule_wait_multiply_level": "With 5 minutes, level 2 is asked after 10 minutes.",
    "tier_rule_wait_second": "",
    "tier_rules_apply": "Agents of a higher level are asked only when callers have waited for a while.",
    "time_base_score": "",
    "tz_code": "Such as America/New_York. Empty: that of the number.",
    "user": "Whose it is. None: yours.",
    "username": "Without blanks and colons.",
    "machine_is_reached": "Once a machine has heard it to its end, the person counts as reached, and is not called"
    " again. Without a tick, they are tried again like people who did not answer.",
    "voicemail": "It takes the first seconds after each answer.",
    "voicemail_audiofile": "Machines hear it instead of the survey.",
    "wrap_up_time": "The agent gets no other call meanwhile.",
    **dict.fromkeys(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), ""),
    **dict.fromkeys(("last_name", "first_name", "goto"), ""),
}
"""Hints in forms that say more, or less, than the API's description of the field."""
HINTS_IN: Final[Mapping[tuple[str, str], str]] = {
    ("agent", "contact"): "The number or the extension at which the agent takes calls.",
    ("agent", "parameters"): "How a simulated agent behaves: a JSON object with talk and answer, in seconds. To have"
    ' a person play the agent at the desk, write {"person": true}.',
    ("agent", "status"): "Calls are offered to agents who are available.",
    ("api-key", "expirationdate"): "In your time zone. Empty: never.",
    ("api-key", "name"): "What uses the key, so that you know it again.",
    ("api-key", "scopes"): "What a program may do with the key. It never may more than its user.",
    ("webhook", "name"): "What receives the events, so that you know it again.",
    ("webhook", "target_url"): "An https address on the public internet. Each event is posted there, signed.",
    ("webhook", "types"): "None chosen: all types.",
    ("webhook", "enabled"): "Off: events wait, and are sent once it is on again.",
    ("api-key", "user"): "The user as whom the program acts.",
    (
        "branching-template",
        "keys",
    ): "The input that leads on: digits, or Any, Invalid or Timeout. 0 after a section that asks nothing.",
    ("callerid", "callerid_num"): "With the country code, as in +12025550199.",
    ("contact", "contact"): "In any usual spelling. Without + and country code, it counts as one of the service's own"
    " region.",
    ("contact", "phonebook"): "",
    ("did", "campaign"): "Its survey answers the calls.",
    ("did", "did_number"): "The number that people call. If a manager changes it, an admin must assign it again.",
    ("queue", "manager"): "Whose queue it is. None: yours.",
    ("payment", "amount"): "A negative amount is a refund to the payer, up to the balance.",
    ("payment", "user"): "Whose balance it is added to.",
    ("rate-card", "prefix"): "Digits, beginning with the country code. The longest beginning that fits counts. Empty:"
    " every number.",
    ("rate-card", "user"): "Whose calls cost so much.",
    ("sms-campaigns", "callerid"): "The sender that people see: a number, or a name if the carrier allows it.",
    ("sms-campaigns", "intervalretry"): "From a message that failed to the next one.",
    ("sms-campaigns", "maxretry"): "0: none.",
    ("sms-campaigns", "phonebook"): "Contacts that are added later get the text too.",
    ("sms-campaigns", "sms_gateway"): "The carrier over which the texts go.",
    ("sms-gateway", "allowed_callerids"): "The numbers and names that your contract lets you show, separated by commas."
    " Empty: any. A campaign that shows another one does not start.",
    ("subscriber-list", "duplicate_contact"): "A campaign has each number once.",
    ("subscriber-list", "status"): "People who wait are called. Pause or call off those who should not be.",
    ("tier", "level"): "1 is asked first.",
    ("tier", "position"): "1 is asked first.",
    ("users", "call_rate"): "Of calls to numbers for which the user has no rate of their own.",
    ("users", "role"): "",
    ("users", "sms_rate"): "Long texts are sent in several parts, and each part costs so much.",
}
"""Hints in forms of one resource, by its path and the field."""
UNITS: Final[Mapping[str, str]] = {
    "abandon_rate_max": "%",
    "calltimeout": "seconds",
    "first_increment": "seconds",
    "next_increment": "seconds",
    "timeout": "seconds",
}
"""The units that stand beside inputs."""
DURATIONS: Final = frozenset(
    {
        "call_back_wait",
        "callmaxduration",
        "completion_intervalretry",
        "discard_abandoned_after",
        "intervalretry",
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
    "dial_method": {
        "1": "A fixed number of calls a minute",
        "2": "Some calls for each free agent",
        "3": "Ahead of free agents (predictive)",
        "4": "Agents see each person first (preview)",
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
        "money": "Payments, refunds and rates",
        "admin": "Users, keys, gateways and the clock",
    },
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
    "time_base_score": {"queue": "When they came into the queue", "system": "When their call began"},
}
"""The words for choices in forms, where a list has shorter ones."""
SET_BY_PEOPLE: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {("subscriber-list", "status"): ("1", "2", "3")}
"""The choices that people make where only the program makes the others, by the path and the field."""
_QUOTED: Final = re.compile(r"`([a-z][a-z0-9_]*)`")
_TRUE: Final = re.compile(r"^True (if|to) ")
_DEFAULT: Final = re.compile(r"\s*(?:Default|Null): [^.]*(?:\.(?=\d)[^.]*)*\.")
"""The sentences with the default, which forms show as the value, and with the meaning of null."""


def hint_of(path: str, name: str, description: str) -> str:
    """Return the hint for a field in a form: the API's description in the words of the console."""
    ticked = _TRUE.sub(r"Tick it \1 ", description).replace("False: ", "Without a tick: ")
    hint = HINTS_IN.get((path, name), HINTS.get(name, ticked))
    return _QUOTED.sub(lambda match: title_of(path, match[1]), _DEFAULT.sub("", hint)).replace("`", "").strip()
