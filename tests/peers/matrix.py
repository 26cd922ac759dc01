"""The matrix of the guide: which telephones and which calls the tests play, and what came of it."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.peers.environment import PROGRAMS, REQUIREMENTS
from tests.peers.telephones import Aiosipua, Baresip, BehindSippy, Linphone, NpmSip, Telephone, Twinkle, VoipUtils

ROOT: Final = Path(__file__).parents[2]
GUIDE: Final = ROOT / "docs" / "sip-trunk.md"
BEGIN, END = "<!-- the matrix of telephones -->\n", "<!-- the end of the matrix -->\n"
YES, NO = "yes", "no"
SESSION_TIMER: Final = "session timer"
REGISTRATION: Final = "registration"
_CONSOLE: Final = ("key", "we hang up", "declined", "no answer", "inbound", "hold and resume")
PEERS: Final[dict[type[Telephone], tuple[str, ...]]] = {
    Linphone: _CONSOLE,
    Twinkle: _CONSOLE,
    Baresip: _CONSOLE,
    Aiosipua: ("key", "key by INFO", "we hang up", "busy", "declined", "no answer", SESSION_TIMER),
    NpmSip: ("key", "we hang up", "busy", "declined", "no answer", "hold and resume"),
    BehindSippy: ("key", "we hang up", "busy", "declined", "no answer"),
    VoipUtils: ("other codec",),
}
COLUMNS: Final = (*dict.fromkeys(case for cases in PEERS.values() for case in cases), REGISTRATION)
REGISTRARS: Final = {"npm sip": ("npm", "sip"), "Kamailio": ("Debian", "kamailio")}
"""Registrars, with the registry and the name of the package."""


def sources() -> dict[str, tuple[str, str]]:
    """Return the peers by name, each with its registry and the name of its package there."""
    return {peer.name: peer.source for peer in PEERS} | REGISTRARS


def cells() -> set[tuple[str, str]]:
    """Return the peers and the cases that the tests play."""
    calls = {(peer.name, case) for peer, cases in PEERS.items() for case in cases}
    return calls | {(name, REGISTRATION) for name in REGISTRARS}


def written(results: Mapping[tuple[str, str], str]) -> str:
    """Return the matrix as a table, from the word for each peer and case."""
    lines = [f"| Peer | Version | {' | '.join(COLUMNS)} |", f"|---|---|{'---|' * len(COLUMNS)}"]
    for name, source in sources().items():
        words = (results.get((name, case), "") for case in COLUMNS)
        lines.append(f"| {name} | {version_of(*source)} | {' | '.join(words)} |")
    return "\n".join(lines) + "\n"


def update(table: str) -> None:
    """Write the table into the guide."""
    before, rest = GUIDE.read_text("utf-8").split(BEGIN)
    GUIDE.write_text(before + BEGIN + "\n" + table + "\n" + END + rest.split(END)[1], "utf-8")


def shown() -> Iterator[tuple[str, str, str]]:
    """Yield peer, case and word of each cell of the guide."""
    rows = GUIDE.read_text("utf-8").split(BEGIN)[1].split(END)[0].strip().splitlines()
    head, _, *body = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    for name, _, *words in body:
        for case, word in zip(head[2:], words, strict=True):
            yield name, case, word


def version_of(registry: str, package: str) -> str:
    """Return the version of a package, and its registry; a question mark if it is not installed."""
    return f"{_version(registry, package) or '?'} ({registry})"


def _version(registry: str, package: str) -> str:
    if registry == "PyPI":
        found = re.search(rf"^{package}[^=\n]*==([\w.]+)", REQUIREMENTS.read_text("utf-8"), re.MULTILINE)
        return "" if found is None else found[1]
    if registry == "npm":
        lock = json.loads((PROGRAMS / "node" / "package-lock.json").read_text("utf-8"))
        return str(lock["packages"][f"node_modules/{package}"]["version"])
    command = ("dpkg-query", "--show", "--showformat", "${Version}", package)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()
