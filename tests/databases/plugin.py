"""The option `--database`: on which kind of database the tests run. `tests/conftest.py` loads it."""

import os
from pathlib import Path
from typing import Final

import pytest

from tests.databases import choice
from tests.databases.cluster import Cluster, ClusterError
from tests.databases.modules import BESIDE, CONTRACT, FOLDERS

_FOLDER: Final = "DIALER_TESTS_CLUSTER"
"""Environment variable that names the cluster's folder to the processes of pytest-xdist."""
_CLUSTER: Final = pytest.StashKey[Cluster]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=[choice.SQLITE, choice.POSTGRESQL],
        default=choice.SQLITE,
        help="the database of the tests; postgresql leaves out tests that use none, and those of SQLite's own",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sqlite_only(reason): a test of what only SQLite has")
    config.addinivalue_line("markers", "contract: a test that CI runs on PostgreSQL, too")
    if config.getoption("--database") != choice.POSTGRESQL:
        return
    # Drivers that the runs on SQLite must not need.
    from tests.databases.postgresql import Databases, make_template  # noqa: PLC0415

    if _FOLDER in os.environ:
        cluster = Cluster(Path(os.environ[_FOLDER]))
    else:
        try:
            cluster = config.stash[_CLUSTER] = Cluster.made()
        except ClusterError as error:
            pytest.exit(str(error), returncode=int(os.environ.get("CI") == "true"))
        make_template(cluster)
        os.environ[_FOLDER] = str(cluster.folder)
    choice.choose(Databases(cluster, os.environ.get("PYTEST_XDIST_WORKER", "main")))


def pytest_unconfigure(config: pytest.Config) -> None:
    cluster = config.stash.get(_CLUSTER, None)
    if cluster is not None:
        del os.environ[_FOLDER]
        cluster.remove()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    root = Path(__file__).parent.parent
    left_out = []
    for item in items:
        module = item.path.relative_to(root)
        if module.as_posix() in CONTRACT:
            item.add_marker("contract")
        if choice.is_postgresql():
            is_fit = module.parts[0] in FOLDERS and module.as_posix() not in BESIDE
            is_fit = is_fit and item.get_closest_marker("sqlite_only") is None
        else:
            is_fit = module.parts[0] != choice.POSTGRESQL
        if not is_fit:
            left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        beside = {id(item) for item in left_out}
        items[:] = [item for item in items if id(item) not in beside]


@pytest.fixture(autouse=True)
def _databases_of_one_test() -> None:
    choice.begin_test()
