"""The people of a campaign with what became of each, a chunk at a time."""

from collections.abc import Collection, Iterator
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.domain.messages.templates import variables_of
from dialer.store.tables import Agent, CallDisposition, CallRequest, Campaign, CampaignPhonebook, Subscriber, Transfer

PEOPLE_READ: Final = 2_000
"""People of one chunk."""
SOURCES_MAX: Final = 20
"""Campaigns that a campaign goes back to, each made of people of the one before."""


class PersonResult(NamedTuple):
    """A person of a campaign, the state at the moment, and the last words of an agent. Unknown facts are empty."""

    id: int
    number: str
    name: str
    status: int
    reason: str
    attempts: int
    last_attempt_ms: int | None
    variables: dict[str, Any]
    agent: str = ""
    disposition: str = ""
    word: str = ""
    """The campaign's own word for the disposition."""
    note: str = ""
    call_back_ms: int | None = None


class ResultsChunk(NamedTuple):
    """Some people, and the id of the person after whom to read on; None after the last ones."""

    people: list[PersonResult]
    after_id: int | None


def read_results(connection: Connection, campaign_id: int, after_id: int = 0) -> ResultsChunk:
    """Return the next people of a campaign, in the order in which they came to it."""
    columns = (
        Subscriber.id,
        Subscriber.number,
        Subscriber.full_name,
        Subscriber.status,
        Subscriber.status_reason,
        Subscriber.count_attempt,
        Subscriber.last_attempt,
        Subscriber.additional_vars,
    )
    query = select(*columns).where(Subscriber.campaign_id == campaign_id, Subscriber.id > after_id)
    rows = connection.execute(query.order_by(Subscriber.id).limit(PEOPLE_READ)).all()
    identities = [row.id for row in rows]
    agents = dict(_agents(connection, identities))
    said = dict(_dispositions(connection, identities))
    people = [
        PersonResult(*row[:-1], dict(variables_of(row.additional_vars)), agents.get(row.id, ""), *said.get(row.id, ()))
        for row in rows
    ]
    return ResultsChunk(people, rows[-1].id if len(rows) == PEOPLE_READ else None)


def phonebooks_of_people(connection: Connection, campaign_id: int) -> list[int]:
    """Return the phonebooks of a campaign; of one that was made of the people of another, those of that one."""
    source: int | None = campaign_id
    for _ in range(SOURCES_MAX):
        query = select(CampaignPhonebook.phonebook_id).where(CampaignPhonebook.campaign_id == source)
        found = list(connection.scalars(query.order_by(CampaignPhonebook.id)))
        source = connection.scalar(select(Campaign.source_campaign_id).where(Campaign.id == source))
        if found or source is None:
            return found
    return []


def _agents(connection: Connection, identities: Collection[int]) -> Iterator[tuple[int, str]]:
    """Return each agent who took a call of a person, the last one last."""
    query = (
        select(CallRequest.subscriber_id, Agent.name)
        .join_from(Transfer, CallRequest, CallRequest.id == Transfer.callrequest_id)
        .join(Agent, Agent.id == Transfer.agent_id)
        .where(CallRequest.subscriber_id.in_(identities), Transfer.answered_ms.is_not(None))
        .order_by(Transfer.id)
    )
    rows: Iterator[tuple[Any, ...]] = map(tuple, connection.execute(query))
    return rows


def _dispositions(connection: Connection, identities: Collection[int]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield what agents said of the calls of a person, the last call last."""
    said = (CallDisposition.disposition, CallDisposition.word, CallDisposition.note, CallDisposition.call_back_ms)
    query = (
        select(CallRequest.subscriber_id, *said)
        .join_from(CallDisposition, CallRequest, CallRequest.id == CallDisposition.callrequest_id)
        .where(CallRequest.subscriber_id.in_(identities))
        .order_by(CallRequest.id)
    )
    rows: Iterator[tuple[Any, ...]] = map(tuple, connection.execute(query))
    for subscriber_id, *words in rows:
        yield subscriber_id, tuple(words)
