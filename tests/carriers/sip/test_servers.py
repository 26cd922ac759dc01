"""Tests of a carrier with more than one server: which one gets a call, and when another one is tried."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import Received, read_message, write_response
from dialer.carriers.sip.outputs import LegOver, Output, Send, TrunkState
from dialer.carriers.sip.sdp import SDP_TYPE, write_offer
from dialer.carriers.sip.server_pool import SERVERS_MAX, ServerPool, ServerTarget, in_order
from dialer.carriers.sip.trunk import Trunk, TrunkAccount
from dialer.carriers.sip.user_agent import UserAgent
from tests.carriers.sip.network import OURS, THEIRS, dialling

FIRST, SECOND, THIRD = (Flow((f"192.0.2.{last}", 5060)) for last in (11, 12, 13))
TARGETS: Final = tuple(ServerTarget((one.address,), place) for place, one in enumerate((FIRST, SECOND, THIRD)))
TIMER_B_MS: Final = 32_000
CONTACT: Final = ("Contact", "<sip:anna@192.0.2.1:5060>;expires=3600")


class Scene:
    """A user agent with three servers, in the order of their priorities."""

    def __init__(self, *, registers: bool = False, asks_options: bool = False, first: Flow = FIRST) -> None:
        trunk = Trunk(
            server=first,
            domain="carrier.example",
            here=("192.0.2.1", 5060),
            networks=tuple(one.address[0] for one in (FIRST, SECOND, THIRD)),
            credentials=TrunkAccount("anna", "secret") if registers else None,
            registers=registers,
            asks_options=asks_options,
        )
        self.agent = UserAgent(trunk, "secret")
        self.agent.know(trunk, TARGETS)
        self.now_ms = 0
        self.sent: list[tuple[Flow, Received]] = []
        self.told: list[Output] = []
        self.take(self.agent.open(0))

    def take(self, outputs: Sequence[Output]) -> None:
        """Note what the agent does."""
        for output in outputs:
            if isinstance(output, Send):
                self.sent.append((output.flow, read_message(output.data)))
            else:
                self.told.append(output)

    def dial(self, key: str) -> None:
        """Place a call."""
        self.take(self.agent.dial(self.now_ms, dialling(key), OURS))

    def run(self, for_ms: int) -> None:
        """Let time pass."""
        until_ms = self.now_ms + for_ms
        while (due_ms := self.agent.next_ms()) is not None and due_ms <= until_ms:
            self.now_ms = max(self.now_ms, due_ms)
            self.take(self.agent.run(self.now_ms))
        self.now_ms = until_ms

    def last(self, method: str, server: Flow) -> Received:
        """Return the last request with a method at a server."""
        return [one for flow, one in self.sent if flow == server and one.method == method and not one.status][-1]

    def answer(self, server: Flow, status: int, *headers: tuple[str, str], method: str = "INVITE") -> None:
        """Answer the last request at a server."""
        is_taken = method == "INVITE" and status == 200
        contact = () if "Contact" in dict(headers) else (("Contact", "<sip:callee@{}:{}>".format(*server.address)),)
        described = (*contact, SDP_TYPE) if is_taken else ()
        body = write_offer(THEIRS) if is_taken else b""
        data = write_response(
            self.last(method, server), status, "Text", server, to_tag="t", headers=(*headers, *described), body=body
        )
        self.take(self.agent.receive(self.now_ms, data, server))

    def servers(self, method: str = "INVITE") -> list[Flow]:
        """Return the servers that got requests with a method, each as often as it got another one."""
        return [flow for flow, _ in dict.fromkeys((f, one.branch) for f, one in self.sent if one.method == method)]

    @property
    def ends(self) -> list[str]:
        """Why legs ended."""
        return [one.because for one in self.told if isinstance(one, LegOver)]


def test_a_server_that_is_busy_passes_the_call_on_to_the_next() -> None:
    scene = Scene()
    scene.dial("k1")
    scene.answer(FIRST, 100)
    scene.answer(FIRST, 503)
    scene.answer(SECOND, 503)
    scene.answer(THIRD, 200)
    assert scene.servers() == [FIRST, SECOND, THIRD]
    assert scene.ends == []
    scene.take(scene.agent.acknowledge(scene.now_ms, "k1"))
    scene.take(scene.agent.clear(scene.now_ms, "k1", 16, "over"))
    assert scene.servers("BYE") == [THIRD]
    # A 503 that asks for no rest is about this call only.
    scene.dial("k2")
    assert scene.servers()[3:] == [FIRST]


def test_a_call_ends_with_the_refusal_of_the_last_server() -> None:
    scene = Scene()
    scene.dial("k1")
    for server in (FIRST, SECOND, THIRD):
        scene.answer(server, 503)
    assert scene.ends == ["the carrier answered 503 Text"]


@pytest.mark.parametrize("status", [486, 500, 603, 404, 408])
def test_other_refusals_are_the_end_of_a_call(status: int) -> None:
    scene = Scene()
    scene.dial("k1")
    scene.answer(FIRST, status)
    assert (scene.servers(), len(scene.ends)) == ([FIRST], 1)


def test_a_call_that_rang_is_at_no_other_server_ever() -> None:
    scene = Scene()
    scene.dial("k1")
    scene.answer(FIRST, 180)
    scene.answer(FIRST, 503)
    scene.run(60_000)
    assert (scene.servers(), len(scene.ends)) == ([FIRST], 1)


def test_a_server_that_wants_rest_gets_no_calls_meanwhile() -> None:
    scene = Scene()
    scene.dial("k1")
    scene.answer(FIRST, 503, ("Retry-After", "120"))
    scene.answer(SECOND, 486)
    scene.dial("k2")
    scene.answer(SECOND, 486)
    scene.run(121_000)
    scene.dial("k3")
    assert scene.servers() == [FIRST, SECOND, SECOND, FIRST]


def test_other_calls_pass_over_a_silent_server_at_once_and_it_is_asked_until_it_answers() -> None:
    scene = Scene()
    scene.dial("k1")
    scene.run(4_001)
    scene.dial("k2")
    scene.answer(SECOND, 180)
    assert scene.servers() == [FIRST, SECOND]
    scene.run(31_000)
    assert scene.servers("OPTIONS")[0] == FIRST
    scene.answer(FIRST, 200, method="OPTIONS")
    scene.dial("k3")
    assert scene.servers()[-1] == FIRST


def test_the_call_of_a_silent_server_goes_on_after_its_time_and_is_cancelled_there() -> None:
    scene = Scene()
    scene.dial("k1")
    scene.run(9_999)
    assert scene.servers() == [FIRST]
    scene.run(2)
    assert (scene.servers(), scene.servers("CANCEL")) == ([FIRST, SECOND], [FIRST])
    # The first one was not dead, but its answers got lost so far. Its telephone is hung up, and no other.
    scene.answer(FIRST, 200)
    assert scene.servers("BYE") == [FIRST]
    scene.answer(SECOND, 200)
    scene.take(scene.agent.acknowledge(scene.now_ms, "k1"))
    assert (scene.servers("BYE"), scene.ends) == ([FIRST], [])


def test_a_late_answer_that_names_no_usable_place_is_hung_up_at_the_server_that_gave_it() -> None:
    scene = Scene()
    scene.dial("k1")
    scene.run(10_001)
    scene.answer(FIRST, 200, ("Contact", "<sip:callee@127.0.0.1:9>"))
    assert (scene.servers(), scene.servers("ACK"), scene.servers("BYE")) == ([FIRST, SECOND], [FIRST], [FIRST])


def test_the_last_server_has_the_time_that_any_request_has() -> None:
    scene = Scene()
    scene.take(scene.agent.dial(0, dialling(ring_ms=120_000), OURS))
    scene.run(20_000 + TIMER_B_MS - 1)
    assert (scene.servers(), scene.ends) == ([FIRST, SECOND, THIRD], [])
    scene.run(2)
    assert scene.ends == ["the carrier did not answer"]


def test_a_call_of_another_process_is_cancelled_at_each_server() -> None:
    placed, scene = Scene(), Scene()
    placed.dial("k1")
    placed.answer(FIRST, 503)
    scene.take(scene.agent.withdraw(0, dialling("k1"), OURS))
    invites = {(flow, one.branch) for flow, one in placed.sent if one.method == "INVITE"}
    cancels = {(flow, one.branch) for flow, one in scene.sent if one.method == "CANCEL"}
    assert invites < cancels
    assert {flow for flow, _ in cancels} == {FIRST, SECOND, THIRD}


@pytest.mark.parametrize("first", [FIRST, SECOND])
def test_a_call_is_cancelled_by_a_process_that_began_at_another_server(first: Flow) -> None:
    placed, scene = Scene(registers=True), Scene(registers=True, first=first)
    placed.answer(FIRST, 200, CONTACT, method="REGISTER")
    placed.dial("k1")
    for place, server in enumerate((FIRST, SECOND, THIRD)):
        placed.answer(server, 407, ("Proxy-Authenticate", f'Digest realm="carrier", nonce="n{place}"'))
        if server != THIRD:
            placed.answer(server, 503)
    scene.take(scene.agent.withdraw(0, dialling("k1"), OURS))
    invites = {(flow, one.branch) for flow, one in placed.sent if one.method == "INVITE"}
    assert invites <= {(flow, one.branch) for flow, one in scene.sent if one.method == "CANCEL"}


def test_a_registration_moves_to_the_next_server_and_calls_follow_it() -> None:
    scene = Scene(registers=True)
    scene.run(TIMER_B_MS + 1)
    scene.answer(SECOND, 503, method="REGISTER")
    scene.answer(THIRD, 200, method="REGISTER")
    assert scene.servers("REGISTER") == [FIRST, SECOND, THIRD]
    assert [one for one in scene.told if isinstance(one, TrunkState)] == [TrunkState("")]
    scene.dial("k1")
    assert scene.servers() == [THIRD]


def test_calls_stay_at_the_server_that_has_the_registration_when_one_before_it_works_again() -> None:
    scene = Scene(registers=True)
    scene.run(TIMER_B_MS + 1)
    scene.answer(SECOND, 200, CONTACT, method="REGISTER")
    scene.run(31_000)
    scene.answer(FIRST, 200, method="OPTIONS")
    scene.dial("k1")
    assert scene.servers() == [SECOND]
    scene.take(scene.agent.close(scene.now_ms))
    assert scene.servers("REGISTER") == [FIRST, SECOND, SECOND]
    assert scene.last("REGISTER", SECOND).header("Expires") == "0"


def test_a_registration_is_renewed_at_its_server_and_leaves_it_when_that_is_silent() -> None:
    scene = Scene(registers=True)
    scene.answer(FIRST, 503, method="REGISTER")
    scene.answer(SECOND, 200, CONTACT, method="REGISTER")
    scene.run(31_000)
    scene.answer(FIRST, 200, method="OPTIONS")
    scene.run(2_860_000)
    scene.run(TIMER_B_MS)
    assert scene.servers("REGISTER") == [FIRST, SECOND, SECOND, FIRST]
    scene.answer(FIRST, 200, CONTACT, method="REGISTER")
    scene.dial("k1")
    assert scene.servers() == [FIRST]


def test_each_server_may_ask_for_the_password_with_a_nonce_of_its_own() -> None:
    scene = Scene(registers=True)
    scene.answer(FIRST, 200, CONTACT, method="REGISTER")
    scene.dial("k1")
    for place, server in enumerate((FIRST, SECOND, THIRD)):
        scene.answer(server, 407, ("Proxy-Authenticate", f'Digest realm="carrier", nonce="n{place}"'))
        assert f'nonce="n{place}"' in scene.last("INVITE", server).header("Proxy-Authorization")
        scene.answer(server, 503)
    assert scene.ends == ["the carrier answered 503 Text"]


def test_a_wrong_password_is_refused_by_one_server_after_two_tries() -> None:
    scene = Scene(registers=True)
    scene.answer(FIRST, 200, CONTACT, method="REGISTER")
    scene.dial("k1")
    for place in range(3):
        if not scene.ends:
            scene.answer(FIRST, 407, ("Proxy-Authenticate", f'Digest realm="carrier", nonce="n{place}"'))
    assert (scene.ends, len(scene.servers())) == (["the carrier answered 407 Text"], 3)


def test_a_server_rests_whatever_it_answers_meanwhile() -> None:
    scene = Scene()
    scene.dial("k0")
    scene.answer(FIRST, 200)
    scene.take(scene.agent.acknowledge(scene.now_ms, "k0"))
    scene.dial("k1")
    scene.answer(FIRST, 503, ("Retry-After", "120"))
    scene.answer(SECOND, 486)
    scene.take(scene.agent.clear(scene.now_ms, "k0", 16, "over"))
    scene.answer(FIRST, 200, method="BYE")
    scene.dial("k2")
    assert scene.servers()[-1] == SECOND
    scene.answer(SECOND, 486)
    scene.run(121_000)
    scene.dial("k3")
    assert scene.servers()[-1] == FIRST


@pytest.mark.parametrize("status", [408, 502, 503, 504])
def test_a_silent_server_that_says_that_it_is_out_of_order_gets_no_calls(status: int) -> None:
    scene = Scene()
    scene.dial("k1")
    scene.run(10_001)
    scene.answer(SECOND, 486)
    scene.run(25_000)
    scene.answer(FIRST, status, method="OPTIONS")
    scene.dial("k2")
    assert scene.servers()[-1] == SECOND


def test_without_any_server_a_registration_waits_and_says_so() -> None:
    scene = Scene(registers=True)
    scene.run(3 * TIMER_B_MS + 10)
    assert [one for one in scene.told if isinstance(one, TrunkState)] == [TrunkState("not registered: no answer")]
    assert len(scene.servers("REGISTER")) == 3


STATUSES: Final = st.sampled_from([None, 100, 180, 183, 404, 486, 503])


@given(plan=st.lists(st.lists(STATUSES, max_size=3), min_size=3, max_size=3))
def test_a_call_never_rings_at_two_servers(plan: list[list[int | None]]) -> None:
    scene, rang = Scene(), set[Flow]()
    scene.dial("k1")
    for server, statuses in zip((FIRST, SECOND, THIRD), plan, strict=True):
        for status in statuses:
            if server not in scene.servers():
                break
            if status is None:
                scene.run(10_000)
            elif scene.servers()[-1] == server and not scene.ends:
                scene.answer(server, status)
                rang |= {server} if status in {180, 183} else set()
        scene.run(0)
    scene.run(200_000)
    assert len(rang) <= 1
    if rang:
        assert scene.servers()[-1:] == list(rang)


@given(
    targets=st.lists(
        st.builds(
            ServerTarget,
            st.tuples(st.tuples(st.ip_addresses(v=4).map(str), st.just(5060))),
            st.integers(0, 3),
            st.integers(0, 65_535),
        ),
        min_size=1,
        max_size=12,
        unique_by=lambda one: one.addresses,
    ),
    key=st.text(max_size=8),
)
def test_servers_are_tried_by_priority_and_each_once(targets: list[ServerTarget], key: str) -> None:
    order = in_order(targets, key)
    priorities = {one.addresses[0]: one.priority for one in targets}
    assert all(priorities[one] <= priorities[other] for one, other in pairwise(order))
    assert len(order) == len(set(order)) == min(len(targets), SERVERS_MAX)
    assert order == in_order(list(targets), key)


def test_calls_are_spread_by_weight() -> None:
    first, second, never = (
        ServerTarget(((name, 5060),), 10, weight) for name, weight in (("a", 60), ("b", 40), ("c", 0))
    )
    counts = Counter(in_order((first, second, never), f"call {place}")[0][0] for place in range(3_000))
    # The chance follows from the keys, so the figures are the same each time.
    assert 1_700 < counts["a"] < 1_900
    assert 1_100 < counts["b"] < 1_300


def test_what_is_remembered_of_servers_has_a_limit() -> None:
    pool = ServerPool(FIRST)
    pool.replace(TARGETS)
    for last in range(255):
        pool.fail(Flow((f"198.51.100.{last}", 5060)), 10**9)
    assert sum(pool.has_failed(Flow((f"198.51.100.{last}", 5060)), 0) for last in range(255)) <= 2 * SERVERS_MAX
