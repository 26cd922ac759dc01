"""Tests of the messages that are kept of calls: what they show, and how many there may be."""

import os
import time
from pathlib import Path
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.carriers.sip.masking import kept_message
from dialer.carriers.voice.call_trace import Capture, sweep
from dialer.carriers.voice.kept_messages import KEPT_S, capture_folder, read_capture

KEY: Final = "3f0c7a54-8f10-4a2e-9d00-7d1b5a0c9e11"
MESSAGE: Final = (
    "INVITE sip:12025550123@192.0.2.10:5060 SIP/2.0\r\n"
    'From: "+1 202-555-0150" <sip:+12025550150@192.0.2.10>;tag=a\r\n'
    "To: Bob 202.555.0123 <sip:12025550123@192.0.2.10>\r\n"
    f"Call-ID: {KEY}\r\n"
    'Proxy-Authorization: Digest username="anna", response="0123456789abcdef"\r\n'
    "Identity: eyJhbGciOiJFUzI1NiJ9\r\n"
    "\r\n"
    "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:secret\r\n"
).encode()


def test_a_kept_message_has_neither_secrets_nor_sound_nor_numbers() -> None:
    assert kept_message(MESSAGE).splitlines() == [
        "INVITE sip:xxxxxxxx123@192.0.2.10:5060 SIP/2.0",
        'From: "+x xxx-xxx-x150" <sip:+xxxxxxxx150@192.0.2.10>;tag=a',
        "To: Bob xxx.xxx.x123 <sip:xxxxxxxx123@192.0.2.10>",
        f"Call-ID: {KEY}",
        "Proxy-Authorization: [not kept]",
        "Identity: [not kept]",
    ]


@settings(max_examples=50, deadline=None)
@given(number=st.from_regex(r"[1-9][0-9]{6,14}", fullmatch=True), data=st.binary(max_size=100))
def test_no_number_is_kept_in_full(number: str, data: bytes) -> None:
    """Numbers are masked in addresses and in texts, and any bytes can be kept."""
    kept_message(data)
    kept = kept_message(
        f"BYE sip:+{number}@h SIP/2.0\nTo: <tel:{number}>\nFrom: {number} <sip:h>\nX: {number}".encode()
    )
    assert number[:-3] not in kept
    assert kept.count(number[-3:]) >= 3


def test_the_messages_of_a_leg_are_read_again_for_a_day(tmp_path: Path) -> None:
    capture = Capture(tmp_path / "m")
    capture.note(KEY, MESSAGE, is_sent=True)
    capture.note("../../" + KEY[6:], MESSAGE, is_sent=True)
    capture.close()
    assert [one.name for one in (tmp_path / "m").iterdir()] == [f"{KEY}.txt"]
    lines = read_capture(tmp_path / "m", KEY, time.time())
    assert lines[0].endswith("→ INVITE sip:xxxxxxxx123@192.0.2.10:5060 SIP/2.0")
    assert read_capture(tmp_path / "m", KEY, time.time() + KEPT_S + 1) == read_capture(tmp_path, KEY, 0) == []
    assert capture_folder(Path("/srv/media")) == Path("/srv/media-messages")


def test_a_folder_that_cannot_be_written_loses_messages_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "m").touch()
    capture = Capture(tmp_path / "m")
    capture.note(KEY, MESSAGE, is_sent=True)
    capture.close()
    assert (tmp_path / "m").read_bytes() == b""


def test_old_files_are_deleted_and_the_oldest_if_there_are_too_many(tmp_path: Path) -> None:
    for age_s in (KEPT_S + 1, 300, 200, 100):
        path = tmp_path / f"{age_s}.txt"
        path.write_text("x")
        os.utime(path, (1_000_000 - age_s, 1_000_000 - age_s))
    sweep(tmp_path, 1_000_000, 2 * 4_096)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["100.txt", "200.txt"]
