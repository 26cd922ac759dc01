"""Output of commands: data on standard output, messages on standard error.

The messages of a process that serves are lines of its log, which are JSON unless a terminal shows them.
"""

import inspect
import json
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, TextIO, TypeVar

import msgspec
import rich_click as click

from dialer.domain.words.sentences import Sentence

_Function = TypeVar("_Function", bound=Callable[..., None])


def examples(*lines: str, table: str = "") -> Callable[[_Function], _Function]:
    """Return a decorator that adds examples to a command's help, after its first sentence.

    A `table` is added at the end with its lines unchanged; its first line is its title.
    """

    def add(function: _Function) -> _Function:
        summary, _, details = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
        # A backspace tells click to leave the lines of a paragraph as they are.
        block = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
        function.__doc__ = "\n\n".join(filter(None, [summary, block, details, table and f"\b\n{table}"]))
        return function

    return add


def json_option(what: str) -> Callable[[_Function], _Function]:
    """Return a decorator that adds the option `--json`, which prints `what` as one JSON document."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print {what} as JSON.")


def printable(text: str) -> str:
    """Return a text without characters that could control the terminal: names and answers may hold any."""
    return "".join(character if character.isprintable() else "?" for character in text)


class Voice:
    """The form of messages: text, or lines of a log in JSON."""

    def __init__(self) -> None:
        self._serves = False

    def begin_log(self) -> None:
        """Write messages as lines of a log from now on, where no terminal shows them."""
        self._serves = True

    def end_log(self) -> None:
        """Write messages as text again."""
        self._serves = False

    def is_json(self, stream: TextIO | None) -> bool:
        """Return whether a message on this stream is a line of JSON."""
        return self._serves and stream is not None and not stream.isatty()


VOICE: Final = Voice()
"""The form of this process's messages."""


def log_line(message: str, level: str, error: BaseException | None = None) -> str:
    """Return a message as a line of the log, in JSON. That of an error has its traceback."""
    event = {"event": message, "level": level, "logger": "dialer", "timestamp": f"{datetime.now(UTC):%FT%T.%fZ}"}
    if error is not None:
        # The traceback has no local variables, because they hold passwords and phone numbers.
        event["exception"] = "".join(traceback.format_exception(error)).rstrip()
    return json.dumps(event, ensure_ascii=False)


def say(message: str) -> None:
    """Print a message on standard error."""
    click.echo(log_line(message, "warning") if VOICE.is_json(sys.stderr) else message, err=True)


def announce(message: str) -> None:
    """Print on standard output that a process serves."""
    click.echo(log_line(message, "info") if VOICE.is_json(sys.stdout) else message)


def _plain(value: object) -> str:
    """Return a sentence as a plain text, which JSON has.

    Raises:
        TypeError: it is something else, which no document has.
    """
    if isinstance(value, Sentence):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not of JSON")


def print_json(data: Any) -> None:  # noqa: ANN401 - anything that msgspec can encode
    """Print data as JSON on standard output."""
    click.echo(msgspec.json.format(msgspec.json.encode(data, enc_hook=_plain), indent=2))
