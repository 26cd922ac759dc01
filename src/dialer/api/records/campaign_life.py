"""What campaigns of calls and of text messages have in common: dates, states and codes."""

import secrets
import string
from typing import Final

from sqlalchemy import select

from dialer.api.crud.declaration import writable
from dialer.api.crud.fields import Boolean
from dialer.api.crud.moments import TimeOfDay
from dialer.api.crud.resource import Change, Unit, Values, table_of
from dialer.api.http.errors import ConflictError, Errors
from dialer.app.change_campaign import change_campaign
from dialer.domain.enums import CampaignStatus
from dialer.store.tables import Campaign
from dialer.store.timeline.reading import WEEKDAYS

CODE_LENGTH: Final = 5
DAILY_WINDOW: Final = {
    "daily_start_time": writable(TimeOfDay(), default="00:00:00"),
    "daily_stop_time": writable(TimeOfDay(), default="23:59:59"),
    **{day: writable(Boolean(), default=True) for day in WEEKDAYS},
}
"""The fields that say when a campaign may dial."""
CODE_TRIES_MAX: Final = 20
LIFE_MS: Final = 86_400_000
"""From the start of a campaign to its end, unless the client says otherwise."""


def default_dates(unit: Unit, given: Values) -> Values:
    """A campaign starts now and lives for a day, unless it is said otherwise."""
    starting_ms = given.get("startingdate", unit.now_ms)
    return {"startingdate": starting_ms, "expirationdate": given.get("expirationdate", starting_ms + LIFE_MS)}


def dates_in_order(change: Change) -> Errors:
    """It must not expire before it starts."""
    if change.values["startingdate"] < change.values["expirationdate"]:
        return {}
    return {"expirationdate": ["The campaign must expire after its startingdate."]}


def window_not_empty(change: Change) -> Errors:
    """A daily window that ends when it begins would never open."""
    if change.values["daily_start_time"] != change.values["daily_stop_time"]:
        return {}
    return {"daily_stop_time": ["The daily window must not end when it begins."]}


def owner_who_pays(change: Change) -> Errors:
    """Money is held in the owner's name while calls are in progress."""
    if change.is_new or not change.moves("user") or change.stored["status"] == CampaignStatus.NEW:
        return {}
    return {"user": ["The campaign has been started; its user may not be changed."]}


def state_columns(change: Change) -> Values:
    """Return the columns of a new campaign that no request gives."""
    if not change.is_new:
        return {}
    return {"status": CampaignStatus.NEW.value, "campaign_code": _new_code(change.unit)}


def _new_code(unit: Unit) -> str:
    code = table_of(Campaign).c.campaign_code
    for _ in range(CODE_TRIES_MAX):
        candidate = "".join(secrets.choice(string.ascii_uppercase) for _ in range(CODE_LENGTH))
        if unit.connection.execute(select(code).where(code == candidate)).first() is None:
            return candidate
    raise ConflictError("No free campaign code was found; try again.")


def change_row(change: Change, columns: Values) -> None:
    """Write the columns of a campaign, its new status among them."""
    has_new_phonebooks = change.moves("phonebook")
    change_campaign(change.unit, change.record_id, columns, has_new_phonebooks=has_new_phonebooks)
