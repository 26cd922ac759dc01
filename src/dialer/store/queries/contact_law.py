"""The rows of law about how often people may be contacted, read from the file that a lawyer may change."""

from datetime import date
from functools import lru_cache
from importlib.resources import files
from tomllib import loads
from typing import Final, Literal

import msgspec

from dialer.domain.calls.contact_rules import FrequencyRule
from dialer.domain.words.contact_words import CALL, NUMBER, ContactMedium, PeriodUnit, RestAfter, RuleScope
from dialer.domain.words.enums import DialMethod
from dialer.domain.words.purposes import Purpose

FILE: Final = "contact_law.toml"
NOT_FOUND: Final = "not found"
"""The beginning of the confidence of a row that nothing backs, and that is off."""


class LawRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of law: a cap, or a rest. Its fields are explained at the head of the file."""

    id: str
    name: str
    country: str
    state: str = ""
    purposes: tuple[Purpose, ...] = ()
    media: tuple[ContactMedium, ...] = (ContactMedium.CALL,)
    kind: Literal["cap", "rest"]
    limit: int = 0
    after: RestAfter | None = None
    period: int
    unit: PeriodUnit
    per: Literal["number"] = "number"
    scope: RuleScope = RuleScope.ACCOUNT
    words: str
    """The rule in our words."""
    source: str
    read: date
    confidence: str
    from_date: date | None = msgspec.field(default=None, name="from")
    until_date: date | None = msgspec.field(default=None, name="until")
    binds: bool = True
    not_built: str = ""
    leaves_out_sure_agents: bool = False
    """True if it is not for calls for which an agent is free for certain."""
    spares_call_backs: bool = False
    """True if it does not hold back a call to which the person agreed in the talk."""

    @property
    def is_on(self) -> bool:
        """Return whether it holds people back."""
        return self.binds and not self.confidence.startswith(NOT_FOUND)

    def is_in_force(self, day: date) -> bool:
        """Return whether a day is within its dates."""
        return (self.from_date or day) <= day <= (self.until_date or day)


@lru_cache(maxsize=1)
def law_rows() -> tuple[LawRow, ...]:
    """Return all rows, in the order of the file."""
    text = files("dialer.store.queries").joinpath(FILE).read_text("utf-8")
    return tuple(msgspec.convert(loads(text)["row"], list[LawRow]))


def law_row(row_id: str) -> LawRow | None:
    """Return the row with an id; None if the file has none."""
    return next((row for row in law_rows() if row.id == row_id), None)


def row_of(rule_id: int) -> str:
    """Return the id of the row of law of a rule; empty for a rule of an account."""
    return law_rows()[-rule_id - 1].id if rule_id < 0 else ""


@lru_cache(maxsize=1)
def countries_of_refusal() -> frozenset[str]:
    """Return the countries where a row that is on, or may be, lets people rest after a refusal."""
    return frozenset(row.country for row in law_rows() if row.binds and row.after is RestAfter.REFUSAL)


@lru_cache(maxsize=256)
def law_for(medium: str, purpose: str, *, has_sure_agents: bool, switched: str = "") -> tuple[FrequencyRule, ...]:
    """Return the rules of law that bind campaigns of a medium and a purpose, which may be not said.

    `switched` has the ids of the rows that an admin has switched, each with `+` before it if it is on now, else `-`.
    """
    words = frozenset(switched.split())
    rules = [
        _rule(-place, row)
        for place, row in enumerate(law_rows(), 1)
        if row.binds
        and f"-{row.id}" not in words
        and (row.is_on or f"+{row.id}" in words)
        and not (has_sure_agents and row.leaves_out_sure_agents)
    ]
    return tuple(rule for rule in rules if rule.binds(medium, purpose))


def is_sure(dial_method: int, agent_dial_rate: float) -> bool:
    """Return whether an agent is free for certain for each call that a campaign dials."""
    return dial_method == DialMethod.PREVIEW or (dial_method == DialMethod.PROGRESSIVE and agent_dial_rate <= 1)


def _rule(rule_id: int, row: LawRow) -> FrequencyRule:
    return FrequencyRule(
        id=rule_id,
        row=row.id,
        name=row.name,
        limit=row.limit,
        period=row.period,
        unit=row.unit,
        after=row.after,
        scope=row.scope,
        per=NUMBER,
        media=frozenset(row.media) or frozenset({CALL}),
        purposes=frozenset(row.purposes),
        country=row.country,
        state=row.state,
        from_date=row.from_date,
        until_date=row.until_date,
        spares_call_backs=row.spares_call_backs,
    )
