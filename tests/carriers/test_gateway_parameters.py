"""Tests of the parameters of gateways: a line break at the end of a word is part of the word, and refused."""

import json
from collections.abc import Callable
from functools import partial
from typing import Final

import pytest

from dialer.carriers.freeswitch.parameters import read_freeswitch_parameters
from dialer.carriers.parameters import ParametersError
from dialer.carriers.sip.parameters import read_sip_parameters
from dialer.carriers.texts.parameters import read_http_parameters
from dialer.carriers.texts.smpp_parameters import read_smpp_parameters
from dialer.domain.calls.plans import HTTP, KANNEL

SMPP: Final = {"host": "192.0.2.1", "system_id": "a", "password": "b"}
QUERY: Final = {"n": "{number}", "t": "{text}"}


@pytest.mark.parametrize(
    ("read", "right"),
    [
        (
            read_sip_parameters,
            {"server": "h", "username": "a", "password": "b", "domain": "d", "rtp_ports": "2000-2009"},
        ),
        (read_freeswitch_parameters, {"password": "b", "dial_string": "user/{number}"}),
        (read_smpp_parameters, SMPP),
        (partial(read_http_parameters, HTTP), {"url": "https://h/", "username": "a", "password": "b", "query": QUERY}),
        (
            partial(read_http_parameters, KANNEL),
            {"url": "https://h/", "username": "a", "secret": "s" * 24, "callback_url": "https://d"},
        ),
    ],
)
def test_a_word_that_ends_with_a_line_break_is_refused(read: Callable[[str], object], right: dict[str, object]) -> None:
    read(json.dumps(right))
    for name, value in [(name, value) for name, value in right.items() if isinstance(value, str)]:
        for end in ("\n", "\r\n", "\n\n"):
            with pytest.raises(ParametersError):
                read(json.dumps(right | {name: f"{value}{end}"}))
