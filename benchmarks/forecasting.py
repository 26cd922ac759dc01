"""Benchmark of forecasts: `python -m benchmarks.forecasting [SEEDS] [--once | --quick]`.

Two campaigns are forecast, each in three sizes: one that plays a survey, and a call centre with 12 agents that dials
predictively. In turns with that, the worker runs some of the seeds through SQLite, and the pure simulation runs them.
All three give the same calls: the digest of each seed is printed. Processor time counts, with that of other
processes that a forecast starts.
"""

import json
import resource
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import anyio
from sqlalchemy import Connection, insert

from benchmarks.advance import START_MS, add, new_database
from benchmarks.fixture_campaign import SECTIONS
from benchmarks.measure import Figure, print_row, runs_of, sizes_of
from dialer.app.accounts.payments import record_payment
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.figures.digest import cdr_digest
from dialer.forecast.forecast import forecast_campaign
from dialer.forecast.parameters import Order
from dialer.sim.report import cdr_record, show_date
from dialer.sim.scenario import parse_scenario
from dialer.sim.simulation import Simulation
from dialer.store.database.database import Database
from dialer.store.tables import (
    Agent,
    BranchingTemplate,
    Campaign,
    CampaignPhonebook,
    Contact,
    Gateway,
    Phonebook,
    Queue,
    SectionTemplate,
    SurveyTemplate,
    Tier,
    User,
)
from tests.forecast.worker_run import run_in_worker

SEEDS: Final = 20
QUICK_PEOPLE: Final = 200
TURNS: Final = 3
WANTED: Final = {("a campaign", 20_000): 3.2, ("a call centre", 900): 1.9}
"""The ratios that are wanted, by case and size."""
COMPARED_SEEDS: Final = 2
"""Seeds that run in the other two ways, too."""
DAY_MS: Final = 86_400_000
RATE: Final = 4_000
BALANCE: Final = 9 * 10**11
AGENTS: Final = 12
Outcome: TypeAlias = tuple[list[str], float]
"""The digest of each seed, and the seconds of processor that a seed took."""


class Case(NamedTuple):
    """A campaign to forecast: fields of a scenario, which are also those of rows."""

    name: str
    sizes: tuple[int, ...]
    number: str
    """The format of the numbers of its people."""
    campaign: dict[str, Any]
    sections: list[dict[str, Any]]
    agents: int
    parameters: dict[str, Any]


def _spoken(section: dict[str, Any]) -> dict[str, Any]:
    """Return a section with a script in place of a recording, as long as before."""
    rest = {name: value for name, value in section.items() if name != "audio_seconds"}
    return {**rest, "script": "word " * int(section["audio_seconds"] / 0.4)}


CASES: Final = (
    Case(
        "a campaign",
        (1_000, 5_000, 20_000),
        "+12025{:06d}",
        {"frequency": 10_000, "maxretry": 2, "intervalretry": 600},
        [_spoken(section) for section in SECTIONS],
        0,
        {},
    ),
    Case(
        "a call centre",
        (300, 900, 2_700),
        "+3319{:07d}",
        {"dial_method": 3, "abandon_rate_max": 3, "callerid": "+33199000000", "maxretry": 1, "intervalretry": 600},
        [
            {
                "id": 1,
                "type": 6,
                "question": "Talk to an agent",
                "script": "Good day. One moment please.",
                "queue": 1,
                "branches": {"0": None, "timeout": 2},
            },
            {"id": 2, "type": 7, "question": "Sorry", "script": "All our agents are busy."},
        ],
        AGENTS,
        {"answer": 0.4, "machine": 0.1, "ring": [5, 25], "talk": [30, 180], "patience": [20, 60]},
    ),
)


def numbers_of(case: Case, people: int) -> list[str]:
    """Return the numbers of the people, in their order."""
    return [case.number.format(place) for place in range(people)]


def add_case(connection: Connection, case: Case, people: int) -> int:
    """Add the campaign with everything that it needs, and return its id."""
    user_id = add(connection, User, username="ann", password_hash="-", call_rate=RATE)  # noqa: S106 - nobody logs in
    record_payment(UnitOfWork(connection=connection, now_ms=START_MS), user_id, BALANCE)
    phonebook_id = add(connection, Phonebook, user_id=user_id, name="phonebook")
    values = {"phonebook_id": phonebook_id, "user_id": user_id, "full_name": "", "additional_vars": ""}
    moments = {"created_date": START_MS, "updated_date": START_MS}
    contacts = [
        {**values, **moments, "contact": number, "number": number, "zone": zone_of_number(number)}
        for number in numbers_of(case, people)
    ]
    connection.execute(insert(Contact), contacts)
    gateway_id = add(connection, Gateway, name="sim", parameters=json.dumps(case.parameters))
    settings = {**case.campaign, "abandon_rate_max": 300_000} if case.agents else case.campaign
    campaign_id = add(
        connection,
        Campaign,
        user_id=user_id,
        campaign_code="bench",
        name="bench",
        startingdate=START_MS,
        expirationdate=START_MS + DAY_MS,
        aleg_gateway_id=gateway_id,
        object_id=_add_survey(connection, case, user_id),
        **settings,
    )
    add(connection, CampaignPhonebook, campaign_id=campaign_id, phonebook_id=phonebook_id)
    return campaign_id


def _add_survey(connection: Connection, case: Case, user_id: int) -> int:
    survey_id = add(connection, SurveyTemplate, user_id=user_id, name="survey")
    queue_id = add(connection, Queue, user_id=user_id, name="desk", strategy=2)
    for position in range(case.agents):
        agent = {
            "name": "agent",
            "status": 2,
            "figures": "",
            "wrap_up_time": 10,
            "parameters": '{"answer": [0.5, 1.5]}',
        }
        agent_id = add(connection, Agent, user_id=user_id, **agent)
        add(connection, Tier, queue_id=queue_id, agent_id=agent_id, position=position)
    for order, section in enumerate(case.sections):
        own = {name: value for name, value in section.items() if name not in {"branches", "queue"}}
        queue = {"queue_id": queue_id} if "queue" in section else {}
        add(connection, SectionTemplate, survey_id=survey_id, order=order, **own, **queue)
    for section in case.sections:
        for keys, goto in section.get("branches", {}).items():
            add(connection, BranchingTemplate, section_id=section["id"], keys=keys, goto_id=goto)
    return survey_id


def simulation_of(case: Case, people: int, seed: int) -> Simulation:
    """Return the pure simulation of a seed, which is still to run."""
    document = {
        "seed": seed,
        "start": show_date(START_MS),
        "account": {"balance": BALANCE // 100_000, "call_rate": "0.04"},
        "gateway": {"parameters": case.parameters},
        "campaign": case.campaign,
        "survey": {"sections": case.sections},
        "contacts": [{"contact": number} for number in numbers_of(case, people)],
    }
    if case.agents:
        agents = {"id": 1, "count": case.agents, "wrap_up_time": 10, "parameters": {"answer": [0.5, 1.5]}}
        document |= {"queues": [{"id": 1, "strategy": 2}], "agents": [agents]}
    return Simulation(parse_scenario(json.dumps(document).encode()))


def cpu_seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def forecast(database: Database, order: Order) -> Outcome:
    """Forecast a campaign."""
    began = cpu_seconds()
    found = anyio.run(forecast_campaign, database, order)
    return [run.digest for run in found.per_seed], (cpu_seconds() - began) / order.seeds


def through_worker(database: Database, order: Order) -> Outcome:
    """Run the first seeds through the worker, each with a copy of the campaign."""
    began = cpu_seconds()
    digests = [anyio.run(run_in_worker, database, order, seed).digest for seed in range(COMPARED_SEEDS)]
    return digests, (cpu_seconds() - began) / COMPARED_SEEDS


def simulated(case: Case, people: int) -> Outcome:
    """Run the first seeds as pure simulations."""
    simulations = [simulation_of(case, people, seed) for seed in range(COMPARED_SEEDS)]
    began = cpu_seconds()
    for simulation in simulations:
        simulation.run()
    seconds = (cpu_seconds() - began) / COMPARED_SEEDS
    return [cdr_digest(map(cdr_record, simulation.store.cdrs)) for simulation in simulations], seconds


def compare(case: Case, people: int, seeds: int) -> dict[str, Any]:
    """Measure a case in one size, and return the digests and the milliseconds of a seed."""
    with tempfile.TemporaryDirectory() as folder:
        database = new_database(folder)
        campaign_id = database.write_now(lambda connection: add_case(connection, case, people))
        order = Order(campaign_id, START_MS, "UTC", seeds)
        works: dict[str, Callable[[], Outcome]] = {
            "forecast": partial(forecast, database, order),
            "through the worker": partial(through_worker, database, order),
            "pure simulation": partial(simulated, case, people),
        }
        digests: dict[str, list[str]] = {}
        took: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(runs_of(TURNS)):
            for name, work in works.items():
                digests[name], seconds = work()
                took[name].append(seconds * 1_000)
        database.close()
    costs = {name: statistics.median(each) for name, each in took.items()}
    are_equal = len({tuple(each[:COMPARED_SEEDS]) for each in digests.values()}) == 1
    return {"case": case.name, "people": people, "ms_a_seed": costs, "equal": are_equal, "digests": digests["forecast"]}


def main() -> None:
    """Measure and print the results."""
    (seeds,) = sizes_of((SEEDS,))
    for case in CASES:
        for people in (QUICK_PEOPLE,) if "--quick" in sys.argv else case.sizes:
            found = compare(case, people, seeds)
            costs = ", ".join(f"{name} {cost:,.0f}" for name, cost in found["ms_a_seed"].items())
            sys.stderr.write(f"  {case.name} of {people:,}: ms of processor a seed: {costs}; equal: {found['equal']}\n")
            for seed, digest in enumerate(found["digests"]):
                sys.stderr.write(f"    seed {seed}: {digest}\n")
            sys.stdout.write(json.dumps(found) + "\n")
            ratio = found["ms_a_seed"]["through the worker"] / found["ms_a_seed"]["forecast"]
            print_row(
                Figure(
                    f"A seed of a forecast of {case.name}",
                    f"{people:,}",
                    "through the worker and SQLite",
                    ratio,
                    WANTED.get((case.name, people)),
                )
            )


if __name__ == "__main__":
    main()
