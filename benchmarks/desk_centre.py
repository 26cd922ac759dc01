"""Fixture of the benchmark of desks: call centres whose agents have signed in, and have talked in many calls."""

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, insert, select

from benchmarks.advance import add
from benchmarks.campaigning import MUCH_MONEY, ready
from benchmarks.fixture_database import INSERT_CONTACTS, create_database
from dialer.app.accounts.payments import record_payment
from dialer.app.accounts.sessions import NewSession, begin_session
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.database import Database
from dialer.store.tables import (
    Agent,
    CallDisposition,
    CallRequest,
    Campaign,
    CampaignPhonebook,
    Cdr,
    Gateway,
    Phonebook,
    Queue,
    Row,
    SectionTemplate,
    Subscriber,
    SurveyTemplate,
    Tier,
    Transfer,
    User,
)

ACCOUNTS: Final = 2
"""Accounts among which the desks are shared, as each has a share of the streams."""
QUEUES: Final = 3
"""Queues of an account."""
PEOPLE_OF_AN_AGENT: Final = 60
PROMISED_EVERY: Final = 21
"""The agents have promised a call-back in one of so many calls."""
HOUR_MS: Final = 3_600_000
CALLEES: Final = json.dumps(
    {
        **dict.fromkeys(("busy", "rejected", "invalid", "congestion", "machine"), 0),
        "answer": 1,
        "ring": [1, 2],
        "patience": 3_600,
    }
)
AT_DESK: Final = json.dumps({"person": True, "answer": 1})
_NO_PASSWORD: Final = "-"  # noqa: S105 - nobody signs in by it


class Seat(NamedTuple):
    """A user who has signed in: the cookie of the session, and the token of its forms."""

    cookie: str
    csrf: str


class Centre(NamedTuple):
    """The call centres of a run."""

    database: Path
    campaigns: list[int]
    agents: list[Seat]
    supervisors: list[Seat]


def furnish(folder: Path, agents: int, history: int) -> Centre:
    """Create call centres with some agents, each of whom has talked in `history` calls."""
    now_ms = int(time.time() * 1_000)
    centre = Centre(create_database(folder), [], [], [])
    ready(centre.database, now_ms)
    database = Database(f"sqlite+aiosqlite:///{centre.database}")

    def fill(connection: Connection) -> None:
        for account in range(ACCOUNTS):
            _add_account(connection, now_ms, centre, f"{account}", agents // ACCOUNTS, history)

    database.write_now(fill)
    database.close()
    return centre


def _add_account(connection: Connection, now_ms: int, centre: Centre, name: str, agents: int, history: int) -> None:
    user_id = add(connection, User, username=f"manager{name}", password_hash=_NO_PASSWORD, role="manager")
    record_payment(UnitOfWork(connection=connection, now_ms=now_ms), user_id, MUCH_MONEY)
    centre.supervisors.append(_seat(connection, user_id, now_ms))
    queues = [add(connection, Queue, user_id=user_id, name=f"Queue {place}") for place in range(QUEUES)]
    agent_ids = []
    for place in range(agents):
        login = {"username": f"agent{name}-{place}", "password_hash": _NO_PASSWORD, "role": "agent"}
        login_id = add(connection, User, manager_id=user_id, **login)
        centre.agents.append(_seat(connection, login_id, now_ms))
        works = {"status": 2, "counted_ms": now_ms, "parameters": AT_DESK, "wrap_up_time": 5}
        agent_ids.append(add(connection, Agent, user_id=user_id, name=f"Agent {place}", login_id=login_id, **works))
        for queue_id in (queues[0], queues[1 + place % (QUEUES - 1)]):
            add(connection, Tier, queue_id=queue_id, agent_id=agent_ids[-1])
    centre.campaigns.append(_add_campaign(connection, now_ms, user_id, queues[0], agents))
    _remember(connection, now_ms, centre.campaigns[-1], agent_ids, history)


def _seat(connection: Connection, user_id: int, now_ms: int) -> Seat:
    unit = UnitOfWork(connection=connection, now_ms=now_ms)
    token = begin_session(unit, NewSession(user_id, now_ms, "127.0.0.1", "benchmark"))
    return Seat(f"dialer_session={token}", hashlib.sha256(f"form:{token}".encode()).hexdigest())


def _add_campaign(connection: Connection, now_ms: int, user_id: int, queue_id: int, agents: int) -> int:
    survey_id = add(connection, SurveyTemplate, user_id=user_id, name="To an agent")
    add(connection, SectionTemplate, survey_id=survey_id, type=6, question="Sales", queue_id=queue_id)
    book_id = add(connection, Phonebook, user_id=user_id, name="People")
    INSERT_CONTACTS.run(connection, [_person(book_id, user_id, place) for place in range(PEOPLE_OF_AN_AGENT * agents)])
    values = {"name": "Sales", "campaign_code": f"s{user_id}", "agent_script": "Good day, {full_name}. " * 10}
    campaign_id = add(
        connection,
        Campaign,
        user_id=user_id,
        object_id=survey_id,
        aleg_gateway_id=add(connection, Gateway, name="Callees", parameters=CALLEES),
        dial_method=2,
        frequency=600,
        callmaxduration=3_600,
        startingdate=now_ms - 1_000,
        expirationdate=now_ms + 24 * HOUR_MS,
        **values,
    )
    add(connection, CampaignPhonebook, campaign_id=campaign_id, phonebook_id=book_id)
    return campaign_id


def _person(book_id: int, user_id: int, place: int) -> tuple[Any, ...]:
    number, name = f"+1202{user_id % 100:02}{place:05}", f"Ann Other {place}"
    variables = '{"seat": "12A", "plan": "large"}'
    return book_id, number, number, "America/New_York", name, name.lower(), variables, user_id, 0, 0


def _remember(connection: Connection, now_ms: int, campaign_id: int, agents: Sequence[int], history: int) -> None:
    """Add calls in which the agents have talked, with their outcomes."""
    campaign = connection.execute(select(Campaign.user_id, Campaign.aleg_gateway_id).where(Campaign.id == campaign_id))
    user_id, gateway_id = campaign.one()
    rows: dict[type[Row], list[dict[str, Any]]] = {}
    for place, agent_id in enumerate(agent for _ in range(history) for agent in agents):
        identity = campaign_id * 10_000_000 + place
        for model, values in _call(identity, now_ms, agent_id, is_promised=not place % PROMISED_EVERY).items():
            columns = model.__table__.c
            known = {"user_id": user_id, "campaign_id": campaign_id, "gateway_id": gateway_id, **values}
            known |= {"created_date": now_ms, "updated_date": now_ms}
            rows.setdefault(model, []).append({name: known[name] for name in known if name in columns})
    for model, values_of_all in rows.items():
        connection.execute(insert(model), values_of_all)


def _call(identity: int, now_ms: int, agent_id: int, *, is_promised: bool) -> dict[type[Row], dict[str, Any]]:
    """Return the rows of a call that is over."""
    number, due_ms = f"+1303{identity % 10_000_000:07}", now_ms + HOUR_MS
    of_call = {"callrequest_id": identity, "subscriber_id": identity, "agent_id": agent_id, "phone_number": number}
    person = {"number": number, "duplicate_contact": number, "full_name": f"Person {identity}", "zone": "UTC"}
    times = {"started_ms": now_ms - HOUR_MS, "joined_ms": now_ms - HOUR_MS, "answered_ms": now_ms - HOUR_MS + 1}
    times |= {"ended_ms": now_ms - HOUR_MS + 60_000, "starting_date": now_ms - HOUR_MS}
    leg = {"place": 1, "section_id": 1, "status": 3}
    cdr = {"callid": str(identity), "callerid": "+1", "duration": 60, "billsec": 59, "billed_duration": 60}
    call = {"callid": str(identity), "dialled_number": number, "callerid": "+1", "attempt": 1, "status": 4}
    limits = {"status_reason": "", "hold": 0, "call_rate": 0, "ring_limit_ms": 1, "talk_limit_ms": 1}
    said = {"disposition": "call_back" if is_promised else "success", "note": "Wants to hear of the larger plan. " * 3}
    return {
        Subscriber: {**person, "id": identity, "status": 1 if is_promised else 5, "due_ms": due_ms * is_promised},
        CallRequest: {**of_call, **times, **call, **limits, "id": identity},
        Transfer: {**of_call, **times, **leg},
        Cdr: {**of_call, **times, **cdr, "call_cost": 0, "hangup_cause_q850": 16, "amd_status": 0, "leg_type": 1},
        CallDisposition: {**of_call, **said, "call_back_ms": due_ms if is_promised else None},
    }
