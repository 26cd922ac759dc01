"""Callees and channels of the switch of tests, and its knobs."""

import time
from typing import Any

import msgspec


class SwitchCallee(msgspec.Struct):
    """The callee behind a number."""

    cause: str = ""
    """The cause with which the call fails; empty if it is answered."""
    rings: bool = False
    """True if nobody answers until a test says so."""
    keys: list[str | None] = msgspec.field(default_factory=list)
    """The keys after each question; None for a question that goes on."""
    stays: frozenset[str] = frozenset({"endless_playback", "conference"})
    """Applications that go on until they are stopped."""
    hangs_up_in: str = ""
    """The application in which the callee hangs up, once all `keys` are pressed."""
    is_machine: bool = False


class Knobs(msgspec.Struct):
    """The faults of the switch, and of the way to it."""

    rejects: bool = False
    tears: bool = False
    """True if each message comes in pieces."""
    cuts_before: str = ""
    """The beginning of a command before which the connection is cut; `cuts_after` cuts after it was performed."""
    cuts_after: str = ""
    errs_at: str = ""
    """The beginning of a command that fails."""
    loses: frozenset[str] = frozenset()
    doubles: bool = False
    swaps: bool = False
    """True if two events that follow each other change places."""
    strangers: bool = False
    """True if events of other programs' calls are mixed in."""
    forgets: bool = False
    """True if there is no mod_db."""
    never_ends_jobs: bool = False
    is_mute: bool = False
    """True if it takes commands, and replies to none."""
    raw: bytes = b""
    """Sent instead of the next event."""


class Channel:
    """One call in the switch."""

    def __init__(self, key: str, number: str, callee: SwitchCallee, variables: dict[str, str]) -> None:
        self.key, self.number, self.callee, self.variables = key, number, callee, variables
        self.answered_us = 0
        self.application: tuple[str, str] | None = None
        """The application in progress, with the id of its order."""
        self.other = ""
        self.caller = ""
        """The number of somebody who calls in."""

    def listed(self) -> dict[str, str]:
        """Return the row of the channel in `show channels`."""
        direction = "inbound" if self.caller else "outbound"
        return {"uuid": self.key, "direction": direction, "callstate": "ACTIVE" if self.answered_us else "RINGING"}

    def fields(self, core: str) -> dict[str, Any]:
        """Return what every event says of the channel."""
        return {
            "Core-UUID": core,
            "Event-Date-Timestamp": str(now_us()),
            "Unique-ID": self.key,
            "Answer-State": "answered" if self.answered_us else "ringing",
            "Channel-State": "CS_EXECUTE",
            "Caller-Channel-Answered-Time": str(self.answered_us),
            **{f"variable_{name}": value for name, value in self.variables.items()},
            **({"variable_bridge_uuid": self.other} if self.other else {}),
            "Call-Direction": "inbound" if self.caller else "outbound",
            "Caller-Destination-Number": self.number,
            "Caller-Caller-ID-Number": self.caller or "0",
        }


def now_us() -> int:
    """Return the microseconds of the switch's clock."""
    return time.time_ns() // 1_000
