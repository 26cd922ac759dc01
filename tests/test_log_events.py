"""Tests of the names of log lines: an operator looks for a line by the name of its event."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import dialer

LEVELS: Final = {"debug", "info", "warning", "error", "exception", "critical"}
LOGS: Final = re.compile(r"_?log")
NAME: Final = re.compile(r"[a-z]+(_[a-z0-9]+)*")


def events(source: str) -> Iterator[str]:
    """Yield the events that a module logs by a name that is written out."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(ast.Attribute(ast.Name(log), level), [ast.Constant(str(event)), *_]) if level in LEVELS:
                if LOGS.fullmatch(log):
                    yield event


def test_names_of_events_are_found() -> None:
    source = 'def f():\n    _log.info("a leg is over", key=1)\n    log.error("leg_over")\n    say.info("other")\n'
    assert list(events(source)) == ["a leg is over", "leg_over"]


def test_events_are_named_in_small_letters_with_underscores() -> None:
    files = sorted(Path(dialer.__file__).parent.rglob("*.py"))
    found = {event for file in files for event in events(file.read_text())}
    assert "line_down" in found
    assert [event for event in sorted(found) if not NAME.fullmatch(event)] == []
