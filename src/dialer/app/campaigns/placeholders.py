"""The placeholders of a campaign: the names that its people have values for, and what is wrong with its text."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace
from sqlalchemy import Connection, select

from dialer.domain.enums import CampaignStatus
from dialer.domain.survey.findings import Finding, FindingLevel
from dialer.domain.survey.placeholders import KnownNames, remarks_on_text
from dialer.store.contact_names import names_of_phonebooks
from dialer.store.subscriber_counts import has_subscribers_without_phonebook
from dialer.store.tables import SMS, Campaign, CampaignPhonebook

TEXT: Final = "text_message"
"""The field with the text of a campaign of text messages."""


def known_names(connection: Connection, campaign_id: int) -> KnownNames:
    """Return the names that placeholders can have for the people of a campaign.

    They are not complete if a client has added subscribers who are no contacts: these have variables of their own.
    """
    query = select(CampaignPhonebook.phonebook_id).where(CampaignPhonebook.campaign_id == campaign_id)
    known = names_of_phonebooks(connection, connection.scalars(query).all())
    if known.is_complete and has_subscribers_without_phonebook(connection, campaign_id):
        return known._replace(is_complete=False)
    return known


def text_findings(connection: Connection, campaign: Mapping[str, Any], known: KnownNames) -> list[Finding]:
    """Return what is wrong with the placeholders of a text message; nothing for a campaign of calls.

    A campaign that has been started goes on: its errors are warnings.
    """
    if campaign["medium"] != SMS:
        return []
    stored = connection.scalar(select(Campaign.status).where(Campaign.id == campaign["id"]))
    findings = [
        Finding(level, code, None, message, field=TEXT)
        for level, code, message in remarks_on_text(campaign[TEXT], "", known)
    ]
    return findings if stored == CampaignStatus.NEW else [as_warning(finding) for finding in findings]


def as_warning(finding: Finding) -> Finding:
    """Return a finding that keeps no campaign from starting."""
    return replace(finding, level=FindingLevel.WARNING)
