"""The fields that tell what came of a test of a campaign from what came of the campaign; and the filter by them."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, RowMapping, bindparam, case, exists, false, select, true

from dialer.domain.messages.confirmation_codes import shown_text
from dialer.resources.crud.declaration import derived
from dialer.resources.crud.fields import Boolean
from dialer.resources.crud.references import Identity
from dialer.resources.crud.resource import Unit, Values
from dialer.resources.crud.shapes import Field
from dialer.store.tables import Campaign, Cdr, SurveyResult

_TRIALS: Final = select(Campaign.id, Campaign.trial_of_id).where(
    Campaign.id.in_(bindparam("ids", expanding=True)), Campaign.trial_of_id.is_not(None)
)
IS_TEST: Final = "is_test"
TEST_FIELDS: Final[dict[str, Field]] = {
    IS_TEST: derived(
        Boolean(),
        "True if it is of a test of a campaign (`test-call/`, `test-text/`). Then `campaign` is a record of the test's"
        " own, which no list shows and which answers 404. It is deleted with the test, as after 20 others.",
        example=False,
    ),
    "tested_campaign_id": derived(
        Identity(), "The id of the campaign that was tried; null if it is of no test.", nullable=True, example=None
    ),
}
"""The fields of a call or a message that say whether it is of a test, and of which campaign."""
KEPT_TEST_FIELDS: Final[dict[str, Field]] = {
    IS_TEST: derived(
        Boolean(), "True if it is of a test of a campaign (`test-call/`), also once the test is deleted.", example=False
    ),
    "tested_campaign_id": derived(
        Identity(),
        "The id of the campaign that was tried; null if it is of no test, or the test is deleted, as after 20 others.",
        nullable=True,
        example=None,
    ),
}
"""The fields of a CDR or an answer that say so. Both stay when the test is deleted."""


def tested(unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Return the values of `TEST_FIELDS` for each row, by its `campaign_id`. One statement reads all of them."""
    ids = {row["campaign_id"] for row in rows} - {None}
    trials = unit.connection.execute(_TRIALS, {"ids": list(ids)}) if ids else ()
    found: dict[int, int | None] = {row.id: row.trial_of_id for row in trials}
    tried = [found.get(row["campaign_id"]) for row in rows]
    return [{IS_TEST: one is not None, "tested_campaign_id": one} for one in tried]


def tested_messages(unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Return what `tested` does, and the text of each message; those that bring a code are shown without it."""
    ids = {row["campaign_id"] for row in rows} - {None}
    columns = Campaign.id, Campaign.trial_of_id, Campaign.text_message
    query = select(*columns).where(Campaign.id.in_(ids), Campaign.trial_of_id.is_not(None))
    found = {row.id: row for row in unit.connection.execute(query)} if ids else {}
    shown: list[Values] = []
    for row in rows:
        trial = found.get(row["campaign_id"])
        text = row["text_message"] if trial is None else shown_text(trial.text_message, row["text_message"])
        of = {IS_TEST: trial is not None, "tested_campaign_id": None if trial is None else trial.trial_of_id}
        shown.append({**of, "text_message": text})
    return shown


def tested_cdrs(unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Return what `tested` does. CDRs know by themselves whether they are of a test."""
    pairs = zip(tested(unit, rows), rows, strict=True)
    return [{**of, IS_TEST: bool(row[IS_TEST])} for of, row in pairs]


def tested_answers(unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Return what `tested` does for answers. An answer whose campaign is gone is of a test if its CDR is."""
    left = {row["callid"] for row in rows if row["campaign_id"] is None and row["callid"]}
    query = select(Cdr.callid).where(Cdr.callid.in_(left), Cdr.is_test)
    found = set(unit.connection.scalars(query)) if left else set()
    pairs = zip(tested(unit, rows), rows, strict=True)
    return [{**of, IS_TEST: of[IS_TEST] or row["callid"] in found} for of, row in pairs]


def by_test(campaign_id: ColumnElement[Any]) -> tuple[str, Callable[[Any], ColumnElement[bool]]]:
    """Return the filter of records by whether their campaign, to which `campaign_id` refers, is a test."""
    return _by(_is_of_test(campaign_id))


def answers_by_test() -> tuple[str, Callable[[Any], ColumnElement[bool]]]:
    """Return the filter of answers by whether they are of a test, as `tested_answers` tells."""
    campaign_id: ColumnElement[Any] = SurveyResult.__table__.c.campaign_id
    is_its = (Cdr.callid == SurveyResult.callid) & (Cdr.user_id == SurveyResult.user_id) & Cdr.is_test
    return _by(_is_of_test(campaign_id) | (campaign_id.is_(None) & exists().where(is_its)))


def _is_of_test(campaign_id: ColumnElement[Any]) -> ColumnElement[bool]:
    return campaign_id.in_(select(Campaign.id).where(Campaign.trial_of_id.is_not(None)))


def _by(tests: ColumnElement[bool]) -> tuple[str, Callable[[Any], ColumnElement[bool]]]:
    is_test: ColumnElement[bool] = case((tests, true()), else_=false())  # Also where the campaign is gone.

    def is_it(wanted: object) -> ColumnElement[bool]:
        return is_test == wanted

    return IS_TEST, is_it


def cdrs_by_test() -> tuple[str, Callable[[Any], ColumnElement[bool]]]:
    """Return the filter of CDRs by whether they are of a test."""

    def is_it(wanted: object) -> ColumnElement[bool]:
        return Cdr.__table__.c.is_test == wanted

    return IS_TEST, is_it
