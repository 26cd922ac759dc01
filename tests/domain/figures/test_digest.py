"""Tests of the digest of CDRs, worked out by hand with sha256sum."""

from hashlib import sha256
from typing import Any, Final

import pytest

from dialer.domain.figures.digest import DIGEST_FIELDS, cdr_digest

RECORD: Final[dict[str, Any]] = {
    "callid": "c-1",
    "callerid": "+331",
    "phone_number": "+12025550100",
    "starting_date": "2026-11-20T10:00:00Z",
    "duration": 22,
    "billsec": 17,
    "call_cost": "0.06000",
    "billed_duration": 60,
    "hangup_cause_q850": 16,
    "leg_type": 1,
    "amd_status": 1,
}
LINE: Final = b"c-1|+331|+12025550100|2026-11-20T10:00:00Z|22|17|0.06000|60|16|1|1\n"


def test_it_is_sha256_over_one_line_a_record() -> None:
    assert cdr_digest([RECORD, RECORD]) == sha256(LINE * 2).hexdigest()


def test_other_fields_do_not_change_the_digest() -> None:
    assert cdr_digest([RECORD | {"url": "http://somewhere/", "campaign": None}]) == cdr_digest([RECORD])


@pytest.mark.parametrize("name", DIGEST_FIELDS)
def test_every_field_it_covers_matters(name: str) -> None:
    assert cdr_digest([RECORD | {name: "other"}]) != cdr_digest([RECORD])


def test_the_order_of_the_records_matters() -> None:
    other = RECORD | {"callid": "c-2"}
    assert cdr_digest([RECORD, other]) != cdr_digest([other, RECORD])
