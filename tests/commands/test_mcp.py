"""Tests of `dialer mcp` as an assistant runs it: a process that is asked over its standard input."""

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.test_server import DIALER

NUMBER = "+12025550111"


@pytest.fixture
def service() -> Iterator[tuple[str, list[str]]]:
    """Run a service in which every list is empty. Give its address, and what it was asked for."""
    asked: list[str] = []

    class Service(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = b'{"count": 0, "next": null, "previous": null, "results": []}'
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_numbers_that_an_assistant_asks_about_are_not_logged(
    service: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, asked = service
    log = tmp_path / "log"
    environ = {**os.environ, "DIALER_API_KEY": "dk_1", "DIALER_URL": url}
    parameters = StdioServerParameters(command=str(DIALER), args=["mcp"], env=environ)
    with log.open("w", encoding="utf-8") as errors:
        async with stdio_client(parameters, errlog=errors) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            answer: Any = await session.call_tool("explain_number", {"number": NUMBER})
    assert answer.content
    assert any(NUMBER.removeprefix("+") in path for path in asked)
    assert NUMBER.removeprefix("+") not in log.read_text("utf-8")
