"""Kill the service, or the process of its lines, at each point of a call over SIP; sipp says what it has seen.

`python -m tests.end_to_end.killed_calls` goes through all points; the test suite goes through a few. Each point has a
call, and a life of the service that ends there. Another life goes on with that call to its end.
"""

import argparse
import contextlib
import os
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self
from urllib.parse import urlsplit

import httpx

from dialer.domain.calls.plans import GatewayKey
from tests.api.harness import Caller
from tests.carriers.sip.sipp import ANSWERS, CLEARED, CONTACT, OK_SDP, RINGS, WITHIN, own, receive, running, send
from tests.carriers.sip.test_sipp import free_port
from tests.end_to_end.killing import client_of
from tests.end_to_end.test_freeswitch_campaign import ANY_HOUR
from tests.end_to_end.test_sip_campaign import make_campaign
from tests.forked import ForkedProcess
from tests.new_database import new_database
from tests.optional_tools import find_tool
from tests.test_server import ADMIN, address_in, ready_address

VARIABLE: Final = "DIALER_DIES"
"""Environment variable that names the point at which a process dies."""
NUMBER: Final = "35455501{:02d}"
WAITS: Final = "+3545550199"
"""A subscriber who is not called, so that the campaign stays open."""
RINGS_AND_ANSWERS: Final = '<pause milliseconds="300"/>\n' + RINGS + '<pause milliseconds="300"/>\n' + ANSWERS
PAUSE: Final = '<pause milliseconds="1500"/>\n'
PRESSES: Final = 5
"""Times that a person presses. With twelve, the scenario has 89 KB, which sipp 3.6.1 does not read."""
PRESSES_1: Final = tuple(
    own("INFO", 91 + place, "\nContent-Type: application/dtmf-relay", "Signal=1") + receive("200")
    for place in range(PRESSES)
)
HANGUP_WAIT_MS: Final = 6_000
TAKEN_UP: Final = receive("INVITE") + send("SIP/2.0 200 OK", f"{WITHIN}\n{CONTACT}", OK_SDP) + receive("ACK")
"""A new process of lines tells the other side where it is."""
WAIT_S: Final = 60
SECONDS_MAX: Final = 900
CALLS_MAX: Final = 10_000
"""OPTIONS count as calls."""
LOG: Final = "service.log"
ASKED_MAX: Final = 20_000
_REQUEST: Final = re.compile(
    r"received \[\d+\] bytes ?:\s+(\w+) sip:(\d*)\S* SIP/2\.0.*?^Call-ID: (\S+)", re.DOTALL | re.MULTILINE
)


def presses_1(number: str) -> str:
    """Return the steps of a person who presses 1, and again while nothing follows: a key may come before the question.

    A busy machine may take longer to ask than the person waits, and much longer to start a service anew.
    """
    *presses, last = PRESSES_1
    end = send("SIP/2.0 200 OK", WITHIN) + '<nop next="end"/>\n'
    steps = PAUSE
    for place, press in enumerate(presses):
        again = f"{number}again{place}"
        is_cleared = f'<recv request="BYE" timeout="{HANGUP_WAIT_MS}" ontimeout="{again}"/>\n'
        steps += press + is_cleared + end + f'<label id="{again}"/>\n'
    return steps + last + CLEARED


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _kill_lines() -> None:
    """Kill the process of the lines of this service, whose folder is below that of the service."""
    ours = f"{Path.cwd()}/".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue  # It has just ended.
        if b"\0line\0" in command and ours in command:
            os.kill(int(folder.name), signal.SIGKILL)


def _once(death: Callable[[], None]) -> Callable[[], None]:
    left = [death]

    def dies() -> None:
        if left:
            left.pop()()

    return dies


def _in_step(is_time: Callable[[Any, Sequence[Any]], bool], death: Callable[[], None]) -> None:
    """Die at the end of a step, before its commit. `is_time` sees the worker, and what the step has heard."""
    from dialer.runtime.steps.worker import Worker  # noqa: PLC0415 - in the process of the service only

    original, dies = Worker._step, _once(death)  # noqa: SLF001

    def wrapped(self: Any, connection: Any, until_ms: int, reports: Sequence[Any], lines: Any, **options: Any) -> bool:  # noqa: ANN401
        result = original(self, connection, until_ms, reports, lines, **options)
        if is_time(self, [one.heard for one in reports]):
            dies()
        return result

    Worker._step = wrapped  # type: ignore[method-assign] # noqa: SLF001


def _when_heard(kind: str, death: Callable[[], None] = _die) -> Callable[[], None]:
    return lambda: _in_step(lambda _, heard: kind in {type(one).__name__ for one in heard}, death)


def _has_new_dial(worker: Any, _heard: Sequence[Any]) -> bool:  # noqa: ANN401 - a worker, whose legs are its own
    live = worker._live  # noqa: SLF001
    return live is not None and any(leg.handed_ms is None for leg in live.switchboard._legs)  # noqa: SLF001


def _before_mark() -> None:
    from dialer.runtime.steps import worker  # noqa: PLC0415 - as above

    def dies(*_: object) -> bool:
        _die()
        return False

    worker._mark = dies  # type: ignore[assignment] # noqa: SLF001


def _at_dial(*, is_sent: bool) -> None:
    from dialer.runtime.lines.lines import Lines  # noqa: PLC0415 - as above

    original = Lines.dial

    def wrapped(self: Lines, legs: list[Any], cps_max: Mapping[GatewayKey, int]) -> None:
        if is_sent:
            original(self, legs, cps_max)
        _die()

    Lines.dial = wrapped  # type: ignore[method-assign]


def _after_question(death: Callable[[], None]) -> Callable[[], None]:
    def prepared() -> None:
        from dialer.domain.sessions.leg_protocol import Ask  # noqa: PLC0415 - as above
        from dialer.runtime.lines.lines import Lines  # noqa: PLC0415 - as above

        original, dies = Lines.perform, _once(death)

        def wrapped(self: Lines, over: Any) -> None:  # noqa: ANN401 - a `HandOver`
            original(self, over)
            if any(isinstance(order, Ask) for _, _, order in over.orders):
                dies()

        Lines.perform = wrapped  # type: ignore[method-assign]

    return prepared


LINES_DIE: Final = "the lines die in the question"
POINTS: Final[dict[str, Callable[[], None]]] = {
    "before the commit of the dial": lambda: _in_step(_has_new_dial, _die),
    "before the mark": _before_mark,
    "after the mark": lambda: _at_dial(is_sent=False),
    "after the dial": lambda: _at_dial(is_sent=True),
    "it rings": _when_heard("Ringing"),
    "the answer is heard": _when_heard("Answered"),
    "in the question": _after_question(_die),
    "the key is heard": _when_heard("Done"),
    "the end is heard": _when_heard("Ended"),
    LINES_DIE: _after_question(_kill_lines),
    "the lines die while it rings": _when_heard("Ringing", _kill_lines),
}
"""Where a process dies, and what prepares that."""
OF_LINES: Final = {LINES_DIE, "the lines die while it rings"}
IN_DOUBT: Final = {
    "after the mark": {(0, 41), (1, 16)},
    "the lines die while it rings": {(1, 41)},
}
"""Points after which nobody can say whether a call was placed, or a ringing one is given up: the calls that the other
side has seen, and the cause. A process of lines that began just before cannot know what came before it."""
FINISHED: Final = {(1, 16)}


def prepare() -> None:
    """Prepare the process of a service to die as its environment says. Its log goes to a file."""
    os.dup2(os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), sys.stderr.fileno())
    point = os.environ.pop(VARIABLE, "")
    if point:
        POINTS[point]()


class Seen(NamedTuple):
    """The fate of the call of a point."""

    point: str
    calls: int
    """Calls that the other side has seen to the number."""
    left_up: int
    """Calls that were neither hung up nor cancelled."""
    causes: list[int]
    """The causes of its CDRs."""
    answers: list[str]
    cost: str

    @property
    def is_right(self) -> bool:
        """True if the call was placed once at most, and told, billed and ended once."""
        if (
            len(self.causes) != 1
            or self.left_up
            or (self.calls, self.causes[0]) not in IN_DOUBT.get(self.point, FINISHED)
        ):
            return False
        is_talked = self.causes == [16]
        return (self.answers, self.cost) == ((["yes"], "0.02000") if is_talked else ([], "0.00000"))


class Life:
    """One life of the service."""

    def __init__(self, folder: Path, point: str = "") -> None:
        environ = {**os.environ, **ADMIN, **ANY_HOUR, VARIABLE: point}
        self._process: Final = ForkedProcess(["serve", "--port", "0"], folder, environ, prepare)
        # A life that ends at a point may end before it is ready.
        self.base: Final = address_in(self._process.stdout.readline()) if point else ready_address(self._process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        for stream in (self._process.stdout, self._process.stderr):
            stream.close()

    def wait(self) -> None:
        """Wait for its death."""
        self._process.wait(WAIT_S)

    def end(self) -> None:
        """End it as a service manager does."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(WAIT_S)


def all_lives(folder: Path, points: Sequence[str]) -> tuple[list[Seen], int]:
    """Let the service live once for each point and once more; return what became of the calls, and the audit's code."""
    new_database(folder)
    port, numbers = free_port(), {point: NUMBER.format(place) for place, point in enumerate(points)}
    cdrs: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    scenes = {
        number: RINGS_AND_ANSWERS + TAKEN_UP * (point == LINES_DIE) + presses_1(number)
        for point, number in numbers.items()
    }
    with running(find_tool("sipp"), folder, port, scenes, calls=CALLS_MAX, seconds=SECONDS_MAX):
        phonebook = _prepared(folder, port)
        for place, point in enumerate(points, start=1):
            with Life(folder, point) as life, client_of(life.base) as root:
                with contextlib.suppress(httpx.TransportError):  # It may die before it answers.
                    root.create("contact", phonebook=phonebook, contact=f"+{numbers[point]}")
                if point in OF_LINES:
                    _until_called(root, place)
                else:
                    life.wait()
            with Life(folder) as life, client_of(life.base) as root:
                cdrs = _until_called(root, place)
                answers = root.get("survey-result/?page_size=100")["results"]
                life.end()
        audit = ForkedProcess(["audit"], folder, {**os.environ})
        audit.communicate(timeout=WAIT_S)
    requests = _REQUEST.findall((folder / "messages.log").read_text("utf-8", "replace"))
    return [_seen(point, numbers[point], requests, cdrs, answers) for point in points], audit.returncode or 0


def _prepared(folder: Path, port: int) -> str:
    """Create a campaign without contacts, start it, and return its phonebook."""
    with Life(folder) as life, client_of(life.base) as root:
        root.create("payment", user=1, amount="10")
        root.create("rate-card", user=1, prefix="", rate="0.02", first_increment=60, next_increment=60)
        parameters = {"server": f"127.0.0.1:{port}", "local_port": free_port(), "session_expires": 0}
        made = make_campaign(root, root, [], protocol="sip", parameters=parameters)
        root.create("subscriber-list", campaign=made["url"], duplicate_contact=WAITS, status=2)
        # The second attempt of a call that nobody knows comes after all lives.
        root.change(made["url"], intervalretry=36_000)
        root.change(made["url"], status=1)
        life.end()
    return str(urlsplit(made["phonebook"][0]).path)


def _until_called(root: Caller, calls: int) -> list[dict[str, Any]]:
    """Return the CDRs once there are so many."""
    found: list[dict[str, Any]] = []
    for _ in range(ASKED_MAX):
        found = root.get("cdr/?page_size=100")["results"]
        if len(found) >= calls:
            break
    return found


def _seen(
    point: str,
    number: str,
    requests: list[tuple[str, str, str]],
    cdrs: list[dict[str, Any]],
    answers: list[dict[str, Any]],
) -> Seen:
    calls = {call_id for method, called, call_id in requests if (method, called) == ("INVITE", number)}
    ends = Counter(call_id for method, _, call_id in requests if method in {"BYE", "CANCEL"})
    own = [one for one in cdrs if one["phone_number"] == f"+{number}"]
    told = {one["callid"] for one in own}
    return Seen(
        point,
        len(calls),
        sum(not ends[call_id] for call_id in calls),
        [one["hangup_cause_q850"] for one in own],
        [one["response"] for one in answers if one["callid"] in told],
        own[0]["call_cost"] if own else "",
    )


def main() -> int:
    """Go through the points that the command line names, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--point", action="append", choices=list(POINTS), help="a point; all of them by default")
    points = parser.parse_args().point or list(POINTS)
    with tempfile.TemporaryDirectory() as folder:
        seen, audit = all_lives(Path(folder), points)
    lines = [f"{'right' if one.is_right else 'WRONG'} {one}" for one in seen]
    sys.stdout.write("\n".join([*lines, f"dialer audit: {audit}", ""]))
    return 0 if audit == 0 and all(one.is_right for one in seen) else 1


if __name__ == "__main__":
    sys.exit(main())
