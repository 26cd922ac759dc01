"""The access of programs that talk in the calls of a campaign."""

import msgspec
from sqlalchemy import Connection, select

from dialer.domain.calls.agent_access import AgentAccess
from dialer.store.database.service_state import agent_account
from dialer.store.tables import SealedSurvey


def agent_access(connection: Connection, campaign_id: int) -> AgentAccess:
    """Return the name of the installation, and the secrets that the campaign was started with."""
    stored = connection.scalar(select(SealedSurvey.agent_secrets).where(SealedSurvey.id == campaign_id))
    secrets = msgspec.json.decode(stored, type=dict[int, str]) if stored else {}
    return AgentAccess(agent_account(connection), secrets)
