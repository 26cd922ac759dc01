"""Kill the service in the middle of each order from an agent's desk, and look at what another process makes of it.

`python -m tests.end_to_end.killed_desks` goes through all orders and points; the test suite goes through a few. Each
process judges the order in which the last one died, and dies in the next. The clock is virtual, and callees and agents
are simulated.
"""

import argparse
import contextlib
import os
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import httpx

from tests.api.harness import Caller
from tests.console.visitor import Visitor
from tests.end_to_end.killed import Memory, broken_rules
from tests.end_to_end.killing import client_of
from tests.end_to_end.service import START, advance
from tests.end_to_end.test_freeswitch_campaign import ANY_HOUR
from tests.forked import ForkedProcess
from tests.new_database import new_database
from tests.test_server import ADMIN, address_in

ENVIRONMENT: Final = {**ADMIN, **ANY_HOUR, "DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": START}
ARMED: Final = "dies"
"""The file that says at which write the process dies, counted from the moment when the file was written."""
LOG: Final = "service.log"
NUMBER: Final = "+1202556{:04d}"
ELSEWHERE: Final = "+33199000002"
TYPED: Final = "Wants a red one, by Fri"
WAIT_S: Final = 60
POINTS: Final = {
    "the order is not committed": "1 before",
    "the order is committed": "1 after",
    "the step is not committed": "2 before",
    "the step is committed": "2 after",
}
NOT_DONE: Final = "the order is not committed"
"""The point after which nothing was ordered."""
TALKS: Final = (
    "SELECT callrequest_id, agent_id, on_hold_from_ms FROM transfer WHERE status = 2 AND agent_id IS NOT NULL"
)
BUSY: Final = """
    SELECT id FROM agent WHERE is_talking OR preview <> '' OR preview_order <> '' OR hold_call_id IS NOT NULL
    OR hang_up_call_id IS NOT NULL OR transfer_call_id IS NOT NULL OR consulted_call_id IS NOT NULL"""
OF_NUMBER: Final = "SELECT id FROM callrequest WHERE phone_number = ? AND attempt > 0"
LEGS: Final = """
    SELECT cdr.leg_type FROM cdr JOIN callrequest c ON c.id = cdr.callrequest_id
    WHERE c.phone_number = ? ORDER BY cdr.id"""


def prepare() -> None:
    """Prepare the process of a service to die at the write that the file `ARMED` names. Its log goes to a file."""
    from dialer.store.database.database import Database  # noqa: PLC0415 - in the process of the service only

    os.dup2(os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), sys.stderr.fileno())
    original, armed, written = Database._write_with, Path.cwd() / ARMED, [0]  # noqa: SLF001

    def dies_if(point: str) -> None:
        if armed.exists() and armed.read_text() == f"{written[0]} {point}":
            os.kill(os.getpid(), signal.SIGKILL)

    def wrapped(self: Database, work: Callable[[Any], Any], *rest: Any) -> Any:  # noqa: ANN401 - as `_write_with`
        def counted(connection: Any) -> Any:  # noqa: ANN401 - as a unit of work
            before = connection.connection.dbapi_connection.total_changes
            result = work(connection)
            if armed.exists() and connection.connection.dbapi_connection.total_changes > before:
                written[0] += 1
                dies_if("before")
            return result

        result = original(self, counted, *rest)
        dies_if("after")
        return result

    Database._write_with = wrapped  # type: ignore[method-assign,assignment] # noqa: SLF001


class Life:
    """One life of the service."""

    def __init__(self, folder: Path) -> None:
        (folder / ARMED).unlink(missing_ok=True)
        self._folder: Final = folder
        self._process: Final = ForkedProcess(["serve", "--port", "0"], folder, {**os.environ, **ENVIRONMENT}, prepare)
        self.base: Final = address_in(self._process.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(WAIT_S)
        for stream in (self._process.stdout, self._process.stderr):
            stream.close()

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return rows of the database."""
        with closing(sqlite3.connect(self._folder / "dialer.db")) as database:
            return database.execute(query, values).fetchall()

    def arm(self, point: str) -> None:
        """Let the process die at a point of what comes next."""
        (self._folder / ARMED).write_text(POINTS[point])


class Scene:
    """The subject of an order: a callee of its own, and the process that lives now."""

    def __init__(self, life: Life, root: Caller, number: str) -> None:
        self.life: Final = life
        self.root: Final = root
        self.number: Final = number
        self._desk: Visitor | None = None

    def post(self, path: str, **fields: object) -> int:
        """Send an order, and return the status of the answer."""
        return int(self.root.request("POST", f"{path}/", json=fields).status_code)

    def talk(self) -> None:
        """Let the callee talk with an agent."""
        self.ring()
        advance(self.root, 10)

    def ring(self) -> None:
        """Let the callee wait for an agent, who takes the call three seconds later."""
        self.root.create("contact", phonebook="/rest-api/phonebook/1/", contact=self.number)
        advance(self.root, 3)

    def order(self, name: str) -> int:
        """Give an order about the only call with an agent."""
        talks = self.life.rows(TALKS)
        fields = {"phone_number": ELSEWHERE} if name in {"transfer", "consult"} else {}
        return self.post(f"callrequest/{talks[0][0]}/{name}", **fields) if talks else 0

    def consult(self) -> None:
        """Let the agent talk with a third person."""
        self.talk()
        self.order("consult")
        advance(self.root, 3)

    def consultation(self, mode: str) -> int:
        """Give an order to the only consultation."""
        (call,) = self.life.rows(OF_NUMBER, self.number)
        return self.post(f"callrequest/{call[0]}/consultation", mode=mode)

    def open_desk(self) -> Visitor:
        """Sign in at the desk of the third agent."""
        if self._desk is None:
            self._desk = Visitor(self.root.client)
            self._desk.sign_in("root", ADMIN["DIALER_ADMIN_PASSWORD"])
            self._desk.get("desk/")
        return self._desk

    def type(self) -> None:
        """Type a part of a note about the call at the desk of the third agent."""
        (call,) = self.life.rows(OF_NUMBER, self.number)
        self.open_desk().send("desk/draft/", call=str(call[0]), note=TYPED)

    def say(self) -> None:
        """Say the outcome of the call, with a note."""
        (call,) = self.life.rows(OF_NUMBER, self.number)
        self.root.request("PUT", f"callrequest/{call[0]}/disposition/", json={"disposition": "success", "note": TYPED})

    def person(self) -> int:
        """Return the person of this scene in the campaign with previews."""
        query = "SELECT id FROM subscriber WHERE number = ? AND campaign_id = 2"
        return int(self.life.rows(query, self.number)[0][0])

    def preview(self) -> None:
        """Let the third agent see the person."""
        self.root.create("contact", phonebook="/rest-api/phonebook/2/", contact=self.number)
        advance(self.root, 3)

    def decide(self, decision: str) -> int:
        """Let the third agent call or skip the person."""
        return self.post(f"agent/3/preview/{self.person()}/{decision}")

    def dial(self) -> int:
        """Let the third agent dial the number."""
        return self.post("agent/3/dial", campaign_id=2, number=self.number)

    def promise(self) -> None:
        """Promise to call back in a minute."""
        (call,) = self.life.rows(OF_NUMBER, self.number)
        (now,) = self.life.rows("SELECT now_ms FROM service_state")
        at = datetime.fromtimestamp(now[0] / 1_000, UTC) + timedelta(minutes=1)
        given = {"disposition": "call_back", "call_back_date": at.strftime("%Y-%m-%dT%H:%M:%SZ")}
        self.root.request("PUT", f"callrequest/{call[0]}/disposition/", json=given)

    def rest(self, status: int, agent_id: int = 1) -> None:
        """Let an agent go on a break, log out, or come back."""
        self.root.request("PATCH", f"agent/{agent_id}/", json={"status": status})

    def leave(self, status: int) -> None:
        """Let the agent who talks go on a break after the call, or log out then."""
        self.rest(status, self.life.rows(TALKS)[0][1])

    def tidy(self) -> None:
        """Hang up, also a call that was promised, and let everything end, the wrap-up of the third agent as well."""
        self.order("hang-up")
        advance(self.root, 90)
        self.order("hang-up")
        advance(self.root, 90)
        for agent_id in (1, 2):
            self.rest(2, agent_id)


class Order(NamedTuple):
    """An order: what comes before it, how it is given, how it is seen, and the legs of the CDRs in the end."""

    before: Callable[[Scene], object]
    give: Callable[[Scene], object]
    is_done: Callable[[Scene], bool]
    legs: list[int]
    comes_by_itself: bool = False
    """True for what happens without an order, some seconds later: then it happens in another process, too."""


def _then(*steps: Callable[[Scene], object]) -> Callable[[Scene], None]:
    def play(scene: Scene) -> None:
        for step in steps:
            step(scene)

    return play


def _is_on_hold(scene: Scene) -> bool:
    return [talk[2] is not None for talk in scene.life.rows(TALKS)] == [True]


def _hang_up(scene: Scene) -> None:
    scene.order("hang-up")
    advance(scene.root, 30)


def _talks(scene: Scene) -> None:
    advance(scene.root, 10)


def _has(query: str) -> Callable[[Scene], bool]:
    return lambda scene: scene.life.rows(query, scene.number) != []


_SKIPPED: Final = "SELECT id FROM subscriber WHERE number = ? AND campaign_id = 2 AND skip_count = 1"
_TRANSFERRED: Final = f"""
    SELECT t.id FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id
    WHERE c.phone_number = ? AND t.phone_number = '{ELSEWHERE}'"""  # noqa: S608 - our own number
_TAKEN: Final = """
    SELECT t.id FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id
    WHERE c.phone_number = ? AND t.answered_ms IS NOT NULL"""
_PROMISED: Final = "SELECT id FROM subscriber WHERE number = ? AND status = 1 AND due_ms > 0"
_SAID: Final = """
    SELECT d.id FROM call_disposition d JOIN callrequest c ON c.id = d.callrequest_id
    WHERE c.phone_number = ? AND c.status = 7 AND d.call_back_ms IS NOT NULL"""
_CALLED: Final = "SELECT id FROM callrequest WHERE phone_number = ?"
_RESTING: Final = "SELECT id FROM agent WHERE status = 4"
_AWAY: Final = "SELECT id FROM agent WHERE status <> 2"
_NOTED: Final = f"""
    SELECT d.note FROM {{}} d JOIN callrequest c ON c.id = d.callrequest_id
    WHERE c.phone_number = ? AND d.note = '{TYPED}'"""  # noqa: S608 - our own note
_READY: Final = """
    SELECT a.id FROM agent a, service_state s WHERE a.id = 3 AND a.wraps_until_ms <= s.now_ms
    AND EXISTS (SELECT 1 FROM callrequest WHERE phone_number = ?)"""
_THIRD: Final = """
    SELECT t.id FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id JOIN agent a ON a.id = t.from_agent_id
    WHERE c.phone_number = ? AND c.status = 7 AND t.consulted = """
ORDERS: Final[dict[str, Order]] = {
    "answer": Order(Scene.ring, lambda scene: advance(scene.root, 5), _has(_TAKEN), [2, 1], comes_by_itself=True),
    "hold": Order(Scene.talk, lambda scene: scene.order("hold"), _is_on_hold, [2, 1]),
    "resume": Order(
        _then(Scene.talk, lambda scene: scene.order("hold"), lambda scene: advance(scene.root, 1)),
        lambda scene: scene.order("resume"),
        lambda scene: not _is_on_hold(scene),
        [2, 1],
    ),
    "transfer": Order(Scene.talk, lambda scene: scene.order("transfer"), _has(_TRANSFERRED), [2, 2, 1]),
    "consult": Order(Scene.talk, lambda scene: scene.order("consult"), _has(f"{_THIRD} 1"), [2, 2, 1]),
    "swap": Order(
        Scene.consult,
        lambda scene: scene.consultation("callee"),
        _has(f"{_THIRD} 1 AND t.on_hold_from_ms > 0 AND a.consultation_mode = 'callee'"),
        [2, 2, 1],
    ),
    "join": Order(
        Scene.consult,
        lambda scene: scene.consultation("all"),
        lambda scene: _has(f"{_THIRD} 1 AND a.consultation_mode = 'all'")(scene) and not _is_on_hold(scene),
        [2, 2, 1],
    ),
    "hand over": Order(
        Scene.consult,
        lambda scene: scene.consultation("hand_over"),
        _has(f"{_THIRD} 2 AND t.status = 2 AND NOT a.is_talking"),
        [2, 2, 1],
    ),
    "end with the third person": Order(
        Scene.consult,
        lambda scene: scene.consultation("end"),
        lambda scene: _has(f"{_THIRD} 1 AND t.status = 3 AND a.is_talking")(scene) and not _is_on_hold(scene),
        [2, 2, 1],
    ),
    "hang up": Order(
        Scene.talk, lambda scene: scene.order("hang-up"), lambda scene: scene.life.rows(TALKS) == [], [2, 1]
    ),
    "preview call": Order(Scene.preview, lambda scene: scene.decide("call"), _has(_CALLED), [2, 1]),
    "preview skip": Order(Scene.preview, lambda scene: scene.decide("skip"), _has(_SKIPPED), []),
    "manual dial": Order(lambda _: None, Scene.dial, _has(_CALLED), [2, 1]),
    "break": Order(lambda _: None, lambda scene: scene.rest(4), lambda scene: scene.life.rows(_RESTING) == [(1,)], []),
    "break in the call": Order(
        Scene.talk, lambda scene: scene.leave(4), lambda scene: scene.life.rows(_AWAY) != [], [2, 1]
    ),
    "log out": Order(lambda _: None, lambda scene: scene.rest(1), lambda scene: scene.life.rows(_AWAY) == [(1,)], []),
    "log out in the call": Order(
        Scene.talk, lambda scene: scene.leave(1), lambda scene: scene.life.rows(_AWAY) != [], [2, 1]
    ),
    "typing": Order(_then(Scene.dial, _talks, Scene.open_desk), Scene.type, _has(_NOTED.format("call_draft")), [2, 1]),
    "outcome": Order(_then(Scene.talk, _hang_up), Scene.say, _has(_NOTED.format("call_disposition")), [2, 1]),
    "outcome in the call": Order(Scene.talk, Scene.say, _has(_NOTED.format("call_disposition")), [2, 1]),
    "ready for the next call": Order(
        _then(Scene.dial, _talks, _hang_up), lambda scene: scene.post("agent/3/ready"), _has(_READY), [2, 1]
    ),
    "call-back promise": Order(_then(Scene.talk, _hang_up), Scene.promise, _has(_PROMISED), [2, 1, 2, 1]),
    "call-back promise in the call": Order(Scene.talk, Scene.promise, _has(_SAID), [2, 1, 2, 1]),
}


def all_deaths(folder: Path, plan: Sequence[tuple[str, str]]) -> list[str]:
    """Let a process die in each order of the plan, at its point. Return everything that is wrong."""
    new_database(folder)
    wrong: list[str] = []
    before: tuple[int, str, str] | None = None
    for place, following in enumerate([*plan, None]):
        with Life(folder) as life, client_of(life.base) as root:
            if before is None:
                _furnish(root)
            else:
                last, name, point = before
                found = _judged(Scene(life, root, NUMBER.format(last)), ORDERS[name], point)
                wrong += [f"{name}, {point}: {one}" for one in found]
            if following is not None:
                before = place, *following
                _die(Scene(life, root, NUMBER.format(place)), ORDERS[following[0]], following[1])
    return wrong + broken_rules(folder / "dialer.db", Memory())


def _die(scene: Scene, order: Order, point: str) -> None:
    """Give an order, in which the process dies; or right after its answer, if no write is left to die at."""
    order.before(scene)
    scene.life.arm(point)
    with contextlib.suppress(httpx.TransportError):
        order.give(scene)


def _judged(scene: Scene, order: Order, point: str) -> list[str]:
    """Let another process go on, and give the order again if it was lost. Return everything that is wrong."""
    advance(scene.root, 5 if order.comes_by_itself else 1)
    wrong = []
    is_done = order.is_done(scene)
    if is_done != (point != NOT_DONE or order.comes_by_itself):
        wrong.append(f"it is {'done' if is_done else 'not done'}")
    if not is_done:
        order.give(scene)
        advance(scene.root, 1)
        if not order.is_done(scene):
            wrong.append("it cannot be done any more")
    scene.tidy()
    legs = [leg for (leg,) in scene.life.rows(LEGS, scene.number)]
    if legs != order.legs:
        wrong.append(f"its legs are {legs}")
    if busy := scene.life.rows(BUSY):
        wrong.append(f"agents are stuck: {busy}")
    return wrong


def _furnish(root: Caller) -> None:
    """Create a campaign that dials for two agents, and one whose third agent decides whom to call."""
    root.create("payment", amount=1_000, user=1, description="first")
    root.create("rate-card", user=1, prefix="", rate="0.02", first_increment=30, next_increment=7)
    nothing = dict.fromkeys(("busy", "rejected", "invalid", "congestion", "machine"), 0)
    behaviour = {"answer": 1, **nothing, "ring": [1, 1], "talk": [20, 20], "patience": [300, 300]}
    gateway = root.create("gateway", name="sim", parameters=behaviour)
    for place, (agents, own, settings) in enumerate(CAMPAIGNS, start=1):
        queue = root.create("queue", name=f"desk {place}")
        for _ in range(agents):
            agent = root.create("agent", name="agent", status=2, parameters={"person": True, "answer": [3, 3]}, **own)
            root.create("tier", queue=queue["url"], agent=agent["url"])
        survey = root.create("survey-template", name="desk")
        section = {"survey": survey["url"], "question": "desk", "type": 6, "queue": queue["url"]}
        root.create("section-template", **section)
        campaign = root.create(
            "campaigns",
            name="desk",
            aleg_gateway=gateway["url"],
            object_id=str(survey["id"]),
            phonebook=[root.create("phonebook", name="people")["url"]],
            callmaxduration=600,
            maxretry=2,
            end_when_done=False,
            **settings,
        )
        root.change(campaign["url"], status=1)


CAMPAIGNS: Final[tuple[tuple[int, dict[str, Any], dict[str, Any]], ...]] = (
    (2, {}, {"dial_method": 2}),
    (
        1,
        {"wrap_up_time": 60, "login": "/rest-api/users/1/"},
        {"dial_method": 4, "manual_dialling": True, "preview_seconds": 600, "intervalretry": 36_000},
    ),
)
"""The agents of each campaign, their settings, and its own."""


def main() -> int:
    """Go through the orders that the command line names, or all of them, at all points."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--order", action="append", choices=list(ORDERS), help="an order; all of them by default")
    orders = parser.parse_args().order or list(ORDERS)
    with tempfile.TemporaryDirectory() as folder:
        wrong = all_deaths(Path(folder), [(order, point) for order in orders for point in POINTS])
    sys.stdout.write("\n".join([*wrong, f"{len(wrong)} wrong", ""]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
