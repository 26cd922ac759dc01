"""Tests of the other side as RFC 2543 had it: requests have no branch, so their CSeq tells them apart (17.2.3)."""

from typing import Final

from dialer.carriers.sip.outputs import DigitReported, LegArrived
from tests.carriers.sip.calling import Calling, invitation
from tests.carriers.sip.network import Network
from tests.carriers.sip.test_dialog_requests import Scripted, run, statuses

BRANCH: Final = b";branch="


class Branchless(Network):
    """A network in which no request of the other side has a branch."""

    def to_us(self, data: bytes) -> None:
        """Send a datagram of the callee."""
        first, has_branch, rest = data.partition(BRANCH)
        is_request = not data.startswith(b"SIP/2.0")
        super().to_us(first + rest[rest.index(b"\r\n") :] if is_request and has_branch else data)


def test_two_keys_are_two_requests_and_a_repeated_one_is_not() -> None:
    keys = (b"1", b"2")
    callee = Scripted(*[("INFO", (("Content-Type", "application/dtmf"),), key) for key in keys])
    network = run(callee, network_of=Branchless)
    assert [one.digit for one in network.told if isinstance(one, DigitReported)] == ["1", "2"]
    callee.request("INFO", 11, "again", (("Content-Type", "application/dtmf"),), b"2")
    network.run(21_000)
    assert [one.digit for one in network.told if isinstance(one, DigitReported)] == ["1", "2"]
    assert statuses(callee) == [200, 200, 200]


def test_a_call_that_is_tried_again_after_a_refusal_rings_again_and_can_be_given_up() -> None:
    def refuse(phone: Calling, arrived: LegArrived) -> None:
        if len(phone.arrivals) == 1:
            phone.network.take(phone.network.agent.clear(phone.network.now_ms, arrived.key, 17, "busy"))

    phone = Calling(decides=refuse)
    network = Branchless(phone)
    phone.call()
    network.run(1_000)
    again = invitation().replace(b"CSeq: 7", b"CSeq: 8")
    network.to_us(again)
    network.run(2_000)
    network.to_us(again.replace(b"INVITE", b"CANCEL"))
    network.run(2_100)
    first, second = (one.key for one in phone.arrivals)
    assert network.ends == [(first, 17), (second, 16)]
    assert network.lines == ["180", "486", "180", "200", "487"]
