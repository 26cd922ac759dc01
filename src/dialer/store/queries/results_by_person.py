"""The people of a campaign with what became of each, what they answered and cost, a chunk at a time."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Executable, bindparam, func, select

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


_NO_ANSWERS: Final[Mapping[int, "GivenAnswer"]] = {}
_NOTHING_SAID: Final = ("", "", "", None)
_NEXT: Final = (
    # Read by the primary key: the index of a campaign's people has them in another order, and would be read whole for
    # each thousand.
    Subscriber.campaign_id + 0 == bindparam("campaign"),
    Subscriber.id > bindparam("after"),
    Subscriber.id <= bindparam("last"),
)
_BOUNDS: Final = select(func.min(Subscriber.id), func.max(Subscriber.id)).where(
    Subscriber.campaign_id == bindparam("campaign")
)
_RESULTS: Final = (
    select(
        Subscriber.id,
        Subscriber.number,
        Subscriber.full_name,
        Subscriber.status,
        Subscriber.status_reason,
        Subscriber.count_attempt,
        Subscriber.last_attempt,
        Subscriber.additional_vars,
    )
    .where(*_NEXT)
    .order_by(Subscriber.id)
    .limit(PEOPLE_READ)
)
_GIVEN: Final = (
    select(Subscriber.id, Subscriber.status, Subscriber.status_reason, Subscriber.additional_vars)
    .where(*_NEXT)
    .order_by(Subscriber.id)
    .limit(PEOPLE_READ)
)
_CHUNK: Final = select(Subscriber.id).where(*_NEXT)
_OF_CHUNK: Final = CallRequest.subscriber_id.in_(_CHUNK)
_CALL_COSTS: Final = (
    select(CallRequest.subscriber_id, func.sum(Cdr.call_cost))
    .join_from(CallRequest, Cdr, Cdr.callrequest_id == CallRequest.id)
    .where(_OF_CHUNK)
    .group_by(CallRequest.subscriber_id)
)
_TEXT_COSTS: Final = (
    select(SmsMessage.subscriber_id, func.sum(SmsMessage.cost))
    .where(SmsMessage.subscriber_id.in_(_CHUNK))
    .group_by(SmsMessage.subscriber_id)
)
_ANSWERS: Final = (
    select(
        CallRequest.subscriber_id,
        SurveyResult.section_id,
        SurveyResult.id,
        SurveyResult.response,
        SurveyResult.record_file != "",
        SurveyResult.recording_duration,
    )
    .join_from(CallRequest, SurveyResult, SurveyResult.callrequest_id == CallRequest.id)
    .where(_OF_CHUNK)
    .order_by(SurveyResult.id)
)
_WITH_CALLS: Final = select(CallRequest.subscriber_id).where(_OF_CHUNK).distinct()
_AGENTS: Final = (
    select(CallRequest.subscriber_id, Agent.name)
    .join_from(Transfer, CallRequest, CallRequest.id == Transfer.callrequest_id)
    .join(Agent, Agent.id == Transfer.agent_id)
    .where(_OF_CHUNK, Transfer.answered_ms.is_not(None))
    .order_by(Transfer.id)
)
_DISPOSITIONS: Final = (
    select(
        CallRequest.subscriber_id,
        CallDisposition.disposition,
        CallDisposition.word,
        CallDisposition.note,
        CallDisposition.call_back_ms,
    )
    .join_from(CallDisposition, CallRequest, CallRequest.id == CallDisposition.callrequest_id)
    .where(_OF_CHUNK)
    .order_by(CallRequest.id)
)


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
    has_calls: bool = False
    """True if a call of the person is there, with its answers: old ones are removed, and the person stays."""
    agent: str = ""
    disposition: str = ""
    word: str = ""
    """The campaign's own word for the disposition."""
    note: str = ""
    call_back_ms: int | None = None


class Onward(NamedTuple):
    """Where to read on among the people of a campaign."""

    after_id: int
    """The last person who was read."""
    last_id: int
    """The last person who was there when the first ones were read."""


class ResultsChunk(NamedTuple):
    """Some people, and where to read on; None after the last ones."""

    people: list[PersonResult]
    onward: Onward | None


def read_results(connection: Connection, campaign_id: int, onward: Onward | None = None) -> ResultsChunk:
    """Return the first or the next people of a campaign, in the order in which they came to it."""
    rows, chunk, next_ones = _read(connection, _RESULTS, campaign_id, onward)
    agents, costs = _agents(connection, chunk), _costs(connection, chunk)
    said = _dispositions(connection, chunk)
    answers, calling = _answers(connection, chunk), _with_calls(connection, chunk)
    people = [
        PersonResult._make(
            (
                *row[:-1],
                dict(variables_of(row.additional_vars)),
                costs.get(row.id, 0),
                answers.get(row.id, _NO_ANSWERS),
                row.id in calling,
                agents.get(row.id, ""),
                *said.get(row.id, _NOTHING_SAID),
            )
        )
        for row in rows
    ]
    return ResultsChunk(people, next_ones)


def _read(
    connection: Connection, query: Executable, campaign_id: int, onward: Onward | None
) -> tuple[Sequence[Any], dict[str, int], Onward | None]:
    """Return some people, the range of the ids of these people, and where to read on."""
    if onward is None:
        ((first_id, last_id),) = _rows(connection, _BOUNDS, {"campaign": campaign_id})
        onward = Onward(0, 0) if first_id is None else Onward(first_id - 1, last_id)
    chunk = {"campaign": campaign_id, "after": onward.after_id, "last": onward.last_id}
    rows = _rows(connection, query, chunk)
    if len(rows) < PEOPLE_READ:
        return rows, chunk, None
    chunk["last"] = rows[-1][0]
    return rows, chunk, Onward(chunk["last"], onward.last_id)


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
    """The answers of some people, and where to read on; None after the last ones."""

    people: list[PersonGiven]
    onward: Onward | None


def read_given(connection: Connection, campaign_id: int, onward: Onward | None = None) -> GivenChunk:
    """Return the columns of the list and the answers of the next people: a third of the work of `read_results`."""
    rows, chunk, next_ones = _read(connection, _GIVEN, campaign_id, onward)
    answers, calling = _answers(connection, chunk), _with_calls(connection, chunk)
    agents = _agents(connection, chunk)
    people = [
        PersonGiven(
            dict(variables_of(variables)),
            answers.get(identity, _NO_ANSWERS),
            status,
            reason,
            identity in calling,
            "" if identity in answers else agents.get(identity, ""),
        )
        for identity, status, reason, variables in rows
    ]
    return GivenChunk(people, next_ones)


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


def _costs(connection: Connection, chunk: Mapping[str, int]) -> dict[int, int]:
    """Return the cost of each person's calls, with their second legs, and of their text messages."""
    costs: defaultdict[int, int] = defaultdict(int)
    for query in (_CALL_COSTS, _TEXT_COSTS):
        for subscriber_id, cost in _rows(connection, query, chunk):
            costs[subscriber_id] += int(cost)
    return costs


def _answers(connection: Connection, chunk: Mapping[str, int]) -> dict[int, dict[int, GivenAnswer]]:
    """Return the answers of each person by section. An answer in a later call replaces the earlier one."""
    answers: defaultdict[int, dict[int, GivenAnswer]] = defaultdict(dict)
    for subscriber_id, section_id, *given in _rows(connection, _ANSWERS, chunk):
        answers[subscriber_id][section_id] = GivenAnswer(*given)
    return answers


def _with_calls(connection: Connection, chunk: Mapping[str, int]) -> set[int]:
    """Return the people who have a call."""
    return set(connection.scalars(_WITH_CALLS, chunk))


def _agents(connection: Connection, chunk: Mapping[str, int]) -> dict[int, str]:
    """Return the last agent who took a call of each person."""
    return dict(_rows(connection, _AGENTS, chunk))


def _dispositions(connection: Connection, chunk: Mapping[str, int]) -> dict[int, Any]:
    """Return what agents said of the last call of each person of which they said something."""
    return {subscriber_id: words for subscriber_id, *words in _rows(connection, _DISPOSITIONS, chunk)}


def _rows(connection: Connection, query: Executable, chunk: Mapping[str, int]) -> Sequence[Any]:
    return connection.execute(query, chunk).all()
