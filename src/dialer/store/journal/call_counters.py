"""The journal's counters of calls and messages, by campaign and by user, for each hour and grouping.

A step adds calls up by everything that they have in common, and writes each counter once. So the cost of a counter
hardly depends on the number of calls.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, Table
from sqlalchemy.dialects.sqlite import insert

from dialer.domain.enums import AmdStatus, LegType
from dialer.domain.plans import Call, CallOutcome
from dialer.domain.statistics import HOUR_MS, Grouping
from dialer.store.bulk import Bulk
from dialer.store.journal.rows import CdrRow
from dialer.store.tables import CampaignHour, UserHour

_A_LEG: Final = int(LegType.A_LEG)
_MACHINE: Final = int(AmdStatus.MACHINE)
COUNTERS: Final = (
    "calls",
    "answered",
    "live",
    "completed",
    "talk_s",
    "answer_s",
    "signalled",
    "post_dial_ms",
    "for_agents",
    "abandoned",
    "legs",
    "legs_answered",
    "legs_talk_s",
    "inbound",
    "inbound_answered",
    "inbound_talk_s",
    "messages",
    "delivered",
    "parts",
    "cost",
)
"""The counters, in the order of their columns."""
_CALLS: Final = COUNTERS.index("calls")
_LEGS: Final = COUNTERS.index("legs")
_INBOUND: Final = COUNTERS.index("inbound")
_MESSAGES: Final = COUNTERS.index("messages")
_COST: Final = COUNTERS.index("cost")
_TOTAL, _OUTCOME, _AGENT, _PHONEBOOK, _GATEWAY, _ZONE, _ATTEMPT = map(int, Grouping)


class _Alike(NamedTuple):
    """Everything by which calls are counted."""

    user_id: int
    campaign_id: int | None
    hour: int
    place: int
    """The index of the counter that counts them."""
    outcome: int | str
    agent_id: int
    phonebook_id: int
    gateway_id: int
    zone: str
    attempt: int

    def members(self) -> Iterator[tuple[int, str]]:
        """Yield the groupings in which the calls count, each with their member."""
        yield _TOTAL, ""
        yield _OUTCOME, str(self.outcome)
        yield _PHONEBOOK, str(self.phonebook_id)
        yield _GATEWAY, str(self.gateway_id)
        yield _ZONE, self.zone
        yield _ATTEMPT, str(abs(self.attempt))
        if self.agent_id:
            yield _AGENT, str(self.agent_id)


def _upsert(table: Table, owner: str) -> Bulk:
    names = (owner, "grouping", "hour", "member", *COUNTERS)
    added = insert(table)
    grown = {name: table.c[name] + added.excluded[name] for name in COUNTERS}
    return Bulk(added.on_conflict_do_update(index_elements=names[:4], set_=grown), names)


_COUNT_CAMPAIGNS: Final = _upsert(CampaignHour.__table__, "campaign_id")
_COUNT_USERS: Final = _upsert(UserHour.__table__, "user_id")
_Key = tuple[int, int, int, int, str]
"""The user, the campaign (0 for none), the grouping, the hour and the member."""


class CallCounts:
    """Calls and messages that are over and wait to be counted."""

    def __init__(self) -> None:
        self._found: defaultdict[_Alike, list[int]] = defaultdict(lambda: [0] * 11)
        """Their number, and the sums of ten of their figures."""

    def cdr(self, row: CdrRow) -> None:
        """Count a leg by its CDR."""
        place = _LEGS if row.leg_type != _A_LEG else _CALLS if row.attempt > 0 else _INBOUND
        alike = _Alike(
            row.user_id,
            row.campaign_id,
            row.starting_date // HOUR_MS,
            place,
            row.hangup_cause_q850,
            row.agent_id,
            row.phonebook_id,
            row.gateway_id,
            row.zone,
            row.attempt,
        )
        sums = self._found[alike]
        sums[0] += 1
        if row.billsec:
            sums[1] += 1
            sums[2] += row.amd_status != _MACHINE
            sums[3] += row.is_completed
            sums[4] += row.billsec
            sums[5] += row.duration - row.billsec
            sums[8] += row.is_for_agents
            sums[9] += row.is_abandoned
            sums[10] += row.call_cost
        if row.post_dial_ms is not None:
            sums[6] += 1
            sums[7] += row.post_dial_ms

    def message(self, message: Call, outcome: CallOutcome, cost: int) -> None:
        """Count a text message whose outcome is known."""
        plan, person = message.plan, message.subscriber
        alike = _Alike(
            plan.user_id,
            plan.id,
            message.started_ms // HOUR_MS,
            _MESSAGES,
            str(outcome.message_status),
            0,
            person.phonebook_id or 0,
            plan.gateway_id,
            person.zone,
            message.attempt,
        )
        sums = self._found[alike]
        sums[0] += 1
        sums[1] += outcome.delivered_ms is not None
        sums[2] += message.parts
        sums[10] += cost

    def write(self, connection: Connection) -> None:
        """Add the calls and messages to their counters."""
        if not self._found:
            return
        of_campaigns = self._of_campaigns()
        of_users: defaultdict[tuple[int, int, int, str], list[int]] = defaultdict(_nothing)
        for (user_id, _, *rest), row in of_campaigns.items():
            _add(of_users[user_id, *rest], enumerate(row))  # type: ignore[index]
        _COUNT_CAMPAIGNS.run(connection, [(*key[1:], *row) for key, row in of_campaigns.items() if key[1]])
        _COUNT_USERS.run(connection, [(*key, *row) for key, row in of_users.items()])
        self._found.clear()

    def _of_campaigns(self) -> dict[_Key, list[int]]:
        """Return the counters of each campaign. Calls that differ in other groupings only are added up."""
        found: defaultdict[_Key, list[int]] = defaultdict(_nothing)
        for alike, sums in self._found.items():
            grown = _spread(alike, sums)
            for grouping, member in alike.members():
                _add(found[alike.user_id, alike.campaign_id or 0, grouping, alike.hour, member], grown)
        return found


def _nothing() -> list[int]:
    return [0] * len(COUNTERS)


def _add(row: list[int], grown: Iterable[tuple[int, int]]) -> None:
    for place, value in grown:
        row[place] += value


def _spread(alike: _Alike, sums: Sequence[int]) -> list[tuple[int, int]]:
    """Return the counters that some calls change, each with its place."""
    size = {_CALLS: 10, _LEGS: 3, _INBOUND: 3, _MESSAGES: 3}[alike.place]
    figures = [sums[0], sums[1], sums[4]] if alike.place in {_LEGS, _INBOUND} else sums
    found = [(alike.place + place, figures[place]) for place in range(size) if figures[place]]
    return [*found, (_COST, sums[10])] if sums[10] else found
