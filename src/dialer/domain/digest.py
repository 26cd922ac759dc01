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


def cdr_digest(records: Iterable[Mapping[str, object]]) -> str:
    """Return the SHA-256, in hexadecimal, of call detail records in the order of their ids, as the API writes them.

    Each record makes one line: its `DIGEST_FIELDS`, separated by bars.
    """
    digest = sha256()
    for record in records:
        line = "|".join(map(str, _values(record)))
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()
