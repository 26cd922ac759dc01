"""The names of fields on pages: those of the API are short, and partly those of an older program."""

import re
from collections.abc import Mapping
from typing import Final

from dialer.passwords import PASSWORD_LENGTH_MIN

TITLES: Final[Mapping[str, str]] = {
    "abandon_rate_max": "Most abandoned calls",
    "action": "What",
    "additional_vars": "Variables",
    "addprefix": "Prefix to add",
    "after": "New values",
    "agent_dial_rate": "Calls for each idle agent",
    "aleg_gateway": "Gateway",
    "allowed_callerids": "Allowed caller IDs",
    "amd_behavior": "Answering machines",
    "amd_sensitivity": "Detection of machines",
    "areacode": "Area code",
    "allowed_countries": "Countries that may be called",
    "allows_special": "May call premium-rate, shared-cost and satellite numbers",
    "audiofile": "Recording",
    "before": "Old values",
    "call_rate": "Price a minute",
    "callerid": "Caller ID",
    "callerid_group": "Group of caller IDs",
    "callerid_name": "Name that is shown",
    "callerid_num": "Number that is shown",
    "callmaxduration": "Longest call, in seconds",
    "calltimeout": "Longest ringing, in seconds",
    "campaign_code": "Code",
    "completion_intervalretry": "Seconds between calls until completed",
    "completion_maxretry": "Further calls until completed",
    "contact": "Number",
    "count_attempt": "Attempts",
    "created_date": "Created",
    "daily_start_time": "From",
    "daily_stop_time": "Until",
    "dial_method": "Pacing",
    "did_number": "Number",
    "dnc": "Do-not-call list",
    "dnc_lists": "Further do-not-call lists",
    "duplicate_contact": "Number",
    "enabled": "Active",
    "end_when_done": "End when nobody is left to call",
    "expirationdate": "Ends",
    "first_increment": "First seconds charged",
    "frequency": "Calls a minute",
    "full_name": "Name",
    "goto": "Next section",
    "intervalretry": "Seconds between calls",
    "is_assigned": "Assigned",
    "is_global": "For all accounts",
    "keeps_wishes_of": "Keeps wishes of",
    "last_attempt": "Last call",
    "last_used_date": "Last used",
    "live_answered": "Answered by people",
    "login": "User who signs in",
    "max_aleg": "Most calls at once",
    "line_down": "Line is down because",
    "max_channels": "Most calls at once",
    "max_cps": "Most new calls a second",
    "max_xfer": "Most transfers at once",
    "maxretry": "Further calls if not reached",
    "moh_sound": "Music on hold",
    "next_increment": "Further seconds charged",
    "object_id": "Survey",
    "order": "Place",
    "phone_number": "Number",
    "phonebook": "Phonebooks",
    "rate": "Price a minute",
    "record_id": "Id",
    "removeprefix": "Prefix to remove",
    "rests_until": "Rests until",
    "sms_rate": "Price a message",
    "startingdate": "Starts",
    "status": "State",
    "status_reason": "Reason",
    "totalcontact": "People",
    "updated_date": "Changed",
    "user": "Owner",
    "username": "User name",
    "voicemail_audiofile": "Recording for machines",
    "waits_for": "Waits for",
    "waits_until": "Waits until",
}
"""The titles of fields whose name is not one already."""
IN_RESOURCE: Final[Mapping[tuple[str, str], str]] = {
    ("agent", "contact"): "Telephone",
    ("contact", "phonebook"): "Phonebook",
    ("api-key", "expirationdate"): "Expires",
    ("users", "enabled"): "May sign in",
    ("subscriber-list", "contact"): "Contact",
}
"""Titles that fit in one resource only, by its path and the field."""


def title_of(path: str, name: str) -> str:
    """Return the title of a field of the resource at a path."""
    plain = name.replace("_", " ")
    return IN_RESOURCE.get((path, name)) or TITLES.get(name) or plain[:1].upper() + plain[1:]


HINTS: Final[Mapping[str, str]] = {
    "aleg_gateway": "",
    "allowed_countries": "Tick none to allow all countries. If you tick any, numbers without a country code are"
    " refused.",
    "allows_special": "Without a tick, only those whose beginning is in a rate of the user.",
    "amd_behavior": "",
    "amd_sensitivity": "",
    "callerid": "The number that callees see, if the group below has none for them.",
    "daily_start_time": "In the callee's own time zone.",
    "daily_stop_time": "In the callee's own time zone.",
    "completed": "Tick it if whoever reaches this section has completed the survey.",
    "description": "",
    "enabled": "Without a tick, nobody can sign in with it.",
    "end_when_done": "Untick it to keep the campaign open until its end, for call-backs that agents promise and for"
    " people who are added to its phonebooks later.",
    "expirationdate": "In your time zone. Agents can promise call-backs until then. Empty: 24 hours after the start.",
    "frequency": "Spread evenly over the minute.",
    "is_assigned": "Without a tick, the number waits for an admin, and calls do not reach it.",
    "manager": "The user for whom this one works. A viewer reads the manager's records.",
    "max_aleg": "0: as many as the gateway allows.",
    "name": "",
    "object_id": "The campaign plays the survey as it is at the first start. Later changes do not reach it.",
    "order": "",
    "password": f"At least {PASSWORD_LENGTH_MIN} characters. Empty: as it is.",
    "phonebook": "Contacts that are added later are called too.",
    "startingdate": "In your time zone. Empty: now.",
    **dict.fromkeys(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), ""),
}
"""Hints in forms that say more, or less, than the API's description of the field."""
_QUOTED: Final = re.compile(r"`([a-z][a-z0-9_]*)`")
_TRUE: Final = re.compile(r"^True (if|to) ")
_DEFAULT: Final = re.compile(r"\s*(?:Default|Null): [^.]*(?:\.(?=\d)[^.]*)*\.")
"""The sentences with the default, which forms show as the value, and with the meaning of null."""


def hint_of(path: str, name: str, description: str) -> str:
    """Return the hint for a field in a form: the API's description in the words of the console."""
    ticked = _TRUE.sub(r"Tick it \1 ", description).replace("False: ", "Without a tick: ")
    hint = HINTS.get(name, ticked)
    return _QUOTED.sub(lambda match: title_of(path, match[1]), _DEFAULT.sub("", hint)).replace("`", "").strip()
