"""The field with the activity of a campaign."""

from collections.abc import Sequence
from typing import Final

from litestar.openapi.spec import OpenAPIFormat, OpenAPIType, Reference, Schema
from sqlalchemy import RowMapping

from dialer.app.campaigns.activity import activities_of
from dialer.domain.rules.campaign_activity import ActivityCode, CampaignActivity
from dialer.domain.words.reasons import ACTIVITY_REASONS, CAMPAIGN_REASONS
from dialer.resources.crud.declaration import derived
from dialer.resources.crud.enumerations import listed
from dialer.resources.crud.fields import Json, Kind, Stored, TextChoice
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.resource import Unit, Values
from dialer.resources.crud.urls import Links

_REASONS: Final = {**ACTIVITY_REASONS, **CAMPAIGN_REASONS}
_CODES: Final = TextChoice(tuple(ActivityCode))


class ActivityObject(Kind, frozen=True):
    """The activity of a campaign, as an object of three members."""

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """Return the object."""
        until = None if value.until_ms is None else show_timestamp(value.until_ms)
        return {"code": value.code.value, "reason": str(value.reason), "until": until}

    def schema(self) -> Schema:
        """Return the schema of the object."""
        reason = Schema(
            type=OpenAPIType.STRING,
            description=f"Why; empty if there is nothing to say. Further reasons may be added. {listed(_REASONS)}.",
        )
        until = Schema(
            type=[OpenAPIType.STRING, OpenAPIType.NULL],
            format=OpenAPIFormat.DATE_TIME,
            description="If it dials: the moment after which nobody may be called for a while. If it waits or is"
            " scheduled: the earliest moment of the next call, over the time zones of the people who wait. In UTC; null"
            " if the calendar does not know it.",
        )
        members: dict[str, Reference | Schema] = {"code": _CODES.schema(), "reason": reason, "until": until}
        return Schema(type=OpenAPIType.OBJECT, properties=members, required=list(members))


ACTIVITY: Final = derived(
    ActivityObject(),
    "What the campaign does now, why, and until when. It comes from the calendar, the people who wait and the gateway.",
    example={"code": "waiting", "reason": "window", "until": "2026-11-19T08:00:00Z"},
    title="Activity",
)
"""The field with the activity of a campaign: its code, its reason, and its end."""


def activities(unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Return what each campaign does now. A few statements read all rows."""
    zone, hours = str(unit.conventions.zone), unit.conventions.hours
    found: dict[int, CampaignActivity] = activities_of(unit.connection, rows, unit.now_ms, zone, hours)
    return [{"activity": found[row["id"]]} for row in rows]
