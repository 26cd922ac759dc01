"""The filters that lists about calls share: campaigns and agents, by their names."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from sqlalchemy import Select, select

from dialer.console.pages.campaigns import seen_campaigns
from dialer.console.words.record_names import OPTIONS_MAX, Option
from dialer.domain.words.roles import Permission
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import parse_id
from dialer.resources.crud.visibility import query_for, visible
from dialer.resources.records.queues import AGENTS
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.tables import SMS, Agent, Campaign

PAGING: Final = ("page", "cursor")
"""The parameters that name a page of a list."""


def same_list(filled: Mapping[str, str], url: str | None) -> str:
    """Return the query of a page of the list from its address in the API; empty if there is no such page."""
    if url is None:
        return ""
    paging = [part for part in urlsplit(url).query.split("&") if part.partition("=")[0] in PAGING]
    return "&".join([*([urlencode(filled)] if filled else []), *paging])


def campaign_name(unit: Unit, filled: Mapping[str, str]) -> str:
    """Return the name of the campaign whose calls are asked for; empty for those of all.

    Raises:
        RecordNotFoundError: there is no such campaign, or the viewer does not see it.
    """
    if "campaign" not in filled:
        return ""
    identity = parse_id(filled["campaign"])
    query = select(Campaign.name).where(Campaign.id == identity, seen_campaigns(unit))
    name = None if identity is None else unit.connection.scalar(query)
    if name is None:
        raise RecordNotFoundError("There is no such campaign, or it is not yours.")
    return str(name)


def agent_name(unit: Unit, filled: Mapping[str, str]) -> str:
    """Return the name of the agent whose calls are asked for; empty for those of all.

    Raises:
        RecordNotFoundError: there is no such agent, or the viewer does not see them.
    """
    if "agent" not in filled:
        return ""
    identity = parse_id(filled["agent"])
    query = select(Agent.name).where(Agent.id == identity, visible(AGENTS, unit.actor, unit.resources))
    name = None if identity is None else unit.connection.scalar(query)
    if name is None:
        raise RecordNotFoundError("There is no such agent, or it is not yours.")
    return str(name)


def agent_options(unit: Unit) -> list[Option]:
    """Return the agents among whom the viewer chooses, by name; none if they are too many."""
    if not unit.actor.may(Permission.READ):
        return []

    def query() -> Select[*tuple[Any, ...]]:
        seen = select(Agent.id, Agent.name).where(visible(AGENTS, unit.actor, unit.resources))
        return seen.order_by(Agent.name, Agent.id).limit(OPTIONS_MAX + 1)

    return _options(unit, "agents of calls", query)


def campaign_options(unit: Unit) -> list[Option]:
    """Return the campaigns of calls among which the viewer chooses, the newest first; none if they are too many."""
    if not unit.actor.may(Permission.READ):
        return []

    def query() -> Select[*tuple[Any, ...]]:
        seen = select(Campaign.id, Campaign.name).where(seen_campaigns(unit), Campaign.medium != SMS)
        return seen.order_by(Campaign.id.desc()).limit(OPTIONS_MAX + 1)

    return _options(unit, "campaigns of calls", query)


def _options(unit: Unit, name: str, query: Callable[[], Select[*tuple[Any, ...]]]) -> list[Option]:
    rows = unit.connection.execute(query_for(unit.actor, name, query), {"actor_id": unit.actor.sees_as}).all()
    return [Option(*row) for row in rows] if len(rows) <= OPTIONS_MAX else []
