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
