"""The rules that must hold after every step. A step that breaks a rule is never committed."""

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
    HANDLED = "I14"
    DESTINATION = "I16"
    CONTACTS = "I23"


class BrokenInvariantError(Exception):
    """An error that a step has broken a rule, so that none of the step is committed.

    The error always names a user. It names a campaign and a call (the id of its call request or message) only if the
    fault concerns them.
    """

    def __init__(
        self, rule: Rule, what: str, *, user_id: int, campaign_id: int | None = None, call_id: int | None = None
    ) -> None:
        super().__init__(f"{rule}: {what}")
        self.rule = rule
        self.user_id = user_id
        self.campaign_id = campaign_id
        self.call_id = call_id
