"""The state of a subscriber after an attempt, as a plain value."""

import msgspec

from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import NoReason, SubscriberReason


class Disposition(msgspec.Struct, frozen=True, gc=False):
    """The subscriber's state after an attempt; `due_ms` is 0 unless they are called again."""

    status: SubscriberStatus
    reason: SubscriberReason | NoReason
    failures: int
    completions: int
    due_ms: int = 0
    abandoned: int = 0
