"""The rules about the events of accounts: each committed change has its events, in order, and nothing else has any."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, update

from dialer.store.tables import Did, User
from tests.vopr.dice import Dice
from tests.vopr.snapshot import Attempt, Snapshot, ask
from tests.vopr.worlds import CENTS

_ACCOUNTS: Final = "SELECT id, balance, low_balance FROM user_account WHERE keeps_events"
_EVENTS: Final = """
    SELECT user_id, type, subject, campaign_id, data FROM account_event WHERE id > ? ORDER BY id"""
_CDRS: Final = """
    SELECT id, user_id, callrequest_id, billsec, call_cost FROM cdr WHERE id > ? AND leg_type = 1 ORDER BY id"""
_ENTRIES: Final = """
    SELECT e.id, e.user_id, EXISTS (SELECT 1 FROM campaign k
        LEFT JOIN campaign_dnc_list n ON n.campaign_id = k.id
        WHERE k.user_id <> e.user_id AND (k.dnc_id = e.dnc_id OR n.dnc_id = e.dnc_id))
    FROM dnc_contact e WHERE e.id > ?"""
"""New entries, and whether campaigns of other accounts name their list."""
_TEXTS: Final = "SELECT id, cost FROM sms_message WHERE cost <> 0"
_AGENTS: Final = "SELECT id, user_id, status FROM agent"
_DISPOSITIONS: Final = """
    SELECT callrequest_id, user_id, disposition, word, note, call_back_ms FROM call_disposition"""
_TALKS: Final = """
    SELECT t.callrequest_id, t.place, c.user_id FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id
    WHERE t.answered_ms IS NOT NULL AND t.score_from_ms > 0"""
_TALKS_THAT_FAILED: Final = """
    SELECT c.user_id, t.callrequest_id FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id
    WHERE t.answered_ms IS NULL AND t.agent_id IS NOT NULL AND t.score_from_ms > 0"""
"""An agent may have taken such a call, before its carrier failed in the same step."""
_LENT: Final = """
    SELECT DISTINCT a.id FROM agent a JOIN transfer t ON t.agent_id = a.id
    JOIN callrequest c ON c.id = t.callrequest_id WHERE c.user_id != a.user_id"""
"""Agents with calls of other accounts, which worlds have and the service has not. No worker may know their account."""
_MAY_BE_LENT: Final = """
    SELECT DISTINCT a.id FROM agent a JOIN tier t ON t.agent_id = a.id
    JOIN section_template s ON s.queue_id = t.queue_id
    JOIN campaign c ON c.object_id = s.survey_id WHERE c.user_id != a.user_id"""
"""Agents to whom people of other accounts may be shown before a call. One who does not decide is sent on a break."""
_CAMPAIGN_STATES: Final = ("new", "started", "paused", "aborted", "ended")
_AGENT_STATES: Final = ("", "logged_out", "available", "available_on_demand", "on_break")
_FINAL: Final = {3: "abort", 4: "fail", 5: "sent", 7: "not_authorized", 8: "completed"}
_CALL_ABORTED, _CALL_ANSWERED = 5, 4
_STAGES: Final = {
    "call.started": 1,
    "call.answered": 2,
    "call.ended": 3,
    "message.sent": 1,
    "message.delivered": 2,
    "message.failed": 2,
}
_ANSWERS: Final = "message.received"
_ANSWERED: Final = """
    SELECT DISTINCT m.campaign_id FROM sms_message m
    JOIN dnc_contact e ON e.number = m.phone_number AND e.user_id = m.user_id"""
"""Campaigns whose text messages reached numbers that are on a list now: no row keeps the answer itself."""
_PATHS: Final = frozenset({"agent.status", "campaign.started", "campaign.paused", "campaign.aborted", "campaign.ended"})
"""Types of which several may follow each other between two snapshots: the last one must be the state of the record."""


class Key(NamedTuple):
    """The part of an event that the rows determine."""

    user_id: int
    type: str
    subject: str
    state: str = ""


class Seen(NamedTuple):
    """An event, as its row has it."""

    key: Key
    campaign_id: int | None
    data: dict[str, Any]


def switch_events_on(connection: Connection, seed: int) -> None:
    """Let accounts of a world keep events, at least the first, with draws apart from all others.

    Calls come in, too: the numbers of the world are assigned to their accounts.
    """
    assign_numbers(connection)
    dice = Dice(seed, "events")
    for (user_id,) in ask(connection, "SELECT id FROM user_account ORDER BY id"):
        keeps = dice.happens(70) or user_id == 1
        values = {"keeps_events": keeps, "low_balance": dice.pick((0, 2, 30)) * CENTS}
        connection.execute(update(User).where(User.id == user_id).values(values))


def assign_numbers(connection: Connection) -> None:
    """Let calls reach the DIDs of a world."""
    connection.execute(update(Did).values(is_assigned=True))


class EventRules:
    """The events of a run so far, and the rows as they were at the last check."""

    def __init__(self) -> None:
        self._last_event = self._last_cdr = self._last_entry = 0
        self._begun: Final[set[tuple[str, int]]] = set()
        self._over: Final[set[int]] = set()
        self._stages: Final[dict[str, int]] = {}
        self._campaigns: Final[dict[int, str]] = {}
        self._agents: Final[dict[int, int]] = {}
        self._balances: Final[dict[int, int]] = {}
        self._dispositions: frozenset[tuple[Any, ...]] = frozenset()
        self._talks: frozenset[tuple[Any, ...]] = frozenset()
        self._shared: Final[set[str]] = set()
        self._is_new = True

    def check(self, connection: Connection, last: Snapshot | None, seen: Snapshot, *, by_user: bool) -> list[str]:
        """Return the rules that were broken since the last check, in which either a user or the worker wrote."""
        new = self._new(connection)
        accounts = ask(connection, _ACCOUNTS)
        expected = Counter(self._expected(connection, last, seen, accounts, by_user=by_user))
        keeping = {row[0] for row in accounts}
        wanted = Counter({key: count for key, count in expected.items() if key.user_id in keeping})
        compared = (one.key for one in new if one.key.type not in {*_PATHS, _ANSWERS})
        got = Counter(key for key in compared if key.subject not in self._shared)
        broken = [f"an event is missing: {key}" for key in wanted - got]
        failed = ask(connection, _TALKS_THAT_FAILED)
        maybe = Counter(Key(user_id, "call.taken", f"callrequest/{call}", "taken") for user_id, call in failed)
        broken += [f"an event is there without its change: {key}" for key in got - wanted - maybe]
        broken += self._paths(connection, seen, keeping, new)
        broken += self._order(new)
        answered = {row[0] for row in ask(connection, _ANSWERED)}
        answers = (one for one in new if one.key.type == _ANSWERS and one.campaign_id not in answered)
        broken += [f"nobody has answered a text: {one.key}" for one in answers]
        self._is_new = False
        return broken

    def _new(self, connection: Connection) -> list[Seen]:
        rows = ask(connection, _EVENTS, self._last_event)
        for (last_id,) in ask(connection, "SELECT coalesce(max(id), 0) FROM account_event"):
            self._last_event = last_id
        found = []
        for user_id, kind, subject, campaign_id, text in rows:
            data = msgspec.json.decode(text)
            has_state = kind not in {"dnc.added", "disposition.saved", "balance.low"}
            key = Key(user_id, kind, subject, f"{data['state']} {_figures(data)}".strip() if has_state else "")
            found.append(Seen(key, campaign_id, data))
        return found

    def _expected(
        self, connection: Connection, last: Snapshot | None, seen: Snapshot, accounts: list[Any], *, by_user: bool
    ) -> Iterator[Key]:
        """Yield the events that the rows call for, of all accounts."""
        yield from self._calls(connection, seen)
        yield from self._texts(connection, seen)
        if last is not None and not by_user:
            yield from _people(last, seen)
        self._shared.clear()
        for entry_id, user_id, is_shared in ask(connection, _ENTRIES, self._last_entry):
            self._last_entry = max(self._last_entry, entry_id)
            if is_shared and not by_user:  # It has an event only if the wish was made to the owner of the list.
                self._shared.add(f"dnc-contact/{entry_id}")
            elif not self._is_new:
                yield Key(user_id, "dnc.added", f"dnc-contact/{entry_id}")
        said = frozenset(ask(connection, _DISPOSITIONS))
        for one in said - self._dispositions:
            yield Key(one[1], "disposition.saved", f"callrequest/{one[0]}")
        self._dispositions = said
        talks = frozenset(ask(connection, _TALKS))
        for call_id, _, user_id in talks - self._talks:
            yield Key(user_id, "call.taken", f"callrequest/{call_id}", "taken")
        self._talks = talks
        for user_id, balance, low_balance in accounts:
            if balance <= low_balance < self._balances.get(user_id, balance):
                yield Key(user_id, "balance.low", f"users/{user_id}")
            self._balances[user_id] = balance

    def _calls(self, connection: Connection, seen: Snapshot) -> Iterator[Key]:
        calls = {one.id: one for one in seen.calls}
        for one in seen.calls:
            if ("call", one.id) not in self._begun:
                self._begun.add(("call", one.id))
                yield Key(one.user_id, "call.started", f"callrequest/{one.id}", "in_progress")
        for cdr_id, user_id, call_id, billsec, cost in ask(connection, _CDRS, self._last_cdr):
            self._last_cdr = cdr_id
            figures = f"{billsec}s {cost}"
            if call_id is None:
                yield Key(user_id, "call.ended", f"cdr/{cdr_id}", f"refused {figures}")
                continue
            state = _state_of(calls[call_id], connection)
            if state == "answered" or billsec > 0:
                yield Key(user_id, "call.answered", f"callrequest/{call_id}", "answered")
            yield Key(user_id, "call.ended", f"callrequest/{call_id}", f"{state} {figures}")

    def _texts(self, connection: Connection, seen: Snapshot) -> Iterator[Key]:
        costs = dict(ask(connection, _TEXTS))
        for one in seen.texts:
            subject = f"sms-message/{one.id}"
            if ("message", one.id) not in self._begun:
                self._begun.add(("message", one.id))
                yield Key(one.user_id, "message.sent", subject, "in_progress")
            if one.ended_ms is not None and one.id not in self._over:
                self._over.add(one.id)
                state = str(one.status).lower()
                if state != "sent":
                    kind = "message.delivered" if state == "delivered" else "message.failed"
                    yield Key(one.user_id, kind, subject, f"{state} {costs.get(one.id, 0)}")

    def _paths(self, connection: Connection, seen: Snapshot, keeping: set[int], new: list[Seen]) -> Iterator[str]:
        """Yield campaigns and agents whose events do not lead from the state that they had to the one they have."""
        events: dict[str, list[str]] = {}
        for one in new:
            if one.key.type in _PATHS:
                events.setdefault(one.key.subject, []).append(one.key.state)
        for campaign_id, row in seen.campaigns.items():
            now = _CAMPAIGN_STATES[row["status"]]
            before = self._campaigns.setdefault(campaign_id, now if self._is_new else "new")
            self._campaigns[campaign_id] = now
            subject = f"{'sms-campaigns' if row['medium'] == 'sms' else 'campaigns'}/{campaign_id}"
            yield from _path(subject, before, now, events.pop(subject, []), keeps=row["user_id"] in keeping)
        lent, maybe = ({row[0] for row in ask(connection, query)} for query in (_LENT, _MAY_BE_LENT))
        for agent_id, user_id, status in ask(connection, _AGENTS):
            before_status = self._agents.get(agent_id, status)
            self._agents[agent_id] = status
            states = (_AGENT_STATES[before_status], _AGENT_STATES[status])
            subject = f"agent/{agent_id}"
            told = events.pop(subject, [])
            is_unseen = agent_id in maybe and not told and states == ("available", "on_break")
            if agent_id not in lent and not is_unseen:
                yield from _path(subject, *states, told, keeps=user_id in keeping)
        yield from (f"there are events of {subject}, which does not exist" for subject in events)

    def _order(self, new: list[Seen]) -> Iterator[str]:
        """Yield events that come before what they follow from: a call that ends before it began, for example."""
        started: dict[int | None, str] = {}
        for one in new:
            stage = _STAGES.get(one.key.type)
            if stage is not None and one.key.state.split()[0] != "refused":
                if stage <= self._stages.get(one.key.subject, 0) or (stage > 1 and one.key.subject not in self._stages):
                    yield f"an event comes too early, or again: {one.key}"
                self._stages[one.key.subject] = stage
            if one.key.type.startswith("campaign."):
                started[one.campaign_id] = one.key.state
            is_dial = one.key.type == "call.started" and not one.data["is_inbound"]
            if is_dial and started.get(one.campaign_id, "started") != "started":
                yield f"the event of a dial comes after the end of its campaign: {one.key}"


def _figures(data: dict[str, Any]) -> str:
    seconds = f"{data['seconds']}s " if "seconds" in data else ""
    return f"{seconds}{data['cost']}" if "cost" in data else seconds


def _state_of(call: Attempt, connection: Connection) -> str:
    if call.status == _CALL_ABORTED:
        return "aborted"
    reasons = ask(connection, "SELECT status_reason FROM callrequest WHERE id = ?", call.id)
    is_machine = reasons == [("machine",)]
    return "answered" if call.status == _CALL_ANSWERED or is_machine else "not_answered"


def _people(last: Snapshot, seen: Snapshot) -> Iterator[Key]:
    """Yield the events of subscribers to whom the worker gave a final state."""
    for person_id, person in seen.people.items():
        before = last.people.get(person_id)
        if person.status in _FINAL and (before is None or before.status not in _FINAL):
            is_completed = _FINAL[person.status] in {"completed", "sent"}
            kind = "subscriber.completed" if is_completed else "subscriber.failed"
            user_id = seen.campaigns[person.campaign_id]["user_id"]
            yield Key(user_id, kind, f"subscriber-list/{person_id}", _FINAL[person.status])


def _path(subject: str, before: str, now: str, events: list[str], *, keeps: bool) -> Iterator[str]:
    if not keeps:
        yield from (f"an account without events has one: {subject} {state}" for state in events)
        return
    states = [before, *events]
    if states[-1] != now:
        yield f"an event is missing: {subject} went from {before} to {now}, with events {events}"
    if any(one == other for one, other in pairwise(states)):
        yield f"an event is there without its change: {subject} went from {before} to {now}, with events {events}"
