"""Tests of the rooms of packages: which there are, and that they, and modules, import each other in one direction."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from typing import Final, NamedTuple

import pytest

from tests.test_architecture import ROOT, imports, parsed

# The rooms of each package, from the top floor down. A room imports rooms of the floors below only.
FLOORS: Final[dict[str, tuple[str, ...]]] = {
    "domain": (
        *("sessions", "forecast", "fleet", "engine", "rules", "calls", "queueing", "pacing", "survey", "billing"),
        *("calling_times", "places", "numbers", "messages", "formats", "shares", "credentials", "figures", "words"),
    ),
    "carriers": ("freeswitch", "texts", "voice", "browser", "media", "sip"),
    "store": (
        *("moving", "timeline", "reconciliation", "fleet", "journal", "rows", "queries", "media"),
        *("database", "tables", "backends"),
    ),
    "runtime": ("fleet", "steps", "lines"),
    "app": (
        *("call_centre", "contacts", "campaigns", "accounts", "erasure", "telling"),
        *("imports", "carriers", "overview", "work"),
    ),
    "resources": ("records", "crud", "words"),
    "api": ("openapi", "routes", "actions", "answers", "http"),
    "console": ("pages", "serving", "reports", "lists", "parts", "charts", "words"),
    "demo": ("sections",),
}
BESIDE_ROOMS: Final[dict[str, frozenset[str]]] = {
    "api": frozenset({"app", "service"}),
    "carriers": frozenset({"calls_per_second", "engine_port", "line_port", "parameters"}),
    "console": frozenset({"app"}),
    "demo": frozenset(
        {"checks", "day", "display", "evidence", "phonebook", "places", "preparation", "recordings", "run", "survey"}
    ),
}
"""Modules that stand beside the rooms of a package, in its root. There are no others."""


FOLDER: Final = re.compile(r"`([a-z_]+)/`")
SOURCE: Final = ROOT / "src" / "dialer"


class Arrow(NamedTuple):
    """An import of one module of ours by another, in dotted names without the first."""

    module: tuple[str, ...]
    line: int
    origin: tuple[str, ...]
    """The imported module, and the name in it unless that is a module."""


def arrows_of(module: str, source: str) -> Iterator[Arrow]:
    """Yield the imports of our own modules, wherever in the file, those for types alone too."""
    for found in imports(parsed(source), module):
        top, *origin = found.origin.split(".")
        if top == "dialer" and origin:
            yield Arrow(tuple(module.split(".")[1:]), found.line, tuple(origin))


def arrows_back(arrows: Iterable[Arrow]) -> Iterator[str]:
    """Find imports of a room on the same floor or above."""
    for module, line, origin in arrows:
        floors = FLOORS.get(module[0], ())
        room, other = "".join(module[1:2]), "".join(origin[1:2])
        if module[0] == origin[0] and room in floors and other in floors[: floors.index(room)]:
            yield f"{'.'.join(module)}:{line}: the floor of {room} is below that of {other}"


@cache
def every_module() -> dict[tuple[str, ...], tuple[Arrow, ...]]:
    """Return the imports of each module of the source tree."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        arrows = arrows_of(".".join(("dialer", *parts)), path.read_text("utf-8"))
        found[parts[:-1] if parts[-1] == "__init__" else parts] = tuple(arrows)
    return found


def graph(depth: int | None) -> TopologicalSorter[tuple[str, ...]]:
    """Return which modules, or packages and rooms at a depth of the tree, import which others."""
    order: TopologicalSorter[tuple[str, ...]] = TopologicalSorter()
    modules = every_module()
    for module, arrows in modules.items():
        for arrow in arrows:
            origin = arrow.origin if arrow.origin in modules else arrow.origin[:-1]
            if origin and module[:depth] != origin[:depth]:
                order.add(module[:depth], origin[:depth])
    return order


def rooms(package: str) -> set[str]:
    """Return the rooms of a package."""
    return {path.parent.name for path in (SOURCE / package).glob("*/__init__.py")}


def test_packages_with_rooms_have_floors() -> None:
    assert {path.name for path in SOURCE.iterdir() if rooms(path.name)} == set(FLOORS)


@pytest.mark.parametrize("package", FLOORS)
def test_every_room_has_a_floor(package: str) -> None:
    assert sorted(FLOORS[package]) == sorted(rooms(package))


def told_floors() -> dict[str, set[str]]:
    """Return the packages that docs/architecture.md lists, with the rooms that it names."""
    floors = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("\n## Floors\n\n")[1].split("\n\n")[0]
    told: dict[str, set[str]] = {}
    for floor in floors.removeprefix("- ").split("\n- "):
        head, _, text = floor.partition(": ")
        packages = set(FOLDER.findall(head))
        told |= dict.fromkeys(packages, set(FOLDER.findall(text)) - packages)
    return told


def test_the_page_of_the_architecture_names_all_packages_and_rooms() -> None:
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert told_floors() == {package: set(FLOORS.get(package, ())) for package in packages}


@pytest.mark.parametrize("package", FLOORS)
def test_few_modules_stand_beside_the_rooms(package: str) -> None:
    assert {path.stem for path in (SOURCE / package).glob("*.py")} - {"__init__"} == BESIDE_ROOMS.get(package, set())


def test_rooms_import_rooms_of_lower_floors() -> None:
    assert [back for arrows in every_module().values() for back in arrows_back(arrows)] == []


@pytest.mark.parametrize("depth", [1, 2, 3, None], ids=["packages", "rooms", "rooms of rooms", "modules"])
def test_all_import_each_other_in_one_direction(depth: int | None) -> None:
    """A module that stands beside rooms counts as one of them."""
    graph(depth).prepare()  # Raises an error that names a circle.


@pytest.mark.parametrize(
    ("module", "source", "count"),
    [
        ("dialer.domain.billing.a", "from dialer.domain.engine.state import EngineState", 1),
        ("dialer.domain.queueing.a", "from dialer.domain import engine", 1),
        ("dialer.carriers.sip.__init__", "from ..media import rtp", 1),
        ("dialer.app.accounts.deep.a", "import dialer.app.campaigns.copy", 1),
        ("dialer.domain.engine.a", "from dialer.domain.queueing import plans\nfrom .state import State", 0),
        ("dialer.carriers.engine_port", "from dialer.carriers.sip import messages", 0),
        ("dialer.runtime.lines.a", "from dialer.domain.engine.state import EngineState", 0),
    ],
)
def test_an_arrow_back_is_found(module: str, source: str, count: int) -> None:
    assert len(list(arrows_back(arrows_of(module, source)))) == count


def test_the_tree_is_really_read() -> None:
    assert sum(map(len, every_module().values())) > 0
