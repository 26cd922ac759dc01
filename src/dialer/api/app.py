"""The composition root of the HTTP interface: one function that builds the application; tests pass fakes."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final, Protocol

from litestar import Litestar
from litestar.datastructures import State
from litestar.di import Provide
from litestar.types import ASGIApp, ControllerRouterHandler, ExceptionHandlersMap

from dialer.api.actions.forecast import Forecaster, Forecasting
from dialer.api.actions.kept_recordings import RecordingTasks, recording_tasks
from dialer.api.actions.speaking import SpeakText, TextSpeaker, speak_nothing
from dialer.api.actions.telephones import Telephones
from dialer.api.actions.trial_calls import PlaceTrialCall, TrialCaller, place_no_trial_call
from dialer.api.actions.webhook_sender import WebhookSender
from dialer.api.answers.controller import controllers
from dialer.api.http.answers import Answer
from dialer.api.http.auth import Authentication, Authenticator
from dialer.api.http.body import BODY_BYTES_MAX
from dialer.api.http.compression import Compression
from dialer.api.http.edge import Edge
from dialer.api.http.error_answers import EXCEPTION_HANDLERS
from dialer.api.http.event_streams import EventStreams
from dialer.api.http.hosts import OwnNames
from dialer.api.http.known_parameters import KnownParameters
from dialer.api.http.loop_lag import LoopLag
from dialer.api.http.metrics import Metrics
from dialer.api.http.permissions import Permissions
from dialer.api.http.recording_metrics import RecordingMetrics
from dialer.api.http.request_shares import RequestShares
from dialer.api.http.tried_voices import TryVoice, try_nothing
from dialer.api.http.worker_metrics import VitalMetrics
from dialer.api.http.write_metrics import WriteMetrics
from dialer.api.http.zone_metrics import ZoneMetrics, logging_zone_rules
from dialer.api.openapi.document import ShapePlugin, openapi_config
from dialer.api.openapi.structs import DescribedStructPlugin
from dialer.api.routes import (
    account_export,
    agent_calls,
    apply,
    audio,
    bulk,
    call_again,
    call_centre_statistics,
    campaign_check,
    campaign_proofs,
    campaign_results,
    campaign_trials,
    contact_law,
    copy,
    dispositions,
    drafts,
    forecast,
    health,
    imports,
    live_calls,
    previews,
    promised_call_backs,
    recording_orders,
    recordings,
    recycle,
    refunds,
    root,
    staffing_plan,
    statistics,
    supervision,
    survey_aggregate,
    survey_check,
    telephones,
    text_callbacks,
    trial_calls,
    webhooks,
    what_if,
    wrap_ups,
)
from dialer.api.routes.clock import ClockController
from dialer.api.routes.events import EventsController
from dialer.api.routes.exports import export
from dialer.api.routes.own_settings import OwnSettingsController
from dialer.api.service import SERVICE, ApiRequest, Dialler, Export, OwnRouter, Service, handlers_in
from dialer.forecast.subprocess import forecast_in_subprocess, what_if_in_subprocess
from dialer.forecast.what_if_queue import Comparing, WhatIfQueue
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.urls import PREFIX
from dialer.resources.records.table import RESOURCES
from dialer.runtime.fleet.place_watch import keeping_place
from dialer.runtime.steps.call_removal import CallRemoval, KeptDays
from dialer.runtime.steps.recording_figures import RecordingFigures
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.media.folder import FolderMedia
from dialer.store.media.recordings import delete_recording
from dialer.webhooks.addresses import AddressGuard

EXTRA_ROUTES: Final[tuple[ControllerRouterHandler, ...]] = (
    root.read_root,
    *handlers_in(audio, bulk, imports, forecast, what_if, survey_check, campaign_check, survey_aggregate, statistics),
    *handlers_in(
        call_centre_statistics, recordings, refunds, copy, recycle, call_again, trial_calls, dispositions, drafts
    ),
    *handlers_in(contact_law, live_calls, previews, promised_call_backs, supervision, webhooks, wrap_ups, apply),
    *handlers_in(
        account_export, staffing_plan, campaign_proofs, campaign_results, campaign_trials, recording_orders, telephones
    ),
)
"""Handlers under `/rest-api` besides those of the resource table."""


class Pages(Protocol):
    """The console, as far as the application needs it."""

    exception_handlers: ExceptionHandlersMap
    """Exception handlers for paths that no route has, of the console and of the API."""

    def routes(self, authenticator: Authenticator, permissions: Permissions) -> Sequence[ControllerRouterHandler]:
        """Return the routes of the console, `/` among them."""

    def running(self, worker: Dialler) -> AbstractAsyncContextManager[None]:
        """Return a context in which the tasks of the console run."""


def create_app(  # noqa: PLR0913 - everything is put together here
    settings: Settings,
    *,
    database: Database,
    worker: Dialler,
    authenticator: Authenticator | None = None,
    export: Export = export,
    forecasting: Forecasting = forecast_in_subprocess,
    comparing: Comparing = what_if_in_subprocess,
    trial_call: PlaceTrialCall = place_no_trial_call,
    speak: SpeakText = speak_nothing,
    try_voice: TryVoice = try_nothing,
    telephone: Telephones | None = None,
    resources: Sequence[Resource] = RESOURCES,
    console: Pages | None = None,
    event_streams: EventStreams | None = None,
    sends_webhooks: bool = False,
) -> Litestar:
    """Build the application: the REST API, health, metrics, the OpenAPI document, and the console if there is one.

    The database must have its tables. The worker runs as long as the application does. `sends_webhooks` says
    whether this process sends events to webhooks.
    """
    service = _service(settings, database, worker, resources, export, event_streams, try_voice)
    metrics, kept = _watched(settings, database, worker)
    permissions, what_if_queue = Permissions(resources), WhatIfQueue(comparing)
    authenticator = authenticator or _authenticator(settings, database, worker)
    sender = WebhookSender(database, worker.clock, AddressGuard(settings.webhook_networks), settings.currency)
    own = _in_background(settings, database, worker, metrics, kept, sender.running(delivers=sends_webhooks), console)
    app = Litestar(
        route_handlers=[
            _rest_api(authenticator, permissions, resources),
            *([root.redirect_to_documentation] if console is None else console.routes(authenticator, permissions)),
            *handlers_in(agent_calls, health, text_callbacks),
        ],
        dependencies={
            "metrics": _given(metrics),
            "authenticator": _given(authenticator),
            "forecaster": _given(Forecaster(forecasting)),
            "what_if_queue": _given(what_if_queue),
            **_of_lines(trial_call, speak, telephone or Telephones()),
            "webhook_sender": _given(sender),
        },
        request_class=ApiRequest,
        response_class=Answer,
        state=State({SERVICE: service}),
        exception_handlers=EXCEPTION_HANDLERS if console is None else console.exception_handlers,
        request_max_body_size=BODY_BYTES_MAX,
        lifespan=[_running(*own, what_if_queue.running, authenticator.uses.storing, authenticator.refusals.storing)],
        openapi_config=openapi_config(),
        plugins=[ShapePlugin(), DescribedStructPlugin()],
        logging_config=None,
    )
    methods = {route.path_format: route.methods for route in app.routes}
    permissions.serve(methods)
    names = OwnNames(settings.base_url, settings.other_hosts)
    app.asgi_handler = Edge(RequestShares(Compression(app.asgi_handler)), metrics, methods, names)
    return app


def _service(
    settings: Settings,
    database: Database,
    worker: Dialler,
    resources: Sequence[Resource],
    export: Export,
    event_streams: EventStreams | None,
    try_voice: TryVoice,
) -> Service:
    """Return what every handler uses."""
    return Service(
        settings,
        database=database,
        worker=worker,
        resources={resource.path: resource for resource in resources},
        export=export,
        event_streams=event_streams,
        try_voice=try_voice,
    )


def _of_lines(trial_call: PlaceTrialCall, speak: SpeakText, telephones: Telephones) -> dict[str, Provide]:
    """Return what handlers use of that which calls and speaks."""
    trial_caller, speaker = _given(TrialCaller(trial_call)), _given(TextSpeaker(speak))
    return {"trial_caller": trial_caller, "speaker": speaker, "telephones": _given(telephones)}


def _watched(settings: Settings, database: Database, worker: Dialler) -> tuple[Metrics, RecordingTasks]:
    """Return the metrics of a service, and the care for its recordings that they tell of."""
    tasks = recording_tasks(settings, database, worker.clock)
    return _metrics(worker, database, RecordingMetrics(tasks.recordings.figures, settings.recordings_dir)), tasks


def _metrics(worker: Dialler, database: Database, recordings: RecordingMetrics) -> Metrics:
    clock_ms = lambda: worker.clock.now_ms()  # noqa: E731, PLW0108 - the clock may be replaced
    others = VitalMetrics(worker.process_health), WriteMetrics(database.write_waits), ZoneMetrics(clock_ms)
    return Metrics(worker.figures, *others, recordings=recordings)


def _authenticator(settings: Settings, database: Database, worker: Dialler) -> Authenticator:
    return Authenticator(
        database,
        requests_a_minute=settings.rate_limit,
        clock_ms=lambda: worker.clock.now_ms(),  # noqa: PLW0108 - the clock may be replaced
        second_factor=settings.second_factor,
    )


def create_worker_app(
    settings: Settings, *, database: Database, worker: Dialler, running: Callable[[], AbstractAsyncContextManager[None]]
) -> Litestar:
    """Build the application of a process that only dials: health and metrics."""
    service = Service(settings, database=database, worker=worker, resources={}, export=export)
    metrics = _metrics(worker, database, RecordingMetrics(RecordingFigures(), settings.recordings_dir))

    @asynccontextmanager
    async def dialling(_: Litestar) -> AsyncIterator[None]:
        logging = logging_zone_rules(worker.clock.now_ms)
        async with logging, running(), keeping_place(database), LoopLag(metrics.observe_lag).watching():
            yield

    app = Litestar(
        route_handlers=handlers_in(health),
        dependencies={"metrics": _given(metrics)},
        request_class=ApiRequest,
        state=State({SERVICE: service}),
        exception_handlers=EXCEPTION_HANDLERS,
        lifespan=[dialling],
        openapi_config=None,
        logging_config=None,
    )
    methods = {route.path_format: route.methods for route in app.routes}
    app.asgi_handler = Edge(app.asgi_handler, metrics, methods, OwnNames(None, ()))
    return app


def _rest_api(authenticator: Authenticator, permissions: Permissions, resources: Sequence[Resource]) -> OwnRouter:
    def authenticated(app: ASGIApp) -> ASGIApp:
        return Authentication(app, authenticator, permissions)

    handlers = [controller for resource in resources for controller in controllers(resource)]
    return OwnRouter(
        PREFIX,
        route_handlers=[*handlers, ClockController, OwnSettingsController, EventsController, *EXTRA_ROUTES],
        # The framework copies middleware for every route, but does not copy functions.
        middleware=[authenticated, KnownParameters],
    )


def _given(value: object) -> Provide:
    return Provide(lambda: value, sync_to_thread=False, use_cache=True)


def _running(
    *in_background: Callable[[], AbstractAsyncContextManager[object]],
) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    """Return a lifespan in which all of these run. The first one ends last."""

    @asynccontextmanager
    async def running(_: Litestar) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for start in in_background:
                await stack.enter_async_context(start())
            yield

    return running


def _in_background(
    settings: Settings,
    database: Database,
    worker: Dialler,
    metrics: Metrics,
    kept: RecordingTasks,
    sending: AbstractAsyncContextManager[None],
    console: Pages | None,
) -> list[Callable[[], AbstractAsyncContextManager[object]]]:
    """Return what runs as long as the application does."""
    removing = partial(_removing, settings, database, worker)
    tasks = [] if console is None else [partial(console.running, worker)]
    logging = partial(logging_zone_rules, worker.clock.now_ms)
    watching = LoopLag(metrics.observe_lag).watching
    in_place = partial(keeping_place, database)
    cared = kept.recordings.keeping, kept.transcripts.writing
    return [logging, worker.running, in_place, watching, removing, *cared, lambda: sending, *tasks]


def _removing(settings: Settings, database: Database, worker: Dialler) -> AbstractAsyncContextManager[None]:
    """Return a context in which calls and events are removed that are older than the settings allow."""
    days = KeptDays(settings.call_record_days, settings.event_days)
    delete_file = partial(delete_recording, FolderMedia(settings.media_dir))
    return CallRemoval(database, worker.clock, days, delete_file).removing()
