"""Which tests run on PostgreSQL: on demand all that can, in CI a cross-section."""

from collections.abc import Mapping
from typing import Final

FOLDERS: Final = frozenset(
    {"api", "app", "end_to_end", "files", "fleet", "forecast", "postgresql", "runtime", "store", "webhooks"}
)
"""Folders of tests that use a database. The fault simulator and the demonstration stay on SQLite."""
_FILES: Final = "works on files of SQLite"
_DRIVER: Final = "fakes SQLite's driver"
BESIDE: Final[Mapping[str, str]] = {
    "api/test_lost_commits.py": _DRIVER,
    "api/test_new_resource.py": "creates a table, which would stay in the database of the next test",
    "app/erasure/test_erasure.py": _FILES,
    "app/erasure/test_personal_data.py": "reads the pages of the file",
    "app/imports/test_imports.py": _FILES,
    "app/test_records.py": "makes up texts that are longer than their columns",
    "end_to_end/test_inbound.py": _FILES,
    "end_to_end/test_killed_import.py": _FILES,
    "end_to_end/test_storage.py": _FILES,
    "end_to_end/test_unknown_state.py": _FILES,
    "runtime/test_begun_recordings.py": _FILES,
    "runtime/test_inbound_calls.py": _FILES,
    "runtime/test_lines.py": _FILES,
    "runtime/test_lost_commits.py": _DRIVER,
    "store/media/test_files.py": _FILES,
    "store/media/test_orphan_files.py": _FILES,
    "store/queries/test_do_not_call.py": _FILES,
    "store/database/test_count_cache.py": _FILES,
    "store/database/test_database.py": _FILES,
    "store/backends/test_database_files.py": _FILES,
    "store/database/test_group_commit.py": _DRIVER,
    "store/database/test_inline_reads.py": "only a file is read inline",
    "store/test_lost_commits.py": _DRIVER,
    "store/database/test_migrate.py": _FILES,
    "store/test_migrate_killed.py": _FILES,
    "store/backends/test_process_lock.py": _FILES,
    "store/test_storage_faults.py": _DRIVER,
    "store/database/test_touched.py": _DRIVER,
}
"""Modules in these folders that do not run on PostgreSQL, and why."""
CONTRACT: Final = frozenset(
    {
        # PostgreSQL itself, and equal rows on both databases.
        "postgresql/test_backend.py",
        "postgresql/test_fitness.py",
        "postgresql/test_functions.py",
        "postgresql/test_golden.py",
        "postgresql/test_storm.py",
        "postgresql/test_event_order.py",
        "postgresql/test_webhooks.py",
        "postgresql/test_sessions.py",
        # Lists: orders, nulls, keyset pages, searches, filters, references, permissions.
        "api/crud/test_ordering.py",
        "api/crud/test_ordering_plans.py",
        "api/crud/test_searching.py",
        "api/crud/test_visibility.py",
        # Workflow, deletes, imports, keys and the audit log: a request each kind of statement.
        "api/crud/test_deleting.py",
        "api/http/test_two_processes.py",
        "api/records/test_audit_log.py",
        "api/records/test_campaigns.py",
        "api/routes/test_bulk.py",
        "api/routes/test_imports.py",
        "api/routes/test_survey_aggregate.py",
        # The journal and its recovery: moves, claims, counters, broken rules.
        "runtime/test_collecting.py",
        "runtime/test_fleet_coordinator.py",
        "runtime/test_rules.py",
        "runtime/test_statistics.py",
        "runtime/test_worker.py",
        # Texts that come in: their parts, senders and receipts.
        "runtime/test_receipt_names.py",
        "runtime/test_text_parts.py",
        "runtime/test_text_senders.py",
        # Moving from one to the other, and back.
        "postgresql/test_move.py",
        # Upgrades: killed at any statement, with rows, beside readers.
        "postgresql/test_upgrade.py",
        "store/test_migrate_later.py",
        "store/moving/test_move.py",
        # The leases of webhooks, and deliveries by several processes.
        "webhooks/test_deliverer.py",
    }
)
"""Modules that CI runs on both databases."""
