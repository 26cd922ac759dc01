"""Kinds of tests, marked by folder: `quick` ones to run while writing, and those that start `programs`."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.databases.modules import CONTRACT

ROOT: Final = Path(__file__).parent
QUICK: Final = frozenset(
    {
        "carriers",
        "domain",
        "end_to_end/test_campaign.py",
        "forecast/test_summary.py",
        "runtime/test_kernel.py",
        "sim",
        "test_architecture.py",
        "test_docs.py",
        "test_kinds.py",
        "test_prose.py",
        "test_reasons.py",
        "test_room_to_grow.py",
        "test_settings.py",
    }
)
"""Folders and modules of the pure parts, and one path from end to end."""
END_TO_END: Final = "end_to_end/test_campaign.py"
PROGRAMS: Final = frozenset(
    {
        "api/http/test_hosts.py",
        "api/openapi/test_examples.py",
        "api/routes/test_webhooks_at_once.py",
        "app/imports/test_workbooks.py",
        "carriers/freeswitch/test_line.py",
        "carriers/media/test_greetings.py",
        "carriers/sip/test_sipp.py",
        "carriers/sip/test_sipp_over_time.py",
        "carriers/test_contract.py",
        "carriers/texts/test_forbidden_hosts.py",
        "carriers/voice",
        "clients",
        "commands",
        "console/test_agent_fields_in_browser.py",
        "console/test_browser.py",
        "console/test_board_in_browser.py",
        "console/test_crm_in_browser.py",
        "console/test_desk_in_browser.py",
        "console/test_desk_in_two_tabs.py",
        "console/test_help.py",
        "console/test_help_in_browser.py",
        "console/test_carriers_in_browser.py",
        "console/test_keyboard_in_browser.py",
        "console/test_lists_in_browser.py",
        "console/test_list_to_campaign.py",
        "console/test_player_in_browser.py",
        "console/test_prompts.py",
        "console/test_second_factor.py",
        "console/test_served.py",
        "console/test_speech.py",
        "console/test_survey_browser.py",
        "console/test_telephone_in_browser.py",
        "demo/test_run.py",
        "console/reports/test_pdf_process.py",
        "console/reports/test_real_server.py",
        "demo/test_server.py",
        "demo/test_starting.py",
        "deploy",
        "dev/test_run.py",
        "dev/test_sign_in_link.py",
        "dev/test_talking_agents.py",
        "end_to_end",
        "examples",
        "fleet",
        "forecast/test_subprocess.py",
        "pages/test_requests.py",
        "pages/test_run.py",
        "pages/test_shell.py",
        "mail/test_sending.py",
        "peers",
        "postgresql",
        "runtime/test_determinism.py",
        "runtime/test_invariants.py",
        "runtime/test_recordings_bucket.py",
        "runtime/test_recordings_sent_by_many.py",
        "setup",
        "sim/test_determinism.py",
        "store/database/test_migrate.py",
        "store/media/test_decoding.py",
        "test_benchmarks.py",
        "test_late_imports.py",
        "test_logs.py",
        "test_readme.py",
        "webhooks/test_node_receiver.py",
        "test_server.py",
        "test_simulating.py",
        "test_site.py",
        "test_time_zone_rules.py",
        "testing/test_service.py",
        "vopr/test_processes.py",
    }
)
"""Folders and modules whose tests start servers or programs, or open sockets."""
STATISTICS: Final = frozenset(
    {
        "domain/pacing/test_campaigns.py",
        "sim/test_dialling_for_agents.py",
        "sim/test_erlang_c.py",
    }
)
"""Modules that simulate so many campaigns that shares of calls are certain."""
LONG: Final = frozenset({"vopr"}) | STATISTICS
"""Folders and modules of which single tests compute for long. They begin first, so none is the last to end."""

WITH_SERVICE: Final = frozenset({"carriers/test_protocols.py"})
"""Modules in folders of quick tests that use the API or the store."""


def _is_within(path: Path, places: frozenset[str]) -> bool:
    inside = path.relative_to(ROOT)
    return any(place.as_posix() in places for place in (inside, *inside.parents))


@cache
def is_quick(path: Path) -> bool:
    """Return whether the tests of a module are run while writing."""
    if path == ROOT / END_TO_END:
        return True
    return _is_within(path, QUICK) and not _is_within(path, PROGRAMS | STATISTICS | WITH_SERVICE)


@cache
def starts_programs(path: Path) -> bool:
    """Return whether tests of a module start servers or programs, or open sockets."""
    return _is_within(path, PROGRAMS)


@cache
def is_long(path: Path) -> bool:
    """Return whether tests of a module may compute for long."""
    return _is_within(path, LONG)


def has_contract(path: Path) -> bool:
    """Return whether tests of a module are marked `contract`: all of them by the table, or single ones by hand."""
    return path.relative_to(ROOT).as_posix() in CONTRACT or "pytest.mark.contract\n" in path.read_text("utf-8")


MODULES_OF: Final[Mapping[str, Callable[[Path], bool]]] = {
    "quick": is_quick,
    "programs": starts_programs,
    "not programs": lambda path: not starts_programs(path),
    "contract": has_contract,
}
"""Which modules have the tests of an expression of marks. Others need not be imported."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "quick: a test to run while writing, with all others in less than a minute")
    config.addinivalue_line("markers", "programs: a test that starts servers or programs, or opens sockets")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no modules without tests of the wanted kind: that takes longer than all quick tests."""
    has_some = MODULES_OF.get(config.getoption("markexpr"))
    is_other = collection_path.suffix == ".py" and has_some is not None and not has_some(collection_path)
    return True if is_other else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_quick(item.path):
            item.add_marker("quick")
        if starts_programs(item.path):
            item.add_marker("programs")
