"""Example campaigns show an account how campaigns go. Their people are made up, so no real carrier ever calls them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, bindparam, insert, select

from dialer.app.work.errors import ErrorCode, FieldErrors, InvalidFieldsError, RefusedError
from dialer.app.work.unit import RecordWritten, UnitOfWork
from dialer.domain.calls.plans import SIMULATED, SMS, GatewayKey
from dialer.domain.figures.statistics import Grouping
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.sentences import Sentence
from dialer.store.queries.calls_in_progress import gateway_of, gateway_row, sms_gateway_of
from dialer.store.queries.selection import is_of
from dialer.store.tables import AuditLog, Campaign, CampaignHour, ExampleCampaign

CARRIERS: Final = ("aleg_gateway_id", "sms_gateway_id")
"""The columns of a campaign that name its carriers."""
EXAMPLE_DELETED: Final = "example_deleted"
"""The action of the audit log that keeps when an example called, which the hours of its account count for good."""
HOURS_MAX: Final = 200
"""The newest hours of examples, and deletions of examples, that are read. Calls of earlier ones are taken for real."""
_OVER: Final = (CampaignStatus.END, CampaignStatus.ABORT)
_SIMULATED_ONLY: Final = Sentence(
    "The people of this example are made up, so it calls over a simulated carrier only. To call people, make a campaign"
    " of your own."
)

_RECORDS: Final = select(ExampleCampaign.phonebook_id, ExampleCampaign.survey_id, ExampleCampaign.gateway_id).where(
    ExampleCampaign.campaign_id == bindparam("campaign")
)


class ExampleRecords(NamedTuple):
    """The records that were made for an example campaign; None for one that is gone, or was there before."""

    phonebook_id: int | None
    survey_id: int | None
    gateway_id: int | None


def mark_example(connection: Connection, campaign_id: int, made: ExampleRecords) -> None:
    """Note that a new campaign is an example, with the records that were made for it."""
    connection.execute(insert(ExampleCampaign).values(campaign_id=campaign_id, **made._asdict()))


def records_of_example(connection: Connection, campaign_id: int) -> ExampleRecords | None:
    """Return the records that were made for an example campaign; None for any other campaign."""
    row = connection.execute(_RECORDS, {"campaign": campaign_id}).first()
    return None if row is None else ExampleRecords._make(row)


def example_of(connection: Connection, user_id: int) -> int | None:
    """Return the example campaign of an account; None if it has none."""
    query = select(Campaign.id).join(ExampleCampaign, ExampleCampaign.campaign_id == Campaign.id)
    return connection.scalar(query.where(Campaign.user_id == user_id).order_by(Campaign.id).limit(1))


def note_example_gone(unit: UnitOfWork, campaign_id: int, user_id: int) -> None:
    """Note in the audit log when a campaign that is deleted has called, if it is an example that has."""
    hours = {hour: calls for _, hour, calls in _hours(unit.connection, CampaignHour.campaign_id == campaign_id)}
    if hours:
        entry = RecordWritten(EXAMPLE_DELETED, "campaigns", campaign_id, user_id, {}, {"hours": hours})
        unit.written.append(entry)


def calls_of_examples(connection: Connection, user_id: int | None) -> dict[tuple[int, int], int]:
    """Return the calls of the examples of a user by user and hour, deleted ones included; None stands for all users."""
    deleted = select(AuditLog.user_id, AuditLog.after).where(
        AuditLog.action == EXAMPLE_DELETED, is_of(AuditLog.user_id, user_id)
    )
    found: Counter[tuple[int, int]] = Counter()
    for owner, hour, calls in _hours(connection, is_of(Campaign.user_id, user_id)):
        found[owner, hour] += calls
    for account, after in connection.execute(deleted.order_by(AuditLog.id.desc()).limit(HOURS_MAX)):
        for hour, calls in msgspec.json.decode(after, type=_Called).hours.items():
            found[account or 0, hour] += calls  # An account that is gone has no hours.
    newest = sorted(found.items(), key=lambda one: one[0][1], reverse=True)
    return dict(newest[:HOURS_MAX])


class _Called(msgspec.Struct):
    hours: dict[int, int]


def _hours(connection: Connection, condition: ColumnElement[bool]) -> Sequence[Row[int, int, int]]:
    """Return the newest hours in which examples called, each with the example's account and its calls."""
    query = (
        select(Campaign.user_id, CampaignHour.hour, CampaignHour.calls)
        .join(Campaign, Campaign.id == CampaignHour.campaign_id)
        .join(ExampleCampaign, ExampleCampaign.campaign_id == CampaignHour.campaign_id)
        .where(condition, CampaignHour.grouping == int(Grouping.TOTAL))
    )
    return connection.execute(query.order_by(CampaignHour.hour.desc()).limit(HOURS_MAX)).all()


def keep_simulated(connection: Connection, campaign: Mapping[str, Any]) -> None:
    """Refuse real carriers to an example campaign.

    Raises:
        InvalidFieldsError: the campaign is an example, and one of its carriers is not simulated.
    """
    carriers = {"aleg_gateway": gateway_of(campaign), "sms_gateway": sms_gateway_of(campaign)}
    real = [field for field, key in carriers.items() if _is_real(connection, key)]
    if real and records_of_example(connection, campaign["id"]) is not None:
        errors: FieldErrors = {field: [_SIMULATED_ONLY] for field in real}
        raise InvalidFieldsError(errors)


def refuse_for_example(connection: Connection, gateway: GatewayKey) -> None:
    """Refuse that a simulated carrier becomes a real one while an example campaign calls over it.

    Raises:
        RefusedError: one does.
    """
    used = Campaign.sms_gateway_id if gateway.medium == SMS else Campaign.aleg_gateway_id
    query = select(Campaign.id).join(ExampleCampaign, ExampleCampaign.campaign_id == Campaign.id)
    if connection.scalar(query.where(used == gateway.id, Campaign.status.not_in(_OVER)).limit(1)) is not None:
        raise RefusedError(
            "An example campaign with made-up people calls over this carrier. Delete the example, or add another"
            " carrier.",
            code=ErrorCode.STILL_USED,
        )


def _is_real(connection: Connection, gateway: GatewayKey | None) -> bool:
    row = gateway_row(connection, gateway)
    return row is not None and row["protocol"] != SIMULATED
