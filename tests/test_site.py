"""Tests of the documentation as a site: it is built without a warning, and it opens and searches without a network."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser

from tests.console.browser import running_browser

ROOT: Final = Path(__file__).parents[1]
METHODS: Final = frozenset({"get", "post", "put", "patch", "delete"})
LOADED: Final = re.compile(
    r'<(?:script|img|source)[^>]* src="([^"]+)"|<link[^>]* rel="(?:stylesheet|preload)"[^>]* href="([^"]+)"'
)


def build(sources: Path, folder: Path, *settings: str) -> subprocess.CompletedProcess[str]:
    """Build a site as `make docs` does, but in a folder of its own, and with further settings of Sphinx."""
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "--jobs", "auto"]
    options = [f"--conf-dir={ROOT / 'docs' / 'site'}", f"--doctree-dir={folder / 'doctrees'}"]
    options += [f"--define={setting}" for setting in settings]
    return subprocess.run(
        [*command, *options, sources, folder / "site"], capture_output=True, text=True, check=False, cwd=ROOT
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder / "site"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


def test_every_page_of_the_documentation_is_in_the_site(site: Path) -> None:
    pages = {path.relative_to(ROOT).with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if not (site / page).is_file()} == set()


def test_the_navigation_has_every_page_but_single_decisions() -> None:
    listed = {
        line
        for block in re.findall(r"```\{toctree\}\n(.*?)```", (ROOT / "docs" / "index.md").read_text("utf-8"), re.DOTALL)
        for line in block.splitlines()
        if not line.startswith(":")
    }
    folder = ROOT / "docs"
    pages = {str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.md")} - {"index"}
    decisions = {page for page in pages if re.match(r"decisions/\d", page)}
    assert {page for page in listed if not page.startswith("../")} == pages - decisions
    links = set(re.findall(r"\]\((\d[^)]+)\.md\)", (folder / "decisions" / "README.md").read_text("utf-8")))
    assert {f"decisions/{link}" for link in links} == decisions


def test_no_page_loads_anything_from_the_network(site: Path) -> None:
    loaded = {
        (page.name, script or style)
        for page in site.rglob("*.html")
        for script, style in LOADED.findall(page.read_text("utf-8"))
    }
    assert len(loaded) > 100
    assert {each for each in loaded if each[1].startswith(("http:", "https:", "//"))} == set()


def test_the_reference_has_every_operation_and_schema(site: Path) -> None:
    command: list[str | Path] = [Path(sys.executable).with_name("dialer"), "openapi"]
    document = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    text = re.sub(r"<[^>]+>", "", (site / "docs" / "reference" / "rest-api.html").read_text("utf-8"))
    paths = document["paths"].items()
    operations = {f"{method.upper()} {path}" for path, each in paths for method in each.keys() & METHODS}
    assert {operation for operation in operations if operation not in text} == set()
    assert {name for name in document["components"]["schemas"] if name not in text} == set()


def test_a_reader_searches_without_a_network(site: Path, browser: Browser) -> None:
    page = browser.new_page(offline=True)
    page.goto(f"{site.as_uri()}/docs/index.html")
    page.get_by_placeholder("Search").first.fill("abandon rate")
    page.get_by_placeholder("Search").first.press("Enter")
    page.locator("ul.search li a").first.wait_for()
    found = page.locator("ul.search li a").evaluate_all("links => links.map(each => each.getAttribute('href'))")
    assert any("docs/" in link for link in found)
    page.close()


@pytest.mark.parametrize("link", ["absent.md", "index.md#absent"])
def test_a_broken_link_fails_the_build(tmp_path: Path, link: str) -> None:
    docs = tmp_path / "sources" / "docs"
    docs.mkdir(parents=True)
    (docs / "index.md").write_text(f"# A page\n\n[A link]({link})\n", "utf-8")
    done = build(tmp_path / "sources", tmp_path)
    assert done.returncode != 0
    assert "absent" in done.stderr


def test_the_reference_is_made_again_though_its_page_has_not_changed(tmp_path: Path) -> None:
    docs, document = tmp_path / "sources" / "docs", tmp_path / "openapi.json"
    docs.mkdir(parents=True)
    (docs / "index.md").write_text("# The REST API\n\n```{rest-reference}\n```\n", "utf-8")
    for text in ("Before", "After"):
        parts = {"tags": [], "paths": {}, "webhooks": {}, "components": {"schemas": {}}}
        document.write_text(json.dumps({"info": {"description": text}, **parts}))
        assert build(tmp_path / "sources", tmp_path, f"rest_reference_document={document}").returncode == 0
        assert f"<p>{text}</p>" in (tmp_path / "site" / "docs" / "index.html").read_text("utf-8")
