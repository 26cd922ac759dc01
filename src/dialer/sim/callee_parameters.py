"""The parameters of a simulated gateway, with their defaults and the words with which people are asked for them."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from dialer.carriers.parameters import words

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A chance from 0 to 1."""
_A_RANGE = "Seconds, or a range of seconds such as 3-25."
Seconds = float | Sequence[float]
"""A length of time, or the shortest and the longest one."""


class CalleeParameters(msgspec.Struct, frozen=True, kw_only=True):
    """The behaviour of simulated callees; `dialer.sim.callee_profile` checks it."""

    answer: Annotated[
        Share,
        words("Answered", "By a person or by a machine. The rest is busy, fails, or rings in vain.", is_main=True),
    ] = 0.45
    busy: Annotated[Share, words("Busy", is_main=True)] = 0.1
    machine: Annotated[
        Share, words("Machines", "Of the answered calls, those by answering machines.", is_main=True)
    ] = 0.25
    keys: Annotated[
        dict[str, float],
        words(
            "Keys",
            "Inputs after a question, each with its chance: a JSON object. An empty input is no key.",
            example='{"1": 0.5, "2": 0.3, "": 0.2}',
        ),
    ] = msgspec.field(default_factory=lambda: {"1": 0.5, "2": 0.3, "": 0.2})
    rejected: Annotated[Share, words("Rejected")] = 0.03
    invalid: Annotated[Share, words("Number does not exist")] = 0.02
    congestion: Annotated[Share, words("No free circuit")] = 0.0
    amd_error: Annotated[
        Share, words("Mistakes of detection", "People who are taken for machines, and machines taken for people.")
    ] = 0.05
    post_dial_delay: Annotated[Seconds, words("From dialling to ringing", _A_RANGE, kind="span", unit="seconds")] = 1
    ring: Annotated[Seconds, words("Ringing", _A_RANGE, kind="span", unit="seconds")] = msgspec.field(
        default_factory=lambda: [3, 25]
    )
    listen: Annotated[Share, words("Listen to the end", "The others hang up during a message.")] = 1.0
    key_delay: Annotated[Seconds, words("Time before a key is pressed", _A_RANGE, kind="span", unit="seconds")] = (
        msgspec.field(default_factory=lambda: [1, 3])
    )
    talk: Annotated[Seconds, words("Talk with an agent", _A_RANGE, kind="span", unit="seconds")] = msgspec.field(
        default_factory=lambda: [30, 180]
    )
    patience: Annotated[Seconds, words("Patience in a queue", _A_RANGE, kind="span", unit="seconds")] = msgspec.field(
        default_factory=lambda: [60, 300]
    )
    conversation: Annotated[
        dict[str, Any],
        words(
            "Conversations with a program",
            "A JSON object: their seconds, and the chance of each branch. In the rest, the callee hangs up.",
            example='{"seconds": [20, 180], "ends": {"0": 0.7, "2": 0.2, "invalid": 0.1}}',
        ),
    ] = msgspec.field(default_factory=lambda: {"seconds": [20, 180], "ends": {"0": 1}})
    call_back: Annotated[Share, words("Call back after a missed call")] = 0.0
    call_back_after: Annotated[Seconds, words("Time until they call back", _A_RANGE, kind="span", unit="seconds")] = (
        msgspec.field(default_factory=lambda: [60, 3_600])
    )
    sms_delivered: Annotated[Share, words("Text messages delivered")] = 0.97
    sms_reply_stop: Annotated[Share, words("Text messages answered with STOP")] = 0.0
    numbers: Annotated[
        dict[str, Any],
        words(
            "Numbers with a behaviour of their own",
            "A JSON object: each number with what it does.",
            example='{"+12025550123": {"outcome": "busy"}}',
        ),
    ] = msgspec.field(default_factory=dict)
