"""Tests that the documentation names what exists: decisions and their statuses, words and their places, code."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
DOCS: Final = ROOT / "docs"
DECISIONS: Final = DOCS / "decisions"
LINK: Final = r"\[\d+\]\((\d{4}-[a-z0-9-]+\.md)\)"
STATUS: Final = re.compile(rf"in force(, amended by {LINK}(, {LINK})*( and {LINK})?)?|superseded by {LINK}")
ROW: Final = re.compile(r"^\| \[(?P<title>.+?)\]\((?P<file>\d{4}-[a-z0-9-]+\.md)\) \| (?P<status>.+) \|$", re.MULTILINE)
CODE: Final = re.compile(r"`([^`\n]+)`")
FENCED: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PATH: Final = re.compile(r"(?:[\w.-]+/)*[\w-]+\.(?:py|md|sh|toml|json|yaml|ts)|(?:[a-z][a-z_]*/)+(?:[a-z][a-z_]*)?")
RUN: Final = re.compile(r"python -m ([a-z_]+(?:\.[a-z_]+)*)")
MODULE: Final = re.compile(r"[\w./-]+\.py|(?:[a-z_]+/)+|(?:dialer|tests|benchmarks)(?:\.[a-z_]+)+")
NAME: Final = re.compile(r"(?:[A-Z][a-z]+)+|[A-Z]+(?:_[A-Z]+)+|[A-Z]\w+\.\w+")
DEFINITION: Final = re.compile(r"^ *(?:class|(?:async )?def) (\w+)|^ *(?:self\.)?(\w+)(?:: | = )", re.MULTILINE)
OTHERS: Final = frozenset(
    {"AsyncSession", "BigIntIdentity", "Connection", "DuplicateKeyError", "EncryptedString", "FernetBackend"}
    | {"FileObject", "IdentityBase", "MultiFernet", "None", "NotFoundError"}
)
"""Classes of Python and of libraries that decisions name."""
VALUES: Final = frozenset({"Failed", "Unauthorized"})
"""Values of the API that look like classes."""
ADDRESSES: Final = frozenset({"dialer.example.com", "dialer.rules.yml"})
LINE_MAX: Final = 120
RELEASE_LINES_MAX: Final = 80
PLACES_MAX: Final = 34
"""Other places are found by the names of files."""
SERVED: Final = frozenset({"speech/", "dialer.toml"})
"""A folder that the service makes, and a file that its users write."""


def decisions() -> list[Path]:
    """Return the pages of decisions."""
    return sorted(DECISIONS.glob("0*.md"))


def superseded() -> set[Path]:
    """Return the decisions that do not hold any more."""
    return {page for page in decisions() if "\nStatus: superseded" in page.read_text("utf-8")}


@pytest.mark.parametrize("page", decisions(), ids=lambda page: page.stem)
def test_a_decision_is_in_the_index_with_its_title_and_status(page: Path) -> None:
    title, blank, status, *_ = page.read_text("utf-8").splitlines()
    assert (title.startswith(f"# {int(page.name[:4])}. "), blank) == (True, "")
    assert status.startswith("Status: ")
    state = status.removeprefix("Status: ").removesuffix(".")
    assert STATUS.fullmatch(state), state
    row = f"| [{title.removeprefix('# ')}]({page.name}) | {state} |"
    assert (DECISIONS / "README.md").read_text("utf-8").splitlines().count(row) == 1, f"the index lacks {row}"


def test_the_index_has_nothing_else() -> None:
    listed = [row["file"] for row in ROW.finditer((DECISIONS / "README.md").read_text("utf-8"))]
    assert sorted(listed) == [page.name for page in decisions()]


def test_a_decision_is_amended_by_later_ones() -> None:
    for page in decisions():
        status = page.read_text("utf-8").splitlines()[2]
        assert [later for later in re.findall(LINK, status) if later <= page.name] == []


@cache
def names() -> frozenset[str]:
    """Return the names of all classes, functions, fields and constants of the tree."""
    paths = [path for folder in ("src", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    return frozenset(name for path in paths for pair in DEFINITION.findall(path.read_text("utf-8")) for name in pair)


def defined(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module and its classes define."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def exists(place: str) -> bool:
    """Return whether a path or a dotted name leads to a module, from any of the folders in which readers look."""
    if not place.endswith((".py", "/")):
        dotted = place.replace(".", "/")
        return any(exists(f"{path}{end}") for path in (dotted, dotted.rpartition("/")[0]) for end in (".py", "/"))
    roots = [ROOT, ROOT / "src", ROOT / "src" / "dialer"]
    return any((root / place).exists() for root in roots) or any(
        True for folder in ("src", "tests", "benchmarks") for _ in (ROOT / folder).rglob(place.rstrip("/"))
    )


def code(page: Path) -> list[str]:
    """Return what a page sets as code within its sentences."""
    return CODE.findall(FENCED.sub("", page.read_text("utf-8")))


def pages() -> list[Path]:
    """Return the pages of the documentation that speak of today."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted({*DOCS.rglob("*.md")} - superseded())]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_every_module_that_a_page_names_exists(page: Path) -> None:
    places = [place for place in code(page) if MODULE.fullmatch(place) and place not in ADDRESSES | SERVED]
    assert [place for place in places if not exists(place)] == []


@pytest.mark.parametrize(
    "page",
    [page for page in pages() if page.parent == DECISIONS or page.stem in {"architecture", "CONTRIBUTING", "glossary"}],
    ids=lambda page: page.stem,
)
def test_every_class_and_constant_that_a_page_for_developers_names_exists(page: Path) -> None:
    classes = [name for name in code(page) if NAME.fullmatch(name) and not name.startswith("DIALER_")]
    assert [name for name in classes if not names() | OTHERS | VALUES >= {*name.split(".")}] == []


def developer_pages() -> list[Path]:
    """Return the pages for developers: the map, the rules, the words, and the decisions that are in force."""
    names = {"architecture", "CONTRIBUTING", "glossary", "life-of-a-call"}
    return [page for page in pages() if page.parent == DECISIONS or page.stem in names]


def dead_paths(texts: list[str], home: Path = DOCS) -> list[str]:
    """Return the paths among texts that lead nowhere, from the root, the package, or a folder named before."""
    folders, dead = [ROOT, ROOT / "src", ROOT / "src" / "dialer", home], []
    for text in texts:
        module = RUN.search(text)
        path = module[1].replace(".", "/") if module else text
        if text in ADDRESSES | SERVED or not (module or PATH.fullmatch(path)):
            continue
        ends = ("", ".py") if module else ("",)
        found = [folder / f"{path}{end}" for folder in folders for end in ends if (folder / f"{path}{end}").exists()]
        if found:
            folders += found if path.endswith("/") else [found[0].parent]
        else:
            dead.append(text)
    return dead


@pytest.mark.parametrize("page", developer_pages(), ids=lambda page: page.stem)
def test_every_path_of_a_page_for_developers_leads_somewhere(page: Path) -> None:
    assert dead_paths(code(page), page.parent) == []


@pytest.mark.parametrize(
    ("texts", "dead"),
    [
        (["domain/words/states.py", "store/backends/", "expressions.py"], []),
        (["expressions.py"], ["expressions.py"]),
        (["domain/states"], ["domain/states"]),
        (["python -m tests.world", "python -m tests.absent"], ["python -m tests.absent"]),
        (["setup/absent.sh", "clock/advance/"], ["setup/absent.sh", "clock/advance/"]),
    ],
)
def test_a_path_is_found_from_a_folder_that_the_page_named_before(texts: list[str], dead: list[str]) -> None:
    assert dead_paths(texts) == dead


def test_the_map_of_the_code_has_short_lines_and_leaves_out_places_that_names_tell() -> None:
    text = (DOCS / "architecture.md").read_text("utf-8")
    places = text.partition("\n## Where to find things\n")[2].partition("\n## ")[0]
    assert [line for line in text.splitlines() if len(line) > LINE_MAX] == []
    assert places.count("\n- ") <= PLACES_MAX


def test_the_changelog_has_a_page_for_each_release() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    releases = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    lines = {release.partition("\n")[0]: len(release.splitlines()) for release in releases}
    assert next(iter(lines)) == "[Unreleased]"
    assert len(lines) == text.count("\n## [")
    too_long = {name: count for name, count in lines.items() if count > RELEASE_LINES_MAX}
    assert too_long == {}, "say it shorter; where a merge has left an old list, take the page of main"


def words() -> list[list[str]]:
    """Return the rows of the glossary."""
    lines = (DOCS / "glossary.md").read_text("utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[1:]]


def test_the_glossary_has_each_word_once_in_order() -> None:
    listed = [re.sub(r"\W", "", word).lower() for word, *_ in words()]
    assert len(listed) >= 40
    assert [pair for pair in pairwise(listed) if pair[0] >= pair[1]] == []


@pytest.mark.parametrize("row", words(), ids=lambda row: row[0])
def test_a_word_is_one_sentence_with_a_place_that_defines_it(row: list[str]) -> None:
    _, meaning, elsewhere, place = row
    assert meaning.endswith(".")
    assert ". " not in meaning
    assert elsewhere
    *name, path = CODE.findall(place)
    module = ROOT / "src" / "dialer" / path
    assert module.is_file()
    assert set(name) <= set(defined(ast.parse(module.read_text("utf-8"))))


@pytest.mark.parametrize("code", ["domain/absent.py", "absent/", "dialer.absent.engine", "tests/absent/"])
def test_a_place_that_is_missing_is_noticed(code: str) -> None:
    assert MODULE.fullmatch(code)
    assert not exists(code)


@pytest.mark.parametrize("code", ["AbsentClass", "ABSENT_NUMBER", "Guard.absent_method"])
def test_a_name_that_is_missing_is_noticed(code: str) -> None:
    assert NAME.fullmatch(code)
    assert not {*code.split(".")} <= names()
