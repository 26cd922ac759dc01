"""Tests of the usage of commands: it is light to import, and agrees with the work."""

import importlib
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import rich_click as click

from dialer.cli import MODULES, cli

HEAVY: Final = frozenset({"litestar", "sqlalchemy", "advanced_alchemy", "alembic", "openpyxl", "jinja2", "uvicorn"})
"""Libraries of the work, none of which a help or a completion needs."""
MAIN: Final = (
    "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
    " from dialer.cli import main; main()"
)


def commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield every command below a group, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


COMMANDS: Final = dict(commands(cli))


def imported_by(folder: Path, *arguments: str, **environ: str) -> set[str]:
    """Return the top packages that a process of `dialer` has imported at its end."""
    command = [sys.executable, "-c", MAIN, *arguments]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environ}, capture_output=True, text=True, check=True
    )
    assert done.stdout
    return {name.partition(".")[0] for name in done.stderr.split()}


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"], ["users", "create", "--help"]], ids=" ".join)
def test_a_help_imports_neither_the_api_nor_the_database(tmp_path: Path, arguments: list[str]) -> None:
    assert not imported_by(tmp_path, *arguments) & HEAVY


@pytest.mark.parametrize("words", ["dialer ", "dialer users cr", "dialer serve --po"])
def test_a_completion_imports_neither_the_api_nor_the_database(tmp_path: Path, words: str) -> None:
    place = str(len(words.split(" ")) - 1)
    asked = {"_DIALER_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": place}
    assert not imported_by(tmp_path, **asked) & HEAVY


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"completion"}))
def test_the_work_of_a_command_takes_exactly_its_parameters(name: str) -> None:
    """Click hands the values over by name, so nothing but this test compares the names."""
    command = COMMANDS[name]
    usage = command.callback
    assert usage is not None
    first = name.partition(" ")[0]
    work = getattr(importlib.import_module(f"dialer.commands.{MODULES.get(first, first)}"), usage.__name__)
    taken = inspect.signature(work).parameters.values()
    given = {parameter.name for parameter in command.params if parameter.expose_value}
    named = {one.name for one in taken if one.kind is not inspect.Parameter.VAR_KEYWORD} - {"context"}
    assert named <= given
    assert named == given or any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken)
