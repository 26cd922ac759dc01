"""The placeholders of a campaign: the names that its people have values for, and what is wrong with its text."""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from msgspec.structs import replace
from sqlalchemy import Connection, bindparam, select

from dialer.domain.messages.link_templates import IDS
from dialer.domain.messages.templates import BUILT_IN
from dialer.domain.survey.findings import Finding, FindingLevel
from dialer.domain.survey.placeholders import NOTHING_KNOWN, Having, KnownNames, remarks_on_text
from dialer.domain.words.enums import CampaignStatus
from dialer.store.queries.area_codes import phonebooks_of
from dialer.store.rows.contact_names import names_of_phonebooks
from dialer.store.rows.subscriber_counts import has_subscribers_without_phonebook
from dialer.store.tables import SMS, VOICE, Campaign, CampaignPhonebook, Phonebook

PHONEBOOKS_MAX: Final = 20
"""Phonebooks of a survey whose names are offered."""
NAMES_OFFERED_MAX: Final = 50
"""Columns that are offered."""
BUILT_IN_OFFERED: Final = ("full_name", "first_name", "last_name", "phone_number")
TEXT: Final = "text_message"
"""The field with the text of a campaign of text messages."""
SCRIPT: Final = "agent_script"
"""The field with what the agents of a campaign of calls say."""
LINK: Final = "crm_url"
"""The field with the address that agents open during a call."""
NOTICE: Final = "record_notice_script"
"""The field with what callees hear before their call is recorded."""
_WITH_SURVEY: Final = (
    select(CampaignPhonebook.phonebook_id)
    .join(Campaign, Campaign.id == CampaignPhonebook.campaign_id)
    .where(Campaign.object_id == bindparam("survey"), Campaign.medium == VOICE)
    .order_by(CampaignPhonebook.id.desc())
    .limit(PHONEBOOKS_MAX)
)
_ID: Final = re.compile(rf"\{{\s*(?:{'|'.join(IDS)})\s*\}}")


def known_names(connection: Connection, campaign_id: int) -> KnownNames:
    """Return the names that placeholders can have for the people of a campaign.

    They are not complete if a client has added subscribers who are no contacts: these have variables of their own.
    """
    known = names_of_phonebooks(connection, phonebooks_of(connection, campaign_id))
    if known.is_complete and has_subscribers_without_phonebook(connection, campaign_id):
        return known._replace(is_complete=False)
    return known


def text_findings(connection: Connection, campaign: Mapping[str, Any], known: KnownNames) -> list[Finding]:
    """Return the findings about placeholders in a campaign's own texts: its message, script, link and notice.

    A campaign that has been started goes on: its errors are warnings.
    """
    findings = [
        Finding(level, code, None, message, field=field)
        for field in text_fields(campaign)
        for level, code, message in remarks_on_text(_ID.sub("", campaign[field]), "", known)
    ]
    if not findings:
        return []
    stored = connection.scalar(select(Campaign.status).where(Campaign.id == campaign["id"]))
    return findings if stored == CampaignStatus.NEW else [as_warning(finding) for finding in findings]


def text_fields(campaign: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the fields with the campaign's own texts."""
    return (TEXT,) if campaign["medium"] == SMS else (SCRIPT, LINK, NOTICE)


def as_warning(finding: Finding) -> Finding:
    """Return a finding that keeps no campaign from starting."""
    return replace(finding, level=FindingLevel.WARNING)


def phonebooks_of_survey(connection: Connection, survey_id: int, owner_id: int) -> list[int]:
    """Return the phonebooks of the campaigns with a survey, the newest first; without any, those of its owner."""
    return _of_campaigns(connection, survey_id) or _of_owner(connection, owner_id)


def names_of_survey(connection: Connection, survey_id: int, owner_id: int) -> KnownNames:
    """Return the names that placeholders of a survey can have, counted over the lists of its campaigns.

    Without a campaign a name that any list of its owner has is taken for one that everybody has.
    """
    of_campaigns = _of_campaigns(connection, survey_id)
    if of_campaigns:
        return names_of_phonebooks(connection, of_campaigns)
    owned = _of_owner(connection, owner_id)
    if len(owned) == PHONEBOOKS_MAX:
        return NOTHING_KNOWN
    known = names_of_phonebooks(connection, owned)
    return known._replace(names=dict.fromkeys(known.names, Having(known.people, known.people)))


def _of_campaigns(connection: Connection, survey_id: int) -> list[int]:
    return list(dict.fromkeys(connection.scalars(_WITH_SURVEY, {"survey": survey_id})))


def _of_owner(connection: Connection, owner_id: int) -> list[int]:
    query = select(Phonebook.id).where(Phonebook.user_id == owner_id).order_by(Phonebook.id.desc())
    return list(connection.scalars(query.limit(PHONEBOOKS_MAX)))


def phonebooks_of_campaign(connection: Connection, campaign_id: int) -> list[int]:
    """Return the phonebooks of a campaign, the newest first."""
    query = select(CampaignPhonebook.phonebook_id).where(CampaignPhonebook.campaign_id == campaign_id)
    return list(connection.scalars(query.order_by(CampaignPhonebook.id.desc()).limit(PHONEBOOKS_MAX)))


def offered_names(connection: Connection, phonebooks: Collection[int]) -> list[str]:
    """Return the names that an author can use as placeholders: built-in ones, and columns of phonebooks."""
    known = names_of_phonebooks(connection, phonebooks)
    own = sorted((name for name in known.names if name not in BUILT_IN), key=str.casefold)
    return [*BUILT_IN_OFFERED, *own[:NAMES_OFFERED_MAX]]
