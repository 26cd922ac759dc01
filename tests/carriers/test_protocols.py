"""Tests that a protocol of gateways is known wherever protocols are listed."""

from pathlib import Path

from dialer.commands.lines import new_lines
from dialer.console.words.state_words import PROTOCOL_WORDS
from dialer.domain.calls.plans import SIMULATED
from dialer.domain.words.voices import NO_VOICE
from dialer.resources.records.carriers import PROTOCOLS, SMS_PROTOCOLS


def test_every_protocol_has_a_line_a_description_and_a_name() -> None:
    """Add a new protocol to each of these, and the reader of its parameters beside its description."""
    described = PROTOCOLS.keys() | SMS_PROTOCOLS.keys()
    assert described == new_lines(Path("media"), "", NO_VOICE).keys() | {SIMULATED}
    assert described == PROTOCOL_WORDS.keys()
