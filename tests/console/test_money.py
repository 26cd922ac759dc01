"""Tests of the page of money: balances over time, and campaigns by cost."""

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, update

from dialer.console.pages.money import _hours
from dialer.store.database.database import Database
from dialer.store.queries.balances import HOURS, balances_by_hour
from dialer.store.tables import Campaign, UserHour
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.visitor import Visitor

HOUR = NOW_MS // 3_600_000


def cost(user_id: int, hours_ago: int, amount: int) -> object:
    """Return the insertion of the cost of an hour."""
    values = {"user_id": user_id, "grouping": 0, "member": "", "hour": HOUR - hours_ago, "calls": 1, "cost": amount}
    return insert(UserHour).values(values)


def test_the_balance_is_told_from_the_present_back(api: Caller, database: Database) -> None:
    admin = Caller(api.client, "admin")
    for user, amount in ((2, 50), (3, 7), (2, -1)):
        admin.create("payment", user=f"/rest-api/users/{user}/", amount=amount)
    store(database, cost(2, 0, 100_000), cost(2, 2, 300_000), cost(3, 1, 999), cost(2, HOURS, 10**9))  # type: ignore[arg-type] # statements
    whose = (2, 3, None)
    told = database.read_now(lambda c: [balances_by_hour(c, who, NOW_MS) for who in whose])
    read = dict(zip(whose, told, strict=True))
    # The payments were made in this hour, whose end is the present.
    assert read[2][-4:] == [400_000, 100_000, 100_000, 4_900_000]
    assert read[3][-3:] == [999, 0, 700_000]
    assert read[None] == [one + other for one, other in zip(read[2], read[3], strict=True)]
    assert len(read[2]) == HOURS


def test_campaigns_are_listed_by_cost(
    alice: Visitor, bob: Visitor, admin: Visitor, api: Caller, database: Database
) -> None:
    assert "No campaign has cost anything yet." in alice.text("money/")
    for name, amount in (("Cheap", 123_000), (HOSTILE, 4_567_000), ("Free", 0)):
        identity = campaign(api, name=name, gateway=name[:5])
        columns = {"cost": amount, "calls": 9, "answered": 2}
        store(database, update(Campaign).where(Campaign.id == identity).values(columns))
    store(database, cost(2, 3, 4_690_000))  # type: ignore[arg-type] # a statement
    text = alice.text("money/")
    assert "45.67 9 2 22.84 Cheap 1.23 9 2 0.62" in text
    assert ("Spent 46.90 in the last 24 hours" in text, "Free" in text, "<script>alert" in alice.page) == (
        True,
        False,
        False,
    )
    assert "Cheap" not in bob.text("money/")
    assert "All accounts together." in admin.text("money/")
    assert "Cheap" in admin.page


@given(st.lists(st.integers(), min_size=HOURS, max_size=HOURS))
def test_the_last_of_the_told_moments_is_the_present(balances: list[int]) -> None:
    told = _hours(balances, NOW_MS)
    assert told[-1] == (NOW_MS, balances[-1])
    assert len(told) == HOURS // 6
