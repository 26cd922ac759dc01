"""The changes that files made, in the form of an answer of the API and back, and their digest."""

import hashlib
from collections.abc import Sequence

import msgspec

from dialer.files.applying import RecordChange
from dialer.files.exchange import AppliedRecord


def sent_of(changes: Sequence[RecordChange]) -> list[AppliedRecord]:
    """Return changes in the form of an answer of the API."""
    return [AppliedRecord(one.kind, one.name, one.action, list(one.lines)) for one in changes]


def changes_of(records: Sequence[AppliedRecord]) -> list[RecordChange]:
    """Return changes from an answer of the API."""
    return [RecordChange(one.kind, one.name, one.action, tuple(one.lines)) for one in records]


def plan_of(changes: list[RecordChange]) -> str:
    """Return the digest of changes."""
    return hashlib.sha256(msgspec.json.encode(changes)).hexdigest()
