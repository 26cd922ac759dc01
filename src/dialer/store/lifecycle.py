"""The life of a campaign, as far as a client commands it: start, pause, abort, end."""

from typing import Final, TypeAlias

from sqlalchemy import Connection, RowMapping, select, update

from dialer.domain.enums import CampaignStatus, DialMethod, SubscriberStatus
from dialer.domain.states import move_campaign
from dialer.domain.survey.check import check_survey
from dialer.domain.survey.findings import FindingLevel
from dialer.domain.survey.sections.table import queue_ids_of, sends_messages
from dialer.domain.survey.survey import Survey
from dialer.store.collecting import collect_campaign
from dialer.store.sealing import read_survey, seal, sealed_survey
from dialer.store.tables import SMS, VOICE, Campaign, Subscriber

FINDINGS_NAMED_MAX: Final = 5
"""Errors of a survey that a refused start names."""
Errors: TypeAlias = dict[str, list[str]]
"""Field to messages."""

_campaigns = Campaign.__table__
_subscribers = Subscriber.__table__


class CampaignNotReadyError(Exception):
    """Raised when a campaign lacks what it needs to start; `errors` names each field and what is wrong with it."""

    def __init__(self, errors: Errors) -> None:
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
        _make_ready(connection, row, now_ms)
    connection.execute(
        update(_campaigns)
        .where(_campaigns.c.id == campaign_id)
        .values(status=wanted, status_reason="" if wanted is CampaignStatus.START else "user", updated_date=now_ms)
    )
    if wanted is CampaignStatus.START:
        collect_campaign(connection, campaign_id, now_ms)
    elif wanted is CampaignStatus.ABORD:
        _abort_subscribers(connection, campaign_id, now_ms)


def _make_ready(connection: Connection, row: RowMapping, now_ms: int) -> None:
    """Copy the survey at the first start, as later ones play the copy; or raise with everything that is missing."""
    errors = _wrong_fields(row, now_ms)
    unsealed = None
    if row["medium"] == VOICE:
        survey = sealed_survey(connection, row["id"])
        if survey is None:
            survey = unsealed = read_survey(connection, row["object_id"])
            errors |= _wrong_survey(survey)
        errors |= _missing_for(row, survey)
    if errors:
        raise CampaignNotReadyError(errors)
    if unsealed is not None:
        seal(connection, row["id"], unsealed)


def _wrong_fields(row: RowMapping, now_ms: int) -> Errors:
    errors: Errors = {}
    if row["expirationdate"] <= now_ms:
        errors["expirationdate"] = ["The campaign has expired."]
    if row["medium"] == SMS and not row["text_message"].strip():
        errors["text_message"] = ["A campaign of text messages needs a text."]
    return errors


def _wrong_survey(survey: Survey) -> Errors:
    """What keeps a survey from being played, as far as it fits in an answer."""
    found = [finding for finding in check_survey(survey) if finding.level is FindingLevel.ERROR]
    messages = [
        finding.message if finding.section_id is None else f"Section {finding.section_id}: {finding.message}"
        for finding in found[:FINDINGS_NAMED_MAX]
    ]
    if len(found) > FINDINGS_NAMED_MAX:
        messages.append(f"And {len(found) - FINDINGS_NAMED_MAX} more: the check of the survey template lists all.")
    return {"object_id": messages} if messages else {}


def _missing_for(row: RowMapping, survey: Survey) -> Errors:
    """What a campaign lacks to dial as it should, and to play this survey."""
    errors: Errors = {}
    if row["dial_method"] != DialMethod.FIXED_RATE and not queue_ids_of(survey):
        errors["dial_method"] = ["2 (progressive) and 3 (predictive) need a survey that transfers calls to a queue."]
    if row["sms_gateway_id"] is None and sends_messages(survey):
        errors["sms_gateway"] = ["The survey sends text messages: a gateway for them is needed."]
    return errors


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
