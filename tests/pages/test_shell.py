"""Tests of the shell in all pages: bash reads it, `dialer` takes its commands, and its files and targets exist."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest

from dialer.cli import cli
from tests.optional_tools import find_tool
from tests.pages.blocks import ROOT, pages
from tests.pages.shell import code_in_sentences, commands, dialer_commands, script, shell_blocks

TARGETS: Final = frozenset(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
MADE: Final = frozenset({"clients/typescript/node_modules", "build", "dist", "program"})
"""Folders that commands of the pages make."""
_OURS: Final = re.compile(r"(?:\.\./)?((?:benchmarks|clients|deploy|docs|examples|setup|tests)/[\w./-]*)")
_MODULE: Final = re.compile(r"tests(?:\.\w+)+")


def taken(arguments: list[str]) -> None:
    """Parse the arguments of `dialer` as it does, without running anything.

    Raises:
        UsageError: `dialer` has no such command, option or argument.
    """
    command: click.Command = cli
    context = click.Context(command, info_name="dialer")
    while True:
        _, rest, _ = command.make_parser(context).parse_args(list(arguments))
        if not isinstance(command, click.Group):
            if rest:
                raise click.UsageError(f"{' '.join(rest)} is too much", context)
            return
        if not rest:
            return
        name, found, arguments = command.resolve_command(context, rest)
        assert found is not None
        command, context = found, click.Context(found, info_name=name, parent=context)


def refused(arguments: list[str]) -> str:
    """Return why `dialer` does not take arguments; an empty text if it does."""
    try:
        taken(arguments)
    except click.BadOptionUsage as error:
        # A sentence may name an option without its value.
        return "" if arguments[-1] == error.option_name else f"dialer {' '.join(arguments)}: {error.format_message()}"
    except click.UsageError as error:
        return f"dialer {' '.join(arguments)}: {error.format_message()}"
    return ""


def missing(words: list[str]) -> Iterator[str]:
    """Yield the targets, modules and files that a command names and that do not exist."""
    if words[:1] == ["make"]:
        yield from (f"make {word}" for word in words[1:] if "=" not in word and word not in TARGETS)
    for word in words:
        if _MODULE.fullmatch(word) and not (ROOT / f"{word.replace('.', '/')}.py").exists():
            yield from () if (ROOT / word.replace(".", "/") / "__main__.py").exists() else (word,)
        found = _OURS.fullmatch(word)
        if found and not any(found[1].startswith(folder) for folder in MADE) and not (ROOT / found[1]).exists():
            yield word


def test_bash_reads_every_block() -> None:
    functions = "".join(f"block_{number}() {{\n:\n{script(block)}\n}}\n" for number, block in enumerate(shell_blocks()))
    done = subprocess.run([find_tool("bash"), "-n"], input=functions, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_dialer_takes_every_command_of_a_block() -> None:
    found = [
        (block.name, arguments)
        for block in shell_blocks()
        for words in commands(script(block))
        for arguments in dialer_commands(words)
    ]
    assert [(name, refused(arguments)) for name, arguments in found if refused(arguments)] == []
    assert len(found) > 60


@pytest.mark.parametrize("page", [page for page in pages() if page.stem != "CHANGELOG"], ids=lambda page: page.stem)
def test_dialer_takes_every_command_of_a_sentence(page: Path) -> None:
    written = [code for code in code_in_sentences(page.read_text("utf-8")) if code.startswith("dialer ")]
    found = [arguments for code in written for words in commands(code) for arguments in dialer_commands(words)]
    assert [why for arguments in found if (why := refused(arguments))] == []


def test_files_targets_and_modules_of_commands_exist() -> None:
    found = {block.name: [*map(missing, commands(script(block)))] for block in shell_blocks()}
    lacking = {name: [word for words in each for word in words] for name, each in found.items()}
    assert {name: words for name, words in lacking.items() if words} == {}


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("FOO=1 dialer users list", [["users", "list"]]),
        ("sudo -u dialer /opt/dialer/bin/dialer --version && echo dialer", [["--version"]]),
        ("sudo sh -c 'cd /x && exec dialer \"$@\"' dialer users list # dialer x", [["users", "list"]]),
        ("docker exec --tty dialer dialer audit; uvx --from . dialer demo", [["audit"], ["demo"]]),
        ("cp dialer /opt/dialer", []),
    ],
)
def test_commands_are_found_behind_others(text: str, arguments: list[list[str]]) -> None:
    assert [found for words in commands(text) for found in dialer_commands(words)] == arguments


@pytest.mark.parametrize(
    "arguments",
    [["key"], ["keys", "creat"], ["serve", "--prt", "1"], ["explain", "1", "2", "3"], ["audit", "x"]],
)
def test_a_wrong_command_is_noticed(arguments: list[str]) -> None:
    assert refused(arguments)


def test_a_missing_place_is_noticed() -> None:
    absent = ["nothing", "deploy/absent.yaml", "tests.absent"]
    assert [*missing(["cat", *absent, "deploy/compose/compose.yaml"])] == absent[1:]
    assert [*missing(["make", "setup", "PYTHON=x", "nothing"])] == ["make nothing"]
