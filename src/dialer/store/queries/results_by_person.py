"""The people of a campaign with what became of each, what they answered and cost, a chunk at a time."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, func, select

from dialer.domain.messages.templates import variables_of
from dialer.store.tables import (
    Agent,
    CallDisposition,
    CallRequest,
    Campaign,
    CampaignPhonebook,
    Cdr,
    SmsMessage,
    Subscriber,
    SurveyResult,
    Transfer,
)

PEOPLE_READ: Final = 1_000
"""People of one chunk."""
SOURCES_MAX: Final = 20
"""Campaigns that a campaign goes back to, each made of people of the one before."""


class GivenAnswer(NamedTuple):
    """The last answer of a person to a section, over all their calls."""

    result_id: int
    """The id of the survey result, by which its recording is asked for."""
    response: str
    is_recorded: bool
    recorded_s: int | None
    """The length of the recording, which outlives its erasure."""


class PersonResult(NamedTuple):
    """A person of a campaign: the state at the moment, cost, answers by section, and the last words of an agent.

    Unknown facts are empty.
    """

    id: int
    number: str
    name: str
    status: int
    reason: str
    attempts: int
    last_attempt_ms: int | None
    variables: dict[str, Any]
    cost: int
    """The sum of all CDRs and text messages of the person, in integers of 1e-5."""
    answers: Mapping[int, GivenAnswer]
    agent: str = ""
    disposition: str = ""
    word: str = ""
    """The campaign's own word for the disposition."""
    note: str = ""
    call_back_ms: int | None = None
    has_calls: bool = False
    """True if a call of the person is there, with its answers: old ones are removed, and the person stays."""


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
    costs, answers = _costs(connection, identities), _answers(connection, identities)
    calling = _with_calls(connection, identities, answers)
    people = [
        PersonResult(
            *row[:-1],
            dict(variables_of(row.additional_vars)),
            costs.get(row.id, 0),
            answers.get(row.id, {}),
            agents.get(row.id, ""),
            *said.get(row.id, ()),
        )._replace(has_calls=row.id in calling)
        for row in rows
    ]
    return ResultsChunk(people, rows[-1].id if len(rows) == PEOPLE_READ else None)


class PersonGiven(NamedTuple):
    """The columns of the list, the answers and the state of a person."""

    variables: dict[str, Any]
    answers: Mapping[int, GivenAnswer]
    status: int
    reason: str
    has_calls: bool
    """True if a call of the person is there."""
    agent: str
    """The last agent who took a call of theirs, if they gave no answer."""


class GivenChunk(NamedTuple):
    """The answers of some people, and the id of the person after whom to read on; None after the last ones."""

    people: list[PersonGiven]
    after_id: int | None


def read_given(connection: Connection, campaign_id: int, after_id: int = 0) -> GivenChunk:
    """Return the columns of the list and the answers of the next people: a third of the work of `read_results`."""
    query = select(Subscriber.id, Subscriber.additional_vars, Subscriber.status, Subscriber.status_reason)
    query = query.where(Subscriber.campaign_id == campaign_id, Subscriber.id > after_id)
    rows = connection.execute(query.order_by(Subscriber.id).limit(PEOPLE_READ)).all()
    identities = [row.id for row in rows]
    answers = _answers(connection, identities)
    calling = _with_calls(connection, identities, answers)
    agents = dict(_agents(connection, [one for one in calling if one not in answers]))
    people = [
        PersonGiven(
            dict(variables_of(row.additional_vars)),
            answers.get(row.id, {}),
            row.status,
            row.status_reason,
            row.id in calling,
            agents.get(row.id, ""),
        )
        for row in rows
    ]
    return GivenChunk(people, rows[-1].id if len(rows) == PEOPLE_READ else None)


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


def _costs(connection: Connection, identities: Collection[int]) -> dict[int, int]:
    """Return the cost of each person's calls, with their second legs, and of their text messages."""
    calls = (
        select(CallRequest.subscriber_id, func.sum(Cdr.call_cost))
        .join_from(CallRequest, Cdr, Cdr.callrequest_id == CallRequest.id)
        .where(CallRequest.subscriber_id.in_(identities))
        .group_by(CallRequest.subscriber_id)
    )
    texts = (
        select(SmsMessage.subscriber_id, func.sum(SmsMessage.cost))
        .where(SmsMessage.subscriber_id.in_(identities))
        .group_by(SmsMessage.subscriber_id)
    )
    costs: defaultdict[int, int] = defaultdict(int)
    for query in (calls, texts):
        rows: Iterator[tuple[Any, ...]] = map(tuple, connection.execute(query))
        for subscriber_id, cost in rows:
            costs[subscriber_id] += int(cost)
    return costs


def _answers(connection: Connection, identities: Collection[int]) -> dict[int, dict[int, GivenAnswer]]:
    """Return the answers of each person by section. An answer in a later call replaces the earlier one."""
    query = (
        select(
            CallRequest.subscriber_id,
            SurveyResult.section_id,
            SurveyResult.id,
            SurveyResult.response,
            SurveyResult.record_file != "",
            SurveyResult.recording_duration,
        )
        .join_from(CallRequest, SurveyResult, SurveyResult.callrequest_id == CallRequest.id)
        .where(CallRequest.subscriber_id.in_(identities))
        .order_by(SurveyResult.id)
    )
    answers: defaultdict[int, dict[int, GivenAnswer]] = defaultdict(dict)
    rows: Iterator[tuple[Any, ...]] = map(tuple, connection.execute(query))
    for subscriber_id, section_id, *given in rows:
        answers[subscriber_id][section_id] = GivenAnswer(*given)
    return answers


def _with_calls(connection: Connection, identities: Collection[int], answers: Mapping[int, object]) -> set[int]:
    """Return the people who have a call. Those who have `answers` have one."""
    others = [one for one in identities if one not in answers]
    query = select(CallRequest.subscriber_id).where(CallRequest.subscriber_id.in_(others)).distinct()
    rows: Iterator[tuple[Any, ...]] = map(tuple, connection.execute(query))
    return {*answers, *(subscriber_id for (subscriber_id,) in rows)}


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
