"""Mutated captures harm neither a call nor its sound."""

import gc
import weakref
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import LINE_LENGTH_MAX, MalformedMessageError, read_message
from tests.carriers.hostile import Capture, attacks, mutated

DATAGRAMS: Final = Capture().datagrams


def test_mutated_datagrams_raise_nothing_and_cause_little() -> None:
    assert sum(1 for _ in attacks(1_500, seed=1)) == 1_500


@given(st.binary(max_size=300), st.randoms(use_true_random=False))
def test_any_bytes_are_a_message_or_refused(noise: bytes, chance: Random) -> None:
    for data in (noise, b"SIP/2.0 200 OK\r\n" + noise, b"BYE sip:a SIP/2.0\r\n" + noise, mutated(noise + b":", chance)):
        try:
            found = read_message(data + b"\r\n\r\n")
        except MalformedMessageError:
            continue
        assert (found.call_id, bool(found.method)) != ("", False)


@given(st.data())
def test_a_message_that_is_cut_off_is_none(data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(DATAGRAMS))
    read_message(whole)
    with pytest.raises(MalformedMessageError):
        read_message(whole[: data.draw(st.integers(0, len(whole) - 1))])


def test_nothing_is_kept_of_malformed_messages() -> None:
    """The parser raises errors that live for ever, and with them would the frames that they went through."""
    capture, chance = Capture(), Random(3)  # noqa: S311 - chance makes attacks, never a secret
    for _ in range(300):
        capture.attack(chance)
    agent = weakref.ref(capture.agent)
    del capture
    gc.collect()
    assert agent() is None


def test_a_long_line_is_refused_before_it_is_parsed() -> None:
    """Patterns of the parser take a time that grows with the square of a line's length."""
    capture = Capture()
    line = b"From: " + b"a " * LINE_LENGTH_MAX + b"\r\n"
    data = capture.datagrams[0].replace(b"\r\n", b"\r\n" + line, 1)
    assert capture.agent.receive(capture.now_ms, data, Flow(("192.0.2.10", 5060))) == []
