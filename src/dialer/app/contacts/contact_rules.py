"""Use cases of contact rules: how often the people of an account may be contacted."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, delete, insert, select, true, update

from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.touched_records import known_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calling_times.zones import countries_of_law
from dialer.domain.words.contact_words import RestAfter
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.sentences import Sentence
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.queries.contact_law import countries_of_refusal
from dialer.store.queries.law_switch import HAS_LAW
from dialer.store.rows.held_contacts import look_again
from dialer.store.tables import Campaign, ContactRule, Subscriber

RULES_MAX: Final = 50
"""The most rules of an account. Each is judged for everybody who may be contacted."""

_NAMES: Final = frozenset({"name", "source", "updated_date"})
"""Columns that hold nobody back."""
_LAW_IS_KEPT: Final = Sentence("It is a row of law, which cannot be deleted. An admin can switch it off.")


def add_rule(unit: UnitOfWork, values: Mapping[str, Any]) -> Row[Any]:
    """Add a rule to an account, from its columns; return its row."""
    row = unit.connection.execute(insert(ContactRule).values(values).returning(*ContactRule.__table__.c)).one()
    _note_change(unit, row.user_id)
    return row


def change_rule(unit: UnitOfWork, rule_id: int, values: Mapping[str, Any]) -> None:
    """Write columns of a rule, or of a row of law, which holds for the campaigns of all accounts.

    Raises:
        UnknownRecordError: there is no such rule.
    """
    before = unit.connection.execute(select(ContactRule.__table__).where(ContactRule.id == rule_id)).mappings().first()
    if before is None:
        raise UnknownRecordError(f"There is no rule {rule_id}.")
    changed = update(ContactRule).where(ContactRule.id == rule_id)
    unit.connection.execute(changed.values({**values, "updated_date": unit.now_ms}))
    unit.note(NOTHING)
    if not any(before[name] != value for name, value in values.items() if name not in _NAMES):
        return
    if before["row"]:
        _look_at(unit, HAS_LAW)
    else:
        for account in {before["user_id"], values.get("user_id", before["user_id"])}:
            _note_change(unit, account)


def delete_rule(unit: UnitOfWork, rule_id: int) -> None:
    """Remove a rule from its account.

    Raises:
        RefusedError: it is a row of law.
        UnknownRecordError: there is no such rule.
    """
    user_id = _user_of(unit, rule_id)
    unit.connection.execute(delete(ContactRule).where(ContactRule.id == rule_id))
    _note_change(unit, user_id)


def refusal_said(unit: UnitOfWork, user_id: int, number: str, *, is_taken_back: bool) -> Touched:
    """Return the campaigns of an account that wait for somebody who refused, or who did not after all.

    There are none without a rule, or a row of law, of rest after a refusal. A refusal only adds a hold, so nobody has
    to be looked at again who is held back already; if it is taken back, only those with this number.
    """
    is_one = (
        (ContactRule.user_id == user_id) & (ContactRule.after == RestAfter.REFUSAL) & (ContactRule.enabled == true())
    )
    has_rule = unit.connection.scalar(select(ContactRule.id).where(is_one).limit(1)) is not None
    if not has_rule and countries_of_refusal().isdisjoint(countries_of_law(number)):
        return NOTHING
    waiting = select(Subscriber.campaign_id).where(
        Subscriber.number == number, Subscriber.status == SubscriberStatus.PENDING
    )
    is_theirs = (Campaign.user_id == user_id) & Campaign.id.in_(waiting)
    if not has_rule:
        is_theirs &= HAS_LAW
    if is_taken_back:
        look_again(unit.connection, is_theirs, unit.now_ms, number)
    return known_campaigns(unit.connection, is_theirs)


def _user_of(unit: UnitOfWork, rule_id: int) -> int:
    found = unit.connection.execute(select(ContactRule.user_id).where(ContactRule.id == rule_id)).first()
    if found is None:
        raise UnknownRecordError(f"There is no rule {rule_id}.")
    if found.user_id is None:
        raise RefusedError(_LAW_IS_KEPT, code=ErrorCode.KEPT)
    return int(found.user_id)


def _note_change(unit: UnitOfWork, user_id: int) -> None:
    _look_at(unit, Campaign.user_id == user_id)


def _look_at(unit: UnitOfWork, campaigns: ColumnElement[bool]) -> None:
    """Have campaigns read with their rules, and everybody looked at again whom rules hold back."""
    look_again(unit.connection, campaigns, unit.now_ms)
    unit.note(known_campaigns(unit.connection, campaigns))
