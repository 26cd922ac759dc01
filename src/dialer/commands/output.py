"""Output of commands: data on standard output, messages on standard error."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import rich_click as click

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


def say(message: str) -> None:
    """Print a message on standard error."""
    click.echo(message, err=True)


def print_json(data: Any) -> None:  # noqa: ANN401 - anything that msgspec can encode
    """Print data as JSON on standard output."""
    click.echo(msgspec.json.format(msgspec.json.encode(data), indent=2))
