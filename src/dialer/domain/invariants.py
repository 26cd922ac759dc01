"""What must be true after every step. A step that would make it false is not committed, whatever it takes."""

from enum import StrEnum


class Rule(StrEnum):
    """The rules that are checked while the service runs (`docs/decisions/0014-invariants-in-production.md`)."""

    ATTEMPTS = "I1"
    CDRS = "I2"
    LEDGER = "I3"
    CREDIT = "I4"
    DO_NOT_CALL = "I5"
    CALENDAR = "I6"
    STARTED = "I7"
    LIMITS = "I8"
    MOVES = "I9"
    ENDED_ONCE = "I10"


class BrokenInvariantError(Exception):
    """Raised when a step has broken a rule: none of it may be committed.

    It says whom that concerns: always a user; a campaign and a call (the id of its call request or message) only where
    the fault is in these.
    """

    def __init__(
        self, rule: Rule, what: str, *, user_id: int, campaign_id: int | None = None, call_id: int | None = None
    ) -> None:
        super().__init__(f"{rule}: {what}")
        self.rule = rule
        self.user_id = user_id
        self.campaign_id = campaign_id
        self.call_id = call_id
