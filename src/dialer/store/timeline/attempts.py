"""The attempts of a story: calls with their answers, transfers and messages, or text messages."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, RowMapping, SQLColumnExpression, Table, bindparam, select

from dialer.domain.billing.money import format_money
from dialer.domain.calls.plans import NO_AMD, SMS, VOICE, GatewayKey
from dialer.domain.messages.confirmation_codes import shown_text
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.survey.survey import Survey
from dialer.domain.words.enums import AmdStatus, CallRequestStatus, LegType
from dialer.store.database.bulk import PreparedStatement
from dialer.store.queries.sealed_surveys import sealed_survey
from dialer.store.queries.waits_in_queues import waited_ms
from dialer.store.rows.live_legs import is_strangers
from dialer.store.tables import (
    Agent,
    CallDisposition,
    CallRequest,
    Campaign,
    Cdr,
    Gateway,
    Queue,
    SmsMessage,
    Subscriber,
    SurveyResult,
    Transfer,
)
from dialer.store.timeline.orders import orders_in
from dialer.store.timeline.parts import (
    AnswerPart,
    AttemptPart,
    MessagePart,
    OutcomePart,
    TransferPart,
    moment,
    moment_or_none,
)
from dialer.store.timeline.sections import sections_without_answer

_AMD: Final = {AmdStatus.PERSON: "person", AmdStatus.MACHINE: "machine", AmdStatus.UNSURE: "unsure"}
_SECOND_MS: Final = 1_000

_REQUESTS: Final = select(CallRequest.__table__).order_by(CallRequest.started_ms, CallRequest.id)
_OF_SUBSCRIBERS: Final = _REQUESTS.where(CallRequest.subscriber_id.in_(bindparam("ids", expanding=True)))
_ONE: Final = _REQUESTS.where(CallRequest.id == bindparam("id"))
_GATEWAY: Final = PreparedStatement(
    select(Gateway.name).where(Gateway.medium == bindparam("kind"), Gateway.id == bindparam("number"))
)
_OF_CALLS: Final = tuple(
    select(table).where(table.c.callrequest_id.in_(bindparam("ids", expanding=True))).order_by(table.c.id)
    for table in (
        Cdr.__table__,
        SurveyResult.__table__,
        Transfer.__table__,
        SmsMessage.__table__,
        CallDisposition.__table__,
    )
)
"""The rows of calls. Statements are built once, as building one takes longer than running it."""
_NAMES: Final = {
    table: select(table.c.name).where(table.c.id == bindparam("id")) for table in (Queue.__table__, Agent.__table__)
}

_Rows = Sequence[RowMapping]


def calls_of(connection: Connection, subscriber_id: int) -> list[AttemptPart]:
    """Return the calls to and from a subscriber, in the order in which they began."""
    return calls_of_each(connection, [subscriber_id])[subscriber_id]


def calls_of_each(connection: Connection, subscriber_ids: Collection[int]) -> dict[int, list[AttemptPart]]:
    """Return the calls to and from each of some subscribers, in the order in which they began.

    The number of statements grows with the campaigns, and not with the people.
    """
    found: dict[int, list[AttemptPart]] = {one: [] for one in subscriber_ids}
    requests = connection.execute(_OF_SUBSCRIBERS, {"ids": list(subscriber_ids)}).mappings().all()
    for row, part in zip(requests, _parts(connection, requests), strict=True):
        found[row["subscriber_id"]].append(part)
    return found


def calls_from(connection: Connection, campaign_id: int, number: str) -> list[AttemptPart]:
    """Return the calls from a number that is no subscriber of the campaign that answered."""
    is_meant = (CallRequest.campaign_id == campaign_id) & is_strangers(number)
    return _parts(connection, connection.execute(_REQUESTS.where(is_meant)).mappings().all())


def call_of(connection: Connection, callrequest_id: int) -> AttemptPart | None:
    """Return the attempt of a call request; None if there is none with this id."""
    requests = connection.execute(_ONE, {"id": callrequest_id}).mappings().all()
    return next(iter(_parts(connection, requests)), None)


def _parts(connection: Connection, requests: _Rows) -> list[AttemptPart]:
    """Return the attempts of call requests, in their order."""
    if not requests:
        return []
    ids = [row["id"] for row in requests]
    cdrs, results, transfers, messages, said = (
        _by_call(connection.execute(query, {"ids": ids}).mappings().all()) for query in _OF_CALLS
    )
    names = _Names(connection)
    surveys = {
        campaign_id: sealed_survey(connection, campaign_id) for campaign_id in {row["campaign_id"] for row in requests}
    }
    return [
        _call(
            row,
            names.gateway(GatewayKey(VOICE, row["gateway_id"])),
            next((cdr for cdr in cdrs[row["id"]] if cdr["leg_type"] == LegType.A_LEG), None),
            surveys[row["campaign_id"]],
            _RowsOfCall(results[row["id"]], transfers[row["id"]]),
            answers=[_answer(result, names) for result in results[row["id"]]],
            transfers=[_transfer(transfer, names, cdrs[row["id"]]) for transfer in transfers[row["id"]]],
            messages=[_message(one) for one in messages[row["id"]]],
            orders=orders_in(connection, row, transfers[row["id"]]),
            outcomes=[_outcome(one) for one in said[row["id"]]],
        )
        for row in requests
    ]


def messages_of(connection: Connection, subscriber_id: int) -> list[AttemptPart]:
    """Return the text messages to a subscriber of a campaign of text messages."""
    condition = (SmsMessage.subscriber_id == subscriber_id) & SmsMessage.callrequest_id.is_(None)
    names, template = _Names(connection), _template_of_test(connection, subscriber_id)
    return [
        AttemptPart(
            id=row["id"],
            attempt=row["attempt"],
            at=moment(row["send_date"]),
            gateway=names.gateway(GatewayKey(SMS, row["gateway_id"])),
            callerid=row["callerid"],
            dialled_number=row["dialled_number"],
            status=row["status"],
            status_reason="",
            ended=moment_or_none(row["ended_ms"]),
            answered=moment_or_none(row["delivery_date"]),
            cost=format_money(row["cost"]),
            messages=[_message(row, template)],
        )
        for row in _rows(connection, SmsMessage.__table__, condition, SmsMessage.id)
    ]


def _template_of_test(connection: Connection, subscriber_id: int) -> str:
    """Return the template of the texts to the person of a test, which may bring a code; else an empty text."""
    campaign_id = select(Subscriber.campaign_id).where(Subscriber.id == subscriber_id).scalar_subquery()
    is_test = Campaign.id == campaign_id, Campaign.trial_of_id.is_not(None)
    return connection.scalar(select(Campaign.text_message).where(*is_test)) or ""


class _RowsOfCall(NamedTuple):
    """The answers and transfers of one call."""

    results: list[RowMapping]
    transfers: list[RowMapping]


class _Names:
    """Names of gateways, queues and agents; for deleted ones the type and the id, such as `agent 3`."""

    def __init__(self, connection: Connection) -> None:
        self._connection: Final = connection

    def gateway(self, key: GatewayKey) -> str:
        found = _GATEWAY.run(self._connection, {"kind": key.medium, "number": key.id})
        return str(found[0]) if found else f"gateway {key.id}"

    def queue(self, queue_id: int) -> str:
        return self._name(Queue.__table__, queue_id, "no.")

    def agent(self, agent_id: int | None) -> str:
        return "" if agent_id is None else self._name(Agent.__table__, agent_id, "agent")

    def _name(self, table: Table, row_id: int, noun: str) -> str:
        name = self._connection.scalar(_NAMES[table], {"id": row_id})
        return f"{noun} {row_id}" if name is None else str(name)


def _rows(
    connection: Connection, table: Table, condition: ColumnElement[bool], *order: SQLColumnExpression[Any]
) -> _Rows:
    return connection.execute(select(table).where(condition).order_by(*order)).mappings().all()


def _by_call(rows: _Rows) -> defaultdict[int, list[RowMapping]]:
    found: defaultdict[int, list[RowMapping]] = defaultdict(list)
    for row in rows:
        found[row["callrequest_id"]].append(row)
    return found


def _call(
    row: RowMapping,
    gateway: str,
    cdr: RowMapping | None,
    survey: Survey | None,
    rows: _RowsOfCall,
    **parts: Any,  # noqa: ANN401 - lists
) -> AttemptPart:
    billsec = 0 if cdr is None else cdr["billsec"]
    is_answered = billsec > 0 and row["ended_ms"] is not None
    rang = 0 if cdr is None else _rang(row, cdr)
    answered_ms = row["started_ms"] + rang * _SECOND_MS
    was_heard = is_answered and row["amd"] != NO_AMD and cdr is not None
    return AttemptPart(
        id=row["id"],
        attempt=row["attempt"],
        at=moment(row["started_ms"]),
        gateway=gateway,
        callerid=row["callerid"],
        dialled_number=row["dialled_number"],
        status=CallRequestStatus(row["status"]).name,
        status_reason=row["status_reason"],
        ended=moment_or_none(row["ended_ms"]),
        rang=None if cdr is None else rang,
        answered=moment(answered_ms) if is_answered else None,
        amd=_AMD[AmdStatus(cdr["amd_status"])] if was_heard and cdr is not None else "",
        hangup_cause_q850=row["hangup_cause_q850"],
        billsec=billsec,
        cost=format_money(0 if cdr is None else cdr["call_cost"]),
        sections=list(sections_without_answer(row["heard"], survey, answered_ms, *rows)),
        **parts,
    )


def _rang(row: RowMapping, cdr: RowMapping) -> int:
    """Return the whole seconds until the call was answered, or until it ended without an answer.

    A CDR rounds the time from the answer up, so the ringing time follows from the exact start and end of the call.
    """
    unanswered_ms = cdr["duration"] * _SECOND_MS
    if cdr["billsec"] > 0 and row["ended_ms"] is not None:
        unanswered_ms = row["ended_ms"] - row["started_ms"] - cdr["billsec"] * _SECOND_MS
    return int(-(-unanswered_ms // _SECOND_MS))


def _answer(row: RowMapping, names: _Names) -> AnswerPart:
    recording, response = row["id"] if row["record_file"] else None, row["response"]
    word, _, number = response.partition(": ")
    if word == "queue" and number.isdecimal() and SECTION_TYPES[row["section_type"]].transfers:
        response = f"queue {names.queue(int(number))}"
    is_transfer = SECTION_TYPES[row["section_type"]].transfers
    return AnswerPart(moment(row["created_date"]), row["question"], response, recording, is_transfer, row["summary"])


def _transfer(row: RowMapping, names: _Names, cdrs: list[RowMapping]) -> TransferPart:
    """Return a transfer with the CDR of its B-leg: the one that began at the same time."""
    legs = (cdr for cdr in cdrs if cdr["leg_type"] == LegType.B_LEG and cdr["starting_date"] == row["started_ms"])
    leg = next(legs, None)
    has_queued = row["score_from_ms"] > 0
    queue = "" if row["queue_id"] is None else names.queue(row["queue_id"])
    to = "a deleted queue" if has_queued else row["phone_number"]
    in_queue_ms = waited_ms(row)
    return TransferPart(
        at=moment(row["joined_ms"]),
        to=f"queue {queue}" if queue else to,
        queue=queue,
        agent=names.agent(row["agent_id"]),
        started=moment_or_none(row["started_ms"]),
        answered=moment_or_none(row["answered_ms"]),
        ended=moment_or_none(row["ended_ms"]),
        reason=row["reason"],
        is_abandoned=row["is_abandoned"],
        has_queued=has_queued,
        waited=None if in_queue_ms is None else in_queue_ms / _SECOND_MS,
        billsec=0 if leg is None else leg["billsec"],
        cost=format_money(0 if leg is None else leg["call_cost"]),
    )


def _outcome(row: RowMapping) -> OutcomePart:
    return OutcomePart(moment(row["updated_date"]), row["disposition"], row["word"], row["note"])


def _message(row: RowMapping, template: str = "") -> MessagePart:
    return MessagePart(
        id=row["id"],
        at=moment(row["send_date"]),
        to=row["phone_number"],
        text=shown_text(template, row["text_message"]),
        parts=row["parts"],
        status=row["status"],
        cost=format_money(row["cost"]),
    )
