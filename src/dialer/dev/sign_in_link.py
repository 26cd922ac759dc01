"""A link that signs a browser in, once, as somebody whose password is known here.

A server on the loopback answers it: it gives the browser the cookie of a session that was begun for it, and leads to
the console. Cookies belong to a host, and not to a port of it.
"""

import re
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from typing import Final
from urllib.parse import urlsplit

import httpx

from dialer.local_service.errors import DemoError
from dialer.local_service.server import DemoAccount

TOKEN_BYTES: Final = 24
_HIDDEN: Final = re.compile(r'name="csrf" value="([^"]+)"')
SILENT_S: Final = 5
"""The time for which a connection may be silent."""
SESSION: Final = "dialer_session"
"""The cookie of a session of the console."""


class _LinkServer(ThreadingMixIn, TCPServer):
    """A server in which a silent connection holds up neither other ones nor the end."""

    daemon_threads = True
    block_on_close = False


@contextmanager
def sign_in_link(url: str, account: DemoAccount) -> Iterator[str]:
    """Return a link for one use, as long as the context is entered. `url` is the service, on the loopback.

    Raises:
        DemoError: the console refuses the sign-in.
    """
    token, home = secrets.token_urlsafe(TOKEN_BYTES), f"{url}/console/"
    sessions = [_begin_session(url, account)]

    class Handler(BaseHTTPRequestHandler):
        timeout = SILENT_S

        def do_GET(self) -> None:
            is_right = secrets.compare_digest(self.path.encode(), f"/{token}".encode())
            self.send_response(HTTPStatus.SEE_OTHER)
            if is_right and sessions:
                self.send_header("Set-Cookie", f"{SESSION}={sessions.pop()}; Path=/; HttpOnly; SameSite=Lax")
            self.send_header("Location", home)
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the names of the library
            """Log nothing."""

    host = str(urlsplit(url).hostname)
    with _LinkServer((host, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://{host}:{server.server_address[1]}/{token}"
        finally:
            server.shutdown()
            thread.join()


def _begin_session(url: str, account: DemoAccount) -> str:
    """Sign in as a browser does, and return the cookie of the session."""
    try:
        with httpx.Client(base_url=url, trust_env=False) as client:
            form = _HIDDEN.search(client.get("/console/sign-in/").text)
            filled = {"username": account.username, "password": account.password, "csrf": form[1] if form else ""}
            answer = client.post("/console/sign-in/", data=filled)
            session = answer.cookies.get(SESSION)
    except httpx.HTTPError as error:
        raise DemoError(f"the console does not answer: {error}") from error
    if session is None:
        raise DemoError(f"the console refuses the sign-in with status {answer.status_code}")
    return session.strip('"')
