"""The calls by country and hour, with every call checked against the local time of its callee."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from rich.console import Console
from rich.text import Text

from dialer.demo.checks import Checks
from dialer.demo.day import show as show_moment
from dialer.demo.display import heading, indented, strip, table
from dialer.demo.evidence import CdrRecord, Evidence, moment
from dialer.demo.places import COUNTRY_CODES, PLACE_OF_NUMBER
from dialer.demo.preparation import EXPIRES, STARTS, WINDOW

_HOUR: Final = timedelta(hours=1)
_LABEL_HOURS: Final = 4
_SATURDAY: Final = 5
_HOURS: Final = (moment(EXPIRES) - moment(STARTS)) // _HOUR
_RULER: Final = "".join(
    f"{moment(STARTS) + place * _HOUR:%H}".ljust(_LABEL_HOURS) for place in range(0, _HOURS, _LABEL_HOURS)
)


class Country(msgspec.Struct, frozen=True):
    """The people, calls and hours of one country."""

    name: str
    contacts: int
    calls: int
    answered: int
    local: str
    """Local time of its earliest and of its latest call of a day."""
    hours: tuple[int, ...]
    """Calls in each hour of the campaign."""


class Journey(msgspec.Struct, frozen=True):
    """The countries, their total, and the number of calls outside the daily window."""

    countries: tuple[Country, ...]
    total: Country
    outside: int


def figures(evidence: Evidence, checks: Checks) -> Journey:
    """Return the calls of all countries. The place of a number comes from the phonebook, not from the server."""
    by_country: defaultdict[str, list[CdrRecord]] = defaultdict(list)
    for cdr in evidence.cdrs:
        by_country[PLACE_OF_NUMBER[cdr.phone_number].country].append(cdr)
    countries = tuple(_country(evidence, checks, name, by_country[name]) for name in COUNTRY_CODES)
    return Journey(
        countries=countries,
        total=Country(
            "total",
            contacts=checks.same(
                "contacts", evidence.campaign["totalcontact"], sum(country.contacts for country in countries)
            ),
            calls=checks.same("calls", evidence.campaign["calls"], sum(country.calls for country in countries)),
            answered=checks.same(
                "answered", evidence.campaign["answered"], sum(country.answered for country in countries)
            ),
            local="",
            hours=_hours_of_the_api(evidence, checks),
        ),
        outside=checks.same("calls outside the daily window", 0, sum(not _is_inside(cdr) for cdr in evidence.cdrs)),
    )


def _country(evidence: Evidence, checks: Checks, name: str, cdrs: list[CdrRecord]) -> Country:
    subscribers = [subscriber for subscriber in evidence.subscribers if subscriber.additional_vars["country"] == name]
    attempts = [attempt for attempt in evidence.attempts if PLACE_OF_NUMBER[attempt.phone_number].country == name]
    local = sorted(at.time() for cdr in cdrs if (at := _local(cdr)) is not None)
    return Country(
        name,
        contacts=checks.same(
            f"contacts in {name}",
            len(subscribers),
            sum(place.country == name for place in PLACE_OF_NUMBER.values()),
        ),
        calls=checks.same(f"calls to {name}", sum(subscriber.count_attempt for subscriber in subscribers), len(cdrs)),
        answered=checks.same(
            f"answered in {name}",
            sum(attempt.is_answered for attempt in attempts),
            sum(cdr.is_answered for cdr in cdrs),
        ),
        local=f"{local[0]:%H:%M}\N{EN DASH}{local[-1]:%H:%M}" if local else "",
        hours=_hours(cdrs),
    )


def _hours_of_the_api(evidence: Evidence, checks: Checks) -> tuple[int, ...]:
    counts = []
    for place, calls in enumerate(_hours(evidence.cdrs)):
        begins = moment(STARTS) + place * _HOUR
        ends = begins + _HOUR - timedelta(milliseconds=1)
        counted = evidence.api.count(
            "cdr",
            campaign_id=evidence.prepared.campaign_id,
            starting_date_after=show_moment(begins),
            starting_date_before=show_moment(ends),
        )
        counts.append(checks.same(f"calls of the hour from {begins:%H:%M}", counted, calls))
    return tuple(counts)


def _hours(cdrs: Sequence[CdrRecord]) -> tuple[int, ...]:
    counts = Counter((moment(cdr.starting_date) - moment(STARTS)) // _HOUR for cdr in cdrs)
    return tuple(counts[place] for place in range(_HOURS))


def _local(cdr: CdrRecord) -> datetime | None:
    """Return the local start time of a call; None if the place of the number is unknown."""
    zone = PLACE_OF_NUMBER[cdr.phone_number].zone
    return moment(cdr.starting_date).astimezone(ZoneInfo(zone)) if zone else None


def _is_inside(cdr: CdrRecord) -> bool:
    begins, ends = map(time.fromisoformat, WINDOW)
    local = _local(cdr)
    return local is not None and begins <= local.time() < ends and local.weekday() < _SATURDAY


def show(console: Console, journey: Journey) -> None:
    """Print a row for each country, with a column for each hour."""
    heading(console, "Calls by country and hour", f"one column an hour, from {moment(STARTS):%H:%M} UTC")
    busiest = max(max(country.hours) for country in journey.countries)
    rows = [
        *(_row(country, busiest) for country in journey.countries),
        _row(journey.total, max(journey.total.hours)),
    ]
    headers = ["", "people", "calls", "answered", _RULER, "local time"]
    indented(console, table(headers, rows, left=(0, 4)))
    begins, ends = (text[:5] for text in WINDOW)
    remark = f"{journey.outside} calls rang before {begins} or from {ends} on in the callee's local time"
    indented(console, Text(remark, "dim"))


def _row(country: Country, busiest: int) -> list[str | Text]:
    counts = (f"{count:,}" for count in (country.contacts, country.calls, country.answered))
    return [country.name, *counts, strip(country.hours, busiest), country.local]
