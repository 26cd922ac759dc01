"""Tests of `abandoned_shares` in the statistics of a campaign: the shares that rules count, by the called countries."""

from typing import Any

from sqlalchemy import insert

from dialer.domain.figures.statistics import HOUR_MS
from dialer.store.database.database import Database
from dialer.store.tables import CampaignHour
from tests.api.builders import Estate
from tests.api.harness import NOW_MS


def counted(database: Database, campaign_id: int, hours_ago: int, abandoned: int, of: int) -> None:
    hour = {"hour": NOW_MS // HOUR_MS - hours_ago, "grouping": 0, "member": "", "for_agents": of}
    row = insert(CampaignHour).values(campaign_id=campaign_id, abandoned=abandoned, **hour)
    database.write_now(lambda connection: connection.execute(row))


def shares(estate: Estate) -> Any:  # noqa: ANN401 - JSON
    return estate.owner.get(f"campaigns/{estate.campaign['id']}/statistics/")["abandoned_shares"]


def share(abandoned: int, of: int, percent: float | None) -> dict[str, Any]:
    return {"abandoned": abandoned, "abandoned_of": of, "abandoned_percent": percent}


def test_each_period_has_its_share_and_each_called_country_its_limit(estate: Estate, database: Database) -> None:
    none = share(0, 0, None)
    assert shares(estate) == {"last_24_hours": none, "last_30_days": none, "campaign": none, "limits": []}
    for hours_ago, abandoned, of in ((0, 1, 100), (24, 1, 100), (25, 4, 100), (720, 6, 100), (721, 9, 100)):
        counted(database, estate.campaign["id"], hours_ago, abandoned, of)
    of_us = {"country": "US", "period": "30_days", "limit": 3.0, "abandoned_percent": 3.0, "is_exceeded": False}
    assert shares(estate) == {
        "last_24_hours": share(2, 200, 1.0),
        "last_30_days": share(12, 400, 3.0),
        "campaign": share(21, 500, 4.2),
        "limits": [of_us],
    }
    estate.owner.change(estate.campaign["url"], abandon_rate_max=1, phonebook=[estate.phonebook["url"]])
    for number in ("+442079460000", "+14165550101"):
        estate.owner.create("contact", contact=number, phonebook=estate.phonebook["url"])
    assert shares(estate)["limits"] == [
        {**of_us, "country": "CA", "limit": 1.0, "is_exceeded": True},
        {**of_us, "country": "GB", "period": "24_hours", "limit": 1.0, "abandoned_percent": 1.0},
        {**of_us, "limit": 1.0, "is_exceeded": True},
    ]
    assert estate.owner.get("statistics/")["abandoned_shares"] is None
