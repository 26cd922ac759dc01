"""`dialer rules`: the rows of law that are built in, and the contact rules of accounts."""

from collections.abc import Iterator
from datetime import date, datetime

import msgspec
import rich_click as click
from sqlalchemy import Connection, RowMapping, select

from dialer.commands.open_service import open_existing_database, settings_from_environment
from dialer.commands.output import print_json, printable
from dialer.domain.places.places import zones_of_country
from dialer.domain.rules.contact_rule_words import in_words
from dialer.resources.records.law_rows import LawRowRead, shown_row
from dialer.store.queries.contact_rules import rule_of
from dialer.store.queries.law_switch import LawState, law_states
from dialer.store.tables import ContactRule, User


class ShownRule(msgspec.Struct, frozen=True):
    """A rule of an account as JSON."""

    rule: int
    user: str
    name: str
    country: str
    in_words: str
    source: str
    from_date: str | None
    until_date: str | None
    enabled: bool


class ShownRules(msgspec.Struct, frozen=True):
    """The rows and rules that the command prints."""

    rows: list[LawRowRead]
    rules: list[ShownRule]


def rules(country: str | None, day: datetime | None, *, as_json: bool) -> None:
    """Show the rows of law and the rules of accounts."""
    code = (country or "").upper()
    if code and not zones_of_country(code):
        raise click.ClickException(f"{printable(code)[:20]!r} is no ISO 3166 code of a country, such as US")
    on = None if day is None else day.date()
    with open_existing_database(settings_from_environment()) as database:
        states, found = database.read_now(_rules)
    rows = [
        state
        for state in states
        if state.row.country in {code or state.row.country, ""} and (on is None or state.row.is_in_force(on))
    ]
    own = [_rule(row) for row in found if row["country"] in {code, ""} or not code]
    shown = ShownRules([shown_row(row) for row in rows], [one for one in own if on is None or _holds(one, on)])
    if as_json:
        print_json(shown)
    else:
        click.echo("\n".join(_lines(shown)))


def _rules(connection: Connection) -> tuple[list[LawState], list[RowMapping]]:
    query = select(ContactRule.__table__, User.username).join(User, User.id == ContactRule.user_id)
    return law_states(connection), list(connection.execute(query.order_by(ContactRule.id)).mappings())


def _holds(rule: ShownRule, day: date) -> bool:
    return (rule.from_date or "") <= day.isoformat() <= (rule.until_date or "9999")


def _rule(row: RowMapping) -> ShownRule:
    return ShownRule(
        row["id"],
        row["username"],
        row["name"],
        row["country"],
        in_words(rule_of(row)),
        row["source"],
        row["from_date"],
        row["until_date"],
        bool(row["enabled"]),
    )


def _lines(shown: ShownRules) -> Iterator[str]:
    for row in shown.rows:
        dates = " ".join(
            f"{word} {day}" for word, day in (("from", row.from_date), ("until", row.until_date)) if day is not None
        )
        state = "on" if row.enabled else "off"
        yield f"{row.row}  {state}  {', '.join(row.purposes) or 'all purposes'}  {dates}".rstrip()
        yield f"  {row.in_words}"
        if row.switched_by:
            yield f"  switched {state} by {printable(row.switched_by)}, {row.switched_date:%Y-%m-%d %H:%M:%S} UTC"
        if row.not_built:
            yield f"  {row.not_built}"
        yield f"  {row.source}, read {row.read_date}: {row.confidence}"
    for rule in shown.rules:
        state = "on" if rule.enabled else "off"
        yield f"rule {rule.rule} of {printable(rule.user)}  {state}  {printable(rule.name)}"
        yield f"  {rule.in_words}"
    yield f"{len(shown.rows)} rows of law and {len(shown.rules)} rules of accounts. Nothing here is legal advice."
