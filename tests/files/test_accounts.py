"""Properties of whole accounts: what the API accepted is exported, applied to an empty account, and exported alike."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings

from dialer.files.applying import read_files
from dialer.files.exported_files import ExportedFiles
from dialer.files.exporting import Exporter
from dialer.files.people_files import people_files
from dialer.files.units import OpenAccount, account_of
from dialer.files.yaml_text import write_yaml
from dialer.settings import Settings
from dialer.store.media.folder import FolderMedia
from tests.files.made_up import MadeUpAccount, accounts, close
from tests.sizes import examples


def account_in(made: MadeUpAccount) -> OpenAccount:
    house = made.house
    return account_of(Settings(media_dir=made.media), house.database, house.now_ms(), "ann")


def export(made: MadeUpAccount, folder: Path) -> dict[str, bytes]:
    """Export an account into a folder, and return what is there."""
    folder.mkdir()
    account = account_in(made)
    beside = ExportedFiles("beside")
    document = account.read(lambda unit: Exporter(unit, account.user_id, beside).account())
    (folder / "records.yaml").write_text(write_yaml(document), "utf-8")
    assert beside.write(folder, FolderMedia(made.media)) == []
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def apply(made: MadeUpAccount, folder: Path) -> tuple[set[str], int]:
    """Apply an export, and return what was done to its records, and how many people were imported from lists."""
    account = account_in(made)
    wanted = read_files([folder / "records.yaml"])
    changes = account.apply(wanted)
    imported = sum(account.import_people(one).result.imported for one in people_files(wanted))
    return {change.action for change in changes}, imported


@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(accounts)
def test_an_account_is_exported_alike_after_its_export_was_applied_elsewhere(account: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ann, ben = MadeUpAccount(folder / "ann"), MadeUpAccount(folder / "ben")
        try:
            ann.fill(account)
            exported = export(ann, folder / "first")
            assert apply(ann, folder / "first")[0] <= {"unchanged"}
            assert apply(ben, folder / "first")[0] <= {"new"}
            assert export(ben, folder / "second") == exported
        finally:
            close(ann, ben)
