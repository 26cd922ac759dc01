"""Tests of the cost of a call, counted and not timed, so the figures are equal on every machine.

The scenario is that of the benchmarks. The tests compare two sizes of a campaign and compute the cost of one more call.
So work that is done once does not count, and work that grows with the campaign does.
"""

import tracemalloc
from collections import Counter
from contextlib import closing
from itertools import chain, pairwise
from pathlib import Path
from typing import Final, NamedTuple

import anyio
import pytest
from litestar import Litestar
from sqlalchemy import Connection, select, update

from benchmarks.advance import DAY_MS, START_MS, add_started_campaign, new_database
from benchmarks.counted_functions import counted_functions
from benchmarks.counted_statements import counted_statements
from benchmarks.crowded import Centre, Size, functions_of
from benchmarks.fixture_campaign import CAMPAIGN, document, scenario
from benchmarks.fixture_database import PHONEBOOK, create_database
from benchmarks.forecasting import CASES, simulation_of
from benchmarks.overhead import answered
from benchmarks.sound import hear, packets_to_hear
from benchmarks.steps import Cost as StepsCost
from benchmarks.steps import HandClock, on_real_clock
from benchmarks.touching import add_started_campaigns, touched_once
from dialer.api.app import create_app
from dialer.app.contacts.contacts import add_contact
from dialer.app.imports.imports import ImportOptions, import_csv
from dialer.app.imports.number_rows import ContactRows, StoredRows
from dialer.app.work.unit import UnitOfWork
from dialer.carriers.media.detection_orders import Detecting
from dialer.carriers.media.recording import Recording
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES, RATE_HZ, RtpPacket, write_packet
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.media.sound_router import PHASES, SendSound, SoundRouter
from dialer.carriers.sip.sdp import AgreedSound, Codec
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.sessions.leg_protocol import Ask, Play
from dialer.domain.words.contact_words import ON
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.contact_collection import COLLECT_SLICE
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.sim.scenario import parse_scenario
from dialer.sim.simulation import Simulation
from dialer.store.database.database import Database
from dialer.store.database.service_state import ServiceSettings, save_settings
from dialer.store.database.touched import Touched, touch
from dialer.store.tables import Campaign, Cdr

SIMULATED: Final = (100, 300, 700)
COMMITTED: Final = (1_500, 5_000)
"""Numbers of subscribers. One step of the worker can call all of the smaller campaign, but not of the larger."""
SIMULATED_CALL_MAX: Final = 62
"""Calls of Python functions for each call of a pure simulation."""
AGENTS_CALL_MAX: Final = 278
"""Calls of Python functions for each leg of a pure simulation of 12 agents for whom is dialled predictively."""
FLOORS: Final = {5: 300, 12: 900, 50: 800, 500: 3_000}
"""The number of people to call, by the number of agents."""
FLOOR_GROWTH_MAX: Final = 1.5
"""The largest ratio of the cost of a leg with many agents, or with few, to that with 50."""
COMMITTED_CALL_MAX: Final = 93
"""Calls of Python functions for each call of the server, committed to SQLite."""
STATEMENTS_PER_THOUSAND_CALLS_MAX: Final = 5
UNCONCERNED: Final = (300, 900)
UNCONCERNED_CALL_MAX: Final = 10
"""Calls of Python functions that rows of law add to each call of people for whom none is: the country is looked up."""
COLLECTED: Final = (4_000, 12_000)
"""Numbers of contacts of a campaign that starts later."""
COLLECTED_THOUSAND_MAX: Final = {"statements": 16, "functions": 2_050}
"""The cost of collecting a thousand contacts on the real clock, in SQLite."""
REAL_CLOCK_MAX: Final = {"steps": 0.2, "statements": 3.2, "executions": 10.5, "rows": 12.0}
"""The cost of a call at 50 calls a second on the real clock, in SQLite."""
EVENTS_OF_A_CALL: Final = {"statements": 0.5, "rows": 4.0}
"""The cost of the events of a call at 50 calls a second on the real clock: three statements a step, and four rows."""
EVENT_STATEMENTS: Final = {"INSERT OR FAIL INTO account_event", "FROM subscriber", "FROM user_account"}
"""The statements of the events of a step: they are written, after a look for halted subscribers and low balances."""
AGENT_EVENT_MAX: Final = 450
"""Calls of Python functions for an event of an agent whose queue has four predictive campaigns."""
CROWD_GROWTH_MAX: Final = 1.2
"""The largest ratio of a cost among many campaigns, agents or waiting calls to that among few."""
IMPORTED: Final = (2_000, 8_000)
"""Rows of lists that are read. Of both, as many are looked at to judge the country."""
IMPORTED_ROW_MAX: Final = 22
"""Calls of Python functions for each row of a list of people, until it can be stored."""
HEARD_PACKET_MAX: Final = {"recording": 15.5, "detecting": 33}
"""Calls of Python functions for each packet that an order hears, with the frame that is sent meanwhile."""
SOUND_MAX: Final = {"play": 12, "ask": 13}
"""Calls of Python functions for a packet that is sent and one that is read, without their sockets."""
SOUND_LEGS: Final = 20
SOUND_MS: Final = 800
"""Time of sound, in which no leg reports yet."""
REQUESTS: Final = 10
REQUEST_MAX: Final = 136
"""Calls of Python functions for a minimal request with a password that was verified before. A bare Litestar handler
behind a check of its own takes 120."""
NEW_CONTACT_MAX: Final = 351
"""Calls of Python functions for a new contact in a unit of work. The columns of a request are checked before."""
CHANGED_AFTER_MS: Final = 6_000
TOGETHER_MAX: Final = 10
"""Statements that write the CDRs of a campaign whose subscribers are read again one by one."""
IN_PROGRESS: Final = 2_000
IN_PROGRESS_BYTES_MAX: Final = 1_150
"""Memory of a simulation for each call in progress at its peak, with the records that it keeps meanwhile."""
GROWTH_MAX: Final = 1.1
"""The largest ratio of the costs of a call in a larger and in a smaller campaign."""


class Cost(NamedTuple):
    """The number of calls of a run, or of contacts, and their cost."""

    calls: int
    functions: int
    statements: int = 0


def simulated(subscribers: int) -> Cost:
    simulation = Simulation(scenario(subscribers))
    with counted_functions() as counts:
        simulation.run()
    return Cost(len(simulation.store.cdrs), counts["call"])


def for_agents(agents: int) -> tuple[float, float]:
    """Return the calls of Python functions, and those of any, for each leg while this number of agents works."""
    simulation = simulation_of(CASES[1]._replace(agents=agents), FLOORS[agents], seed=0)
    with counted_functions() as counts:
        simulation.run()
    legs = len(simulation.store.cdrs)
    return counts["call"] / legs, (counts["call"] + counts["c_call"]) / legs


def committed(subscribers: int, folder: Path, law: str = "", **where: str) -> Cost:
    folder.mkdir()
    database = new_database(str(folder))
    settings = ServiceSettings("virtual", "UTC", None, "media", None, law)
    database.write_now(lambda connection: save_settings(connection, settings, START_MS))
    database.write_now(lambda connection: add_started_campaign(connection, subscribers, **where))
    worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    with counted_statements() as statements, counted_functions() as counts:
        anyio.run(worker.advance, START_MS + DAY_MS)
    calls = database.read_now(lambda connection: connection.execute(Cdr.__table__.select()).all())
    database.close()
    return Cost(len(calls), counts["call"], len(statements))


def collected(contacts: int, folder: Path) -> Cost:
    """Return the cost of collecting contacts on the real clock, with one slice a step."""
    folder.mkdir()
    with closing(new_database(str(folder))) as database:
        database.write_now(lambda connection: add_started_campaign(connection, contacts))
        database.write_now(
            lambda connection: connection.execute(update(Campaign).values(startingdate=START_MS + HOUR_MS))
        )
        clock = HandClock(START_MS)
        worker = Worker(database, clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)

        async def go_on() -> None:
            for _ in range(1 + contacts // COLLECT_SLICE):
                clock.go_on(await worker.proceed())

        with counted_statements() as statements, counted_functions() as counts:
            anyio.run(go_on)
        found = database.read_now(lambda connection: connection.execute(select(Campaign.totalcontact)).scalar_one())
    return Cost(found, counts["call"], len(statements))


def changed_on_the_way(subscribers: int, folder: Path) -> Counter[str]:
    """Change a campaign while its calls are in progress, and return the statements after that by their first words."""
    with closing(new_database(str(folder))) as database:
        database.write_now(lambda connection: add_started_campaign(connection, subscribers))
        worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
        anyio.run(worker.advance, START_MS + CHANGED_AFTER_MS)

        def rename(connection: Connection) -> None:
            connection.execute(update(Campaign).values(name="another name"))
            touch(connection, Touched(campaigns=frozenset({1})))

        database.write_now(rename)
        with counted_statements() as statements:
            anyio.run(worker.advance, START_MS + DAY_MS)
    return Counter(" ".join(statement.replace("OR FAIL ", "").split()[:3]) for statement in statements)


def more(larger: Cost, smaller: Cost) -> Cost:
    """Return the difference of two costs."""
    return Cost(*(one - other for one, other in zip(larger, smaller, strict=True)))


def test_a_simulated_call_stays_within_its_cost_in_a_campaign_of_any_size() -> None:
    simulated(SIMULATED[0])  # Patterns of numbers are compiled at their first use.
    costs = [simulated(size) for size in SIMULATED]
    first, second = (more(larger, smaller) for smaller, larger in pairwise(costs))
    assert second.functions / second.calls <= SIMULATED_CALL_MAX
    assert second.functions / second.calls <= GROWTH_MAX * first.functions / first.calls


def test_a_call_for_agents_stays_within_its_cost_however_many_they_are() -> None:
    """Calls of built-in functions count for the growth, as a look at all agents is a loop over those."""
    simulated(SIMULATED[0])  # Patterns of numbers are compiled at their first use.
    costs = {agents: for_agents(agents) for agents in FLOORS}
    assert costs[12][0] <= AGENTS_CALL_MAX
    assert costs[5][0] <= FLOOR_GROWTH_MAX * costs[50][0]
    assert costs[500][0] <= FLOOR_GROWTH_MAX * costs[50][0]
    assert costs[500][1] <= FLOOR_GROWTH_MAX * costs[50][1]


def test_a_call_of_the_server_stays_within_its_cost(tmp_path: Path) -> None:
    committed(1, tmp_path / "first")  # Patterns of numbers are compiled at their first use.
    smaller, larger = (committed(size, tmp_path / str(size)) for size in COMMITTED)
    cost = more(larger, smaller)
    assert cost.functions / cost.calls <= COMMITTED_CALL_MAX
    assert 1_000 * cost.statements / cost.calls <= STATEMENTS_PER_THOUSAND_CALLS_MAX


def test_calls_of_people_whom_no_row_of_law_concerns_cost_what_they_do_without_law(tmp_path: Path) -> None:
    """People of Germany, where no row is for calls: retries are not read again, and no contacts are looked up."""
    germany = {"begins": "+49302", "zone": "Europe/Berlin"}
    costs = []
    for law in ("", ON):
        committed(1, tmp_path / f"first{law}", law, **germany)  # Patterns are compiled, and rows of law read.
        smaller, larger = (committed(size, tmp_path / f"{size}{law}", law, **germany) for size in UNCONCERNED)
        costs.append(more(larger, smaller))
    without, with_law = costs
    assert with_law.functions / with_law.calls - without.functions / without.calls <= UNCONCERNED_CALL_MAX
    assert (with_law.calls, with_law.statements) == (without.calls, without.statements)


def test_a_contact_that_is_collected_stays_within_its_cost(tmp_path: Path) -> None:
    smaller, larger = (collected(size, tmp_path / str(size)) for size in COLLECTED)
    assert (smaller.calls, larger.calls) == COLLECTED
    cost = more(larger, smaller)
    assert 1_000 * cost.statements / cost.calls <= COLLECTED_THOUSAND_MAX["statements"]
    assert 1_000 * cost.functions / cost.calls <= COLLECTED_THOUSAND_MAX["functions"]


def test_calls_in_progress_when_their_campaign_changes_are_still_written_together(tmp_path: Path) -> None:
    statements = changed_on_the_way(COMMITTED[0], tmp_path)
    assert statements["UPDATE subscriber SET"] > TOGETHER_MAX, "no subscriber was read again"
    assert statements["INSERT INTO cdr"] <= TOGETHER_MAX
    assert statements["INSERT INTO callrequest"] <= 2 * TOGETHER_MAX


def test_a_call_on_the_real_clock_stays_within_its_cost(tmp_path: Path) -> None:
    with closing(new_database(str(tmp_path))) as database:
        cost = on_real_clock(database, None, calls_a_second=50, seconds=25).of_a_call()
    assert {name: cost[name] for name in REAL_CLOCK_MAX if cost[name] > REAL_CLOCK_MAX[name]} == {}


def test_events_cost_nothing_until_an_account_keeps_them_and_then_their_rows(tmp_path: Path) -> None:
    without, kept = (cost_on_real_clock(tmp_path / str(keeps), keeps_events=keeps) for keeps in (False, True))
    assert [kind for kind in without.statements if "event" in kind or "webhook" in kind] == []
    assert not without.statements - kept.statements
    other = kept.statements - without.statements
    assert {kind.partition(" (")[0] for kind in other} == EVENT_STATEMENTS
    more = {name: kept.of_a_call()[name] - without.of_a_call()[name] for name in EVENTS_OF_A_CALL}
    assert more["rows"] > 2
    assert {name: more[name] for name in more if more[name] > EVENTS_OF_A_CALL[name]} == {}
    assert kept.calls == without.calls


def cost_on_real_clock(folder: Path, *, keeps_events: bool) -> StepsCost:
    folder.mkdir()
    with closing(new_database(str(folder))) as database:
        return on_real_clock(database, None, calls_a_second=50, seconds=30, keeps_events=keeps_events)


@pytest.mark.parametrize("size", [Size(campaigns=200), Size(campaigns=1_000), Size(agents=500)])
def test_an_event_of_an_agent_costs_the_same_among_many_campaigns_and_agents(size: Size) -> None:
    few, many = functions_of(Centre(Size()).serve), functions_of(Centre(size).serve)
    assert many <= CROWD_GROWTH_MAX * few
    assert many <= AGENT_EVENT_MAX


def test_an_event_of_an_agent_costs_the_same_however_many_calls_wait() -> None:
    few, many = (functions_of(Centre(Size(waiting=waiting)).serve) for waiting in (10, 1_000))
    assert many <= CROWD_GROWTH_MAX * few


def test_a_commit_that_touches_one_campaign_costs_the_same_while_many_are_open(tmp_path: Path) -> None:
    few, many = (touched_functions(campaigns, tmp_path / str(campaigns)) for campaigns in (10, 500))
    assert many <= CROWD_GROWTH_MAX * few


def touched_functions(campaigns: int, folder: Path) -> int:
    """Return the calls of Python functions in the step after a commit that touches one of the open campaigns."""
    folder.mkdir()
    with closing(new_database(str(folder))) as database:
        database.write_now(lambda connection: add_started_campaigns(connection, campaigns))
        worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
        for _ in range(2):  # The first step builds the engine.
            touched_once(database)
            anyio.run(worker.settle)
        touched_once(database)
        with counted_functions() as counts:
            anyio.run(worker.settle)
    return counts["call"]


@pytest.mark.parametrize("number", ["+4930{}", "030 {}"])
def test_a_row_of_an_import_stays_within_its_cost(number: str) -> None:
    read_rows(number, IMPORTED[1])  # Tables of numbers are filled at their first use.
    smaller, larger = (read_rows(number, size) for size in IMPORTED)
    assert (larger - smaller) / (IMPORTED[1] - IMPORTED[0]) <= IMPORTED_ROW_MAX


def read_rows(number: str, rows: int) -> int:
    """Return the calls of functions by which a list of people is read, without those that store them."""
    lines = (f"{number.format(2_000_000 + row)},Ann,Smith,Berlin\n".encode() for row in range(rows))
    options = ImportOptions(region="DE", joins_names=True)
    with counted_functions() as counts:
        header = b"contact,first_name,last_name,city\n"
        import_csv(chain([header], lines), ContactRows(1, region="DE"), lambda _work: StoredRows(0), options)
    return counts["call"]


@pytest.mark.parametrize("order", HEARD_PACKET_MAX)
def test_a_packet_that_is_heard_stays_within_its_cost(order: str) -> None:
    packets = packets_to_hear()
    activity = Recording(1, "a") if order == "recording" else Detecting(1)
    with counted_functions() as functions:
        hear(activity, packets)
    assert functions["call"] / len(packets) <= HEARD_PACKET_MAX[order]


@pytest.mark.parametrize("order", SOUND_MAX)
def test_packets_of_a_call_stay_within_their_cost(order: str) -> None:
    peer, router = ("192.0.2.10", 30_000), SoundRouter()
    for number in range(SOUND_LEGS):
        leg = SoundLeg(str(number), 1 << 60, SoundTerms(is_symmetric=False))
        leg.agree(0, AgreedSound(*peer, Codec.PCMU, 0, 101))
        router.add(leg)
        router.perform(leg.key, Play(1, ()) if order == "play" else Ask(1, (), 4, 5_000), bytes(60 * RATE_HZ))
    with counted_functions() as functions:
        sent = [play_and_hear(router, now_ms, peer) for now_ms in range(0, SOUND_MS, FRAME_MS)]
    assert sum(sent) == SOUND_LEGS * SOUND_MS // FRAME_MS
    assert functions["call"] / sum(sent) <= SOUND_MAX[order]


def play_and_hear(router: SoundRouter, now_ms: int, peer: tuple[str, int]) -> int:
    """Let 20 ms pass, in which each leg hears a packet. Return the number of packets that were sent."""
    sent = sum(isinstance(output, SendSound) for phase in range(PHASES) for output in router.tick(now_ms, phase))
    number = now_ms // FRAME_MS
    packet = write_packet(RtpPacket(0, number, number * FRAME_SAMPLES, 1, bytes(FRAME_SAMPLES)))
    for key in range(SOUND_LEGS):
        router.receive(now_ms, str(key), packet, peer)
    return sent


def test_a_minimal_request_stays_within_its_cost(tmp_path: Path) -> None:
    with closing(Database(f"sqlite:///{create_database(tmp_path)}")) as database:
        worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
        counts = anyio.run(requested, create_app(Settings(), database=database, worker=worker))
    assert counts["call"] / REQUESTS <= REQUEST_MAX


async def requested(app: Litestar) -> Counter[str]:
    """Return the calls of functions of some requests, after one that verifies the password."""
    await answered(app)
    with counted_functions() as counts:
        for _ in range(REQUESTS):
            await answered(app)
    return counts


def test_a_new_contact_stays_within_its_cost(tmp_path: Path) -> None:
    def add(connection: Connection) -> Counter[str]:
        unit = UnitOfWork(connection=connection, now_ms=START_MS)
        numbers = [f"+1303{place:07}" for place in range(REQUESTS + 1)]
        moments = {"created_date": START_MS, "updated_date": START_MS}
        rows = [{"phonebook_id": PHONEBOOK, "contact": one, "number": one, "zone": "", **moments} for one in numbers]
        rows = [{**row, "full_name": "Ann Other", "additional_vars": '{"city": "Denver"}'} for row in rows]
        add_contact(unit, rows.pop())  # Its statements are compiled.
        with counted_functions() as counts:
            for row in rows:
                add_contact(unit, row)
        return counts

    with closing(Database(f"sqlite:///{create_database(tmp_path, contacts=1)}")) as database:
        assert database.write_now(add)["call"] / REQUESTS <= NEW_CONTACT_MAX


def test_calls_in_progress_stay_within_their_memory() -> None:
    at_once = parse_scenario(document(IN_PROGRESS, campaign=CAMPAIGN | {"frequency": 60 * IN_PROGRESS}))
    Simulation(at_once).run()  # A first run fills tables of numbers, which do not count.
    simulation = Simulation(at_once)
    tracemalloc.start()
    simulation.run()
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes / simulation.store.calls_in_progress_peak <= IN_PROGRESS_BYTES_MAX


def test_counts_are_reproducible() -> None:
    simulated(SIMULATED[0])  # Patterns of numbers are compiled at their first use.
    assert simulated(SIMULATED[0]) == simulated(SIMULATED[0])
