"""Rate cards: administrators write them, and users read what they pay."""

from typing import Any

import pytest
from sqlalchemy import select

from dialer.domain.billing.charge import Rate
from dialer.resources.records import rate_cards
from dialer.store.database.database import Database
from dialer.store.queries.rates import read_card
from dialer.store.tables import User
from tests.api.harness import BASE, NOW, Caller, FakeWorker

FORBIDDEN = (403, {"detail": "You do not have permission to perform this action."})
TAKEN = (400, {"prefix": ["The user has a rate for the prefix '44' already. Change that one."]})


def version(database: Database, user_id: int) -> int:
    query = select(User.rate_card_version).where(User.id == user_id)
    return int(database.read_now(lambda connection: connection.execute(query).scalar_one()))


def test_a_line_is_made_changed_and_deleted_and_the_dialling_knows(
    admin: Caller, database: Database, worker: FakeWorker
) -> None:
    body = {"user": 2, "prefix": "+1202", "rate": "0.05", "connection_fee": 0.001, "first_increment": 30}
    answer = admin.request("POST", "rate-card/", json=body)
    record: dict[str, Any] = {
        "id": 1,
        "url": f"{BASE}/rate-card/1/",
        "user": f"{BASE}/users/2/",
        "prefix": "1202",
        "rate": "0.05000",
        "connection_fee": "0.00100",
        "first_increment": 30,
        "next_increment": 60,
        "created_date": NOW,
        "updated_date": NOW,
        "currency": "",
    }
    assert (answer.status_code, answer.json(), answer.headers["location"]) == (201, record, record["url"])
    assert database.read_now(lambda c: read_card(c, 2)).find("+12025550100") == Rate(5_000, 30, 60, 100)
    assert (version(database, 2), worker.settled) == (1, 1)
    admin.change(record["url"], next_increment=6, prefix="")
    assert database.read_now(lambda c: read_card(c, 2)).find("+33199000001") == Rate(5_000, 30, 6, 100)
    assert (version(database, 2), worker.settled) == (2, 2)
    assert admin.request("DELETE", record["url"]).status_code == 204
    assert not database.read_now(lambda c: read_card(c, 2))
    assert (version(database, 2), version(database, 3), worker.settled) == (3, 0, 3)


def test_users_read_their_own_card_and_write_none(admin: Caller, alice: Caller, bob: Caller) -> None:
    line = admin.create("rate-card", user=2, prefix="44", rate="0.1")
    assert alice.get("rate-card/", prefix="44")["results"] == [line]
    assert alice.request("GET", "rate-card/", params={"format": "csv"}).text.splitlines()[1].startswith("1,")
    assert bob.get("rate-card/")["count"] == 0
    assert bob.refused("GET", line["url"]) == (404, {"detail": "Not found."})
    assert alice.refused("POST", "rate-card/", user=2, prefix="45", rate=0) == FORBIDDEN
    assert alice.refused("PATCH", line["url"], rate=0) == FORBIDDEN
    assert alice.refused("DELETE", line["url"]) == FORBIDDEN
    assert alice.get(line["url"]) == line


def test_a_prefix_has_one_rate(admin: Caller) -> None:
    first = admin.create("rate-card", user=2, prefix="44", rate=1)
    assert admin.refused("POST", "rate-card/", user=2, prefix="+44", rate=2) == TAKEN
    other = admin.create("rate-card", user=2, prefix="", rate=1)
    assert admin.refused("PATCH", other["url"], prefix="44") == TAKEN
    admin.change(first["url"], prefix="44", rate=3)
    assert admin.create("rate-card", user=3, prefix="44", rate=1)["user"] == f"{BASE}/users/3/"
    assert admin.refused("PATCH", first["url"], user=3) == (400, {"user": ["This field may not be changed."]})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("prefix", "44x"),
        ("prefix", "1" * 16),
        ("prefix", "++44"),
        ("prefix", True),
        ("prefix", ["44"]),
        ("prefix", None),
        ("prefix", "\N{ARABIC-INDIC DIGIT FOUR}"),
        ("rate", -1),
        ("rate", "0.000001"),
        ("rate", 10**7),
        ("connection_fee", "-0.00001"),
        ("first_increment", 0),
        ("next_increment", 0),
        ("next_increment", 86_401),
        ("user", 99),
    ],
)
def test_a_line_that_makes_no_sense_is_refused(admin: Caller, field: str, value: Any) -> None:  # noqa: ANN401 - JSON
    body = {"user": 2, "prefix": "44", "rate": 1, field: value}
    status, errors = admin.refused("POST", "rate-card/", **body)
    assert (status, list(errors)) == (400, [field])
    assert admin.get("rate-card/")["count"] == 0


def test_a_card_has_an_end(admin: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_cards, "CARDS_MAX", 2)
    lines = [admin.create("rate-card", user=2, prefix=str(place), rate=1) for place in (1, 2)]
    assert admin.refused("POST", "rate-card/", user=2, prefix="3", rate=1) == (
        400,
        {"user": ["A user has at most 2 prefixes. Delete one first."]},
    )
    admin.change(lines[0]["url"], rate=2)
    admin.create("rate-card", user=3, prefix="3", rate=1)
