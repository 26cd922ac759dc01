"""Tests of the reading of Server-Sent Events."""

from hypothesis import given
from hypothesis import strategies as st

from dialer.webhooks.server_sent import SentEvent, sent_events


def test_events_are_read_from_the_lines_of_a_stream() -> None:
    lines = [
        *("retry: 2000", "", ":", ""),
        *("id: evt_1", "event: call.ended", "data: {}", ""),
        *("data: one", "data:two", ""),
        *("id: evt_3", "data: cut"),
    ]
    assert list(sent_events(lines)) == [SentEvent("evt_1", "call.ended", "{}"), SentEvent("", "message", "one\ntwo")]


@given(st.lists(st.text(alphabet="ab: \n\r\0", max_size=8)))
def test_no_lines_at_all_break_the_reader(lines: list[str]) -> None:
    assert all(event.type for event in sent_events(lines) if event.type != "")
