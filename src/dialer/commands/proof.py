"""`dialer proof`: archives that prove campaigns."""

import contextlib
import os
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

import rich_click as click
from sqlalchemy import Connection

from dialer.app.campaigns.proof import begin_proof, proof_of
from dialer.app.campaigns.proof_facts import ProvedCampaign
from dialer.app.telling.audit_log import COMMAND_LINE
from dialer.app.telling.listeners import tell_listeners
from dialer.app.work.events import CampaignProved
from dialer.app.work.unit import UnitOfWork
from dialer.commands.open_service import OpenService, open_service
from dialer.commands.output import printable, say
from dialer.domain.formats.proof_archive import ProofArchive, ProofTooLargeError
from dialer.domain.formats.proof_check import check_proof
from dialer.store.database.touched import NOTHING
from dialer.store.media.folder import FolderMedia
from dialer.store.queries.campaigns import find_campaign

_PART: Final = ".part"
"""The end of the name of an archive until it is whole."""


def make(campaign: str, out: Path) -> None:
    """Write the archive of a campaign, whole or not at all."""
    part = out.with_name(out.name + _PART)
    with open_service() as service:
        now_ms = service.now_ms()

        def begin(connection: Connection) -> ProvedCampaign:
            return begin_proof(connection, find_campaign(connection, campaign)["id"], now_ms)

        begun = service.database.read_now(begin)
        archive = proof_of(service.database.read_now, begun, FolderMedia(service.settings.media_dir))
        try:
            with part.open("wb") as file:
                _write(file, archive)
            digest = sha256(archive.manifest()).hexdigest()
            _note(service, CampaignProved(begun.id, digest), now_ms)
            part.replace(out)
        except ProofTooLargeError:
            raise click.ClickException("the archive would be larger than a ZIP file can be") from None
        except OSError as error:
            raise click.ClickException(f"{error.filename or out} cannot be written: {error.strerror}") from None
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
    say(printable(f"{out} is written. The SHA-256 of its manifest is {digest}."))


def verify(file: Path) -> None:
    """Check an archive; exit with 1 if anything is wrong, and name it."""
    try:
        with file.open("rb") as content:
            size = content.seek(0, os.SEEK_END)
            checked = check_proof(lambda offset, count: _read(content, offset, count), size)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}") from None
    for fault in checked.faults:
        click.echo(printable(str(fault)))
    if checked.faults:
        raise SystemExit(1)
    lines = sum(member.lines for member in checked.members.values())
    click.echo(f"{len(checked.members)} members, {lines:,} lines: nothing is changed.")
    click.echo(f"The SHA-256 of the manifest is {checked.manifest_sha256}.")


def _write(file: BinaryIO, archive: ProofArchive) -> None:
    file.writelines(archive.members())
    file.write(archive.end())
    file.flush()
    os.fsync(file.fileno())


def _read(content: BinaryIO, offset: int, count: int) -> bytes:
    content.seek(offset)
    return content.read(count)


def _note(service: OpenService, made: CampaignProved, now_ms: int) -> None:
    """Note in the audit log that an archive was made, and which."""

    def note(connection: Connection) -> None:
        unit = UnitOfWork(connection=connection, now_ms=now_ms)
        unit.note(NOTHING, made)
        tell_listeners(unit, COMMAND_LINE)

    service.database.write_now(note)
