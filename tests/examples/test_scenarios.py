"""Tests of the examples: the scenarios of each are played, and a changed branch fails one."""

from pathlib import Path
from typing import Any, Final

import pytest

from dialer.files.reading import read_file
from dialer.files.yaml_text import write_yaml
from tests.commands.conftest import Run, run

__all__ = ["run"]

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
FOLDERS: Final = sorted(path.parent.name for path in EXAMPLES.glob("*/test.yaml"))
LINES_MAX: Final = 70
"""Lines of a file that fits on a page."""


def branching(document: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    """Return the sections of a document from which two branches lead to different sections."""
    surveys = document.get("surveys", [])
    sections = [section for survey in surveys for section in survey["sections"]]
    return [one for one in sections if len({*one.get("branches", {}).values()} - {None}) > 1]


@pytest.mark.parametrize("name", FOLDERS)
def test_an_example_fits_on_a_page_and_its_scenarios_hold(run: Run, name: str) -> None:
    folder = EXAMPLES / name
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "records.yaml", "test.yaml"]
    assert {path.name for path in folder.iterdir() if len(path.read_text("utf-8").splitlines()) > LINES_MAX} == set()
    played = run("test", str(folder / "test.yaml"))
    assert (played.code, played.err) == (0, ""), played.out


@pytest.mark.parametrize(
    "name", [one for one in FOLDERS if branching(read_file(EXAMPLES / one / "records.yaml").plain())]
)
def test_a_changed_branch_fails_a_scenario(run: Run, tmp_path: Path, name: str) -> None:
    """The first two branches of a survey that lead apart change places."""
    document = read_file(EXAMPLES / name / "records.yaml").plain()
    branches = branching(document)[0]["branches"]
    first, second = list(dict.fromkeys(key for key, target in branches.items() if target is not None))[:2]
    branches[first], branches[second] = branches[second], branches[first]
    (tmp_path / "records.yaml").write_text(write_yaml(document), "utf-8")
    (tmp_path / "test.yaml").write_text((EXAMPLES / name / "test.yaml").read_text("utf-8"), "utf-8")
    assert run("test", "test.yaml").code == 1
