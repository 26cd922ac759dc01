"""Health and metrics: open without authentication, and without data of users or numbers."""

from http import HTTPStatus
from typing import Annotated, Final

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.openapi import ResponseSpec
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy import Connection, text, update

from dialer.api.http.metrics import Metrics
from dialer.api.service import ApiRequest, Service
from dialer.domain.words.described import described
from dialer.resources.words.errors import RecordNotFoundError
from dialer.resources.words.headers import has_passed_proxy
from dialer.runtime.steps.process_health import ProcessHealth
from dialer.settings_values import DIRECT
from dialer.store.database.database import StorageUnavailableError
from dialer.store.tables import ServiceState

METRICS: Final = "/metrics"
READY: Final = "ok"
STORAGE: Final = "storage"
SECOND_MS: Final = 1_000


_WORKER: Final = {
    "name": "w1",
    "number": 7,
    "shards": 32,
    "lease_seconds": 13.2,
    "late_seconds": 0.0,
    "takeovers": 1,
    "steps_fenced": 0,
}


class WorkerHealth(msgspec.Struct):
    """The state of one of several workers."""

    name: Annotated[str, described("Its name in `dialer fleet`.", "w1")]
    number: Annotated[int | None, described("Its number; null while it has no lease.", 7)]
    shards: Annotated[int, described("Groups of accounts that it dials for, of 64.", 32)]
    lease_seconds: Annotated[float, described("Time left of its lease.", 13.2)]
    late_seconds: Annotated[float, described("How late its next event is.", 0.0)]
    takeovers: Annotated[int, described("Workers that it has replaced since its start.", 1)]
    steps_fenced: Annotated[int, described("Steps that it gave up because it had been replaced.", 0)]


class Health(msgspec.Struct, omit_defaults=True):
    """The health of the service: `ok`, or the part that does not work."""

    status: Annotated[str, described("`ok`, or the part that does not work, such as `storage`.", "ok")]
    worker: Annotated[
        WorkerHealth | None,
        described(
            "The state of a process of `dialer worker`.",
            _WORKER,
        ),
    ] = None
    lines_down: Annotated[
        int,
        described(
            "Gateways whose connection to their carrier does not work; left out if there is none. Others dial on.", 1
        ),
    ] = 0
    recordings: Annotated[
        str,
        described(
            "`no_room` if calls are not recorded because the disk is full, `away` if the place of recordings is not"
            " there; left out otherwise. Calls go on.",
            "no_room",
        ),
    ] = ""


@get("/health/live", tags=["health"])
async def live() -> Health:
    """Answer that the process runs."""
    return Health(READY)


@get(
    "/health/ready",
    tags=["health"],
    responses={503: ResponseSpec(data_container=Health, description="Not ready", generate_examples=False)},
)
async def ready(request: ApiRequest, metrics: NamedDependency[Metrics]) -> Response[Health]:
    """Answer whether requests and dialling work, or which part does not."""
    service = request.service
    problem = await _storage_problem(service) or await _dialling_problem(service)
    worker = _worker_health(service.worker.process_health())
    health = Health(problem or READY, worker, service.worker.figures().lines_down, metrics.recordings.problem())
    return Response(health, status_code=HTTPStatus.SERVICE_UNAVAILABLE if problem else HTTPStatus.OK)


def _worker_health(process_health: ProcessHealth) -> WorkerHealth | None:
    """Return the state of a worker of a fleet, or None."""
    member = process_health.membership
    if member is None:
        return None
    return WorkerHealth(
        name=member.name,
        number=member.worker_id,
        shards=member.shards,
        lease_seconds=member.lease_left_ms / SECOND_MS,
        late_seconds=(process_health.late_ms or 0) / SECOND_MS,
        takeovers=sum(member.takeovers.values()),
        steps_fenced=member.fenced,
    )


async def _storage_problem(service: Service) -> str | None:
    try:
        await service.database.read(_touch)
    except StorageUnavailableError:
        return STORAGE
    return None if await service.database.is_writable(_rewrite) else STORAGE


async def _dialling_problem(service: Service) -> str | None:
    """Return the problem of the worker, if any; after a storage problem the worker tries again first."""
    if service.worker.problem() == STORAGE:
        await service.worker.settle()
    return service.worker.problem()


def _rewrite(connection: Connection) -> None:
    """Write the stored time again, in two steps, because SQLite skips a write that changes nothing."""
    for step in (1, -1):
        connection.execute(update(ServiceState).values(now_ms=ServiceState.now_ms + step))


def _touch(connection: Connection) -> None:
    connection.execute(text("SELECT 1 FROM user_account LIMIT 1"))


_METRICS: Final = CONTENT_TYPE_LATEST.partition("; charset")[0]
"""The media type without the charset, which the framework adds."""


@get(METRICS, media_type="text/plain", tags=["health"])
async def metrics(request: ApiRequest, metrics: NamedDependency[Metrics]) -> Response[bytes]:
    """Return the metrics of the service for Prometheus. Other spellings of the path have none."""
    # A proxy may hide the path in this spelling only, and the framework knows more of them.
    is_exact = request.scope["raw_path"] == METRICS.encode()
    is_kept_back = request.service.settings.metrics == DIRECT and has_passed_proxy(request.scope)
    if not is_exact or is_kept_back:
        raise RecordNotFoundError
    return Response(metrics.exposition(), media_type=_METRICS)
