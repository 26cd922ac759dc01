"""The campaign itself in the archive that proves it: its settings and survey, its rules, and who changed them."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, RowMapping, case, select

from dialer.app.campaigns.proof_facts import ROWS_AT_ONCE, Batches, ProvedCampaign, Read, all_of, moments, pages
from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.calls.plans import SIMULATED, SMS
from dialer.domain.formats.media_files import MediaFiles
from dialer.domain.formats.proof_archive import Record
from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.rules.contact_rule_words import in_words
from dialer.domain.survey.survey import Section, Survey, prompts_of
from dialer.store.media.recordings import read_piece
from dialer.store.queries.contact_rules import rule_of, ruled_campaigns
from dialer.store.queries.law_switch import LawState, law_states
from dialer.store.queries.sealed_surveys import sealed_survey
from dialer.store.rows.audit_chain import hash_of_entry
from dialer.store.tables import AudioFile, AuditLog, CallRecording, Campaign, ContactRule, Gateway, User
from dialer.store.timeline.parts import moment, moment_or_none

_PLAIN: Final = (
    *("id", "campaign_code", "name", "description", "medium", "purpose", "sector", "seller", "requires_consent"),
    *("callerid", "callerid_group_id", "daily_start_time", "daily_stop_time"),
    *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    *("frequency", "dial_method", "calltimeout", "callmaxduration", "maxretry", "intervalretry"),
    *("completion_maxretry", "completion_intervalretry", "abandoned_maxretry", "abandoned_intervalretry"),
    *("amd_behavior", "voicemail", "record", "record_notice_script", "record_refuse_key", "text_message"),
    *("status", "status_reason", "totalcontact", "calls", "answered", "completed", "source_campaign_id"),
)
_RULE: Final = ("name", "source", "from_date", "until_date", "country", "state", "counts", "after", "seconds")
_AUDITED: Final = ("actor_id", "actor", "via", "key_prefix", "address", "action", "resource", "record_id")
_OF_CAMPAIGN: Final = ("campaigns", "sms-campaigns")
_OF_RULES: Final = "contact-rule"


def campaign_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield the campaign, with its abandoned calls by period, and each section of the survey that it plays."""
    yield [read(lambda connection: _campaign(connection, campaign))]
    yield [_section(section) for section in _survey(read, campaign).sections]


def recording_records(read: Read, campaign: ProvedCampaign, media: MediaFiles) -> Batches:
    """Yield the recordings that people or machines hear in the campaign, with their hashes, and the recorded calls.

    The music of queues is left out, and so are the recorded calls if the reader may not hear them.
    """
    names = dict.fromkeys(
        prompt.file for section in _survey(read, campaign).sections for prompt in prompts_of(section) if prompt.file
    )
    own = [campaign.row[column] for column in ("record_notice_id", "voicemail_audiofile_id")]
    further = select(AudioFile.audio_file).where(AudioFile.id.in_([one for one in own if one is not None]))
    names |= dict.fromkeys(read(lambda connection: connection.scalars(further.order_by(AudioFile.id)).all()))
    for name in filter(None, names):
        yield [{"kind": "played", "file": name, **_hashed(media, name)}]
    if not campaign.with_recordings:
        return
    columns = (CallRecording.id, CallRecording.callid, CallRecording.start_date, CallRecording.seconds)
    of_campaign = select(*columns, CallRecording.state).where(CallRecording.campaign_id == campaign.id)
    ordered = of_campaign.where(CallRecording.id <= campaign.last_ids[CallRecording.__tablename__])
    query = ordered.order_by(CallRecording.id).limit(ROWS_AT_ONCE)
    for rows in pages(read, lambda connection, after: all_of(connection, query.where(CallRecording.id > after)), "id"):
        yield [_recorded(row) for row in rows]


def rule_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield the rows of law, and the contact rules of the account, and whether each binds the campaign now."""
    own = select(ContactRule.__table__).where(ContactRule.user_id == campaign.user_id).order_by(ContactRule.id)

    def rules(connection: Connection) -> tuple[set[str | int], list[LawState], Sequence[RowMapping]]:
        ruled = ruled_campaigns(connection, [campaign.id], campaign.service_zone).get(campaign.id)
        binding = {rule.row or rule.id for rule in (ruled.rules if ruled else ())}
        return binding, law_states(connection), all_of(connection, own)

    binding, states, rows = read(rules)
    for state in states:
        law: dict[str, Any] = msgspec.to_builtins(state.row)
        del law["binds"]
        law["from_date"], law["until_date"] = law.pop("from"), law.pop("until")
        switched = {"switched_by": state.switched_by, "switched_date": moment_or_none(state.switched_ms)}
        is_binding = state.row.id in binding
        yield [{"row": law.pop("id"), "rule": None, "is_on": state.is_on, "binds": is_binding, **switched, **law}]
    for own_row in rows:
        yield [_rule(own_row, is_binding=own_row["id"] in binding)]


def audit_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield the entries of the audit log about the campaign, and about the contact rules of its account."""
    is_theirs = AuditLog.user_id == campaign.user_id, AuditLog.id <= campaign.last_ids[AuditLog.__tablename__]
    of_campaign = AuditLog.resource.in_(_OF_CAMPAIGN) & (AuditLog.record_id == campaign.id)
    for is_about in (of_campaign, AuditLog.resource == _OF_RULES):
        query = select(AuditLog.__table__).where(*is_theirs, is_about).order_by(AuditLog.id).limit(ROWS_AT_ONCE)
        yield from _entries(read, query)


def _entries(read: Read, query: Any) -> Iterator[Sequence[Record]]:  # noqa: ANN401 - a query
    for rows in pages(read, lambda connection, after: all_of(connection, query.where(AuditLog.id > after)), "id"):
        yield [
            {
                "entry": row["id"],
                "at": moment(row["created_date"]),
                **{name: row[name] for name in _AUDITED},
                **{name: msgspec.Raw(row[name].encode()) for name in ("before", "after")},
            }
            for row in rows
        ]


def _survey(read: Read, campaign: ProvedCampaign) -> Survey:
    """Return the survey that was sealed at the first start; one without sections if there is none."""
    return read(lambda connection: sealed_survey(connection, campaign.id)) or Survey(())


def _campaign(connection: Connection, campaign: ProvedCampaign) -> Record:
    row = campaign.row
    is_sms = Campaign.medium == SMS
    used = case((is_sms, Campaign.sms_gateway_id), else_=Campaign.aleg_gateway_id)
    joined = select(Gateway.id, Gateway.name, Gateway.protocol, User.username)
    joined = joined.select_from(Campaign).join(User, User.id == Campaign.user_id)
    joined = joined.outerjoin(Gateway, (Gateway.medium == Campaign.medium) & (Gateway.id == used))
    gateway = connection.execute(joined.where(Campaign.id == campaign.id)).one_or_none()
    newest = campaign.last_ids[AuditLog.__tablename__]
    return {
        "made_date": moment(campaign.made_ms),
        **{name: row[name] for name in _PLAIN},
        "account": gateway.username if gateway else "",
        **moments(row, startingdate="startingdate", expirationdate="expirationdate", created_date="created_date"),
        "gateway": gateway.id if gateway else None,
        "gateway_name": gateway.name if gateway else None,
        "is_simulated": gateway is not None and gateway.protocol == SIMULATED,
        "agent_dial_rate": row["agent_dial_rate"] / MONEY_SCALE,
        "abandon_rate_max": row["abandon_rate_max"] / MONEY_SCALE,
        "abandon_hours": row["abandon_hours"],
        "abandon_allowance": bool(row["abandon_allowance"]),
        "live_answered": row["live_answered"],
        "abandoned": row["abandoned"],
        "abandon_periods": _periods(row["pacing_figures"]),
        "audit_head": {"entry": newest, "sha256": hash_of_entry(connection, newest)},
    }


def _periods(figures: str) -> list[Record]:
    """Return the periods whose abandoned calls are still kept: the newest, and those of calls in progress."""
    try:
        found = msgspec.json.decode(figures, type=PacingFigures).periods if figures else []
    except msgspec.MsgspecError:
        found = []
    return [
        {
            "from": moment(one.from_ms),
            "until": moment_or_none(one.until_ms),
            "answered": one.answered,
            "abandoned": one.abandoned,
        }
        for one in found
    ]


def _section(section: Section) -> Record:
    """Return what a section says and asks. The address of a program that talks is left out: it may hold a secret."""
    shown = {"kind": "section", **msgspec.to_builtins(section)}
    shown.pop("agent_url", None)
    return shown


def _hashed(media: MediaFiles, name: str) -> Record:
    """Return the hash and the size of a recording; nulls if its file is gone."""
    digest, size = sha256(), 0
    while piece := read_piece(media, name, size):
        digest.update(piece)
        size += len(piece)
    return {"sha256": digest.hexdigest() if size else None, "bytes": size or None}


def _recorded(row: RowMapping) -> Record:
    seconds = row["seconds"] / MONEY_SCALE
    return {
        "kind": "call",
        "callid": row["callid"],
        **moments(row, start="start_date"),
        "seconds": seconds,
        "state": row["state"],
    }


def _rule(row: RowMapping, *, is_binding: bool) -> Record:
    return {
        "row": "",
        "rule": row["id"],
        "is_on": bool(row["enabled"]),
        "binds": is_binding,
        **{name: row[name] for name in _RULE},
        "purposes": row["purposes"].split(),
        "media": row["media"].split(),
        "limit": row["most"],
        **{name: row[name] for name in ("period", "unit", "per", "scope")},
        "words": in_words(rule_of(row)),
        **moments(row, created_date="created_date", updated_date="updated_date"),
    }
