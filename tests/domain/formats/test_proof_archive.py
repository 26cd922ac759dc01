"""Tests of the archive that proves a campaign: each changed byte, and each line that is gone or added, is named."""

import io
import json
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from dialer.domain.formats.proof_archive import FORMAT, MANIFEST, PIECE_BYTES, ProofArchive
from dialer.domain.formats.proof_check import DIRECTORY, Checked, ProofFault, check_proof
from dialer.domain.formats.proof_lines import LineWriter
from dialer.domain.formats.zip_layout import SIZE_MAX, ZipEntry, before, behind, directory

CALLS = [{"callid": f"call-{number}", "phone_number": f"+3314234560{number}", "at": None} for number in range(9)]
Batches = Iterable[Iterable[Mapping[str, object]]]


def made(**members: Batches) -> bytes:
    archive = ProofArchive({f"{name}.ndjson": batches for name, batches in members.items()})
    return b"".join(archive.members()) + archive.end()


def checked(content: bytes) -> Checked:
    return check_proof(lambda offset, count: content[offset : offset + count], len(content))


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        assert file.testzip() is None
        return {name: file.read(name) for name in file.namelist()}


def forged(content: bytes, change: Callable[[list[bytes]], None]) -> bytes:
    """Return an archive in which somebody has changed the lines of the calls, and all sums but the manifest's."""
    members = unpacked(content)
    lines = members["calls.ndjson"].splitlines(keepends=True)
    change(lines)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, held in members.items():
            packing = zipfile.ZIP_STORED if name == MANIFEST else zipfile.ZIP_DEFLATED
            file.writestr(name, b"".join(lines) if name == "calls.ndjson" else held, packing)
    return target.getvalue()


def test_an_archive_is_a_zip_of_lines_with_the_hashes_in_its_manifest() -> None:
    content = made(campaign=[[{"name": "Spring"}]], calls=[CALLS[:4], CALLS[4:]], wishes=[])
    members = unpacked(content)
    assert list(members) == ["campaign.ndjson", "calls.ndjson", "wishes.ndjson", MANIFEST]
    lines = [json.loads(line) for line in members["calls.ndjson"].splitlines()]
    chains = [line.pop("chain") for line in lines]
    assert (lines, len({*chains})) == ([{"line": place, **call} for place, call in enumerate(CALLS, 1)], 9)
    said = json.loads(members[MANIFEST])["members"]
    assert {name: (one["lines"], one["bytes"]) for name, one in said.items()} == {
        "campaign.ndjson": (1, len(members["campaign.ndjson"])),
        "calls.ndjson": (9, len(members["calls.ndjson"])),
        "wishes.ndjson": (0, 0),
    }
    assert (said["calls.ndjson"]["chain"], checked(content).faults) == (chains[-1], [])
    assert content == made(campaign=[[{"name": "Spring"}]], calls=[CALLS], wishes=[[]])


def test_each_changed_byte_is_named_by_its_member() -> None:
    content = made(campaign=[[{"name": "Spring"}]], calls=[CALLS])
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        starts = [(info.header_offset, info.filename) for info in file.infolist()]
        starts.append((file.start_dir, DIRECTORY))
    for place in range(len(content)):
        for mask in (0x01, 0x80):
            changed = bytearray(content)
            changed[place] ^= mask
            member = max(start for start in starts if start[0] <= place)[1]
            named = {wrong.member for wrong in checked(bytes(changed)).faults}
            assert member in named, (place, mask, named)


def test_the_line_that_is_changed_is_named() -> None:
    def change(lines: list[bytes]) -> None:
        lines[4] = lines[4].replace(b"call-4", b"call-X")

    wrong = checked(forged(made(calls=[CALLS]), change)).faults
    assert wrong[0] == ProofFault("calls.ndjson", "is changed", 5)
    assert [one for one in wrong if one.line not in {None, 5}] == []


@pytest.mark.parametrize("gone", [0, 3, 8])
def test_a_line_that_is_missing_is_named(gone: int) -> None:
    wrong = checked(forged(made(calls=[CALLS]), lambda lines: lines.__delitem__(gone))).faults
    if gone == 8:
        assert (wrong[0].line, wrong[0].what) == (None, "1 lines are missing at the end")
    else:
        assert (wrong[0].line, wrong[0].what) == (gone + 1, "is changed, or 1 before it are missing")


def test_lines_that_are_added_or_in_another_order_are_named() -> None:
    content = made(calls=[CALLS])
    added = checked(forged(content, lambda lines: lines.insert(6, lines[2]))).faults
    assert [one for one in added if one.line] == [ProofFault("calls.ndjson", "is added", 7)]
    behind_all = checked(forged(content, lambda lines: lines.append(b'{"line":10,"callid":"x"}\n'))).faults
    assert [one for one in behind_all if one.line] == [ProofFault("calls.ndjson", "is changed", 10)]
    turned = checked(forged(content, lambda lines: lines.reverse())).faults
    assert turned[0].line == 1


def test_members_that_are_missing_or_added_or_of_another_archive_are_named() -> None:
    content = made(calls=[CALLS], wishes=[[{"said": "STOP"}]])
    members = unpacked(content)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("wishes.ndjson", members["calls.ndjson"])
        file.writestr("more.ndjson", b"")
        file.writestr(MANIFEST, members[MANIFEST], zipfile.ZIP_STORED)
    wrong = checked(target.getvalue()).faults
    assert ProofFault("calls.ndjson", "is missing") in wrong
    assert ProofFault("more.ndjson", "is added") in wrong
    assert ProofFault("wishes.ndjson", "is changed", 1) in wrong


@pytest.mark.parametrize("cut", [1, 30, 100, 400])
def test_an_archive_that_is_cut_off_or_has_more_behind_it_cannot_be_read(cut: int) -> None:
    content = made(calls=[CALLS])
    for other in (content[:-cut], content + b"x" * cut, b"", b"PK"):
        assert [one.member for one in checked(other).faults] == [DIRECTORY]


def test_bytes_between_the_members_are_found() -> None:
    content = made(calls=[CALLS])
    entries_end = content.index(b"PK\x01\x02")
    assert checked(b"x" + content).faults != []
    assert checked(content[:entries_end] + b"x" + content[entries_end:]).faults != []


def test_a_member_that_unpacks_to_more_than_it_says_is_not_unpacked_to_the_end() -> None:
    """Ten million bytes are packed into some thousand; only as many as the manifest says are unpacked."""
    content = made(calls=[[{"said": "0" * 10_000_000}]])
    said = json.loads(unpacked(content)[MANIFEST])
    assert said["members"]["calls.ndjson"]["bytes"] > 10_000_000 > 100 * len(content)
    small = content.replace(str(said["members"]["calls.ndjson"]["bytes"]).encode(), b"10000001")
    assert {wrong.member for wrong in checked(small).faults} >= {"calls.ndjson"}


def test_a_long_archive_comes_in_pieces() -> None:
    lines = LineWriter("calls.ndjson")
    rows = [[{"callid": f"{number:x}" * 9} for number in range(start, start + 500)] for start in range(0, 60_000, 500)]
    archive = ProofArchive({"calls.ndjson": rows})
    pieces = list(archive.members())
    assert len(pieces) > 2
    assert max(map(len, pieces)) < 2 * PIECE_BYTES
    content = b"".join(pieces) + archive.end()
    assert checked(content).faults == []
    assert unpacked(content)["calls.ndjson"] == b"".join(lines.line(row) for batch in rows for row in batch)


def test_the_layout_is_that_of_zip_files_up_to_their_largest_size() -> None:
    entry = ZipEntry("a", SIZE_MAX - 200, 7, 100, 1_000)
    assert (len(before(entry)), len(behind(entry)), entry.ends - entry.starts) == (31, 16, 116)
    assert directory([entry])


def crafted(packed: bytes, *, is_packed: Any = False, **said: Any) -> bytes:  # noqa: ANN401 - anything a file may say
    """Return an archive of one member with these bytes, of which its manifest says what is given."""
    of_packed = sha256(packed).hexdigest()
    proved = {"sha256": "", "bytes": 1, "lines": 1, "chain": "", "packed_sha256": of_packed} | said
    text = json.dumps({"format": FORMAT, "members": {"calls.ndjson": proved}})
    manifest = msgspec.json.format(text.encode(), indent=2) + b"\n"
    entry = ZipEntry("calls.ndjson", 0, 0, len(packed), 1)
    held = ZipEntry(MANIFEST, entry.ends, zlib.crc32(manifest), len(manifest), len(manifest), is_packed=is_packed)
    parts = (before(entry), packed, behind(entry), before(held), manifest, behind(held), directory([entry, held]))
    return b"".join(parts)


def deflated(content: bytes) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflate.compress(content) + deflate.flush()


@pytest.mark.parametrize("content", [b"0" * 20_000_000, b"\n" * 20_000_000])
@pytest.mark.parametrize("said", [1, 1_000_000])
def test_little_memory_is_taken_by_a_member_that_unpacks_to_much_more_than_it_says(content: bytes, said: int) -> None:
    small = crafted(deflated(content), bytes=min(said, 1_000) if content[:1] == b"\n" else said)
    del content
    tracemalloc.start()
    try:
        faults = checked(small).faults
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert ("calls.ndjson" in {wrong.member for wrong in faults}, most < 12_000_000) == (True, True)


def test_packed_bytes_behind_the_end_of_a_member_are_found_even_if_all_sums_are_right() -> None:
    writer = LineWriter("calls.ndjson")
    line = writer.line(CALLS[0])
    sums = {"sha256": sha256(line).hexdigest(), "bytes": len(line), "chain": writer.link}
    faults = checked(crafted(deflated(line) + b"more", **sums)).faults
    assert ProofFault("calls.ndjson", "cannot be unpacked behind line 1") in faults


@pytest.mark.parametrize("said", [{"lines": 2**70}, {"lines": -1}, {"bytes": 2**70}, {"bytes": 2**33}])
def test_a_manifest_of_sizes_that_cannot_be_is_changed(said: dict[str, int]) -> None:
    assert ProofFault(MANIFEST, "is changed") in checked(crafted(deflated(b"x"), **said)).faults


def test_a_line_of_a_number_without_end_is_changed() -> None:
    def change(lines: list[bytes]) -> None:
        lines[4] = lines[4].replace(b'"line":5', b'"line":' + b"9" * 4_300)

    wrong = checked(forged(made(calls=[CALLS]), change)).faults
    assert wrong[0] == ProofFault("calls.ndjson", "is changed", 5)
    assert max(map(len, map(str, wrong))) < 100


def test_names_that_no_archive_has_and_places_behind_its_end_are_named() -> None:
    content = made(calls=[CALLS])
    start = content.index(b"PK\x01\x02")
    strange = bytearray(content)
    strange[start + 46] = 0xFF
    far = bytearray(content)
    far[start + 20 : start + 24] = far[start + 42 : start + 46] = b"\xf0\xff\xff\xff"
    long_name = content[:start] + content[start : start + 28] + b"\x40\x9c" + content[start + 30 : start + 46]
    long_name += b"\xff" * 40_000 + content[-22:-10] + (46 + 40_000).to_bytes(4, "little") + content[-6:]
    for other in (bytes(strange), bytes(far), long_name):
        assert [one.member for one in checked(other).faults] == [DIRECTORY]


def test_members_that_share_their_bytes_are_not_unpacked() -> None:
    packed = deflated(b"x" * 1_000)
    entries = [ZipEntry(f"{name}.ndjson", 0, 0, len(packed), 1) for name in ("calls", "texts")]
    proved = {"sha256": "", "bytes": 1, "lines": 1, "chain": "", "packed_sha256": ""}
    text = json.dumps({"format": FORMAT, "members": {entry.name: proved for entry in entries}})
    manifest = msgspec.json.format(text.encode(), indent=2) + b"\n"
    held = ZipEntry(MANIFEST, entries[0].ends, zlib.crc32(manifest), len(manifest), len(manifest), is_packed=False)
    start = b"".join((before(entries[0]), packed, behind(entries[0]), before(held), manifest))
    faults = checked(start + directory([*entries, held])).faults
    assert [one.member for one in faults] == [DIRECTORY]


def test_a_manifest_that_says_of_itself_that_it_is_packed_is_changed() -> None:
    writer = LineWriter("calls.ndjson")
    line = writer.line(CALLS[0])
    sums = {"sha256": sha256(line).hexdigest(), "bytes": len(line), "chain": writer.link}
    right = replaced(crafted(deflated(line), **sums), line)
    assert checked(right).faults == []
    turned = replaced(crafted(deflated(line), is_packed=True, **sums), line)
    assert ProofFault(MANIFEST, "is changed") in checked(turned).faults


def replaced(content: bytes, line: bytes) -> bytes:
    """Return a crafted archive whose member's sums are right."""
    sums = zlib.crc32(line).to_bytes(4, "little"), len(line).to_bytes(4, "little")
    told, listed = content.index(b"PK\x07\x08"), content.index(b"PK\x01\x02")
    changed = bytearray(content)
    changed[told + 4 : told + 8], changed[told + 12 : told + 16] = sums
    changed[listed + 16 : listed + 20], changed[listed + 24 : listed + 28] = sums
    return bytes(changed)
