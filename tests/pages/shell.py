"""Commands in blocks of shell and in sentences: their words, without prompts and outputs."""

import re
import shlex
from collections.abc import Iterator
from typing import Final

from tests.pages.blocks import Block, every_block

LANGUAGES: Final = frozenset({"bash", "console", "sh"})
_CODE: Final = re.compile(r"`([^`\n]+)`")
_FENCED: Final = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_WRAPPERS: Final = tuple(map(re.compile, (r"sudo (-u \w+ )?", r"docker exec (--\w+ )*\w+ ", r"uvx --from \S+ ")))
"""Beginnings of commands that run another one."""
_STOPS: Final = frozenset(";&|()<>")


def script(block: Block) -> str:
    """Return the commands of a block as a script: of a console, the lines behind a prompt."""
    if not block.text.startswith("$ ") and block.language != "console":
        return block.text
    lines = [line[2:] for line in block.text.splitlines() if line.startswith(("$ ", "> "))]
    return "".join(f"{line}\n" for line in lines)


def shell_blocks() -> list[Block]:
    """Return the blocks of shell of all pages."""
    return [block for block in every_block() if block.language in LANGUAGES or block.text.startswith("$ ")]


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each simple command of a script."""
    for line in re.sub(r"\\\n", " ", text).splitlines():
        yield from _commands_of(line)


def _commands_of(line: str) -> Iterator[list[str]]:
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    try:
        words = list(reader)
    except ValueError:  # A quotation goes on in the next line: the words before it are enough.
        words = line.split()
    found: list[str] = []
    for word in words:
        if set(word) <= _STOPS:
            yield found
            found = []
        else:
            found.append(word)
    yield found


def dialer_commands(words: list[str]) -> Iterator[list[str]]:
    """Yield the arguments of each `dialer` that a command runs, itself or by `sudo`, `sh -c`, `docker` or `uvx`."""
    program, *arguments = _unwrapped(words) or [""]
    if program == "dialer" or program.endswith("/bin/dialer"):
        yield arguments
    elif program == "sh" and arguments[:1] == ["-c"]:
        for inner in commands(arguments[1].replace('"$@"', shlex.join(word for word in arguments[3:] if word != "$@"))):
            yield from dialer_commands(inner)


def _unwrapped(words: list[str]) -> list[str]:
    """Return a command without assignments before it, and without the program that runs it."""
    while words and ("=" in words[0] or words[0] == "exec"):
        words = words[1:]
    for wrapper in _WRAPPERS:
        if found := wrapper.match(f"{' '.join(words)} "):
            return _unwrapped(words[len(found[0].split()) :])
    return words


def code_in_sentences(text: str) -> list[str]:
    """Return what a page sets as code within its sentences."""
    return _CODE.findall(_FENCED.sub("", text))
