"""Benchmark of the service's overhead around a minimal handler: `python -m benchmarks.overhead [--quick]`.

It requests `GET /rest-api/` with cached credentials. The first part calls the application within one process, as the
server calls it but without a socket. The second part uses HTTP. The reference is a bare Litestar handler with an equal
answer behind equal authentication. The check of an API key is compared with that of a remembered password.
"""

import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from anyio.from_thread import start_blocking_portal
from litestar import Litestar

from benchmarks.advance import START_MS
from benchmarks.fixture_database import AUTHORIZATION, create_database
from benchmarks.servers import DIALER, LITESTAR, running
from benchmarks.serving import Plan, Sample, Samples, Target, get, in_turns, plan_of, report, sample
from dialer.api.app import create_app
from dialer.api.http.auth import Authenticator
from dialer.app.accounts.api_keys import NewApiKey, create_api_key
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.roles import Scope
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database

INDEX: Final = "/rest-api/"
CALLS_AT_ONCE: Final = 100
TARGETS: Final = (Target("dialer", "bare Litestar", 0.72),)
REMEMBERED: Final = "dialer, remembered credentials alone"
KEY_ALONE: Final = "dialer, API key alone"
KEY_TARGET: Final = Target(KEY_ALONE, REMEMBERED, 1.0)
Call = Callable[[], Awaitable[object]]


def in_process(plan: Plan) -> Samples:
    """Measure the application, the bare one, and the check of cached credentials alone."""
    with tempfile.TemporaryDirectory() as name:
        path = create_database(Path(name))
        os.environ["PEER_DATABASE"] = str(path)
        from benchmarks.peers import bare_litestar  # noqa: PLC0415 - its import reads the environment

        database = Database(f"sqlite:///{path}")
        worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
        app = create_app(Settings(), database=database, worker=worker)
        authenticator = Authenticator(database)
        works: dict[str, Call] = {
            "dialer": partial(answered, app),
            "bare Litestar": partial(answered, bare_litestar.app),
            REMEMBERED: partial(authenticator.identify, AUTHORIZATION, "127.0.0.1"),
            KEY_ALONE: partial(authenticator.identify, f"Bearer {_key(database)}", "127.0.0.1"),
        }
        with (
            start_blocking_portal(backend_options={"use_uvloop": True}) as loop,
            loop.wrap_async_context_manager(bare_litestar.app.lifespan()),
        ):
            samples = in_turns({name: partial(loop.call, _calls, call) for name, call in works.items()}, plan)
        database.close()
        return samples


def over_http(plan: Plan) -> Samples:
    """Measure both as servers."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        database = create_database(Path(name))
        servers = [stack.enter_context(running(kind, database)) for kind in (DIALER, LITESTAR)]
        works = {
            server.name: lambda seconds, server=server: sample(server, get(server, INDEX), seconds)
            for server in servers
        }
        return in_turns(works, plan)


def _key(database: Database) -> str:
    """Create an API key of the user of the fixture, and return its secret."""
    key = NewApiKey(user_id=1, name="benchmark", scopes=[Scope.READ])
    return database.write_now(
        lambda connection: create_api_key(UnitOfWork(connection=connection, now_ms=START_MS), key).secret
    )


async def _calls(call: Call, seconds: float) -> Sample:
    """Make one call after the other for this long."""
    calls, cpu_s, started_s = 0, time.process_time(), time.perf_counter()
    while time.perf_counter() - started_s < seconds:
        for _ in range(CALLS_AT_ONCE):
            await call()
        calls += CALLS_AT_ONCE
    return Sample(calls, time.perf_counter() - started_s, time.process_time() - cpu_s)


async def answered(app: Litestar) -> None:
    """Send one request to the application, as a server does."""
    status = 0

    async def receive() -> Any:  # noqa: ANN401 - a message of the protocol
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:  # noqa: ANN401 - a message of the protocol
        nonlocal status
        status = message.get("status", status)

    await app(_scope(), receive, send)
    if status != HTTPStatus.OK:
        raise RuntimeError(f"answered {status}")


def _scope() -> Any:  # noqa: ANN401 - the ASGI scope of a request
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 50000),
        "scheme": "http",
        "method": "GET",
        "root_path": "",
        "path": INDEX,
        "raw_path": INDEX.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8000"), (b"authorization", AUTHORIZATION.encode())],
        "state": {},
    }


def main() -> None:
    """Measure and print the results."""
    plan = plan_of(sys.argv)
    report("An authenticated minimal request, without a socket", in_process(plan), (*TARGETS, KEY_TARGET))
    report("An authenticated minimal request over HTTP", over_http(plan), TARGETS)


if __name__ == "__main__":
    main()
