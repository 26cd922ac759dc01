"""The digest of a run: runs with equal call detail records have equal digests."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from operator import itemgetter
from typing import Final

DIGEST_FIELDS: Final = (
    "callid",
    "callerid",
    "phone_number",
    "starting_date",
    "duration",
    "billsec",
    "call_cost",
    "billed_duration",
    "hangup_cause_q850",
    "leg_type",
    "amd_status",
)
_values: Final = itemgetter(*DIGEST_FIELDS)
_LINE: Final = "|".join(["%s"] * len(DIGEST_FIELDS)) + "\n"


class RunningDigest:
    """The digest of a run whose records are added one by one."""

    def __init__(self) -> None:
        self._digest: Final = sha256()

    def add(self, values: tuple[object, ...]) -> None:
        """Add a record by its `DIGEST_FIELDS`, as the API writes them."""
        self._digest.update((_LINE % values).encode())

    def hexdigest(self) -> str:
        """Return the digest of the records so far, in hexadecimal."""
        return self._digest.hexdigest()


def cdr_digest(records: Iterable[Mapping[str, object]]) -> str:
    """Return the SHA-256, in hexadecimal, of call detail records in the order of their ids, as the API writes them.

    Each record makes one line: its `DIGEST_FIELDS`, separated by bars.
    """
    digest = RunningDigest()
    for record in records:
        digest.add(_values(record))
    return digest.hexdigest()
