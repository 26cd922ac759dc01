"""Tables of `dialer report`: the state of a campaign, its figures, subscribers, outcomes and rows."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from enum import IntEnum
from typing import Final

from rich.console import Group
from rich.table import Table
from sqlalchemy import RowMapping

from dialer.api.routes.statistics_shapes import FiguresRead, StatisticsRead
from dialer.app.campaigns.statistics import RowsAsked
from dialer.commands.output import printable
from dialer.commands.tables import add_row, stacked, table, with_unit
from dialer.domain.figures.statistics import Interval, percent
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.domain.words.reasons import CAMPAIGN_REASONS, SUBSCRIBER_REASONS
from dialer.resources.crud.moments import show_timestamp
from dialer.store.tables import SMS
from dialer.store.timeline.reading import cause_in_words

_CALLS: Final = (
    ("calls", "calls"),
    ("answered", "answered"),
    ("ASR %", "asr"),
    ("ACD s", "acd"),
    ("completed", "completed"),
    ("abandoned %", "abandoned_percent"),
    ("cost", "cost"),
)
_OF_AGENTS: Final = frozenset({"agent", "agent_disposition_word"})
_AGENTS: Final = (
    ("transfers", "transfers"),
    ("answered", "transfers_answered"),
    ("talk s", "transfers_seconds"),
    ("cost", "cost"),
)
_MESSAGES: Final = (
    ("messages", "messages"),
    ("delivered", "delivered"),
    ("delivered %", "delivery_rate"),
    ("parts", "message_parts"),
    ("cost", "cost"),
)


def report_tables(
    campaign: RowMapping, answer: StatisticsRead, groups: Sequence[str | None], question: RowsAsked, now_ms: int
) -> Group:
    """Return the report of a campaign. `groups` are the names of the rows' groups, in order."""
    is_sms = campaign["medium"] == SMS
    tables = [_totals(answer, is_sms=is_sms)]
    if answer.subscribers.by_state:
        tables.append(_subscribers(answer))
    if answer.results:
        tables.append(_results(answer))
    if answer.outcomes:
        tables.append(_outcomes(answer))
    if question.interval is not None or question.group_by is not None:
        tables.append(_rows(answer, groups, question, is_sms=is_sms))
    return stacked("\n".join(map(printable, _state(campaign, answer, now_ms))), tables)


def _state(campaign: RowMapping, answer: StatisticsRead, now_ms: int) -> Iterator[str]:
    yield f"Campaign {campaign['id']} ({campaign['campaign_code']}), {campaign['name']}"
    reason = campaign["status_reason"]
    because = f": {CAMPAIGN_REASONS.get(reason, reason)}" if reason else ""
    yield f"{named(CampaignStatus, campaign['status'])}{because}"
    now = answer.now
    yield (
        f"At {_moment(show_timestamp(now_ms), UTC)} UTC: {now.calls} calls in progress, {now.waiting} waiting,"
        f" {now.talking} with an agent, {now.calls_a_minute} dialled in the last minute"
    )
    agents = [(name.replace("_", " "), getattr(now.agents, name)) for name in now.agents.__struct_fields__]
    if any(count for _, count in agents):
        yield f"Agents: {', '.join(f'{count} {name}' for name, count in agents if count)}"
    if answer.do_not_call is not None:
        yield from (f"Warning: {warning}" for warning in answer.do_not_call.warnings)


def named(values: type[IntEnum], value: int) -> str:
    """Return the name of a status; its number if it has none."""
    try:
        return values(value).name
    except ValueError:
        return str(value)


def _totals(answer: StatisticsRead, *, is_sms: bool) -> Table:
    made, figures = table("Totals", "", "count", "%", ""), answer.totals
    if not is_sms:
        _totals_of_calls(made, figures)
    if figures.messages or is_sms:
        add_row(made, "messages delivered", figures.delivered, figures.delivery_rate, f"of {figures.messages:,}")
    each = "" if figures.cost_per_completion is None else f"{figures.cost_per_completion} a completed call"
    add_row(made, with_unit("cost", answer.currency), figures.cost, "", each)
    made.columns[-1].justify = "left"
    return made


def _totals_of_calls(to: Table, figures: FiguresRead) -> None:
    add_row(to, "calls", figures.calls, "", "")
    add_row(to, "answered (ASR)", figures.answered, figures.asr, f"ACD {_seconds(figures.acd)}")
    add_row(to, "answered by a person", figures.live_answered, figures.contact_rate, "")
    if figures.machine_answered:
        share = percent(figures.machine_answered, figures.calls)
        add_row(to, "answered by a machine", figures.machine_answered, share, "")
    add_row(to, "completed", figures.completed, figures.completion_rate, "of those that a person answered")
    if figures.abandoned_of:
        add_row(to, "abandoned", figures.abandoned, figures.abandoned_percent, f"of {figures.abandoned_of:,}")
    if figures.transfers:
        add_row(to, "transfers", figures.transfers, "", f"{figures.transfers_answered:,} answered")
    if figures.inbound:
        add_row(to, "inbound calls", figures.inbound, "", f"{figures.inbound_answered:,} answered")
    add_row(to, "post-dial delay", _seconds(figures.pdd), "", "")
    add_row(to, "delay of the answer", _seconds(figures.answer_delay), "", "")


def _subscribers(answer: StatisticsRead) -> Table:
    subscribers = answer.subscribers
    reached = f"{subscribers.attempted:,} attempted ({subscribers.list_penetration or 0:.2f} %)"
    title = f"Subscribers: {subscribers.total:,}, {reached}"
    made = table(title, "status", "reason", "subscribers", texts=2)
    for state_count in subscribers.by_state:
        reason = SUBSCRIBER_REASONS.get(state_count.status_reason, state_count.status_reason)
        add_row(made, named(SubscriberStatus, state_count.status), reason, state_count.subscribers)
    return made


def _results(answer: StatisticsRead) -> Table:
    made = table("What came of the calls", "result", "", "calls", "%", texts=2)
    for result in answer.results:
        add_row(made, result.result.value, result.result.meaning, result.calls, result.percent)
    return made


def _outcomes(answer: StatisticsRead) -> Table:
    """Return the table of outcomes, without columns that are zero in every row."""
    counts = [
        name
        for name in ("transfers", "inbound", "messages")
        if any(getattr(outcome, name) for outcome in answer.outcomes)
    ]
    made = table("Outcomes", "cause", "", "calls", "%", *counts, texts=2)
    for outcome in answer.outcomes:
        words = cause_in_words(int(outcome.outcome)) if outcome.outcome.isdecimal() else ""
        add_row(
            made, outcome.outcome, words, outcome.calls, outcome.percent, *(getattr(outcome, name) for name in counts)
        )
    return made


def _rows(answer: StatisticsRead, groups: Sequence[str | None], question: RowsAsked, *, is_sms: bool) -> Table:
    columns = _MESSAGES if is_sms else _AGENTS if question.group_by in _OF_AGENTS else _CALLS
    is_timed, is_grouped = question.interval is not None, question.group_by is not None
    heads = [*([f"{question.interval}"] if is_timed else []), *([f"{question.group_by}"] if is_grouped else [])]
    zone = question.zone if question.interval is Interval.DAY else UTC
    title = f"By {' and '.join(heads)}" + (f", {zone}" if is_timed else "")
    shown = (with_unit(head, answer.currency) if head == "cost" else head for head, _ in columns)
    made = table(title, *heads, *shown, texts=len(heads))
    for row, group in zip(answer.rows, groups, strict=True):
        begin = [] if row.starting_date is None else [_moment(row.starting_date, zone, question.interval)]
        add_row(
            made,
            *begin,
            *([group if group not in {None, "", "0"} else "none"] if is_grouped else []),
            *(getattr(row.figures, field) for _, field in columns),
        )
    return made


def _seconds(mean: float | None) -> str:
    return "-" if mean is None else f"{mean:.2f} s"


def _moment(text: str, zone: tzinfo, interval: Interval | None = None) -> str:
    """Return a moment in a zone: a day, an hour, or a moment to the second."""
    at = datetime.fromisoformat(text).astimezone(zone)
    if interval is Interval.DAY:
        return f"{at:%Y-%m-%d}"
    return f"{at:%Y-%m-%d %H:%M}" if interval is Interval.HOUR else f"{at:%Y-%m-%d %H:%M:%S}"
