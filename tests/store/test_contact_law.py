"""Tests of the rows of law against the words of their sources, on both sides of each limit."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
import pytest

from dialer.domain.calls.contact_rules import (
    DAY_MS,
    HOUR_MS,
    FrequencyRule,
    MadeContact,
    RuledCampaign,
    first_free_ms,
    judge,
)
from dialer.domain.words.contact_words import CALL, TEXT
from dialer.domain.words.purposes import Purpose
from dialer.store.queries.contact_law import NOT_FOUND, LawRow, is_sure, law_for, law_rows
from tests.store.law_table import PAGE, with_table

NOON: Final = datetime(2026, 3, 27, 12, tzinfo=UTC)
"""Two days before the clocks of Europe are put forward."""


class Case(NamedTuple):
    """The words of a source, written down by hand: so many contacts, and then none for a time or until a midnight."""

    row: str
    zone: str
    limit: int
    lasts: timedelta | date
    what: str = ""
    """The call after which people rest; empty for a cap."""
    from_date: date | None = None
    until_date: date | None = None


CASES: Final = [
    Case("us-regf-attempts", "America/New_York", 7, timedelta(days=7), from_date=date(2021, 11, 30)),
    Case("us-regf-rest", "America/New_York", 0, date(2026, 4, 3), "conversation", date(2021, 11, 30)),
    Case("us-fl-cap", "America/New_York", 3, timedelta(hours=24), from_date=date(2021, 7, 1)),
    Case("us-ok-cap", "America/Chicago", 3, timedelta(hours=24), from_date=date(2022, 11, 1)),
    Case("us-md-cap", "America/New_York", 3, timedelta(hours=24), from_date=date(2024, 1, 1)),
    Case("us-wa-rest", "America/Los_Angeles", 0, timedelta(days=366), "refusal", date(2022, 6, 9)),
    Case("gb-72h", "Europe/London", 0, timedelta(hours=72), "abandoned"),
    Case("gb-amd-24h", "Europe/London", 0, timedelta(hours=24), "machine", date(2011, 2, 1)),
    Case("fr-cap", "Europe/Paris", 4, date(2026, 4, 26), from_date=date(2023, 3, 1)),
    Case("fr-rest", "Europe/Paris", 0, date(2026, 5, 27), "refusal", date(2023, 3, 1), date(2026, 8, 10)),
    Case("fr-rest-for-good", "Europe/Paris", 0, date(2053, 8, 11), "refusal", date(2026, 8, 11)),
    Case("jp-rest", "Asia/Tokyo", 0, date(2053, 8, 11), "refusal"),
]
CAMPAIGN: Final = RuledCampaign(1, 1, "", (), "UTC")


def row_of(name: str) -> LawRow:
    return next(row for row in law_rows() if row.id == name)


def rule_of(name: str) -> FrequencyRule:
    row = row_of(name)
    purpose = row.purposes[0] if row.purposes else Purpose.SURVEY
    return next(rule for rule in law_for(row.media[0], purpose, has_sure_agents=False) if rule.row == name)


def ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)


def contacts(case: Case, count: int, at_ms: int) -> Iterator[MadeContact]:
    for number in range(count):
        yield MadeContact(
            at_ms=at_ms + number,
            ended_ms=at_ms + number,
            medium=CALL,
            callid=str(number),
            campaign_id=1,
            billsec=1,
            is_person=True,
            is_abandoned=case.what == "abandoned",
            is_refusal=case.what == "refusal",
            is_machine=case.what == "machine",
        )


def free_ms(case: Case, count: int, now: datetime, at: datetime = NOON) -> int:
    """Return the first moment from `now` on at which somebody with so many contacts may be contacted."""
    made = list(contacts(case, count, ms(at)))
    holds = judge(rule_of(case.row), CAMPAIGN, made, [ZoneInfo(case.zone)])
    return first_free_ms([hold.span for hold in holds], ms(now))


def end_of(case: Case) -> datetime:
    if isinstance(case.lasts, timedelta):
        return NOON + case.lasts
    return datetime(case.lasts.year, case.lasts.month, case.lasts.day, tzinfo=ZoneInfo(case.zone))


def in_force(case: Case) -> bool:
    return (case.from_date or NOON.date()) <= NOON.date()


def test_every_row_that_is_on_is_judged_here() -> None:
    assert [row.id for row in law_rows() if row.is_on] == [case.row for case in CASES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.row)
def test_a_row_holds_up_to_its_limit_and_no_longer(case: Case) -> None:
    """One contact fewer than the limit holds nobody. The last one does, until the very moment that the source says."""
    row = row_of(case.row)
    assert (row.from_date, row.until_date) == (case.from_date, case.until_date)
    least, end = max(case.limit, 1), end_of(case)
    soon = NOON + timedelta(minutes=1)
    assert free_ms(case, least - 1, soon) == ms(soon)
    if in_force(case):
        assert free_ms(case, least, soon) == ms(end)
    last = end - timedelta(milliseconds=1)
    assert free_ms(case, least, last) == (ms(end) if in_force(case) or last.date() >= NOON.date() else ms(last))
    assert free_ms(case, least, end) == ms(end)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.row)
def test_a_row_begins_and_ends_with_its_days_there(case: Case) -> None:
    """The contact came an hour before the first moment, or before the last one."""
    zone, least = ZoneInfo(case.zone), max(case.limit, 1)
    if case.from_date is not None:
        first = datetime(case.from_date.year, case.from_date.month, case.from_date.day, tzinfo=zone)
        before = first - timedelta(hours=1)
        soon = before + timedelta(minutes=1)
        assert free_ms(case, least, soon, before) == ms(soon), "before its first day it holds nobody back"
        assert free_ms(case, least, first, before) > ms(first)
    if case.until_date is not None:
        over = datetime(case.until_date.year, case.until_date.month, case.until_date.day, tzinfo=zone)
        over += timedelta(days=1)
        assert free_ms(case, least, over - timedelta(minutes=1), over - timedelta(hours=1)) == ms(over)


def test_a_state_is_that_of_the_area_code_and_of_the_column() -> None:
    florida, oklahoma = rule_of("us-fl-cap"), rule_of("us-ok-cap")
    assert [rule.is_for("+13055550123", "OK") for rule in (florida, oklahoma)] == [True, True]
    assert [rule.is_for("+13055550123", "") for rule in (florida, oklahoma)] == [True, False]
    assert [rule.is_for("+442079460000", "Florida") for rule in (florida, oklahoma)] == [False, False]


@pytest.mark.parametrize(
    ("numbers", "row"),
    [
        ("+12025550123 +17875550123 +16715550123 +13405550123 +16845550123 +16705550123", "us-regf-attempts"),
        ("+33142345601 +262262123456 +590590123456 +596596123456 +594594123456 +508412345", "fr-cap"),
    ],
)
def test_a_row_holds_in_the_territories_in_which_the_law_does_and_an_accounts_rule_where_it_says(
    numbers: str, row: str
) -> None:
    law = rule_of(row)
    own = msgspec.structs.replace(law, id=1, row="")
    assert {number for number in numbers.split() if law.is_for(number, "")} == set(numbers.split())
    assert [number for number in numbers.split() if own.is_for(number, "")] == numbers.split()[:1]
    assert not law.is_for("+442079460000", "")


def test_a_territory_is_in_no_state() -> None:
    rows = [rule_of(row) for row in ("us-fl-cap", "us-ok-cap", "us-md-cap", "us-wa-rest")]
    assert [rule.is_for("+17875550123", "") for rule in rows] == [False] * 4


def test_rows_bind_campaigns_of_their_purpose_and_those_that_do_not_say() -> None:
    def bound(medium: str, purpose: str, *, sure: bool = False) -> list[str]:
        return [rule.row for rule in law_for(medium, purpose, has_sure_agents=sure)]

    everybody = [case.row for case in CASES]
    assert bound(CALL, "") == everybody
    assert bound(CALL, "survey") == ["gb-72h", "gb-amd-24h"]
    assert bound(CALL, "survey", sure=True) == []
    assert bound(CALL, "debt", sure=True) == ["us-regf-attempts", "us-regf-rest"]
    assert bound(TEXT, "sales") == ["us-md-cap"]


def test_an_agent_is_sure_in_preview_and_with_one_call_for_each() -> None:
    assert [is_sure(method, rate) for method, rate in ((4, 3.0), (2, 1.0), (2, 1.1), (3, 1.0), (1, 1.0))] == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_a_row_that_nothing_backs_is_off_and_one_that_does_not_bind_says_why() -> None:
    for row in law_rows():
        assert row.confidence.startswith(("verified", "one source", NOT_FOUND))
        assert not (row.is_on and row.confidence.startswith(NOT_FOUND))
        assert row.binds or row.not_built
        assert (row.kind == "rest") == (row.after is not None)
        assert row.kind == "rest" or row.limit >= 1
    assert len({row.id for row in law_rows()}) == len(law_rows())


def test_the_page_shows_every_row_as_it_is() -> None:
    page = PAGE.read_text("utf-8")
    assert page == with_table(page)


def test_a_call_back_that_was_agreed_to_in_the_talk_ends_its_rest_and_no_other_one() -> None:
    def free(*made: MadeContact, row: str = "us-regf-rest", campaign: RuledCampaign = CAMPAIGN) -> datetime:
        holds = judge(rule_of(row), campaign, made, [ZoneInfo("America/New_York")])
        return datetime.fromtimestamp(first_free_ms([hold.span for hold in holds], ms(NOON) + HOUR_MS) / 1_000, UTC)

    sooner, end = NOON + timedelta(days=2), datetime(2026, 4, 3, 4, tzinfo=UTC)
    later = MadeContact(
        at_ms=ms(NOON) + 60_000,
        ended_ms=ms(NOON) + 60_000,
        medium=CALL,
        callid="b",
        campaign_id=1,
        billsec=60,
        is_person=True,
    )
    agreed = msgspec.structs.replace(later, callid="a", at_ms=ms(NOON), ended_ms=ms(NOON), call_back_ms=ms(sooner))
    came_in = msgspec.structs.replace(later, is_inbound=True)
    assert free(agreed) == sooner
    assert free(agreed, came_in) == sooner, "calling in takes nothing back"
    assert free(agreed, msgspec.structs.replace(came_in, is_refusal=True)) == end
    assert free(agreed, later) == end, "the newest talk counts"
    assert free(agreed, campaign=CAMPAIGN._replace(id=2)) == end, "it is for the campaign of the talk"
    over = msgspec.structs.replace(came_in, at_ms=ms(sooner), ended_ms=ms(sooner))
    assert first_free_ms(
        [hold.span for hold in judge(rule_of("us-regf-rest"), CAMPAIGN, [agreed, over], [ZoneInfo("UTC")])],
        ms(sooner),
    ) == ms(datetime(2026, 4, 5, tzinfo=UTC)), "they have talked since"
    refused = msgspec.structs.replace(agreed, is_refusal=True)
    assert free(refused, row="us-wa-rest") == NOON + timedelta(days=366), "no other row knows such a consent"


def test_a_call_back_whose_time_passes_while_they_talk_is_no_consent() -> None:
    """Its time is before the end of the talk that agreed to it, or of one that came in since: the rest begins then."""
    hour = ms(NOON)
    talk = MadeContact(
        at_ms=hour,
        ended_ms=hour + 20 * 60_000,
        medium=CALL,
        callid="a",
        campaign_id=1,
        billsec=60,
        is_person=True,
        call_back_ms=hour + 5 * 60_000,
    )
    end = ms(datetime(2026, 4, 3, tzinfo=UTC))

    def until(*made: MadeContact) -> list[tuple[int, int]]:
        holds = judge(rule_of("us-regf-rest"), CAMPAIGN, made, [ZoneInfo("UTC")])
        return [(hold.span.until_ms, hold.spared_until_ms) for hold in holds]

    replace = msgspec.structs.replace
    assert until(talk) == [(end, 0)]
    assert until(replace(talk, call_back_ms=talk.ended_ms)) == [(end, 0)]
    agreed = replace(talk, call_back_ms=hour + HOUR_MS)
    assert until(agreed) == [(hour + HOUR_MS, end)]
    came_in = replace(talk, callid="b", is_inbound=True, call_back_ms=None, at_ms=hour + 55 * 60_000)
    assert until(agreed, replace(came_in, ended_ms=hour + 59 * 60_000)) == [(hour + HOUR_MS, end)]
    assert until(agreed, replace(came_in, ended_ms=hour + 70 * 60_000)) == [(end, 0)]


def test_a_day_is_longer_than_twenty_three_hours() -> None:
    """Calendar days go on over the change to summer time: 30 days from noon there end at a midnight."""
    case = next(case for case in CASES if case.row == "fr-cap")
    span = free_ms(case, 4, NOON) - ms(NOON)
    assert span == 29 * DAY_MS + 10 * HOUR_MS
