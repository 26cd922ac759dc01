"""The blocks of code of all pages, and the class of each: how it is shown to be true."""

import re
import textwrap
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
_FENCE: Final = re.compile(r"^ *```(?P<language>\S*)[^\n]*\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)


class How(StrEnum):
    """The ways to show that a block is true. Shell of every class is linted as well."""

    RUN = "run, and its output is compared with what the page shows"
    SENT = "sent to a service, which takes it"
    REQUEST = "compared with the API's document: the path, the parameters and the body"
    PARSED = "read by the parser for which it is meant"
    LINTED = "shell that needs root, a network or a person: read by bash; its commands, files and targets exist"
    DRAWN = "no code: a drawing, a table of contents, or lines of a protocol"


Class = How | str
"""A way to show that a block is true; a text is the path of the module of tests that does it."""

_TOUR: Final = "tests/test_readme.py"
_DEMO: Final = "tests/demo/test_run.py"
_PYTHON: Final = "tests/clients/test_python_client.py"
_TYPESCRIPT: Final = "tests/clients/test_typescript_client.py"
_FIRST: Final = "tests/clients/test_first_program.py"
_LIFE: Final = "tests/runtime/test_life_of_a_call.py"
_SIMULATING: Final = "tests/test_simulating.py"
_SPEECH: Final = "tests/carriers/voice/test_speech_server.py"
_BROWSER: Final = "tests/console/test_telephone_in_browser.py"
_OUTGROWING: Final = "tests/postgresql/test_outgrowing.py"
_RUN, _SENT, _REQUEST, _PARSED, _LINTED, _DRAWN = How
_EXAMPLE: Final = (_RUN,)

CLASSES: Final[Mapping[str, tuple[Class, ...]]] = {
    "README.md": (_LINTED, _LINTED, _DEMO),
    "CONTRIBUTING.md": (_LINTED, _LINTED),
    "clients/python/README.md": (_PYTHON,),
    "clients/typescript/README.md": (_TYPESCRIPT,),
    "docs/architecture.md": (_DRAWN,),
    "docs/assistants.md": (_LINTED, _PARSED),
    "docs/browser-telephone.md": (_BROWSER,),
    "docs/calling-hours.md": (_PARSED,),
    "docs/clients.md": (_LINTED, _LINTED, _PYTHON, _PYTHON, _LINTED, _TYPESCRIPT, _TYPESCRIPT),
    "docs/developing.md": (
        *(_LINTED, _PARSED, _RUN, _RUN, _RUN, _RUN, _PARSED, _LINTED),
        *(_RUN, _RUN, _RUN, _LINTED, _LINTED),
    ),
    "docs/do-not-call.md": (_SENT, _REQUEST),
    "docs/events.md": (_REQUEST, _RUN, _LINTED),
    "docs/first-program.md": (
        *(_LINTED, _LINTED, _LINTED, _FIRST, _FIRST, _LINTED, _FIRST, _REQUEST, _LINTED, _LINTED),
        *(_FIRST, _FIRST),
    ),
    "docs/freeswitch.md": (_PARSED, _PARSED, _SENT, _LINTED, _PARSED, _LINTED),
    "docs/importing.md": (_SENT, _SENT, _SENT),
    "docs/index.md": (4 * (_DRAWN,)),
    "docs/life-of-a-call.md": (_DRAWN, _LIFE, _LIFE),
    "docs/lists.md": (_REQUEST,),
    "docs/operate/backups.md": (5 * (_LINTED,)),
    "docs/operate/containers.md": (3 * (_LINTED,)),
    "docs/operate/install.md": (6 * (_LINTED,)),
    "docs/operate/monitoring.md": (_LINTED, _LINTED),
    "docs/operate/old-records.md": (_PARSED,),
    "docs/operate/postgresql.md": (_PARSED, _LINTED, _LINTED, _LINTED, _LINTED, _PARSED),
    "docs/operate/reverse-proxy.md": (_LINTED, _LINTED, _LINTED),
    "docs/operate/scale-out.md": (_PARSED, _PARSED),
    "docs/operate/several-processes.md": (_LINTED,),
    "docs/operate/systemd.md": (_LINTED, _LINTED, _LINTED, _PARSED),
    "docs/operate/troubleshooting.md": (_LINTED,),
    "docs/operate/upgrades.md": (_LINTED, _LINTED),
    "docs/proof.md": (_LINTED,),
    "docs/records.md": (*(5 * (_REQUEST,)), _PARSED, _PARSED),
    "docs/reference/audit-log.md": (_LINTED,),
    "docs/reference/rest-api.md": (_DRAWN,),
    "docs/reference/roles-and-keys.md": (_LINTED,),
    "docs/reference/settings.md": (_PARSED,),
    "docs/simulating.md": (_PARSED, _SIMULATING, _SIMULATING, _LINTED, _LINTED),
    "docs/sip-trunk.md": (_SENT, _DRAWN, _SENT, _LINTED, _REQUEST, _REQUEST, _SPEECH, _DRAWN),
    "docs/conversations.md": (_LINTED, _PARSED),
    "docs/text-messages.md": (_SENT, _PARSED, _SENT, _DRAWN, _SENT, _LINTED),
    "docs/tour.md": (*(9 * (_TOUR,)), _DEMO),
    "examples/alert/README.md": _EXAMPLE,
    "examples/call-back/README.md": _EXAMPLE,
    "examples/call-centre/README.md": _EXAMPLE,
    "examples/crm-sync/README.md": (*_EXAMPLE, _LINTED),
    "examples/not-reached/README.md": (*_EXAMPLE, _REQUEST),
    "examples/pledge/README.md": _EXAMPLE,
    "examples/reminder/README.md": _EXAMPLE,
    "examples/survey/README.md": _EXAMPLE,
    "examples/texts/README.md": _EXAMPLE,
    "examples/what-if/README.md": (*_EXAMPLE, _LINTED),
}
"""The classes of the blocks of each page, in their order. A page without blocks has no row."""


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str
    number: int
    language: str
    text: str

    @property
    def name(self) -> str:
        """The place of the block, for messages."""
        return f"{self.page} block {self.number}"


def pages() -> list[Path]:
    """Return every page of the project."""
    folders = ("docs", "examples", "clients", "deploy", "setup", "benchmarks")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.md") if "node_modules" not in path.parts]
    return [*sorted(ROOT.glob("*.md")), *sorted(found)]


def blocks_of(text: str, page: str) -> list[Block]:
    """Return the fenced blocks of a page in their order, without the margin of a list."""
    return [
        Block(page, number, found["language"], textwrap.dedent(found["text"]))
        for number, found in enumerate(_FENCE.finditer(text), 1)
    ]


def every_block() -> list[Block]:
    """Return the blocks of all pages."""
    return [
        block for path in pages() for block in blocks_of(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    ]


def blocks_that_are(how: How) -> list[Block]:
    """Return the blocks of a class."""
    return [block for block in every_block() if CLASSES.get(block.page, ())[block.number - 1] == how]


def block(page: str, number: int) -> Block:
    """Return one block of a page; the first one is 1."""
    return blocks_of((ROOT / page).read_text("utf-8"), page)[number - 1]
