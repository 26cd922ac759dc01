"""A tenant who sends everything at once, beside one who dials: what the second one sees.

A seed makes the requests of ann, who dials, and the crowd of eve's clients. A run with the crowd is compared with one
without it.
"""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, NamedTuple

import anyio
import structlog

from dialer.store.tables.key_ring import RING, GivenKeys
from tests import SECRETS_KEY
from tests.api.harness import HOST, PASSWORD
from tests.vopr.crowd_house import ANN, BYTE_MS, EVE, HELPERS, RECEIVER, SLOW, Running, running_service
from tests.vopr.crowd_machine import MILLISECONDS, VirtualLoop
from tests.vopr.dice import Dice

CROWD_FROM_MS: Final = 1_500
COMES_WITHIN_MS: Final = 800
"""The time within which eve's clients come."""
HORIZON_MS: Final = 8_000
PATIENCE_MS: Final = 60_000
"""The time for which ann waits for an answer."""
REQUEST_MS: Final = 0.5
"""The work of a request and its answer, besides what it does in threads."""
_CLIENT: Final = ("192.0.2.9", 50_000)
JSON: Final = "application/json"
CSV: Final = "text/csv"
STREAM: Final = "text/event-stream"
CROWDS: Final = {"apply": 8, "test": 20, "import": 4, "stream": 12, "forecast": 4, "compare": 2, "name": 16, "read": 2}
"""The most clients of eve, by what they send."""
MANY_STREAMS: Final = 220
"""The most streams of eve in one of some seeds."""
MANY_STREAMS_PERCENT: Final = 25
RESTS_MS: Final = (500, 1_000, 2_000)
"""The times after which a client of eve comes again, whatever the answer was."""
FILES_BYTES: Final = 20_000
"""The size of eve's files; it stands for a hundred times as many."""
LIST_BYTES: Final = 100_000
PIECE_BYTES: Final = 10_000
PIECE_S: Final = 0.05
"""The time between two pieces of a long body on the network."""
LONG_S: Final = 30.0
_FORECAST: Final = b'{"seeds": 100}'
_COMPARISON: Final = b'{"seeds": 20, "settings": [{"frequency": "30"}]}'


class Request(NamedTuple):
    """A request of a user to the API."""

    user: str
    method: str
    path: str
    body: bytes = b""
    content_type: str = JSON
    hold_s: float = 0.0
    """The time after which the client of a stream goes away."""


class Answer(NamedTuple):
    """The answer to a request of ann."""

    at_ms: int
    what: str
    status: int
    took_ms: float


class Seen(NamedTuple):
    """All that ann has seen in a run."""

    dialled_ms: dict[str, float]
    """The moment of each dial, by number."""
    answers: list[Answer]
    came_ms: list[float]
    """The moments at which ann's receiver got events it did not have, in order."""
    crowd: Counter[str]
    """The answers to eve, by what she sent and the status."""
    errors: list[str]
    """The errors that the service has logged."""


def _scope(request: Request) -> dict[str, Any]:
    """Return the scope of ASGI of a request."""
    path, _, query = f"/rest-api/{request.path}".partition("?")
    credentials = b64encode(f"{request.user}:{PASSWORD}".encode())
    headers = [(b"host", HOST.encode()), (b"authorization", b"Basic " + credentials)]
    if request.body:
        headers += [(b"content-type", request.content_type.encode())]
        headers += [(b"content-length", str(len(request.body)).encode())]
    if request.hold_s:
        headers += [(b"accept", STREAM.encode())]
    scope: dict[str, Any] = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http"}
    scope |= {"method": request.method, "path": path, "raw_path": path.encode(), "query_string": query.encode()}
    return scope | {"root_path": "", "headers": headers, "client": _CLIENT, "state": {}}


async def send(service: Running, request: Request) -> int:
    """Send a request over ASGI, and return the status of the answer once it is complete."""
    status, begun, gone = 0, anyio.Event(), anyio.Event()
    pieces = [request.body[at : at + PIECE_BYTES] for at in range(0, len(request.body), PIECE_BYTES)] or [b""]

    async def receive() -> dict[str, Any]:
        if pieces:
            piece = pieces.pop(0)
            await service.machine.work(len(piece) * BYTE_MS["body"])
            if pieces:
                await anyio.sleep(PIECE_S)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces)}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def answered(message: dict[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)
        if message["type"] == "http.response.body":
            begun.set()

    async def leave() -> None:
        await begun.wait()
        await anyio.sleep(request.hold_s)
        gone.set()

    await service.machine.work(REQUEST_MS)
    async with anyio.create_task_group() as tasks:
        if request.hold_s:
            tasks.start_soon(leave)
        await service.app(_scope(request), receive, answered)  # type: ignore[arg-type]
        gone.set()
        tasks.cancel_scope.cancel()
    return status


# --- ann ----------------------------------------------------------------------------------------------------------


def requests_of_ann(service: Running, place: int) -> dict[str, Request]:
    """Return everything that ann may ask for; `place` makes each different."""
    ids, number = service.ids, f"+1303555{place:04}"
    contact = {"contact": number, "phonebook": f"http://{HOST}/rest-api/phonebook/{ids.book}/"}
    return {
        "read": Request(ANN, "GET", f"phonebook/{ids.book}/"),
        "add": Request(ANN, "POST", "contact/", json.dumps(contact).encode()),
        "apply": Request(ANN, "POST", "apply/", files(f"B{place}", 0)),
        "import": Request(ANN, "POST", f"phonebook/{ids.book}/import/", f"contact\n+1404555{place:04}\n".encode(), CSV),
        "test": Request(ANN, "POST", f"webhook/{ids.webhook}/test/"),
        "name": Request(ANN, "PATCH", f"webhook/{ids.webhook}/", _target(f"https://{RECEIVER}/?{place}")),
        "stream": Request(ANN, "GET", "events/", hold_s=0.1),
        "forecast": Request(ANN, "POST", f"campaigns/{ids.campaign}/forecast/", b'{"seeds": 2}'),
    }


def files(name: str, fill: int) -> bytes:
    """Return a dry run of files with a list of people; `fill` characters say nothing."""
    content = f"phonebooks: [{{name: {name}}}]\n" + "#" * fill
    return json.dumps({"files": [{"name": "a.yaml", "content": content}], "dry_run": True}).encode()


def _target(url: str) -> bytes:
    return json.dumps({"target_url": url}).encode()


async def _ann(service: Running, dice: Dice, answers: list[Answer]) -> None:
    """Send ann's requests at moments that the seed alone decides."""
    async with anyio.create_task_group() as tasks:
        at_ms, place = CROWD_FROM_MS // 2, 0
        while at_ms < HORIZON_MS:
            wanted = requests_of_ann(service, place)
            what = dice.pick(tuple(wanted))
            tasks.start_soon(_ask, service, at_ms, what, wanted[what], answers)
            at_ms, place = at_ms + dice.between(150, 500), place + 1


async def _ask(service: Running, at_ms: int, what: str, request: Request, answers: list[Answer]) -> None:
    await anyio.sleep(at_ms / MILLISECONDS)
    status = 0
    with anyio.move_on_after(PATIENCE_MS / MILLISECONDS):
        status = await send(service, request)
    answers.append(Answer(at_ms, what, status, round(anyio.current_time() * MILLISECONDS - at_ms, 3)))


# --- eve ----------------------------------------------------------------------------------------------------------


class Crowd:
    """Eve's clients."""

    def __init__(self, service: Running, dice: Dice) -> None:
        self._service: Final = service
        self._dice: Final = dice
        self.statuses: Final[Counter[str]] = Counter()
        self._names = 0
        self._files: Final = files("People", FILES_BYTES)
        numbers = "".join(f"+1505{place:07}\n" for place in range(LIST_BYTES // 13))
        self._list: Final = f"contact\n{numbers}".encode()

    async def come(self) -> None:
        """Send everything at once until the end."""
        await anyio.sleep(CROWD_FROM_MS / MILLISECONDS)
        crowds = CROWDS | ({"stream": MANY_STREAMS} if self._dice.happens(MANY_STREAMS_PERCENT) else {})
        async with anyio.create_task_group() as tasks:
            for what, most in crowds.items():
                for place in range(self._dice.between(most // 2, most)):
                    comes_ms = self._dice.between(0, COMES_WITHIN_MS)
                    rest_ms = max(RESTS_MS) if what == "stream" else self._dice.pick(RESTS_MS)
                    tasks.start_soon(self._repeat, what, place, comes_ms, rest_ms)

    async def _repeat(self, what: str, place: int, comes_ms: int, rest_ms: int) -> None:
        await anyio.sleep(comes_ms / MILLISECONDS)
        while True:
            status = await send(self._service, self._request(what, place))
            self.statuses[f"{what} {status}"] += 1
            await anyio.sleep(rest_ms / MILLISECONDS)

    def _request(self, what: str, place: int) -> Request:
        ids = self._service.ids
        campaigns = [f"campaigns/{one}" for one in ids.eves_campaigns]
        self._names += what == "name"
        slow = f"https://{SLOW}{self._names}.eve.test/"
        of_kind = {
            "apply": Request(EVE, "POST", "apply/", self._files),
            "test": Request(EVE, "POST", f"webhook/{ids.eves_webhook}/test/"),
            "import": Request(EVE, "POST", f"phonebook/{ids.eves_book}/import/?dry_run=true", self._list, CSV),
            "stream": Request(EVE, "GET", "events/", hold_s=LONG_S),
            "forecast": Request(HELPERS[place % len(HELPERS)], "POST", f"{campaigns[0]}/forecast/", _FORECAST),
            "compare": Request(EVE, "POST", f"{campaigns[place % 2]}/what-if/", _COMPARISON),
            "name": Request(EVE, "PATCH", f"webhook/{ids.eves_webhook}/", _target(slow)),
            "read": Request(EVE, "GET", "phonebook/"),
        }
        return of_kind[what]


# --- a run --------------------------------------------------------------------------------------------------------


def seen(seed: int, *, has_crowd: bool) -> Seen:
    """Run a seed with the crowd or without it, and return what ann saw."""
    RING.hold(GivenKeys(SECRETS_KEY))
    errors: list[str] = []
    with _hearing_errors(errors):
        found: Seen = anyio.run(partial(_seen, seed, errors, has_crowd=has_crowd), backend_options=_OPTIONS)
    return found


_OPTIONS: Final = {"loop_factory": VirtualLoop}


async def _seen(seed: int, errors: list[str], *, has_crowd: bool) -> Seen:
    answers: list[Answer] = []
    async with running_service() as service:
        crowd = Crowd(service, Dice(seed, "crowd"))
        async with anyio.create_task_group() as tasks:
            if has_crowd:
                tasks.start_soon(crowd.come)
            await _ann(service, Dice(seed, "ann"), answers)
            tasks.cancel_scope.cancel()
        came_ms = sorted(service.receivers.came_ms.values())
        return Seen(dict(service.dialled_ms), sorted(answers), came_ms, crowd.statuses, errors)


@contextmanager
def _hearing_errors(errors: list[str]) -> Iterator[None]:
    """Let nothing be printed that the service logs, and keep its errors."""

    def hear(_logger: object, method: str, event: Any) -> Any:  # noqa: ANN401 - as the library's
        if method in {"error", "exception", "critical"}:
            errors.append(str(event["event"]))
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(processors=[hear])
    try:
        yield
    finally:
        structlog.configure(**before)
