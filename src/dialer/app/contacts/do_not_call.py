"""Use cases of do-not-call lists: add, change and remove entries, and delete lists."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Row, delete, exists, insert, select, update

from dialer.app.campaigns.campaign_references import refuse_while_named
from dialer.app.campaigns.delete import delete_trials
from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.events import NumberAllowed, NumberCalledOff
from dialer.app.work.touched_records import names_dnc, users_of_dnc
from dialer.app.work.unit import UnitOfWork
from dialer.domain.numbers.entries import entry_doubt
from dialer.domain.words.sentences import FieldName, Sentence
from dialer.store.database.touched import NOTHING
from dialer.store.rows.wishes import withdraw_listed
from dialer.store.tables import OF_SIMULATED, DncContact, DncList

_TAKE_BACK: Final = Sentence("Delete the number of somebody who agreed to be called again, not the list.")


def add_to_dnc(unit: UnitOfWork, values: Mapping[str, Any]) -> Row[Any]:
    """Put a number on a do-not-call list, from the columns of the entry; return its row."""
    written = {**values, "doubt": entry_doubt(values["number"]).value}
    row = unit.connection.execute(insert(DncContact).values(written).returning(*DncContact.__table__.c)).one()
    withdraw_listed(unit.connection, row.dnc_id, [row.number], row.source, unit.now_ms)
    unit.note(users_of_dnc(unit.connection, row.dnc_id), NumberCalledOff(row.dnc_id, row.id))
    return row


def change_dnc_entry(unit: UnitOfWork, entry_id: int, values: Mapping[str, Any]) -> None:
    """Write columns of an entry: another number, or another list.

    Raises:
        UnknownRecordError: there is no such entry.
    """
    before = _list_of(unit, entry_id)
    after = values.get("dnc_id", before)
    owner = select(DncList.user_id).where(DncList.id == after).scalar_subquery()
    written = {**values, "user_id": owner, "updated_date": unit.now_ms}
    if "number" in values:
        written["doubt"] = entry_doubt(values["number"]).value
    unit.connection.execute(update(DncContact).where(DncContact.id == entry_id).values(written))
    row = unit.connection.execute(select(DncContact.number, DncContact.source).where(DncContact.id == entry_id)).one()
    withdraw_listed(unit.connection, after, [row.number], row.source, unit.now_ms)
    touched = users_of_dnc(unit.connection, before) | users_of_dnc(unit.connection, after)
    unit.note(touched, NumberAllowed(before, entry_id), NumberCalledOff(after, entry_id))


def remove_from_dnc(unit: UnitOfWork, entry_id: int) -> None:
    """Remove an entry from its do-not-call list.

    Raises:
        UnknownRecordError: there is no such entry.
    """
    dnc_id = _list_of(unit, entry_id)
    unit.connection.execute(delete(DncContact).where(DncContact.id == entry_id))
    unit.note(users_of_dnc(unit.connection, dnc_id), NumberAllowed(dnc_id, entry_id))


def add_dnc_list(unit: UnitOfWork, values: Mapping[str, Any]) -> Row[Any]:
    """Create a do-not-call list from its columns; return its row."""
    row = unit.connection.execute(insert(DncList).values(values).returning(*DncList.__table__.c)).one()
    unit.note(users_of_dnc(unit.connection, row.id))
    return row


def change_dnc_list(unit: UnitOfWork, dnc_id: int, values: Mapping[str, Any]) -> None:
    """Write columns of a do-not-call list. `is_global` makes the list hold for every campaign."""
    before = users_of_dnc(unit.connection, dnc_id)
    unit.connection.execute(update(DncList).where(DncList.id == dnc_id).values(values))
    after = users_of_dnc(unit.connection, dnc_id)
    unit.note(NOTHING if before == after else before | after)


def delete_dnc_list(unit: UnitOfWork, dnc_id: int) -> None:
    """Delete a do-not-call list and its entries.

    The engine hears of it only if the list kept wishes of simulated people. Any other list holds for no campaign then.

    Raises:
        StillUsedError: a campaign names the list, even one that is over.
        RefusedError: the list holds for every campaign, keeps wishes of real people, or a test with it goes on.
    """
    refuse_while_named(unit.connection, names_dnc(dnc_id))
    delete_trials(unit, names_dnc(dnc_id))
    stored = unit.connection.execute(select(DncList.is_global, DncList.keeps_wishes_of).where(DncList.id == dnc_id))
    is_global, keeps_wishes_of = stored.first() or (False, "")
    has_entries = unit.connection.scalar(select(exists().where(DncContact.dnc_id == dnc_id)))
    is_simulated = keeps_wishes_of == OF_SIMULATED
    if keeps_wishes_of and has_entries and not is_simulated:
        raise RefusedError(
            Sentence("The list keeps the wishes of people not to be called. %(remedy)s", remedy=_TAKE_BACK),
            code=ErrorCode.KEPT,
        )
    if is_global:
        raise RefusedError(
            Sentence(
                "The list holds for every campaign. Switch off %(field)s before you delete it.",
                field=FieldName("is_global"),
            ),
            code=ErrorCode.LIST_IS_GLOBAL,
        )
    touched = users_of_dnc(unit.connection, dnc_id) if is_simulated else NOTHING
    unit.connection.execute(delete(DncList).where(DncList.id == dnc_id))
    unit.note(touched)


def _list_of(unit: UnitOfWork, entry_id: int) -> int:
    dnc_id: int | None = unit.connection.scalar(select(DncContact.dnc_id).where(DncContact.id == entry_id))
    if dnc_id is None:
        raise UnknownRecordError(f"There is no entry {entry_id}.")
    return dnc_id
