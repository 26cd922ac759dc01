"""Kinds of tests, marked by folder: `quick` ones to run while writing, and those that start `programs`."""

from pathlib import Path
from typing import Final

import pytest

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
        "console/test_browser.py",
        "console/test_carriers_in_browser.py",
        "console/test_keyboard_in_browser.py",
        "console/test_lists_in_browser.py",
        "console/test_list_to_campaign.py",
        "console/test_prompts.py",
        "console/test_second_factor.py",
        "console/test_served.py",
        "console/test_speech.py",
        "console/test_survey_browser.py",
        "demo/test_run.py",
        "demo/test_server.py",
        "demo/test_starting.py",
        "deploy",
        "dev/test_run.py",
        "dev/test_sign_in_link.py",
        "end_to_end",
        "examples",
        "fleet",
        "forecast/test_subprocess.py",
        "peers",
        "postgresql",
        "runtime/test_determinism.py",
        "runtime/test_invariants.py",
        "setup",
        "sim/test_determinism.py",
        "store/test_migrate.py",
        "test_benchmarks.py",
        "test_readme.py",
        "webhooks/test_node_receiver.py",
        "test_server.py",
        "test_simulating.py",
        "test_site.py",
        "test_time_zone_rules.py",
        "testing/test_service.py",
        "vopr/test_seeds.py",
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

WITH_SERVICE: Final = frozenset({"carriers/test_protocols.py"})
"""Modules in folders of quick tests that use the API or the store."""


def _is_within(path: Path, places: frozenset[str]) -> bool:
    inside = path.relative_to(ROOT)
    return any(place.as_posix() in places for place in (inside, *inside.parents))


def is_quick(path: Path) -> bool:
    """Return whether the tests of a module are run while writing."""
    if path == ROOT / END_TO_END:
        return True
    return _is_within(path, QUICK) and not _is_within(path, PROGRAMS | STATISTICS | WITH_SERVICE)


def starts_programs(path: Path) -> bool:
    """Return whether tests of a module start servers or programs, or open sockets."""
    return _is_within(path, PROGRAMS)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "quick: a test to run while writing, with all others in less than a minute")
    config.addinivalue_line("markers", "programs: a test that starts servers or programs, or opens sockets")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no other modules for `-m quick`: that takes longer than all quick tests."""
    is_other = collection_path.suffix == ".py" and not is_quick(collection_path)
    return True if is_other and config.getoption("markexpr") == "quick" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_quick(item.path):
            item.add_marker("quick")
        if starts_programs(item.path):
            item.add_marker("programs")
