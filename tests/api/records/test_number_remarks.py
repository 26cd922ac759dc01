"""Tests of the header that says what is wrong with a single number, or how it was read."""

import pytest

from tests.api.harness import Caller

REMARKS = "x-number-remarks"


@pytest.mark.parametrize(
    ("path", "field", "number", "kinds"),
    [
        ("contact", "contact", "+12025550100", None),
        ("contact", "contact", "+1202555", "impossible_number"),
        ("contact", "contact", "+39612345678", "lost_zero"),
        ("dnc-contact", "phone_number", "+12025550100", None),
        ("dnc-contact", "phone_number", "030 2300074", "no_country"),
        ("dnc-contact", "phone_number", "+1 202 555 0100 ext. 5", "cut_extension"),
        ("dnc-contact", "phone_number", "+39612345678", "mended_zero"),
    ],
)
def test_a_single_number_is_judged_as_in_bulk(
    alice: Caller, path: str, field: str, number: str, kinds: str | None
) -> None:
    parent = "phonebook" if path == "contact" else "dnc-list"
    url = alice.create(parent, name="list")["url"]
    fields = {field: number, parent.removesuffix("-list"): url}
    created = alice.request("POST", f"{path}/", json=fields, headers={"Idempotency-Key": "k"})
    again = alice.request("POST", f"{path}/", json=fields, headers={"Idempotency-Key": "k"})
    assert [(one.status_code, one.headers.get(REMARKS)) for one in (created, again)] == [(201, kinds)] * 2
    other = "+12025550199" if kinds is None else number
    changed = alice.request("PATCH", created.json()["url"], json={field: other})
    assert (changed.status_code, changed.headers.get(REMARKS)) == (202, kinds)
