"""Tests of the formats that are no WAV files: the first bytes of files that ffmpeg 7.1, SoX 14.4 and others wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.store.media.other_formats import (
    CONVERT,
    NO_SOUND,
    TELEPHONE,
    decoded_format,
    other_encoding,
    other_format,
)

WRITTEN_BY_FFMPEG = {
    "fff160403ffffcde02004c61766336312e31392e31303100024cab5c68ec520c": "an AAC file",
    "464f524d000025ae41494646434f4d4d000000120001000012c00010400cfa00": "an AIFF file",
    "2e736e6400000020000025800000000300003e80000000010000000000000000": "an AU file",
    "52494646d01b0000415649204c495354e21100006864726c6176696838000000": "an AVI file",
    "636166660001000064657363000000000000002040cf4000000000006c70636d": "a CAF file",
    "664c614300000022048004800000b700027003e800f0000012c0db4e9cf4dea6": "a FLAC file",
    "0000001c667479704d344120000002004d34412069736f6d69736f3200000008": "an M4A file",
    "1a45dfa3a34286810142f7810142f2810442f381084282886d6174726f736b61": "a Matroska file",
    "0000001466747970717420200000020071742020000000087769646500000a72": "a QuickTime file",
    "49443304000000000022545353450000000e0000034c61766636312e372e3130": "an MP3 file",
    "0000001c6674797069736f6d0000020069736f6d69736f326d70343100000008": "an MP4 file",
    "4f67675300020000000000000000a80e754600000000e4833f9b011e01766f72626973": "an Ogg file with Vorbis sound",
    "4f67675300020000000000000000d1a9816700000000df6157e101134f70757348656164": "an Ogg file with Opus sound",
    "726966662e91cf11a5d628db04c10000e82500000000000077617665f3acd311": "a Wave64 file",
    "1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104": "a WebM file",
    "3026b2758e66cf11a6d900aa0062ce6cec010000000000000500000001": "a WMA file",
    "52463634ffffffff57415645647336341c0000002a13000000000000c0120000": "an RF64 file",
}
WRITTEN_BY_SOX = {
    "2321414d520a0480381fefeb69f58e00a9c680041d3d32aeab6b750964f2f514": "an AMR file",
    "464f524d0000131041494646434f4d540000001a0001e73016730000001050726f": "an AIFF file",
    "2e736e640000002c000012c00000000300001f400000000150726f6365737365": "an AU file",
    "ffe318c4000c1092e9b9430002a904edb6801dddddddcd11111113fddfffdc38": "an MP3 file",
    "4f67675300020000000000000000e632b51700000000a59f87ef011e01766f72626973": "an Ogg file with Vorbis sound",
}
OF_TELEPHONES = {
    *("an AAC file", "an AMR file", "an M4A file", "an MP4 file", "a QuickTime file", "an Ogg file with Opus sound")
}
DECODED = {"an MP3 file", "a FLAC file", "an Ogg file with Vorbis sound"}


@pytest.mark.parametrize(("start", "kind"), list((WRITTEN_BY_FFMPEG | WRITTEN_BY_SOX).items()))
def test_the_format_is_named_with_a_way_to_change_it(start: str, kind: str) -> None:
    assert other_format(bytes.fromhex(start)) == (kind, TELEPHONE if kind in OF_TELEPHONES else CONVERT)
    assert decoded_format(bytes.fromhex(start)) == (kind if kind in DECODED else None)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "an empty file"),
        (b"<!DOCTYPE html>\n<title>Not found</title>", "a web page"),
        (b"\xef\xbb\xbf\n  <HTML lang=en>", "a web page"),
        (b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', "an XML text"),
        (b'{"error": {"message": "You exceeded your quota"}}', "a JSON text"),
        (b"%PDF-1.7\n", "a PDF file"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"MThd\0\0\0\6", "a MIDI file"),
        ("Guten Tag, hier spricht die Praxis Müller.".encode(), "a text"),
        ("ü".encode() * 300, "a text"),
        (b"a" + "ü".encode() * 300, "a text"),
    ],
)
def test_what_holds_no_sound_is_named_without_a_way_to_change_it(content: bytes, kind: str) -> None:
    assert other_format(content) == (kind, NO_SOUND)


def test_an_archive_is_to_be_unpacked_and_the_rest_is_not_guessed() -> None:
    assert other_format(b"PK\3\4\x14\0") == ("a packed archive", "Unpack it first.")
    assert other_format(bytes.fromhex("d238d429a25058fc819b349d500ff8e5")) == ("not one", CONVERT)


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        (2, "a WAV file with ADPCM sound"),
        (3, "a WAV file with floating-point sound"),
        (0x55, "a WAV file with MP3 sound"),
        (0x28F, "a WAV file with G.722 sound"),
        (0x1234, "a WAV file with an encoding that is not played"),
    ],
)
def test_an_encoding_is_named(tag: int, kind: str) -> None:
    assert other_encoding(tag) == (kind, CONVERT)


@given(st.binary(max_size=600))
def test_any_bytes_have_a_name(content: bytes) -> None:
    assert other_format(content).kind
