"""The journal's rows of transfers, and the figures of queues, agents and campaigns."""

from typing import Any, Final

import msgspec
from sqlalchemy import Connection, bindparam, case, func, null, update

from dialer.domain.calls import agent_effects, call_effects, campaign_effects
from dialer.domain.calls.plans import Call, Transfer, id_or_0
from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.words.enums import TransferStatus
from dialer.store.database.bulk import Bulk, bulk_insert
from dialer.store.queries.rates import RATE_COLUMNS, rate_values
from dialer.store.tables import Agent, Campaign, Queue
from dialer.store.tables import Transfer as TransferRow

_STANDING: Final = (
    "agent_id",
    "phone_number",
    "status",
    "reason",
    "offers",
    "parameters",
    "started_ms",
    "answered_ms",
    "ended_ms",
    "is_abandoned",
    "on_hold_from_ms",
    "on_hold_ms",
    "queue_id",
    "score_from_ms",
    "consulted",
    "recorded_ms",
    *RATE_COLUMNS,
)
"""Columns that change during a transfer."""
_FIXED: Final = (
    "callrequest_id",
    "user_id",
    "place",
    "section_id",
    "gateway_id",
    "joined_ms",
    "hold",
    "talk_limit_ms",
    "from_agent_id",
    "for_agent_id",
)
_INSERT: Final = bulk_insert(TransferRow.__table__, *_FIXED, *_STANDING)
_UPDATE: Final = Bulk(
    update(TransferRow)
    .where(TransferRow.callrequest_id == bindparam("call"), TransferRow.place == bindparam("which"))
    .values({name: bindparam(f"new_{name}") for name in _STANDING}),
    (*(f"new_{name}" for name in _STANDING), "call", "which"),
)
_KEEP_AGENT: Final = Bulk(
    update(Agent)
    .where(Agent.id == bindparam("agent"))
    .values(
        figures=func.coalesce(bindparam("new_figures"), Agent.figures),
        status=func.coalesce(bindparam("new_status"), Agent.status),
        break_cause=func.coalesce(bindparam("new_cause"), Agent.break_cause),
        hold_call_id=func.nullif(Agent.hold_call_id, bindparam("ended_hold")),
        supervised_call_id=case(
            (Agent.supervision_turn == bindparam("ended_supervision"), null()), else_=Agent.supervised_call_id
        ),
        hang_up_call_id=func.nullif(Agent.hang_up_call_id, bindparam("ended_hang_up")),
        transfer_call_id=func.nullif(Agent.transfer_call_id, bindparam("ended_transfer")),
        consulted_call_id=case(
            (Agent.consultation_turn == bindparam("ended_consultation"), null()), else_=Agent.consulted_call_id
        ),
        consultation_mode=case(
            (Agent.consultation_turn == bindparam("kept_consultation"), bindparam("kept_mode")),
            else_=Agent.consultation_mode,
        ),
    ),
    (
        *("new_figures", "new_status", "new_cause", "ended_hold", "ended_supervision"),
        *("ended_hang_up", "ended_transfer", "ended_consultation"),
        *("kept_consultation", "kept_mode", "agent"),
    ),
)
_KEEP_QUEUE: Final = Bulk(
    update(Queue)
    .where(Queue.id == bindparam("queue"))
    .values(
        last_agent_id=func.coalesce(bindparam("last"), Queue.last_agent_id),
        no_agent_from_ms=func.coalesce(bindparam("since_ms"), Queue.no_agent_from_ms),
    ),
    ("last", "since_ms", "queue"),
)
_KEEP_FIGURES: Final = Bulk(
    update(Campaign).where(Campaign.id == bindparam("campaign")).values(pacing_figures=bindparam("new_figures")),
    ("new_figures", "campaign"),
)

_Key = tuple[int, int]


class TransferRows:
    """Transfers that wait to be written, each once, in its latest state."""

    def __init__(self) -> None:
        self._open: Final[set[_Key]] = set()
        self._stored: Final[set[_Key]] = set()
        """Keys of transfers that are not over and already have a row."""
        self._changed: dict[_Key, tuple[Call, Transfer]] = {}

    def restored(self, call: Call) -> None:
        """Take up the open transfers of a call that was in progress before the journal was opened."""
        for transfer in call.transfers:
            if transfer.status is not TransferStatus.OVER:
                self._open.add((call.id, transfer.place))
                self._stored.add((call.id, transfer.place))

    def keep(self, effect: call_effects.KeepTransfer) -> int:
        """Record the state of a transfer. Return the change of the amount held from the account."""
        call, transfer = effect.call, effect.transfer
        key = (call.id, transfer.place)
        was_open, is_open = key in self._open, transfer.status is not TransferStatus.OVER
        self._changed[key] = (call, transfer)
        if is_open:
            self._open.add(key)
        else:
            self._open.discard(key)
        return transfer.hold * (is_open - was_open)

    def write(self, connection: Connection) -> None:
        """Write the recorded transfers."""
        fresh = [item for key, item in self._changed.items() if key not in self._stored]
        known = [item for key, item in self._changed.items() if key in self._stored]
        _INSERT.run(connection, [(*_fixed(*item), *_standing(item[1])) for item in fresh])
        _UPDATE.run(connection, [(*_standing(item[1]), item[0].id, item[1].place) for item in known])
        for key, (_, transfer) in self._changed.items():
            if transfer.status is TransferStatus.OVER:
                self._stored.discard(key)
            else:
                self._stored.add(key)
        self._changed = {}


class CallCentreRows:
    """Figures of queues, agents and campaigns that wait to be written, each in its latest state."""

    def __init__(self) -> None:
        self._agents: dict[int, tuple[str | int | None, ...]] = {}
        self._queues: dict[int, tuple[int | None, int | None]] = {}
        self._figures: dict[int, PacingFigures] = {}

    def keep_agent(self, effect: agent_effects.KeepAgent) -> None:
        """Record the figures and the status of an agent, and the ends of a hold, of a supervision and of orders."""
        kept = effect.kept_consultation
        new = (
            None if effect.figures is None else msgspec.json.encode(effect.figures).decode(),
            None if effect.status is None else int(effect.status),
            None if effect.status is None else str(effect.break_cause),
            *(effect.ended_hold_id, effect.ended_supervision, effect.ended_hang_up_id, effect.ended_transfer_id),
            effect.ended_consultation,
            *((None, None) if kept is None else (kept.turn, str(kept.mode))),
        )
        known = self._agents.get(effect.agent_id, new)
        self._agents[effect.agent_id] = tuple(
            before if value is None else value for before, value in zip(known, new, strict=True)
        )

    def keep_queue(self, effect: agent_effects.KeepQueue) -> None:
        """Record the agent who was offered a call last, and the time since which calls wait without an agent."""
        last, since_ms = self._queues.get(effect.queue_id, (None, None))
        self._queues[effect.queue_id] = (
            last if effect.last_agent_id is None else effect.last_agent_id,
            since_ms if effect.no_agent_from_ms is None else effect.no_agent_from_ms,
        )

    def keep_figures(self, effect: campaign_effects.KeepFigures) -> None:
        """Record the pacing figures of a campaign. The object may change further until it is written."""
        self._figures[effect.campaign_id] = effect.figures

    def write(self, connection: Connection) -> None:
        """Write the recorded figures of agents, queues and campaigns."""
        _KEEP_AGENT.run(connection, [(*values, agent_id) for agent_id, values in self._agents.items()])
        _KEEP_QUEUE.run(connection, [(*values, queue_id) for queue_id, values in self._queues.items()])
        documents = {campaign_id: msgspec.json.encode(one).decode() for campaign_id, one in self._figures.items()}
        _KEEP_FIGURES.run(connection, [(document, campaign_id) for campaign_id, document in documents.items()])
        self._agents, self._queues, self._figures = {}, {}, {}


def _fixed(call: Call, transfer: Transfer) -> tuple[Any, ...]:
    whose = (call.id, call.plan.user_id, transfer.place, transfer.section_id, id_or_0(transfer.gateway_id))
    agents = (transfer.from_agent_id, transfer.for_agent_id)
    return (*whose, transfer.joined_ms, transfer.hold, transfer.talk_limit_ms, *agents)


def _standing(transfer: Transfer) -> tuple[Any, ...]:
    return (
        transfer.agent_id,
        transfer.number,
        int(transfer.status),
        transfer.reason,
        msgspec.json.encode(transfer.offers).decode(),
        transfer.parameters,
        transfer.started_ms,
        transfer.answered_ms,
        transfer.ended_ms,
        transfer.is_abandoned,
        transfer.on_hold_from_ms,
        transfer.on_hold_ms,
        transfer.queue_id,
        transfer.score_from_ms,
        int(transfer.consulted),
        transfer.recorded_ms,
        *rate_values(transfer.rate),
    )
