"""The life of a campaign, as far as a client commands it: start, pause, abort, end."""

from sqlalchemy import Connection, RowMapping, insert, select, update

from dialer.domain.enums import CampaignStatus, DialMethod, SubscriberStatus
from dialer.domain.states import move_campaign
from dialer.domain.survey import encode_survey
from dialer.store.collecting import collect_campaign
from dialer.store.models import SMS, VOICE, Campaign, SealedSurvey, Subscriber
from dialer.store.sealing import UnplayableSurveyError, read_survey

_campaigns = Campaign.__table__
_sealed = SealedSurvey.__table__
_subscribers = Subscriber.__table__


class CampaignNotReadyError(Exception):
    """Raised when a campaign lacks what it needs to start; `errors` names each field and what is wrong with it."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        super().__init__("; ".join(errors))
        self.errors = errors


def change_status(connection: Connection, campaign_id: int, wanted: CampaignStatus, now_ms: int) -> None:
    """Bring a campaign to the state its owner wants; the same state again changes nothing.

    Raises:
        IllegalMoveError: it may not go there from where it is.
        CampaignNotReadyError: it may, but lacks something.
    """
    row = connection.execute(select(_campaigns).where(_campaigns.c.id == campaign_id)).mappings().one()
    if not move_campaign(CampaignStatus(row["status"]), wanted):
        return
    if wanted is CampaignStatus.START:
        _check_ready(row, now_ms)
        if row["medium"] == VOICE:
            _seal(connection, row)
    connection.execute(
        update(_campaigns)
        .where(_campaigns.c.id == campaign_id)
        .values(status=wanted, status_reason="" if wanted is CampaignStatus.START else "user", updated_date=now_ms)
    )
    if wanted is CampaignStatus.START:
        collect_campaign(connection, campaign_id, now_ms)
    elif wanted is CampaignStatus.ABORD:
        _abort_subscribers(connection, campaign_id, now_ms)


def _check_ready(row: RowMapping, now_ms: int) -> None:
    errors: dict[str, list[str]] = {}
    if row["expirationdate"] <= now_ms:
        errors["expirationdate"] = ["The campaign has expired."]
    if row["medium"] == SMS and not row["text_message"].strip():
        errors["text_message"] = ["A campaign of text messages needs a text."]
    if row["dial_method"] != DialMethod.FIXED_RATE:
        errors["dial_method"] = ["Only 1 (fixed rate) can be dialled."]
    if errors:
        raise CampaignNotReadyError(errors)


def _seal(connection: Connection, row: RowMapping) -> None:
    """Copy the survey at the first start; later starts play the copy."""
    campaign_id = row["id"]
    if connection.scalar(select(_sealed.c.id).where(_sealed.c.id == campaign_id)) is not None:
        return
    try:
        survey = read_survey(connection, row["object_id"])
    except UnplayableSurveyError as error:
        raise CampaignNotReadyError({"object_id": [str(error)]}) from error
    connection.execute(insert(_sealed).values(id=campaign_id, document=encode_survey(survey)))


def _abort_subscribers(connection: Connection, campaign_id: int, now_ms: int) -> None:
    """Those in a call are left to the engine, which hangs up."""
    connection.execute(
        update(_subscribers)
        .where(
            _subscribers.c.campaign_id == campaign_id,
            _subscribers.c.status.in_((SubscriberStatus.PENDING, SubscriberStatus.PAUSE)),
        )
        .values(status=SubscriberStatus.ABORT, status_reason="aborted", due_ms=0, updated_date=now_ms)
    )
