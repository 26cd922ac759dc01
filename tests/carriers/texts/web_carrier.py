"""A carrier over HTTP that tests watch: it notes each request, and answers as it is told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final, NamedTuple

import msgspec


class Asked(NamedTuple):
    """A request as the carrier sees it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON
        """The body as JSON."""
        return msgspec.json.decode(self.body)


Answer = Callable[[Asked], tuple[int, bytes] | None]
"""Returns the status and the body of an answer; None closes the connection without one."""


class WebCarrier:
    """A server on a port of its own."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: Final[list[Asked]] = []
        carrier = self

        class Handler(BaseHTTPRequestHandler):
            """Passes requests on."""

            def _handle(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, self.path, headers, self.rfile.read(length))
                carrier.asked.append(asked)
                answer = carrier.answer(asked)
                if answer is None:
                    self.close_connection = True
                    return
                self.send_response(answer[0])
                self.send_header("Content-Length", str(len(answer[1])))
                self.end_headers()
                self.wfile.write(answer[1])

            do_GET = do_POST = _handle  # noqa: N815 - the library's names

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Write nothing."""

        self._server: Final = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def serving(self) -> Iterator["WebCarrier"]:
        """Serve while the context is entered."""
        thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()
