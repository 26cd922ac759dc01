"""Streams of an event socket, torn and hostile."""

from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.freeswitch.event_socket_frames import FrameReader, FramingError
from dialer.carriers.freeswitch.events import SwitchEvent, read_event
from tests.carriers.freeswitch.hostile import SwitchCapture, attacks

FRAMES = (b"Content-Type: auth/request", b"Reply-Text: +OK", b"Content-Length: 0\nA: \xc3\xa4", b"content-length: 3")
BODY = b"\n{}"


def test_mutated_streams_raise_nothing_and_cause_little() -> None:
    assert sum(1 for _ in attacks(1_500, seed=1)) == 1_500


def test_unmutated_frames_are_understood() -> None:
    """The attacks are near misses of streams that say something."""
    capture = SwitchCapture()
    found = [
        capture.legs.hear(0, event)
        for frame in capture.frames
        if (event := read_event(frame.partition(b"\n\n")[2])) is not None
    ]
    assert sum(map(len, found)) >= len(capture.keys) * 3


@given(st.lists(st.sampled_from(FRAMES), max_size=6), st.lists(st.integers(1, 40), max_size=30))
def test_a_stream_is_cut_into_the_same_frames_however_it_is_torn(heads: list[bytes], sizes: list[int]) -> None:
    data = b"\n".join(head + b"\n\n" + (BODY if head.endswith(b"3") else b"") for head in heads)
    reader, torn, rest = FrameReader(), [], data
    for size in sizes:
        torn += reader.feed(rest[:size])
        rest = rest[size:]
    torn += reader.feed(rest)
    assert torn == FrameReader().feed(data)
    assert [one.body for one in torn] == [BODY if head.endswith(b"3") else b"" for head in heads]


@given(st.binary(max_size=300))
def test_any_bytes_are_frames_or_refused(noise: bytes) -> None:
    for data in (noise, b"Content-Length: 20\n\n" + noise):
        try:
            found = FrameReader().feed(data)
        except FramingError:
            continue
        assert sum(len(one.body) for one in found) <= len(data)
    assert isinstance(read_event(noise), SwitchEvent | None)


def test_deep_and_odd_events_are_no_events() -> None:
    assert [read_event(one) for one in (b"[" * 100_000, b'{"a":' * 100_000, b"[]", b"\xff", b'{"a": NaN}')] == [
        None
    ] * 5
    event = read_event(b'{"Event-Name": 5, "n": "9999999999999999999", "m": "-1", "k": "12"}')
    assert event is not None
    assert (event.name, event.number("n"), event.number("m"), event.number("k")) == ("", 0, 0, 12)
