"""Errors of use cases. A use case that raises one has changed nothing."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, TypeAlias

from dialer.domain.words.sentences import Listed, ResourceName, Sentence
from dialer.domain.words.voices import ChosenVoice

FieldErrors: TypeAlias = dict[str, list[str]]
"""Error messages by the name of the field."""


class ErrorCode(StrEnum):
    """The reasons of errors in words for programs, never renamed. docs/reference/reasons.md has their meanings."""

    ALREADY_EXISTS = "already_exists"
    ALREADY_REACHED = "already_reached"
    BALANCE_LEFT = "balance_left"
    BUSY = "busy"
    CALLING_HOURS = "calling_hours"
    CAMPAIGN_NOT_OVER = "campaign_not_over"
    CAMPAIGN_NOT_READY = "campaign_not_ready"
    CAMPAIGN_OVER = "campaign_over"
    CAMPAIGN_RUNNING = "campaign_running"
    CLOCK = "clock"
    CONFLICT = "conflict"
    COUNT_CHANGED = "count_changed"
    DATABASE_UNAVAILABLE = "database_unavailable"
    DO_NOT_CALL = "do_not_call"
    ERASED = "erased"
    FREQUENCY = "frequency"
    IDEMPOTENCY_KEY_USED = "idempotency_key_used"
    ILLEGAL_MOVE = "illegal_move"
    IN_PROGRESS = "in_progress"
    INTERNAL = "internal"
    INVALID_FIELDS = "invalid_fields"
    KEPT = "kept"
    LAST_ADMIN = "last_admin"
    LIMIT_REACHED = "limit_reached"
    LIST_IS_GLOBAL = "list_is_global"
    MALFORMED = "malformed"
    MEDIA_TYPE = "media_type"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    NO_AGENT_TALKS = "no_agent_talks"
    NO_CONSENT = "no_consent"
    NO_CONTACT = "no_contact"
    NO_TELEPHONE = "no_telephone"
    NOT_AUTHENTICATED = "not_authenticated"
    NOT_CONFIRMED = "not_confirmed"
    NOT_DIALLED = "not_dialled"
    NOT_FOUND = "not_found"
    NOT_PERMITTED = "not_permitted"
    NOT_PREVIEWED = "not_previewed"
    NOT_RECORDED = "not_recorded"
    NOTHING_TO_DO = "nothing_to_do"
    NOT_WRAPPING_UP = "not_wrapping_up"
    OTHER_SITE = "other_site"
    OUTCOME_MISSING = "outcome_missing"
    OUTCOME_UNKNOWN = "outcome_unknown"
    PRECONDITION_FAILED = "precondition_failed"
    PROTOCOL = "protocol"
    RANGE = "range"
    SCOPE_MISSING = "scope_missing"
    SECOND_FACTOR_NEEDED = "second_factor_needed"
    STILL_USED = "still_used"
    TIMED_OUT = "timed_out"
    TOO_LARGE = "too_large"
    TOO_MANY_REQUESTS = "too_many_requests"


class AppError(Exception):
    """The base of all errors of use cases; the text of an error is for the user."""


class RefusedError(AppError):
    """An error for a use case that the state of the records forbids; `code` is why, in a word."""

    def __init__(self, message: str, code: ErrorCode = ErrorCode.CONFLICT) -> None:
        super().__init__(message)
        self.code: Final = code


class VoiceUntriedError(RefusedError):
    """Raised when nobody knows whether the voice that a survey chooses speaks: `wanted` is to be tried, and then again.

    A trial takes seconds, so it is no part of a transaction.
    """

    def __init__(self, wanted: ChosenVoice) -> None:
        message = Sentence("The voice of the survey has not been tried yet. Try again later.")
        super().__init__(message, ErrorCode.BUSY)
        self.wanted: Final = wanted


class UnknownRecordError(AppError):
    """An error for a record that does not exist."""


class InvalidFieldsError(AppError):
    """An error for invalid fields; `errors` has the messages by field."""

    def __init__(self, errors: FieldErrors) -> None:
        super().__init__("; ".join(f"{field}: {' '.join(messages)}" for field, messages in errors.items()))
        self.errors: Final = errors


class CampaignNotReadyError(InvalidFieldsError):
    """Raised for a campaign that lacks a field or a survey that a start needs."""


class StillUsedError(AppError):
    """Raised when a record to delete is used by others; `users` holds their ids by the name of their resource."""

    def __init__(self, users: Mapping[str, Sequence[int]]) -> None:
        used = Listed(_listed(name, ids) for name, ids in users.items())
        super().__init__(Sentence("Still used by %(users)s. %(remedy)s", users=used, remedy=_remedy(users)))
        self.users: Final = users


_KEPT: Final = frozenset({"cdr", "ledger", "payment"})
"""Resources whose records cannot be deleted."""
_PASSING: Final = frozenset({"callrequest", "sms-message"})
"""Resources whose records use others only while they are in progress."""
USERS_NAMED_MAX: Final = 5
"""Records of each resource that the message names."""


def _remedy(names: Iterable[str]) -> Sentence:
    kinds = set(names)
    if kinds & _KEPT:
        return Sentence("These records are kept, so this one is, too.")
    if kinds <= _PASSING:
        return Sentence("Try again when they are over.")
    return Sentence("Change or delete them first.")


def _listed(name: str, ids: Sequence[int]) -> Sentence:
    records = {"resource": ResourceName(name), "ids": Listed(sorted(ids)[:USERS_NAMED_MAX])}
    if len(ids) > USERS_NAMED_MAX:
        return Sentence("%(resource)s %(ids)s and others", **records)
    return Sentence("%(resource)s %(ids)s", **records)
