"""The people whom a campaign would call, counted by the zone keys that decide when."""

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, func, select

from dialer.domain.calling_times.zones import UNKNOWN, zones_of_key
from dialer.domain.places.places import country_of_zone
from dialer.domain.rules.common_hours import PeopleOfZone
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.sentences import CountryName
from dialer.store.tables import Contact, Subscriber
from dialer.time_zone_rules import read_table

COUNTED_MAX: Final = 50_000
"""People who are counted: the first contacts, and the first waiting subscribers."""
ZONES_MAX: Final = 500
"""Zone keys that are judged, those with the most people first."""
_BESIDES: Final = {"XK": "Kosovo"}
"""Countries that ISO 3166 does not name."""


def _groups(zones: Select[Any]) -> Select[Any]:
    """Return the query for the zone keys among people, with the most people first."""
    first, count = zones.limit(COUNTED_MAX).subquery(), func.count().label("people")
    groups = select(first.c.zone, count).group_by(first.c.zone).order_by(count.desc(), first.c.zone)
    return groups.limit(ZONES_MAX)


_GROUPS: Final = (
    _groups(select(Contact.zone).where(Contact.phonebook_id.in_(bindparam("phonebooks", expanding=True)))),
    _groups(
        select(Subscriber.zone).where(
            Subscriber.campaign_id == bindparam("campaign"), Subscriber.status == SubscriberStatus.PENDING
        )
    ),
)


def people_by_zone(connection: Connection, campaign_id: int, phonebooks: list[int]) -> tuple[list[PeopleOfZone], bool]:
    """Return the number of a campaign's people by zone key, and whether some were not counted.

    They are the contacts of its phonebooks, or its waiting subscribers if it has no contacts.
    """
    for query in _GROUPS:
        rows = connection.execute(query, {"phonebooks": phonebooks, "campaign": campaign_id}).all()
        if rows:
            people = [PeopleOfZone(row.zone, row.people, _country_of(row.zone)) for row in rows]
            return people, sum(one.count for one in people) >= COUNTED_MAX
    return [], False


def _country_of(zone_key: str) -> CountryName | None:
    """Return the country of all zones of a key; None if there is not one."""
    if zone_key in {"", UNKNOWN}:
        return None
    countries = _known(map(country_of_zone, zones_of_key(zone_key)))
    return CountryName(countries[0], _names().get(countries[0], countries[0])) if len(countries) == 1 else None


def _known(countries: Iterable[str | None]) -> list[str]:
    return sorted({country or "" for country in countries} - {""})


@cache
def _names() -> dict[str, str]:
    return _BESIDES | {code: name.strip() for code, name in read_table("iso3166.tab")}
