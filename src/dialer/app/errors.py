"""Errors of use cases. Nothing has changed when one is raised."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

FieldErrors: TypeAlias = dict[str, list[str]]
"""Field to messages."""


class AppError(Exception):
    """The base of all errors of use cases; its text is for the user."""


class RefusedError(AppError):
    """Raised when the state of the records forbids a use case."""


class UnknownRecordError(AppError):
    """Raised when a record is not there."""


class InvalidFieldsError(AppError):
    """Raised when fields are not as they must be; `errors` names each field and what is wrong with it."""

    def __init__(self, errors: FieldErrors) -> None:
        super().__init__("; ".join(f"{field}: {' '.join(messages)}" for field, messages in errors.items()))
        self.errors: Final = errors


class CampaignNotReadyError(InvalidFieldsError):
    """Raised when a campaign lacks something that it needs to start."""


class StillUsedError(AppError):
    """Raised when other records need the one that is to be deleted: `users` are their ids, by the name of the kind."""

    def __init__(self, users: Mapping[str, Sequence[int]]) -> None:
        super().__init__(f"Still used by {', '.join(_listed(name, ids) for name, ids in users.items())}.")
        self.users: Final = users


USERS_NAMED_MAX: Final = 5
"""Records of each kind that a refusal names."""


def _listed(name: str, ids: Sequence[int]) -> str:
    first = ", ".join(str(number) for number in sorted(ids)[:USERS_NAMED_MAX])
    return f"{name} {first}{' and others' if len(ids) > USERS_NAMED_MAX else ''}"
