"""Tests of log lines: their content, and masked data."""

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import structlog

from dialer.logs import QUEUE_LINES_MAX, BackgroundHandler, configure_logs, mask_numbers


class Sink:
    """A stream that keeps the lines written to it."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, line: str) -> None:
        self.lines.append(line)

    def events(self) -> list[dict[str, object]]:
        """End the logging, and return the events without their timestamps."""
        for handler in handlers():
            handler.close()
        events = [json.loads(line) for line in self.lines]
        return [{key: value for key, value in event.items() if key != "timestamp"} for event in events]


def handlers() -> list[BackgroundHandler]:
    return [handler for handler in logging.getLogger().handlers if isinstance(handler, BackgroundHandler)]


@pytest.fixture
def sink() -> Iterator[Sink]:
    """Configure the log, and reset it after the test."""
    level = logging.getLogger().level
    sink = Sink()
    configure_logs(sink, readable=False)
    yield sink
    for handler in handlers():
        logging.getLogger().removeHandler(handler)
        handler.close()
    logging.getLogger().setLevel(level)
    structlog.reset_defaults()


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("+12025550123", "+1202***0123"),
        ("calling +1 (202) 555-0123 now", "calling +1202***0123 now"),
        ("12025550123", "1202***0123"),
        ("5550123", "55***23"),
        ("+4930123456, +33612345678", "+49***56, +3361***5678"),
        ("2026-11-20T10:00:00.123456Z", "2026-11-20T10:00:00.123456Z"),
        ("callid 0b5c4a52-1234-4a9f-8d5e-123456789012", "callid 0b5c4a52-1234-4a9f-8d5e-123456789012"),
        ("200 OK in 0.123456789 s", "200 OK in 0.123456789 s"),
    ],
)
def test_phone_numbers_are_masked_and_nothing_else(text: str, masked: str) -> None:
    assert mask_numbers(text) == masked


def test_private_data_is_hidden_however_deep_it_is(sink: Sink) -> None:
    structlog.get_logger("dialer.test").warning(
        "dialled",
        phone_number="+12025550123",
        call={"to": ["+12025550124"], "password": "correct horse battery"},
        headers={"Authorization": "Basic YWRtaW46"},
        duration_ms=12025550123,
        request_id="12025550123",
    )
    assert sink.events() == [
        {
            "event": "dialled",
            "level": "warning",
            "logger": "dialer.test",
            "phone_number": "+1202***0123",
            "call": {"to": ["+1202***0124"], "password": "[hidden]"},
            "headers": "[hidden]",
            "duration_ms": 12025550123,
            "request_id": "12025550123",
        }
    ]


def test_lines_of_libraries_are_masked_too(sink: Sink) -> None:
    logging.getLogger("library").info("called %s", "+12025550123")
    assert sink.events() == [{"event": "called +1202***0123", "level": "info", "logger": "library"}]


def test_a_traceback_shows_no_values(sink: Sink) -> None:
    secret = " ".join(word for word in ("battery", "staple"))

    def fail(password: str) -> None:
        raise ValueError(f"{len(password)} characters for +12025550123")

    try:
        fail(secret)
    except ValueError:
        structlog.get_logger().exception("failed")
    (event,) = sink.events()
    assert "14 characters for +1202***0123" in str(event["exception"])
    assert "battery staple" not in json.dumps(event)


def test_a_second_configuration_replaces_the_first(sink: Sink) -> None:
    second = Sink()
    configure_logs(second, readable=True)
    structlog.get_logger().info("once")
    handlers()[0].close()
    assert (len(handlers()), len(second.lines), sink.lines) == (1, 1, [])


class BlockedSink(Sink):
    """A sink that blocks on its first line until it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.is_reached, self.is_released, self.has_room = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, line: str) -> None:
        super().__call__(line)
        self.is_reached.set()
        self.is_released.wait()
        if len(self.lines) > 1:
            self.has_room.set()


def test_a_blocked_sink_blocks_nobody_and_the_lines_that_it_costs_are_counted(sink: Sink) -> None:
    assert sink.lines == []
    blocked = BlockedSink()
    configure_logs(blocked, readable=False)
    log = logging.getLogger("library")
    log.info("first")
    blocked.is_reached.wait()
    for number in range(QUEUE_LINES_MAX + 10):
        log.info("line %d", number)
    blocked.is_released.set()
    blocked.has_room.wait()
    log.info("last")
    events = blocked.events()
    assert [event["event"] for event in events[:2]] == ["first", "line 0"]
    assert events[-2:] == [
        {"event": "last", "level": "info", "logger": "library"},
        {"event": "log_lines_dropped", "level": "warning", "lines": 10, "logger": "dialer.logs"},
    ]
    assert len(events) == QUEUE_LINES_MAX + 3


SERVING: Final = """
import threading, warnings
from dialer import cli
from dialer.commands import serve
from dialer.logs import configure_logs, log_unhandled

def fail(_settings):
    configure_logs()
    log_unhandled()
    warnings.warn("the library says so")
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    raise RuntimeError("nobody expects this")

serve.settings_from_environment = lambda: fail(None)
cli.main()
"""
"""A program whose `dialer serve` fails in each way that nothing handles."""


def test_whatever_a_process_that_serves_writes_is_a_line_of_json(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SERVING, "serve", "--port", "0"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert (done.returncode, done.stdout) == (1, "")
    assert sorted((event["level"], event["logger"]) for event in events) == [
        ("critical", "dialer"),
        ("critical", "dialer.logs"),
        ("warning", "py.warnings"),
    ]
    exceptions = {event["logger"]: event["exception"].splitlines()[-1] for event in events if "exception" in event}
    assert exceptions == {
        "dialer": "RuntimeError: nobody expects this",
        "dialer.logs": "ZeroDivisionError: division by zero",
    }
    assert {"Traceback (most recent call last):"} == {
        event["exception"].splitlines()[0] for event in events if "exception" in event
    }
