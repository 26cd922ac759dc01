"""Tests of the paths to browsers: who is answered, where a telephone is, and what strangers can do."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.browser.paths import BrowserPath, Paths
from dialer.carriers.browser.stun import StunError, read_request
from tests.carriers.browser.browsers import attribute, mapped_in, request

PASSWORD = "s" * 24
HOME, CAFE = ("192.0.2.7", 40_000), ("2001:db8::9", 50_000)
TRANSACTION = bytes(range(12))


def one_path() -> tuple[Paths, BrowserPath]:
    paths, path = Paths(), BrowserPath("ours", PASSWORD, "abcd")
    paths.add(path)
    return paths, path


def test_a_browser_learns_its_address_and_is_heard_from_there() -> None:
    paths, path = one_path()
    answered = paths.take(5, request("ours:abcd", PASSWORD, TRANSACTION), HOME)
    assert answered is not None
    assert mapped_in(answered.data, PASSWORD) == HOME
    assert (paths.at(HOME), path.remote, path.heard_ms) == (path, HOME, 5)
    # A further path that is not nominated is answered, and changes nothing.
    other = request("ours:abcd", PASSWORD, b"b" * 12, nominates=False)
    answered = paths.take(6, other, CAFE)
    assert answered is not None
    assert mapped_in(answered.data, PASSWORD) == CAFE
    assert (path.remote, paths.at(CAFE)) == (HOME, None)
    assert paths.take(7, request("ours:abcd", PASSWORD, b"c" * 12), CAFE) is not None
    assert (path.remote, paths.at(CAFE), paths.at(HOME)) == (CAFE, path, None)
    paths.remove(path)
    assert (len(paths), paths.at(CAFE)) == (0, None)
    assert paths.take(8, request("ours:abcd", PASSWORD, b"d" * 12), CAFE) is None


def test_a_request_that_somebody_sends_again_from_elsewhere_moves_nothing() -> None:
    paths, path = one_path()
    sent = request("ours:abcd", PASSWORD, TRANSACTION)
    assert paths.take(0, sent, HOME) is not None
    assert paths.take(1, sent, CAFE) is None
    assert paths.take(2, sent, HOME) is not None
    assert path.remote == HOME


def test_a_page_that_gets_the_port_of_another_one_takes_its_place() -> None:
    paths, first = one_path()
    second = BrowserPath("second", "t" * 24, "efgh")
    paths.add(second)
    assert paths.take(0, request("ours:abcd", PASSWORD, TRANSACTION), HOME) is not None
    assert paths.take(1, request("second:efgh", "t" * 24, TRANSACTION), HOME) is not None
    assert (paths.at(HOME), first.remote) == (second, None)
    paths.remove(first)
    assert paths.at(HOME) is second


def test_what_is_not_signed_counts_for_nothing() -> None:
    """A nomination behind the signature could be anybody's."""
    paths, path = one_path()
    assert paths.take(0, request("ours:abcd", PASSWORD, TRANSACTION), HOME) is not None
    sent = request("ours:abcd", PASSWORD, b"e" * 12, nominates=False, tail=attribute(0x0025, b""))
    assert paths.take(1, sent, CAFE) is not None
    assert path.remote == HOME


@given(
    name=st.sampled_from(["ours:abcd", "ours:abce", "other:abcd", "ours", ":", "ours:abcd:x"]),
    password=st.sampled_from([PASSWORD, "", "t" * 24]),
    place=st.integers(0, 200),
    flip=st.integers(0, 255),
)
def test_nobody_who_lacks_the_password_is_answered(name: str, password: str, place: int, flip: int) -> None:
    paths, path = one_path()
    sent = bytearray(request(name, password, TRANSACTION))
    sent[place % len(sent)] ^= flip
    is_right = (name, password) == ("ours:abcd", PASSWORD) and not flip
    assert (paths.take(0, bytes(sent), HOME) is not None) is is_right
    assert (path.remote == HOME) is is_right
    assert len(paths) == 1


@given(data=st.binary(max_size=1_400))
def test_any_bytes_are_a_request_or_none(data: bytes) -> None:
    for sent in (data, struct.pack("!HHI", 1, max(0, len(data) - 20) & 0xFFFC, 0x2112A442) + data[8:]):
        try:
            found = read_request(sent)
        except StunError:
            continue
        assert not found.is_signed_with(PASSWORD)
