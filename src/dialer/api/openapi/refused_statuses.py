"""The statuses of errors with which an operation may respond."""

from typing import Final

from dialer.api.openapi.parameters import IDEMPOTENT
from dialer.api.openapi.parts import Json

_SIGNED_IN: Final = frozenset({"read_root", "read_clock", "read_own_settings"})
"""Operations for users of every role and API keys of every scope."""


def is_repeatable(name: str) -> bool:
    """Tell whether an operation takes an `Idempotency-Key`."""
    return name.startswith("create_") or name in IDEMPOTENT


def refusals(found: Json, method: str) -> list[int]:
    """Return the status codes of the errors that an operation may respond with."""
    name = found["operationId"]
    is_list, is_write = name.startswith("list_"), method != "get"
    refused = {400, 401, 429, 503}
    if "requestBody" in found:
        refused |= {408, 413, 415}
    if is_list or found.get("parameters"):
        refused |= {404}
    if is_write and not name.startswith(("import_", "upload_")):
        refused |= {409}
    if name in {"export_account", "read_staffing_plan"}:
        refused |= {409}
    if is_repeatable(name):
        refused |= {409, 422}
    if name not in _SIGNED_IN:
        refused |= {403}
    return sorted(refused)
