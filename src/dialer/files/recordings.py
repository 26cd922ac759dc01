"""The recordings of files: rows like those of uploads, whose sounds are compared by their content."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, RowMapping, insert, select, update

from dialer.app.work.touched_records import known_campaigns
from dialer.app.work.unit import RecordWritten
from dialer.domain.words.sentences import message_of
from dialer.files.kinds import RECORDINGS, Wanted
from dialer.files.names import Names
from dialer.files.nodes import FileError, Node
from dialer.files.sounds import KeptSound, Sounds
from dialer.files.writing import RecordWriter, Written
from dialer.resources.crud.audit_log import note_created
from dialer.resources.crud.resource import Change, Unit
from dialer.store.database.touched import NOTHING
from dialer.store.media.files import QuotaError, check_quota
from dialer.store.tables import AudioFile, Campaign

_SOUND: Final = ("audio_file", "format", "size", "duration_ms")


def write_recording(writer: RecordWriter, wanted: Wanted, record_id: int | None, sounds: Sounds) -> Written:
    """Give the account a recording of a file, unless it has it with the same content.

    The file of a sound that is replaced stays: started campaigns play it.

    Raises:
        FileError: the file is no recording, is missing, or does not fit in the account.
    """
    if record_id is None:
        if wanted.file is None:
            raise FileError.at(wanted.place, f"there is no recording {wanted.name!r} yet, so it needs the field file")
        given = writer.read(wanted.kind, wanted.given)
        return Written(_create(writer, given, wanted, wanted.file, sounds), is_new=True)
    stored = (
        writer.unit.connection.execute(select(AudioFile.__table__).where(AudioFile.id == record_id)).mappings().one()
    )
    if wanted.file is None or _is_same(stored, wanted.file, sounds):
        return Written(record_id, is_new=False)
    return Written(record_id, is_new=False, lines=(_replace(writer, stored, wanted, wanted.file, sounds),))


def needed_sounds(unit: Unit, owner_id: int, wanted: Sequence[Wanted], sounds: Sounds) -> list[Node]:
    """Return the sounds of files that an account does not have, at this moment.

    It reads all stored sounds with which they are compared, so that a later transaction need not.
    """
    names, needed = Names(unit, owner_id), list[Node]()
    for one in wanted:
        if one.kind.key == RECORDINGS and one.file is not None:
            ids = names.ids(one.kind.path, one.name)
            query = select(AudioFile.size, AudioFile.audio_file).where(AudioFile.id.in_(ids[:1]))
            stored = unit.connection.execute(query).mappings().first()
            if stored is None or not _is_same(stored, one.file, sounds):
                needed.append(one.file)
    return needed


def _is_same(stored: RowMapping, node: Node, sounds: Sounds) -> bool:
    facts = sounds.facts(node)
    return bool(stored["size"] == facts.size) and sounds.stored_digest(stored["audio_file"]) == facts.digest


def _create(writer: RecordWriter, given: dict[str, Any], wanted: Wanted, node: Node, sounds: Sounds) -> int:
    unit = writer.unit
    values = {
        "user_id": writer.owner_id,
        **given,
        **_sound(writer, wanted, node, sounds),
        "created_date": unit.now_ms,
        "updated_date": unit.now_ms,
    }
    key = unit.connection.execute(insert(AudioFile).values(values)).inserted_primary_key
    record_id = int(key[0]) if key else 0
    unit.note(NOTHING)
    note_created(Change(unit, given, frozenset(given), {}, record_id), wanted.kind.resource, values)
    return record_id


def plays(record_id: int) -> ColumnElement[bool]:
    """Return the condition that a campaign itself plays a recording, outside its survey."""
    return (Campaign.voicemail_audiofile_id == record_id) | (Campaign.record_notice_id == record_id)


def _replace(writer: RecordWriter, stored: RowMapping, wanted: Wanted, node: Node, sounds: Sounds) -> str:
    """Replace the sound of a recording, and return the change as a line."""
    unit, record_id = writer.unit, stored["id"]
    sound = _sound(writer, wanted, node, sounds, instead_of=stored["size"])
    moved = {**sound, "updated_date": unit.now_ms}
    unit.connection.execute(update(AudioFile).where(AudioFile.id == record_id).values(moved))
    unit.note(known_campaigns(unit.connection, plays(record_id)))
    before, after = ({"audio_file": row["audio_file"]} for row in (stored, sound))
    unit.written.append(RecordWritten("change", wanted.kind.path, record_id, writer.owner_id, before, after))
    return f"file: another sound, {stored['size']} → {sound['size']} bytes"


def _sound(writer: RecordWriter, wanted: Wanted, node: Node, sounds: Sounds, *, instead_of: int = 0) -> dict[str, Any]:
    """Return the columns of a sound, which is in the media folder then."""
    size = sounds.facts(node).size
    try:
        check_quota(writer.unit.connection, writer.owner_id, size - instead_of)
    except QuotaError as error:
        raise FileError.at(wanted.place, str(message_of(error))) from None
    kept: KeptSound = sounds.keep(node)
    return dict(zip(_SOUND, (kept.file_name, kept.sound.format, size, kept.sound.duration_ms), strict=True))
