"""A few call detail records, one of each kind, and the digest of all of them."""

from collections.abc import Sequence
from typing import Final

import msgspec
from rich.console import Console
from rich.text import Text

from dialer.demo.checks import Checks
from dialer.demo.display import heading, indented, table
from dialer.demo.evidence import CdrRecord, Evidence
from dialer.domain.figures.digest import cdr_digest
from dialer.domain.words.enums import AmdStatus, Cause

CALLID_SHOWN: Final = 8
"""Characters of a UUID that are shown."""
_KINDS: Final = (
    (Cause.NORMAL_CLEARING, AmdStatus.PERSON),
    (Cause.NORMAL_CLEARING, AmdStatus.MACHINE),
    (Cause.NO_ANSWER, AmdStatus.PERSON),
    (Cause.USER_BUSY, AmdStatus.PERSON),
    (Cause.CALL_REJECTED, AmdStatus.PERSON),
    (Cause.UNALLOCATED_NUMBER, AmdStatus.PERSON),
)


class Samples(msgspec.Struct, frozen=True):
    """Some records, and the digest of all."""

    cdrs: tuple[CdrRecord, ...]
    digest: str


def figures(evidence: Evidence, checks: Checks) -> Samples:
    """Return the samples from the pages of the API, checked against the export, and the digest of both."""
    exported = {cdr.id: cdr for cdr in evidence.cdrs}
    paged = msgspec.convert(evidence.cdr_pages, list[CdrRecord])
    chosen = [cdr for cause, heard in _KINDS for cdr in _first(paged, cause, heard)]
    return Samples(
        cdrs=tuple(checks.same(f"call {cdr.id}", cdr, exported[cdr.id]) for cdr in chosen),
        digest=checks.same(
            "digest", cdr_digest(evidence.cdr_pages), cdr_digest(map(msgspec.structs.asdict, evidence.cdrs))
        ),
    )


def _first(cdrs: Sequence[CdrRecord], cause: Cause, heard: AmdStatus) -> list[CdrRecord]:
    """Return the first record of a kind in a list; an empty list if there is none."""
    return [cdr for cdr in cdrs if cdr.hangup_cause_q850 == cause and cdr.amd_status == heard][:1]


def show(console: Console, samples: Samples) -> None:
    """Print a row for each sample, and the digest below."""
    heading(console, "Call detail records", "the first of each kind; UTC, lengths in seconds")
    headers = ["callid", "number", "began", "Q.850", "duration", "billsec", "billed", "cost", "heard"]
    rows = [
        (
            f"{cdr.callid[:CALLID_SHOWN]}…",
            cdr.phone_number,
            cdr.starting_date[11:19],
            str(cdr.hangup_cause_q850),
            str(cdr.duration),
            str(cdr.billsec),
            str(cdr.billed_duration),
            cdr.call_cost,
            AmdStatus(cdr.amd_status).name.lower() if cdr.is_answered else "",
        )
        for cdr in samples.cdrs
    ]
    indented(console, table(headers, rows, left=(0, 1, 2, 8), gap=1))
    indented(console, Text.assemble(("digest  ", "dim"), samples.digest))
