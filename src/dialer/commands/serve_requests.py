"""The API, the console and the webhooks of a process, whether it dials or leaves that to workers."""

import socket
from collections.abc import Callable

from dialer.api.actions.trial_calls import TrialCallRead
from dialer.api.app import create_app
from dialer.api.http.auth import Authenticator
from dialer.api.http.event_streams import EventStreams
from dialer.api.service import Dialler
from dialer.app.campaigns.trial_calls import TrialCall
from dialer.commands.speaking import voice_of
from dialer.console.app import Console
from dialer.garbage import making_what_stays
from dialer.server import serve as run_server
from dialer.settings import Settings
from dialer.store.database.database import Database


def serve_requests(
    settings: Settings,
    database: Database,
    worker: Dialler,
    bound: socket.socket,
    ready: Callable[[], None],
    first_admin_token: str | None,
    authenticator: Authenticator | None = None,
) -> None:
    """Serve until the process is told to end, or loses its place in the database. Call `ready` once it answers."""
    console, streams = Console(database, first_admin_token=first_admin_token), EventStreams()
    with making_what_stays():
        app = create_app(
            settings,
            database=database,
            worker=worker,
            authenticator=authenticator,
            console=console,
            event_streams=streams,
            sends_webhooks=True,
            trial_call=_place_trial_call,
            speak=voice_of(settings),
        )
    run_server(app, bound, ready=ready, ending=(console.end, streams.end), displaced=lambda: database.displaced)


async def _place_trial_call(call: TrialCall) -> TrialCallRead:
    # It imports all that plays calls, which this process leaves to others otherwise.
    from dialer.commands.trial_calls import place_for_api  # noqa: PLC0415

    return await place_for_api(call)
