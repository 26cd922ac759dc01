"""The state of legs in a switch, from its own records: its channels, the dump of one, or the note of its end."""

import re
from typing import Any, Final

import msgspec

from dialer.carriers.freeswitch.causes import cause_of_hangup
from dialer.carriers.freeswitch.commands import is_fit_key
from dialer.carriers.freeswitch.events import SwitchEvent, read_event
from dialer.carriers.line_port import Alive, LiveLeg, Over
from dialer.domain.sessions.leg_protocol import Answered, Ended

_NOTE: Final = re.compile(r"([0-9]{0,3})_([0-9]{0,17})_([0-9]{0,17})_([A-Z_]{0,64})", re.ASCII)

RINGING_MAX: Final = 1_000
"""Limit of calls that came in and are looked for at once."""


class _Channels(msgspec.Struct):
    """The reply to `show channels as json`. Without a channel it has no rows."""

    rows: list[dict[str, Any]] = []


def ringing_in(reply: str) -> list[str]:
    """Return the keys of unanswered incoming channels, from the switch's list of all channels."""
    try:
        rows = msgspec.json.decode(reply, type=_Channels).rows
    except (msgspec.DecodeError, RecursionError):
        return []
    call_keys = [
        row.get("uuid") for row in rows if row.get("direction") == "inbound" and row.get("callstate") != "ACTIVE"
    ]
    return [key for key in call_keys if isinstance(key, str) and is_fit_key(key)][:RINGING_MAX]


def read_dump(reply: str) -> SwitchEvent | None:
    """Return the dump of a channel; None if there is no such channel."""
    return None if reply.startswith("-") else read_event(reply.encode())


def alive_by(dump: SwitchEvent, live: LiveLeg) -> Alive:
    """Return a leg that goes on, with its answer if the service does not know it."""
    answered_us, now_us = dump.number("Caller-Channel-Answered-Time"), dump.number("Event-Date-Timestamp")
    if not answered_us or live.answered_age_ms is not None:
        return Alive()
    return Alive(Answered(max(0, now_us - answered_us) // 1_000, dump["Core-UUID"]))


def over_by_dump(dump: SwitchEvent) -> Over:
    """Return a leg whose channel is just being removed."""
    name = dump["Hangup-Cause"] or dump["variable_hangup_cause"]
    return Over(Ended(0, cause_of_hangup(name, dump.number("variable_hangup_cause_q850"))))


def over_by_note(note: str, live: LiveLeg, switch_now_ms: int) -> Over | None:
    """Return a leg that has ended, from the note of its end (`commands.note_the_end`); None if there is no note.

    `switch_now_ms` is the time of the switch in milliseconds since the epoch; 0 if it is unknown.
    """
    match = _NOTE.fullmatch(note.strip())
    if match is None:
        return None
    answered_ms, ended_ms = (int(text or 0) // 1_000 for text in match.group(2, 3))
    cause = cause_of_hangup(match.group(4), int(match.group(1) or 0))
    talked_ms = max(0, ended_ms - answered_ms)
    if live.answered_age_ms is not None and answered_ms:
        return Over(Ended(max(0, live.answered_age_ms - talked_ms), cause))
    age_ms = max(0, switch_now_ms - ended_ms) if switch_now_ms else 0
    return Over(Ended(age_ms, cause), Answered(age_ms + talked_ms, "") if answered_ms else None)
