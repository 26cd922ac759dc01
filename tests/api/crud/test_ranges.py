"""Ranges: the filters for the bounds of dates, of amounts of money and of counts."""

from itertools import pairwise

import pytest

from dialer.resources.crud.fields import Amount, Integer
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Identity
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.shapes import Access, fields_of
from dialer.resources.records.table import RESOURCES
from dialer.store.database.database import Database
from dialer.store.tables import Cdr, Payment
from tests.api.builders import Estate, stored
from tests.api.harness import NOW, NOW_MS, Caller


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.path)
def test_every_date_amount_and_count_of_every_list_has_bounds(estate: Estate, resource: Resource) -> None:
    for field in fields_of(resource.read):
        if field.access is Access.DERIVED or isinstance(field.kind, Identity):
            continue
        if not isinstance(field.kind, (Timestamp, Amount, Integer)):
            continue
        is_date = isinstance(field.kind, Timestamp)
        for bound in ("after", "before") if is_date else ("min", "max"):
            path = f"{resource.path}/?{field.name}_{bound}="
            answer = estate.admin.request("GET", f"{path}{NOW if is_date else 1}")
            assert (answer.status_code, "X-Ignored-Parameters" in answer.headers) == (200, False)
            assert estate.admin.refused("GET", f"{path}x")[0] == 400


def test_both_bounds_belong_to_the_range(admin: Caller, database: Database) -> None:
    amounts = (-100_000, 0, 12_345, 100_000)
    made = [stored(database, Payment, user_id=2, amount=amount) for amount in amounts]

    def found(**asked: str) -> list[int]:
        return [record["id"] for record in admin.get("payment/", **asked)["results"]]

    assert found(amount_min="0", amount_max="0.12345") == made[1:3]
    assert found(amount_min="0.12346") == made[3:]
    assert found(amount_max="-0.99999") == made[:1]
    assert found(created_date_after=NOW, created_date_before=NOW) == made
    assert found(amount_min="1", amount_max="1") == made[3:]


@pytest.mark.parametrize(
    ("path", "low", "high"),
    [
        ("payment/?amount_min=1&amount_max=0.99999", "amount_min", "amount_max"),
        (
            "cdr/?starting_date_before=2026-01-01T00:00Z&starting_date_after=2026-01-02T00:00Z",
            "starting_date_after",
            "starting_date_before",
        ),
        ("subscriber-list/?count_attempt_min=2&count_attempt_max=1", "count_attempt_min", "count_attempt_max"),
    ],
)
def test_a_range_whose_bounds_are_reversed_is_refused(admin: Caller, path: str, low: str, high: str) -> None:
    assert admin.refused("GET", path) == (
        400,
        {
            low: [f"This is above {high}, so no record matches. Give a value up to {high}."],
            high: [f"This is below {low}, so no record matches. Give a value from {low} on."],
        },
    )


def test_calls_are_found_by_the_bounds_of_their_durations(alice: Caller, database: Database) -> None:
    values = {"callerid": "", "phone_number": "1", "billsec": 0, "call_cost": 0, "billed_duration": 0}
    codes = {"hangup_cause_q850": 16, "leg_type": 1, "amd_status": 1, "subscriber_id": 1}
    increments = {"first_increment": 1, "next_increment": 1}
    for seconds in (5, 10, 15):
        times = {"duration": seconds, "starting_date": NOW_MS + seconds}
        stored(database, Cdr, user_id=2, callid=str(seconds), **increments, **times, **values, **codes)
    for (low, high), wanted in zip(pairwise([5, 10, 15]), ([1, 2], [2, 3]), strict=True):
        page = alice.get("cdr/", duration_min=low, duration_max=high)
        assert ([record["id"] for record in page["results"]], page["count"]) == (wanted, 2)


def test_every_wrong_bound_is_named_at_once(alice: Caller) -> None:
    status, errors = alice.refused("GET", "cdr/?duration_min=x&call_cost_max=y&starting_date_after=z")
    assert (status, sorted(errors)) == (400, ["call_cost_max", "duration_min", "starting_date_after"])
