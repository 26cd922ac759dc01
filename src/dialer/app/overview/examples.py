"""Example campaigns show an account how campaigns go. Their people are made up, so no real carrier ever calls them."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, insert, select

from dialer.app.work.errors import ErrorCode, FieldErrors, InvalidFieldsError, RefusedError
from dialer.domain.calls.plans import SIMULATED, SMS, GatewayKey
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.sentences import Sentence
from dialer.store.queries.calls_in_progress import gateway_of, gateway_row, sms_gateway_of
from dialer.store.tables import Campaign, ExampleCampaign

CARRIERS: Final = ("aleg_gateway_id", "sms_gateway_id")
"""The columns of a campaign that name its carriers."""
_OVER: Final = (CampaignStatus.END, CampaignStatus.ABORT)
_SIMULATED_ONLY: Final = Sentence(
    "The people of this example are made up, so it calls over a simulated carrier only. To call people, make a campaign"
    " of your own."
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
    columns = ExampleCampaign.phonebook_id, ExampleCampaign.survey_id, ExampleCampaign.gateway_id
    row = connection.execute(select(*columns).where(ExampleCampaign.campaign_id == campaign_id)).first()
    return None if row is None else ExampleRecords._make(row)


def example_of(connection: Connection, user_id: int) -> int | None:
    """Return the example campaign of an account; None if it has none."""
    query = select(Campaign.id).join(ExampleCampaign, ExampleCampaign.campaign_id == Campaign.id)
    return connection.scalar(query.where(Campaign.user_id == user_id).order_by(Campaign.id).limit(1))


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
