"""Small values that plans and calls are made of."""

from typing import NamedTuple

import msgspec

from dialer.domain.queueing.plans import Promise


class CallerIdChoice(msgspec.Struct, frozen=True):
    """A caller ID of a group, and its area code: a prefix of digits, or `*` for any number."""

    areacode: str
    callerid_num: str


class SaidCallBack(NamedTuple):
    """A call-back that an agent has promised while the call goes on. It follows the call."""

    at_ms: int
    promise: Promise | None = None
    """The promise of the agent to take it themselves; None for any agent."""


class SectionResult(msgspec.Struct, frozen=True, gc=False):
    """The answer of the callee to one section; the last answer of a call counts."""

    section_id: int
    section_type: int
    question: str
    response: str
    at_ms: int
    recording_ms: int | None = None
    """Length of the recording that the section made; `response` is its file name."""
    summary: str = ""
    """The words of a program about its conversation with the callee."""

    @property
    def recording_s(self) -> int | None:
        """Return the length of the recording in whole seconds, rounded up; None if there is none."""
        return None if self.recording_ms is None else -(-self.recording_ms // 1_000)
