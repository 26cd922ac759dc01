"""The archive that proves a campaign: who was called, when and why, by which rules, and who had agreed."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from sqlalchemy import Connection, func, select

from dialer.app.campaigns.proof_calls import (
    call_records,
    calls_in_progress,
    dial_records,
    message_records,
    transfer_records,
)
from dialer.app.campaigns.proof_facts import ProvedCampaign, Read, last_id
from dialer.app.campaigns.proof_people import (
    consent_records,
    contact_records,
    refusal_records,
    wait_records,
    wish_records,
)
from dialer.app.campaigns.proof_setting import audit_records, campaign_records, recording_records, rule_records
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.domain.formats.media_files import MediaFiles
from dialer.domain.formats.proof_archive import ProofArchive, Record
from dialer.domain.words.sentences import Sentence
from dialer.store.database.service_state import read_settings
from dialer.store.tables import AuditLog, CallRecording, CallRequest, Campaign, Cdr, ContactWait, SmsMessage

ATTEMPTS_MAX: Final = 2_000_000
"""Calls and texts of a campaign whose archive is made."""
_TABLES: Final = (Cdr, CallRequest, SmsMessage, CallRecording, ContactWait, AuditLog)


def begin_proof(
    connection: Connection, campaign_id: int, now_ms: int, *, with_recordings: bool = True
) -> ProvedCampaign:
    """Return a campaign as its archive begins, and how far its tables are read.

    `with_recordings` tells whether whoever gets it may know which calls were recorded.

    Raises:
        RefusedError: it has more than `ATTEMPTS_MAX` calls or texts.
    """
    row = connection.execute(select(Campaign.__table__).where(Campaign.id == campaign_id)).mappings().one()
    if row["calls"] > ATTEMPTS_MAX:
        raise RefusedError(
            Sentence("The campaign has more than %(count)s calls or texts, so no archive is made.", count=ATTEMPTS_MAX),
            code=ErrorCode.LIMIT_REACHED,
        )
    first = (
        connection.scalar(select(func.min(Cdr.starting_date)).where(Cdr.campaign_id == campaign_id)),
        connection.scalar(select(func.min(CallRequest.started_ms)).where(CallRequest.campaign_id == campaign_id)),
        connection.scalar(select(func.min(SmsMessage.send_date)).where(SmsMessage.campaign_id == campaign_id)),
    )
    settings = read_settings(connection)
    return ProvedCampaign(
        row,
        now_ms,
        "UTC" if settings is None else settings.timezone,
        min((at_ms for at_ms in first if at_ms is not None), default=now_ms),
        {table.__tablename__: last_id(connection, table.id) for table in _TABLES},
        calls_in_progress(connection, campaign_id),
        with_recordings=with_recordings,
    )


def proof_of(read: Read, campaign: ProvedCampaign, media: MediaFiles) -> ProofArchive:
    """Return the archive of a campaign, which is made as it is read: in short reads, with little memory."""
    members: Mapping[str, Iterator[Iterable[Record]]] = {
        "campaign": campaign_records(read, campaign),
        "recordings": recording_records(read, campaign, media),
        "calls": call_records(read, campaign),
        "messages": message_records(read, campaign),
        "rules": rule_records(read, campaign),
        "decisions": chain(dial_records(read, campaign), wait_records(read, campaign), refusal_records(read, campaign)),
        "contacts": contact_records(read, campaign),
        "consents": consent_records(read, campaign),
        "wishes": wish_records(read, campaign),
        "transfers": transfer_records(read, campaign),
        "audit": audit_records(read, campaign),
    }
    return ProofArchive({f"{name}.ndjson": batches for name, batches in members.items()})
