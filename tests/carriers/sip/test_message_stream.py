"""Tests of the reader of connections: messages come out whole however their bytes are split."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.sip.message_stream import (
    BODY_BYTES_MAX,
    HEAD_BYTES_MAX,
    PING,
    PONG,
    MessageStream,
    StreamError,
)
from dialer.carriers.sip.messages import Outgoing

ENDS: Final = {PING: (PONG, PING), PONG: (PONG,)}
"""The line ends between messages, as they are read."""


def message(body: bytes) -> bytes:
    """Return a message of ours with a body."""
    via, sender = "SIP/2.0/TCP 192.0.2.1:5060", "<sip:a@b>;tag=1"
    return Outgoing("INFO", "sip:a@b", via, "1", sender, "<sip:c@d>", body=body).encode()


def padded(size: int) -> bytes:
    """Return a message whose header has so many bytes."""
    start = b"INFO sip:a@b SIP/2.0\r\nContent-Length: 0\r\nX: "
    return start + b"x" * (size - len(start)) + b"\r\n\r\n"


@given(st.lists(st.binary(max_size=300).map(message), max_size=5), st.data())
def test_any_split_of_any_messages_gives_the_same_messages(messages: list[bytes], data: st.DataObject) -> None:
    between = data.draw(st.lists(st.sampled_from([b"", PING, PONG]), min_size=len(messages), max_size=len(messages)))
    whole = b"".join(end + one for end, one in zip(between, messages, strict=True))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=20)))
    stream, read = MessageStream(), []
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        read += stream.feed(whole[start:end])
    assert read == [part for end, one in zip(between, messages, strict=True) for part in (*ENDS.get(end, ()), one)]


@given(st.lists(st.binary(max_size=400), max_size=20))
def test_no_bytes_raise_another_error_or_are_kept_beyond_the_limits(parts: list[bytes]) -> None:
    stream, taken, read = MessageStream(), 0, 0
    try:
        for part in parts:
            taken += len(part)
            read += sum(len(one) for one in stream.feed(part) if one is not PING)
    except StreamError:
        return
    assert taken - read <= HEAD_BYTES_MAX + BODY_BYTES_MAX + len(PING)


def test_the_largest_messages_are_read_and_larger_ones_refused() -> None:
    largest = (padded(HEAD_BYTES_MAX), message(b"x" * BODY_BYTES_MAX))
    assert MessageStream().feed(b"".join(largest)) == list(largest)
    for data, reason in (
        (padded(HEAD_BYTES_MAX + 1), "a header is too long"),
        (b"x" * (HEAD_BYTES_MAX + 1), "a header is too long"),
        (message(b"x" * (BODY_BYTES_MAX + 1)), "a body is too long"),
    ):
        with pytest.raises(StreamError, match=reason):
            MessageStream().feed(data)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("", "does not name its Content-Length once"),
        ("Content-Length: 1\r\nl: 2\r\n", "does not name its Content-Length once"),
        ("Content-Length: -1\r\n", "is no number"),
        ("Content-Length: +1\r\n", "is no number"),
        ("Content-Length:\r\n 5\r\n", "is no number"),
        (f"Content-Length: {'9' * 5_000}\r\n", "is no number"),
    ],
)
def test_a_message_whose_end_is_not_certain_ends_the_connection(lines: str, reason: str) -> None:
    with pytest.raises(StreamError, match=reason):
        MessageStream().feed(f"INFO sip:a@b SIP/2.0\r\n{lines}\r\n".encode())


@pytest.mark.parametrize("data", [b"\n", b"\rx", b"\r\n\n"])
def test_a_line_end_that_is_torn_ends_the_connection(data: bytes) -> None:
    with pytest.raises(StreamError, match="stands alone"):
        MessageStream().feed(data)


def test_the_short_name_and_blanks_of_a_length_are_read() -> None:
    data = b"INFO sip:a@b SIP/2.0\r\nL : 3 \r\n\r\nabc"
    assert MessageStream().feed(data) == [data]
