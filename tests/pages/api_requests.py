"""Requests to the API in pages: commands of curl, and lines that begin with a method."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from tests.pages.blocks import Block
from tests.pages.shell import LANGUAGES, commands, script

VALUED: Final = frozenset({"-F", "-H", "-X", "-d", "-o", "-u", "-w", "--data-binary"})
"""Options of curl that have a value, as the pages use them."""
_LINE: Final = re.compile(r"^(GET|POST|PATCH|PUT|DELETE) +(/\S+)", re.MULTILINE)
_PART: Final = re.compile(r"\{\w+\}")


class Request(NamedTuple):
    """A request: its method, path, parameters, and its body if that is JSON."""

    method: str
    path: str
    parameters: dict[str, str]
    body: Any


def requests_in(block: Block) -> Iterator[Request]:
    """Yield the requests of a block."""
    if block.language in LANGUAGES:
        yield from (_curl(words) for words in commands(_joined(script(block))) if words[:1] == ["curl"])
        return
    places = [found.start() for found in _LINE.finditer(block.text)]
    for start, end in pairwise([*places, len(block.text)]):
        line, _, rest = block.text[start:end].partition("\n")
        found = _LINE.match(line)
        assert found is not None
        body = rest.partition("\n\n")[0]
        yield _request(found[1], found[2], json.loads(body) if body.startswith("{") else None)


def _joined(text: str) -> str:
    """Join the lines of a quotation, so that each command is in one line."""
    return re.sub(r"'[^']*'", lambda found: found[0].replace("\n", " "), re.sub(r"\\\n", " ", text))


def _curl(words: list[str]) -> Request:
    values: dict[str, str] = {}
    address, place = "", 1
    while place < len(words):
        if words[place] in VALUED:
            values[words[place]] = words[place + 1]
        elif not words[place].startswith("-"):
            address = words[place]
        place += 2 if words[place] in VALUED else 1
    method = values.get("-X", "POST" if values.keys() & {"-F", "-d", "--data-binary"} else "GET")
    return _request(method, address, json.loads(values["-d"]) if "-d" in values else None)


def _request(method: str, address: str, body: object) -> Request:
    parts = urlsplit(re.sub(r"^(https?://[^/]+|\$\w+|[\d.]+:\d+)", "", address))
    return Request(method, parts.path, dict(parse_qsl(parts.query)), body)


def operation_of(document: dict[str, Any], request: Request) -> dict[str, Any] | None:
    """Return the operation of the API that a request calls, or None. A word of a path counts before a parameter."""
    paths = sorted(document["paths"], key=lambda path: len(_PART.findall(path)))
    for path in paths:
        pattern = _PART.sub("[^/]+", re.sub(r"[.]", r"\.", path))
        if re.fullmatch(pattern, request.path):
            found: dict[str, Any] | None = document["paths"][path].get(request.method.lower())
            return found
    return None
