"""Tests of REGISTER and OPTIONS, and of requests that belong to no call."""

from typing import Final

import pytest
from msgspec.structs import replace

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import Received, read_message
from dialer.carriers.sip.outputs import Send, TrunkState
from dialer.carriers.sip.user_agent import UserAgent
from tests.carriers.sip.calling import invitation
from tests.carriers.sip.network import SERVER, TRUNK, Callee, Network

MINUTE_MS: Final = 60_000


class Registrar(Callee):
    """A carrier that answers REGISTER and OPTIONS."""

    def __init__(self) -> None:
        super().__init__()
        self.expires: list[str] = []
        self.is_down = False

    def receive(self, message: Received) -> None:
        if self.is_down:
            return
        if message.method == "REGISTER" and not message.header("Authorization"):
            self.respond(message, 401, (("WWW-Authenticate", 'Digest realm="r", nonce="n", qop="auth"'),))
        elif message.method == "REGISTER" and message.header("Expires") == "3600":
            self.respond(message, 423, (("Min-Expires", "7200"),))
        elif message.method == "REGISTER":
            self.expires.append(message.header("Expires"))
            self.respond(message, 200, (("Contact", f"{message.header('Contact')};expires=100"),))
        else:
            self.respond(message, 404)


class Answering(Registrar):
    """A carrier that answers each REGISTER alike, and notes when they come."""

    def __init__(self, status: int, *headers: tuple[str, str]) -> None:
        super().__init__()
        self._status, self._headers = status, headers
        self.came_s: list[int] = []

    def receive(self, message: Received) -> None:
        self.came_s.append(self.network.now_ms // 1_000)
        self.respond(message, self._status, self._headers)


def registered(registrar: Answering, until_s: int) -> Network:
    """Let a trunk register for some time."""
    network = Network(registrar, trunk=replace(TRUNK, registers=True))
    network.take(network.agent.open(0))
    network.run(until_s * 1_000)
    return network


OUR_CONTACT: Final = "sip:anna@192.0.2.1:5070"


@pytest.mark.parametrize(
    ("headers", "renewed_after_s"),
    [
        # The registrar has written the address that it sees.
        ((("Contact", "<sip:anna@203.0.113.7:61000>;expires=20"),), 16),
        ((("Contact", "<sip:anna@203.0.113.7:61000>;expires=20"), ("Expires", "3600")), 16),
        # Others are registered, too, one of them at a port that begins like ours.
        ((("Contact", f"<{OUR_CONTACT}1>;expires=3600, <{OUR_CONTACT}>;expires=20"),), 16),
        ((("Contact", f"<{OUR_CONTACT}1>;expires=3600"), ("m", f'"A, B" <{OUR_CONTACT}>;q=0.5;Expires="20"')), 16),
        ((("Contact", f"<{OUR_CONTACT}1>;expires=20, <{OUR_CONTACT};ob>;expires=100"),), 80),
        ((("Contact", "<sip:%61nna@192.0.2.1:5070>"), ("Expires", "50")), 40),
        ((("Contact", "<sip:bob@192.0.2.1:5070>;expires=20, <sip:anna@203.0.113.7>;expires=100"),), 16),
        ((("Expires", "60"),), 48),
        ((("Contact", "nonsense"),), 2_880),
    ],
)
def test_a_registration_is_renewed_within_the_time_of_our_own_binding(
    headers: tuple[tuple[str, str], ...], renewed_after_s: int
) -> None:
    registrar = Answering(200, *headers)
    registered(registrar, 3_000)
    assert registrar.came_s[1] == renewed_after_s


@pytest.mark.parametrize(
    ("retry_after", "again_s"),
    [("120", 120), ("120;duration=3600 (busy)", 120), ("5", 30), ("0", 30), ("tomorrow", 30), ("999999", 3_600)],
)
def test_a_registrar_that_wants_no_request_for_a_while_gets_none(retry_after: str, again_s: int) -> None:
    """Up to an hour: no carrier can park a gateway for longer."""
    registrar = Answering(503, ("Retry-After", retry_after))
    network = registered(registrar, 3_700)
    assert registrar.came_s[:2] == [0, again_s]
    assert states(network)[0].startswith("not registered: the answer 503")


def test_a_carrier_that_wants_no_options_for_a_while_gets_none() -> None:
    carrier = Answering(503, ("Retry-After", "100"))
    network = Network(carrier)
    network.take(network.agent.open(0))
    network.run(250_000)
    assert carrier.came_s == [0, 100, 200]


def states(network: Network) -> list[str]:
    return [one.why_not for one in network.told if isinstance(one, TrunkState)]


def test_a_registration_is_refreshed_in_time_and_taken_back() -> None:
    registrar = Registrar()
    network = Network(registrar, trunk=replace(TRUNK, registers=True))
    network.take(network.agent.open(0))
    network.run(200_000)
    assert registrar.expires == ["7200", "7200", "7200"]
    network.take(network.agent.close(200_000))
    network.run(300_000)
    assert (registrar.expires[-1], states(network)) == ("0", [""] * 3)


def test_a_registration_that_is_taken_back_at_once_is_not_made_by_a_late_challenge() -> None:
    """Nor does anybody get an answer any more."""
    registrar = Registrar()
    network = Network(registrar, trunk=replace(TRUNK, registers=True))
    network.take(network.agent.open(0))
    network.take(network.agent.close(0))
    assert not network.agent.is_closed
    network.run(2 * MINUTE_MS)
    assert [(one.header("Expires"), bool(one.header("Authorization"))) for one in network.sent] == [
        ("3600", False),
        ("0", False),
        ("0", True),
    ]
    assert (network.agent.is_closed, states(network)) == (True, [])
    assert network.agent.receive(network.now_ms, invitation(), Flow(SERVER)) == []


def test_a_registration_that_fails_is_tried_again() -> None:
    registrar = Registrar()
    registrar.is_down = True
    network = Network(registrar, trunk=replace(TRUNK, registers=True))
    network.take(network.agent.open(0))
    network.run(2 * MINUTE_MS)
    registrar.is_down = False
    network.run(4 * MINUTE_MS)
    assert states(network)[:3] == ["not registered: no answer"] * 2 + [""]


def test_a_trunk_is_down_after_three_unanswered_options_and_up_after_any_answer() -> None:
    registrar = Registrar()
    network = Network(registrar)
    network.take(network.agent.open(0))
    network.run(10_000)
    registrar.is_down = True
    network.run(2 * MINUTE_MS + 10_000)
    assert states(network) == ["", "3 OPTIONS in a row: no answer"]
    registrar.is_down = False
    network.run(3 * MINUTE_MS)
    assert states(network)[-1] == ""


def request(method: str, source: tuple[str, int]) -> list[tuple[int, str]]:
    """Send a request outside of calls, and return the responses: their status, and the address of the Via."""
    data = (
        f"{method} sip:dialer@192.0.2.1 SIP/2.0\r\nv: SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bK1;rport\r\n"
        f"f: <sip:a@b>;tag=1\r\nt: <sip:c@d>\r\ni: other\r\nCSeq: 1\r\n  {method}\r\nl : 0\r\n\r\n"
    )
    outputs = UserAgent(TRUNK, "secret").receive(0, data.encode(), Flow(source))
    found = [read_message(one.data) for one in outputs if isinstance(one, Send)]
    return [(one.status, f"{one.via.parameters['received']}:{one.via.parameters['rport']}") for one in found]


def test_the_carrier_gets_an_answer_and_nobody_else_does() -> None:
    methods = ("OPTIONS", "INVITE", "BYE", "MESSAGE", "ACK")
    answered = [request(method, SERVER) for method in methods]
    where = f"{SERVER[0]}:{SERVER[1]}"
    assert answered == [[(200, where)], [(180, where)], [(481, where)], [(405, where)], []]
    assert [request(method, ("198.51.100.1", 5060)) for method in methods] == [[]] * len(methods)
