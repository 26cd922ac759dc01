"""The API, the console and the webhooks of a process, whether it dials or leaves that to workers."""

import socket
from collections.abc import Callable

from dialer.api.app import create_app
from dialer.api.http.auth import Authenticator
from dialer.api.http.event_streams import EventStreams
from dialer.api.service import Dialler
from dialer.commands.speaking import voice_of
from dialer.commands.trial_calls import place_for_api
from dialer.console.app import Console
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
    app = create_app(
        settings,
        database=database,
        worker=worker,
        authenticator=authenticator,
        console=console,
        event_streams=streams,
        sends_webhooks=True,
        trial_call=place_for_api,
        speak=voice_of(settings),
    )
    run_server(app, bound, ready=ready, ending=(console.end, streams.end), displaced=lambda: database.displaced)
