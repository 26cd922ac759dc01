"""The question that query parameters ask about statistics, and the answer as the API writes it."""

from collections.abc import Mapping
from typing import Final
from zoneinfo import ZoneInfo

from dialer.api.routes import statistics_shapes as shapes
from dialer.app.campaigns.statistics import RowsAsked, Statistics, results_of
from dialer.app.overview.abandoned_counts import AbandonedShares
from dialer.domain.billing.money import format_money
from dialer.domain.calling_times.zones import is_zone
from dialer.domain.calls.plans import SMS, gateway_named
from dialer.domain.figures.statistics import (
    GROUPS,
    HOUR_MS,
    Figures,
    Interval,
    SubscriberState,
    agent_and_outcome,
    mean,
    percent,
    rounded,
    unit_cost,
)
from dialer.domain.rules.abandoned_limits import NO_CALLS, Period
from dialer.domain.rules.doubtful_entries import DoubtfulEntries, in_words
from dialer.domain.words.sentences import message_of
from dialer.resources.crud.fields import Conventions, FieldError
from dialer.resources.crud.moments import Timestamp, show_timestamp
from dialer.resources.crud.urls import Links
from dialer.resources.words.errors import Errors, InvalidError
from dialer.store.queries.statistics import Counted, Hours, Present

AFTER, BEFORE = "starting_date_after", "starting_date_before"
_LAST_HOUR: Final = 2**40
INTERVAL, GROUP_BY, ZONE = "interval", "group_by", "timezone"
_AGENT_AND_WORD: Final = "agent_disposition_word"
_NO_RECORDS: Final = frozenset({"zone", "attempt", "disposition", "disposition_word"})
"""The groups whose members are no records."""


def statistics_question(given: Mapping[str, str], conventions: Conventions) -> RowsAsked:
    """Return the query for statistics that the request's parameters describe.

    Raises:
        InvalidError: parameters are invalid.
    """
    interval, group_by, zone = given.get(INTERVAL), given.get(GROUP_BY), given.get(ZONE)
    errors: Errors = {}
    if interval is not None and interval not in set(Interval):
        errors[INTERVAL] = [f"{interval!r} is not an interval. Use hour or day."]
    if group_by is not None and group_by not in GROUPS:
        errors[GROUP_BY] = [f"{group_by!r} is not a group. Use one of {', '.join(GROUPS)}."]
    if zone is not None and not is_zone(zone):
        errors[ZONE] = [f"{zone!r} is not a time zone. Use an IANA name, such as Europe/Madrid."]
    hours = parse_hours(given, conventions, errors)
    if errors:
        raise InvalidError(errors)
    return RowsAsked(
        None if interval is None else Interval(interval),
        group_by,
        conventions.zone if zone is None else ZoneInfo(zone),
        hours,
    )


def parse_hours(given: Mapping[str, str], conventions: Conventions, errors: Errors) -> Hours:
    """Return the hours from `AFTER` to `BEFORE`, those of both moments included; all hours without them.

    A wrong moment is added to the errors.
    """
    hours = [0, _LAST_HOUR]
    for place, name in enumerate((AFTER, BEFORE)):
        if name in given:
            try:
                hours[place] = Timestamp().parse(given[name], conventions) // HOUR_MS + place
            except FieldError as error:
                errors[name] = [message_of(error)]
    return Hours(*hours)


def statistics_answer(
    found: Statistics, campaign: str | None, question: RowsAsked, links: Links, currency: str | None
) -> shapes.StatisticsRead:
    """Return statistics as the API writes them. `campaign` is the URL of the campaign; None for all campaigns.

    `currency` is that of all costs; None if the accounts have several.
    """
    return shapes.StatisticsRead(
        campaign=campaign,
        currency=currency,
        now=_present(found.present),
        totals=shown_figures(found.totals),
        subscribers=_subscribers(found.subscribers),
        outcomes=[_outcome(one, found.totals) for one in found.outcomes],
        results=[
            shapes.StatisticsResult(result, count, percent(count, found.totals.calls))
            for result, count in results_of(found.outcomes).items()
        ],
        rows=[
            shapes.StatisticsRowRead(
                None if row.from_ms is None else show_timestamp(row.from_ms),
                None if row.member is None else _group(question.group_by, row.member, links),
                shown_figures(row.figures),
                agent_and_outcome(row.member)[1] if row.member and question.group_by == _AGENT_AND_WORD else None,
            )
            for row in found.rows
        ],
        abandoned_shares=None if found.abandoned is None else _abandoned(found.abandoned),
        tests=None if found.tests is None else _tests(found.tests),
        do_not_call=None if found.doubtful_entries is None else _do_not_call(found.doubtful_entries),
    )


def _tests(figures: Figures) -> shapes.TestsRead:
    calls = figures.calls + figures.inbound
    return shapes.TestsRead(calls, figures.messages, format_money(figures.cost))


def _do_not_call(counts: DoubtfulEntries) -> shapes.DoubtfulEntriesRead:
    return shapes.DoubtfulEntriesRead(counts.stopping_nobody, counts.without_country, [*map(str, in_words(counts))])


def _abandoned(shares: AbandonedShares) -> shapes.AbandonedSharesRead:
    day, month, campaign = (
        shapes.AbandonedCountRead(one.abandoned, one.of, rounded(one.share))
        for one in (shares.counts.get(period, NO_CALLS) for period in Period)
    )
    limits = [
        shapes.AbandonedLimitRead(
            one.rule.country or None, one.rule.period, one.limit, rounded(one.counted.share), one.is_exceeded
        )
        for one in shares.judged
    ]
    return shapes.AbandonedSharesRead(day, month, campaign, limits)


def _present(now: Present) -> shapes.PresentRead:
    names = shapes.AgentsNow.__struct_fields__
    agents = shapes.AgentsNow(**{name: now.agents.get(name, 0) for name in names})
    return shapes.PresentRead(now.calls, now.waiting, now.talking, now.calls_a_minute, agents)


def _subscribers(states: list[SubscriberState]) -> shapes.SubscriberFiguresRead:
    total, attempted = sum(one.subscribers for one in states), sum(one.attempted for one in states)
    by_state = [shapes.SubscriberStateRead(one.status, one.status_reason, one.subscribers) for one in states]
    return shapes.SubscriberFiguresRead(total, attempted, percent(attempted, total), by_state)


def _outcome(counted: Counted, totals: Figures) -> shapes.StatisticsOutcome:
    figures = counted.figures
    share = percent(figures.calls, totals.calls)
    return shapes.StatisticsOutcome(
        counted.member, figures.calls, share, figures.legs, figures.inbound, figures.messages
    )


def _group(group_by: str | None, member: str, links: Links) -> str:
    """Return the URL of a group's record, or the group itself. Calls without a phonebook or a disposition have ''."""
    if group_by is None or group_by in _NO_RECORDS:
        return member
    if group_by == _AGENT_AND_WORD:
        group_by, member = "agent", agent_and_outcome(member)[0]
    if member == "0":
        return ""
    if group_by == "gateway":
        medium, record_id = gateway_named(member)
        return links.record("sms-gateway" if medium == SMS else "gateway", record_id)
    return links.record(group_by, int(member))


def shown_figures(one: Figures) -> shapes.FiguresRead:
    """Return figures with their rates, as the API writes them."""
    each = unit_cost(one.cost, one.completed)
    return shapes.FiguresRead(
        calls=one.calls,
        answered=one.answered,
        live_answered=one.live,
        machine_answered=one.machines,
        completed=one.completed,
        asr=percent(one.answered, one.calls),
        acd=mean(one.talk_s, one.answered),
        answer_delay=mean(one.answer_s, one.answered),
        pdd=None if not one.signalled else round(one.post_dial_ms / one.signalled / 1_000, 2),
        talk_seconds=one.talk_s,
        contact_rate=percent(one.live, one.calls),
        completion_rate=percent(one.completed, one.live),
        abandoned=one.abandoned,
        abandoned_of=one.for_agents,
        abandoned_percent=percent(one.abandoned, one.for_agents),
        transfers=one.legs,
        transfers_answered=one.legs_answered,
        transfers_seconds=one.legs_talk_s,
        inbound=one.inbound,
        inbound_answered=one.inbound_answered,
        inbound_seconds=one.inbound_talk_s,
        messages=one.messages,
        delivered=one.delivered,
        delivery_rate=percent(one.delivered, one.messages),
        message_parts=one.parts,
        cost=format_money(one.cost),
        cost_per_completion=None if each is None else format_money(each),
    )
