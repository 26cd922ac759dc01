"""Tests that no block of a page is left out: each has a class, and the tests that a class names exist."""

from typing import Final

import pytest

from tests.pages.blocks import CLASSES, ROOT, How, blocks_of, every_block
from tests.pages.shell import LANGUAGES

WITHOUT_CODE: Final = frozenset({"", "text", "{toctree}", "{rest-reference}"})
"""Languages of blocks that may be no code."""
FILES: Final = {
    "clients/python/examples": "tests/clients/test_python_client.py",
    "clients/typescript/examples": "tests/clients/test_typescript_client.py",
    "deploy/Caddyfile": "tests/deploy/test_reverse_proxy.py",
    "deploy/backup.sh": "tests/deploy/test_backup.py",
    "deploy/compose": "tests/deploy/test_compose.py",
    "deploy/dialer.toml": "tests/deploy/test_systemd.py",
    "deploy/grafana": "tests/deploy/test_monitoring.py",
    "deploy/nginx.conf": "tests/deploy/test_reverse_proxy.py",
    "deploy/prometheus": "tests/deploy/test_monitoring.py",
    "deploy/systemd": "tests/deploy/test_systemd.py",
    "examples/README.md": "tests/pages/blocks.py",
    "examples/call_centre.json": "tests/sim/test_report.py",
    "examples/reminder.json": "tests/sim/test_report.py",
    "examples/survey_campaign.py": "tests/examples/test_survey_campaign.py",
    "examples/talking_agent.py": "tests/examples/test_talking_agent.py",
    "examples/with-pytest": "tests/examples/test_with_pytest.py",
}
"""The modules of tests that run or check files to copy, by the file or its folder. Other examples have a scenario."""


def test_each_block_of_each_page_has_a_class() -> None:
    """A new block is added to `CLASSES`; then its class says which test it needs."""
    found: dict[str, int] = {}
    for block in every_block():
        found[block.page] = block.number
    assert found == {page: len(classes) for page, classes in CLASSES.items()}


def test_a_block_that_is_shown_elsewhere_has_a_test_that_names_its_page() -> None:
    others = {(page, place) for page, classes in CLASSES.items() for place in classes if place not in {*How}}
    lacking = [(page, place) for page, place in others if not (ROOT / place).is_file()]
    assert lacking == []
    assert {place.partition("/")[0] for _, place in others} == {"tests"}


def test_only_drawings_are_no_code() -> None:
    drawn = [block for block in every_block() if CLASSES[block.page][block.number - 1] == How.DRAWN]
    assert {block.name for block in drawn if block.language not in WITHOUT_CODE} == set()


def test_only_shell_is_linted() -> None:
    linted = [block for block in every_block() if CLASSES[block.page][block.number - 1] == How.LINTED]
    assert {block.name for block in linted if block.language not in LANGUAGES and "$ " not in block.text} == set()


@pytest.mark.parametrize("folder", ["clients/python/examples", "clients/typescript/examples", "deploy", "examples"])
def test_each_file_to_copy_has_its_test(folder: str) -> None:
    files = [path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()]
    known = {*FILES} | {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "examples").glob("*/test.yaml")}
    places = {file: {file.as_posix(), *(parent.as_posix() for parent in file.parents)} for file in files}
    assert [file for file, names in places.items() if not names & known and "__pycache__" not in file.parts] == []


@pytest.mark.parametrize(("place", "module"), FILES.items())
def test_the_test_of_a_file_exists_and_names_it(place: str, module: str) -> None:
    name = (ROOT / place).name
    assert (ROOT / place).exists()
    text = (ROOT / module).read_text("utf-8")
    assert name in text or (ROOT / place).parent.name in text or name.rpartition(".")[0] in text


def test_blocks_are_found_in_lists_and_without_a_language() -> None:
    text = "1. A list\n\n   ```xml\n   <a>\n     <b/>\n   </a>\n   ```\n\n```\nplain\n```\n"
    assert [(block.language, block.text) for block in blocks_of(text, "x")] == [
        ("xml", "<a>\n  <b/>\n</a>\n"),
        ("", "plain\n"),
    ]
