"""Commands and events of a leg as they are kept for `dialer explain`: a line each."""

import re
from typing import Final, NamedTuple

from dialer.carriers.freeswitch.events import SwitchEvent

_KEY: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_VARIABLES: Final = re.compile(r"\{[^{}]*\}")
_ARGUMENT: Final = "execute-app-"
_FIELDS: Final = ("Application", "Hangup-Cause", "_body")


class KeptLine(NamedTuple):
    """A line of a leg."""

    key: str
    text: str


def kept_command(command: str) -> KeptLine | None:
    """Return a command, without the key, and without variables, which may hold secrets; None if it is of no leg."""
    match = _KEY.search(command)
    if match is None:
        return None
    first, *rest = command.replace(match[0], "…").split("\n")
    arguments = [line.partition(": ")[2] for line in rest if line.startswith(_ARGUMENT)]
    return KeptLine(match[0], _VARIABLES.sub("{…}", " ".join([first, *arguments])))


def kept_event(event: SwitchEvent) -> KeptLine | None:
    """Return an event of a leg, reduced to the fields that a trace shows; None for an event without a leg."""
    key = event.key or event["Job-UUID"]
    if not _KEY.fullmatch(key):
        return None
    values = (event[name].strip().replace(key, "…") for name in _FIELDS)
    return KeptLine(key, " ".join([event.name, *filter(None, values)]))
