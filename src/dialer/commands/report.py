"""`dialer report`: the statistics of one campaign."""

from collections.abc import Mapping
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

import rich_click as click
from sqlalchemy import Connection, RowMapping

from dialer.api.answers.csv_lines import write_csv
from dialer.api.routes.statistics_answer import (
    AFTER,
    BEFORE,
    GROUP_BY,
    INTERVAL,
    ZONE,
    statistics_answer,
    statistics_question,
)
from dialer.api.routes.statistics_shapes import FiguresRead, StatisticsRead
from dialer.app.campaigns.statistics import RowsAsked, Statistics, TooManyRowsError, read_statistics
from dialer.commands.open_service import OpenService, open_service
from dialer.commands.output import print_json
from dialer.commands.report_tables import report_tables
from dialer.commands.tables import draw
from dialer.domain.figures.statistics import GROUPS, Grouping, Interval, agent_and_outcome
from dialer.resources.crud.fields import Conventions, Json
from dialer.resources.crud.urls import Links
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.resources.words.errors import InvalidError
from dialer.store.queries.campaigns import find_campaign
from dialer.store.queries.currencies import currency_of_sums
from dialer.store.queries.statistics import WhoseCalls, group_names
from dialer.store.tables import SMS

_OPTIONS: Final = {
    INTERVAL: "--interval",
    GROUP_BY: "--group-by",
    ZONE: "--timezone",
    AFTER: "--from",
    BEFORE: "--to",
}


def report(
    campaign: str, since: str | None, until: str | None, *, as_csv: bool, as_json: bool, **options: str | None
) -> None:
    """Show the statistics of a campaign."""
    if as_csv and as_json:
        raise click.UsageError("--csv and --json exclude each other: give one of them")
    if as_csv and options[INTERVAL] is None and options[GROUP_BY] is None:
        options[INTERVAL] = str(Interval.DAY)
    parameters = {name: text for name, text in {**options, AFTER: since, BEFORE: until}.items() if text is not None}
    with open_service() as service:
        _report(service, campaign, parameters, output="csv" if as_csv else "json" if as_json else "")


def _report(service: OpenService, campaign: str, parameters: Mapping[str, str], output: str) -> None:
    settings, now_ms = service.settings, service.now_ms()
    links = Links((settings.base_url or "").rstrip("/"), frozenset())
    question = _question(parameters, Conventions(ZoneInfo(settings.timezone), settings.default_region, links))

    def read(connection: Connection) -> tuple[RowMapping, Statistics, dict[str, str], str | None]:
        row = find_campaign(connection, campaign)
        statistics = read_statistics(connection, WhoseCalls(campaign_id=row["id"]), question, now_ms)
        members = {counted.member for counted in statistics.rows if counted.member is not None}
        names = {} if question.group_by is None else group_names(connection, GROUPS[question.group_by], members)
        return row, statistics, names, currency_of_sums(connection, row["user_id"], settings.currency)

    try:
        row, statistics, names, currency = service.database.read_now(read)
    except TooManyRowsError as error:
        raise click.ClickException(str(error)) from None
    resource = SMS_CAMPAIGNS if row["medium"] == SMS else CAMPAIGNS
    answer = statistics_answer(statistics, links.record(resource.path, row["id"]), question, links, currency)
    if output == "json":
        print_json(answer)
    elif output == "csv":
        click.echo(_csv(answer), nl=False)
    else:
        shown = [counted.member and _label(question, counted.member, names) for counted in statistics.rows]
        draw(report_tables(row, answer, shown, question, now_ms))


def _label(question: RowsAsked, member: str, names: Mapping[str, str]) -> str:
    """Return the name of a group; of an agent and an outcome, both."""
    if question.group_by is None or GROUPS[question.group_by] is not Grouping.AGENT_DISPOSITION_WORD:
        return names.get(member, member)
    agent, outcome = agent_and_outcome(member)
    return f"{names.get(member, agent)}: {outcome or 'none'}"


def _question(parameters: Mapping[str, str], conventions: Conventions) -> RowsAsked:
    try:
        return statistics_question(parameters, conventions)
    except InvalidError as error:
        messages = [f"{_OPTIONS[name]}: {' '.join(map(str, texts))}" for name, texts in error.errors.items()]
        raise click.UsageError("; ".join(messages)) from None


def _csv(answer: StatisticsRead) -> bytes:
    """Return the rows of an answer as CSV, with a line of names."""
    names = FiguresRead.__struct_fields__
    lines: list[tuple[Json, ...]] = [("starting_date", "group", *names, "disposition_word", "currency")]
    lines += [
        (
            row.starting_date,
            row.group,
            *map(partial(getattr, row.figures), names),
            row.disposition_word,
            answer.currency or None,
        )
        for row in answer.rows
    ]
    *columns, words, currencies = zip(*lines, strict=True)
    return write_csv([*columns, *(column for column in (words, currencies) if any(column[1:]))])
