"""The outcome of a scenario: of the campaign, and of each of its people."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, func, select

from dialer.domain.billing.money import format_money, parse_money
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.inputs import CONNECTED, MISSED
from dialer.domain.survey.replay import replay
from dialer.domain.words.enums import CampaignStatus
from dialer.files.surveys import numbers_of, rows_of
from dialer.scenarios.document import CAMPAIGN_STATUSES
from dialer.store.queries.finished_call import UnknownCallError, finished_call
from dialer.store.tables import SMS, AccountEvent, CallRequest, Campaign, SmsMessage
from dialer.store.timeline.parts import AttemptPart, Story
from dialer.store.timeline.reading import read_story

_TRANSFERS: Final = {CONNECTED: "connected", MISSED: "nobody took it"}


class Visit(msgspec.Struct, frozen=True):
    """A section that a call visited, and the callee's answer to it."""

    number: int
    """Its id in the file."""
    question: str
    heard: str = ""
    """The input there, in words; empty where none was asked for."""

    @property
    def title(self) -> str:
        """Return the section for a reader, with its id."""
        return f"{self.number} {self.question}"


class PersonOutcome(msgspec.Struct, frozen=True):
    """The calls, answers and state of one person at the end of a scenario."""

    number: str
    full_name: str
    story: Story
    titles: Mapping[int, str]
    """The questions of all sections of the survey, by their ids in the file."""
    paths: Mapping[int, Sequence[Visit]]
    """The sections of each call in which a survey was played, by the number of the attempt."""
    is_texts: bool

    @property
    def path(self) -> Sequence[Visit]:
        """Return the sections of the last call in which a survey was played."""
        return next(
            (self.paths[attempt.attempt] for attempt in reversed(self.story.attempts) if attempt.attempt in self.paths),
            (),
        )

    @property
    def answers(self) -> dict[str, str]:
        """Return the answers of all calls, by question; a later one counts."""
        return {answer.question: answer.response for attempt in self.story.attempts for answer in attempt.answers}

    @property
    def calls(self) -> list[str]:
        """Return the outcome of each attempt."""
        return [call_outcome(attempt) for attempt in self.story.attempts]

    @property
    def called_at(self) -> list[str]:
        """Return the time of each attempt in UTC."""
        return [f"{one.at:%Y-%m-%dT%H:%M:%SZ}" for one in self.story.attempts]

    @property
    def texts(self) -> list[str]:
        """Return the bodies of the text messages to the person."""
        return [message.text for attempt in self.story.attempts for message in attempt.messages]

    @property
    def status(self) -> str:
        """Return the state at the end."""
        part = self.story.subscriber
        return "not on the list" if part is None else part.status.lower()

    @property
    def reason(self) -> str:
        """Return the reason of the person's state, or the reason why the person waits."""
        part = self.story.subscriber
        return "" if part is None else part.status_reason or part.waits_for

    @property
    def agent(self) -> str | None:
        """Return the agent who took the last transfer; None if no agent took it."""
        transfers = [transfer for attempt in self.story.attempts for transfer in attempt.transfers]
        return transfers[-1].agent or None if transfers and transfers[-1].answered else None

    @property
    def on_dnc(self) -> bool:
        """Return whether a do-not-call list of the campaign has the number."""
        return any(dnc_list.since is not None for dnc_list in self.story.dnc_lists)

    @property
    def cost(self) -> str:
        """Return the price of the person's calls, transfers and messages together."""
        parts: list[Any] = [*self.story.attempts]
        parts += [transfer for one in self.story.attempts for transfer in one.transfers]
        if not self.is_texts:  # Of a campaign of texts the message is the attempt.
            parts += [message for one in self.story.attempts for message in one.messages]
        return format_money(sum(parse_money(one.cost) for one in parts))


class CampaignOutcome(msgspec.Struct, frozen=True):
    """The outcome of a campaign."""

    status: str
    reason: str
    calls: int
    answered: int
    completed: int
    abandoned: int
    texts: int
    cost: str
    events: Mapping[str, int]
    why_not: str = ""
    """The reason why the campaign could not start."""


def call_outcome(attempt: AttemptPart) -> str:
    """Return the outcome of a call in a word: `answered`, `machine`, or the reason why nobody was reached."""
    if attempt.answered is not None:
        return "machine" if attempt.amd == "machine" else "answered"
    return attempt.status_reason or attempt.status.lower()


def campaign_outcome(connection: Connection, campaign_id: int, why_not: str = "") -> CampaignOutcome:
    """Return the outcome of a campaign; `why_not` says why it could not start."""
    row = connection.execute(select(Campaign.__table__).where(Campaign.id == campaign_id)).mappings().one()
    counted = select(AccountEvent.type, func.count()).group_by(AccountEvent.type)
    is_texts = row["medium"] == SMS
    return CampaignOutcome(
        status=CAMPAIGN_STATUSES[CampaignStatus(row["status"])],
        reason=row["status_reason"],
        calls=row["calls"],
        answered=row["answered"],
        completed=row["completed"],
        abandoned=row["abandoned"],
        texts=row["calls"] if is_texts else _texts(connection),
        cost=format_money(row["cost"]),
        events={row[0]: row[1] for row in connection.execute(counted)},
        why_not=why_not,
    )


def _texts(connection: Connection) -> int:
    return int(connection.scalar(select(func.count()).select_from(SmsMessage)) or 0)


def person_outcome(
    connection: Connection, campaign_id: int, number: str, *, full_name: str, now_ms: int, hours: CallingHours
) -> PersonOutcome:
    """Return the calls, answers and state of one person of a campaign."""
    story = read_story(
        connection, str(campaign_id), number, now_ms=now_ms, region=None, service_zone="UTC", hours=hours
    )
    campaign = connection.execute(select(Campaign.object_id, Campaign.medium).where(Campaign.id == campaign_id)).one()
    rows = rows_of(connection, campaign.object_id)
    numbers = numbers_of(rows)
    titles = {numbers[row["id"]]: row["question"] for row in rows}
    requests = select(CallRequest.id, CallRequest.attempt).where(CallRequest.campaign_id == campaign_id)
    paths = {}
    for call_id, attempt in connection.execute(requests.where(_is_of(story.number)).order_by(CallRequest.id)):
        visits = _visits(connection, call_id, numbers)
        if visits:
            paths[attempt] = visits
    return PersonOutcome(story.number, full_name, story, titles, paths, campaign.medium == SMS)


def _is_of(number: str) -> Any:  # noqa: ANN401 - a condition
    return (CallRequest.phone_number == number) | (CallRequest.callerid == number)


def _visits(connection: Connection, call_id: int, numbers: Mapping[int, int]) -> list[Visit]:
    try:
        call = finished_call(connection, str(call_id))
    except UnknownCallError:
        return []
    return [
        Visit(numbers.get(step.section.id, step.section.id), step.section.question, _input(step))
        for step in replay(CallFlow(call.survey), call.heard)
    ]


def _input(step: Any) -> str:  # noqa: ANN401 - a step of a replay
    if step.heard is None:
        return "hung up" if step.is_last else ""
    taken = step.heard.taken
    if taken.branch in _TRANSFERS:
        return _TRANSFERS[taken.branch]
    answer = "" if step.response is None else f", answer {step.response}"
    return f"pressed {taken.answer}{answer}" if taken.answer else "pressed nothing"
