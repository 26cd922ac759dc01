"""Tests of many people who join a campaign at once: they are counted as those who join one by one."""

import pytest
from sqlalchemy import Connection, text

from dialer.domain.figures.statistics import SubscriberState
from dialer.domain.words.enums import SubscriberStatus
from dialer.store.backends.backend import backend_of
from dialer.store.reconciliation.reconcile import audit
from dialer.store.rows.joining.contact_collection import collect_campaign
from dialer.store.rows.subscriber_counts import subscribers_of_campaigns
from dialer.store.tables import Campaign, Subscriber, SubscriberMove
from tests.runtime.house import House
from tests.runtime.test_settling import SHORT

FIRST = [f"+1202555{place:04d}" for place in range(30)]
SECOND = [f"+1213555{place:04d}" for place in range(25)]
NEW = "+12025559999"


def campaign_of(house: House) -> int:
    """Create a campaign of two phonebooks, the second of which has two numbers of the first."""
    return house.campaign(house.survey(SHORT), house.phonebook(*FIRST), house.phonebook(*SECOND, *FIRST[:2]))


def note_each(connection: Connection) -> None:
    """Give the table of subscribers the trigger that it had before people joined together."""
    query = text("SELECT sql FROM sqlite_schema WHERE name = 'subscriber_added'")
    head, _, rest = str(connection.execute(query).scalar_one()).partition(" WHEN ")
    connection.exec_driver_sql("DROP TRIGGER subscriber_added")
    connection.exec_driver_sql(f"{head} {rest[rest.index('BEGIN') :]}")


def joined(house: House, campaign_id: int) -> None:
    assert house.database.write_now(lambda c: collect_campaign(c, campaign_id, house.now_ms()))


def moves(house: House) -> list[tuple[int, int]]:
    return [(row["phonebook_id"], row["subscribers"]) for row in house.rows(SubscriberMove)]


@pytest.mark.parametrize(
    "is_old", [False, pytest.param(True, marks=pytest.mark.sqlite_only("changes a trigger of SQLite"))]
)
def test_people_who_join_together_are_noted_by_phonebook_and_the_next_one_alone(house: House, *, is_old: bool) -> None:
    """This holds in a database that another version has served, too."""
    campaign_id = campaign_of(house)
    if is_old:
        house.database.write_now(note_each)
    joined(house, campaign_id)
    assert moves(house) == [(1, len(FIRST)), (2, len(SECOND))]
    person = {name: value for name, value in house.rows(Subscriber)[0].items() if name != "id"}
    house.add(Subscriber, **person | {"number": NEW})
    assert moves(house) == [(1, len(FIRST)), (2, len(SECOND)), (1, 1)]
    found = house.database.read_now(lambda c: subscribers_of_campaigns(c, [campaign_id]))
    assert found == {campaign_id: [SubscriberState(SubscriberStatus.PENDING, "", len(FIRST) + len(SECOND) + 1, 0)]}


def test_people_who_join_together_are_each_number_once(house: House) -> None:
    campaign_id = campaign_of(house)
    joined(house, campaign_id)
    assert [row["number"] for row in house.rows(Subscriber)] == [*FIRST, *SECOND]
    assert house.row(Campaign, campaign_id)["totalcontact"] == len(FIRST) + len(SECOND)
    assert house.database.read_now(audit).differences == []


def test_after_a_failure_people_are_noted_as_before(house: House) -> None:
    campaign_id = campaign_of(house)

    def fail(connection: Connection) -> None:
        with pytest.raises(ZeroDivisionError), backend_of(connection).joining_together(connection, campaign_id):
            raise ZeroDivisionError

    house.database.write_now(fail)
    assert moves(house) == []
    joined(house, campaign_id)
    assert moves(house) == [(1, len(FIRST)), (2, len(SECOND))]
