"""Tests of the places to which messages and sound go: a forged call must not turn us against others, or ourselves."""

from typing import Final

import pytest
from msgspec.structs import replace

from dialer.carriers.sip.allowed_hosts import PEER_MESSAGES_A_SECOND_MAX
from dialer.carriers.sip.flows import Flow, NextHop
from dialer.carriers.sip.messages import Received, read_message, write_response
from dialer.carriers.sip.outputs import Diverted, LegArrived, LookUp, Output, Send
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.sip.sdp import write_offer
from dialer.carriers.sip.trunk import Trunk
from dialer.carriers.sip.user_agent import UserAgent
from tests.carriers.sip.calling import Calling, invitation, order_for
from tests.carriers.sip.network import HERE, OURS, SERVER, THEIRS, TRUNK, Callee, Network, dialling
from tests.carriers.sip.strangers import CHALLENGES, EVIL, challenge, request
from tests.carriers.sip.test_dialog_requests import SDP
from tests.carriers.sip.test_leg import Owned
from tests.carriers.sip.test_strangers import OFFER, answered

IPV6: Final = Trunk(server=Flow(("2001:db8::10", 5060)), domain="carrier.example", here=("2001:db8::1", 5070))


def at(contact: str, route: str = "") -> bytes:
    """Return an INVITE that names another Contact, and another proxy or none."""
    routed = f"Record-Route: <sip:{route};lr>\r\n" if route else ""
    data = invitation().replace(b"Record-Route: <sip:192.0.2.10;lr>\r\n", routed.encode())
    return data.replace(b"<sip:zoe@192.0.2.10:5060>", f"<sip:zoe@{contact}>".encode())


class Sending(Network):
    """A network that notes where each datagram goes, with the names that its name server knows."""

    def __init__(self, callee: Callee, trunk: Trunk = TRUNK, names: dict[str, str] | None = None) -> None:
        super().__init__(callee, trunk=trunk)
        self.destinations: list[str] = []
        self.places: list[tuple[str, str]] = []
        """The method of each request, and where it goes."""
        self._names = names or {}

    def take(self, outputs: list[Output]) -> None:
        """Note the destinations, and look up names."""
        for output in outputs:
            if isinstance(output, LookUp):
                self.take(self.agent.resolved(self.now_ms, output, self._names.get(output.hop.address[0], "")))
                continue
            if isinstance(output, Send):
                host, port = output.flow.address
                self.destinations.append(host)
                if not (sent := read_message(output.data)).status:
                    self.places.append((sent.method, f"{host}:{port}"))
            super().take([output])


@pytest.mark.parametrize("route", ["", EVIL[0]])
def test_a_call_that_nobody_acknowledges_is_hung_up_at_the_carrier_only(route: str) -> None:
    """RFC 3261 13.3.1.4 wants a BYE. The forger of the INVITE must not choose who gets it, again and again."""
    phone = Calling(talks_ms=None, data=at(EVIL[0], route))
    phone.request_bytes = lambda *_: b""  # type: ignore[method-assign] # it never acknowledges
    network = answered(Sending(phone), phone)
    assert network.lines[-1] == "BYE"
    assert set(network.destinations) == {SERVER[0]}
    assert network.ends == [(phone.arrivals[0].key, 102)]


@pytest.mark.parametrize("acknowledges", [False, True])
def test_a_call_that_was_ended_before_its_ack_is_never_refreshed(acknowledges: bool) -> None:  # noqa: FBT001 - a parameter
    """Its session timer would send an INVITE to a forged Contact, every 45 seconds, for ever."""

    def answer_and_end(phone: Calling, arrived: LegArrived) -> None:
        order = replace(order_for(arrived), talk_limit_ms=1_000_000)
        phone.network.take(phone.network.agent.answer(phone.network.now_ms, order, OURS))
        phone.network.take(phone.network.agent.clear(phone.network.now_ms, arrived.key, 16, "hung up"))

    timer = b"Supported: timer\r\nSession-Expires: 90;refresher=uas\r\nCall-ID"
    phone = Calling(decides=answer_and_end, data=at(EVIL[0]).replace(b"Call-ID", timer), talks_ms=None)
    if not acknowledges:
        phone.request_bytes = lambda *_: b""  # type: ignore[method-assign] # it never acknowledges
    network = Sending(phone)
    phone.call()
    network.run()
    assert network.places == [("BYE", f"{EVIL[0]}:{EVIL[1]}" if acknowledges else CARRIER)]
    assert (network.ends, len(network.agent)) == ([(phone.arrivals[0].key, 16)], 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "224.0.1.75", "255.255.255.255", "0.0.0.0", "192.0.2.77"])  # noqa: S104 - nothing is bound to it
@pytest.mark.parametrize("is_route", [False, True])
def test_no_message_goes_to_this_machine_or_to_many(host: str, is_route: bool) -> None:  # noqa: FBT001 - a parameter
    """A Contact or Record-Route may name any host. Services of this machine that trust it must not hear from us."""
    data = at(EVIL[0], f"{host}:5432") if is_route else at(f"{host}:5432")
    phone = Calling(talks_ms=1_000, data=data)
    network = Sending(phone, replace(TRUNK, machine="192.0.2.77"))
    answered(network, phone)
    assert set(network.destinations) == {SERVER[0]}


def test_a_name_of_this_machine_gets_no_message() -> None:
    phone = Calling(talks_ms=None, data=at("inside.example"))
    network = Sending(phone, names={"inside.example": "127.0.0.1"})
    phone.call()
    network.run(2_000)
    network.take(network.agent.clear(network.now_ms, phone.arrivals[0].key, 16, ""))
    assert set(network.destinations) == {SERVER[0]}
    assert network.places == [("BYE", CARRIER)]


class Misplaced(Owned):
    """A telephone whose answer names another place, and whose re-INVITE names a third one."""

    def __init__(self, contact: str, moves_to: str = "") -> None:
        super().__init__()
        self._contact, self._moves_to = contact, moves_to

    def answer(self) -> None:
        """Answer with the place."""
        if self.invite is not None:
            self.respond(self.invite, 200, (("Contact", f"<sip:callee@{self._contact}>"), SDP), write_offer(THEIRS))

    def receive(self, message: Received) -> None:
        """Want a password for INVITE and BYE, and move once the answer is acknowledged."""
        moves = self._moves_to and message.method == "ACK" and self.has_answered and not self.is_acknowledged
        if message.method in {"INVITE", "BYE"} and not message.header("Proxy-Authorization"):
            self.network.to_us(challenge(message, *CHALLENGES[1]))
            return
        super().receive(message)
        if moves:
            self.request("INVITE", 9, "move", (("Contact", f"<sip:c@{self._moves_to}>"), SDP), write_offer(THEIRS))


UNUSABLE: Final = [
    "192.0.2.1:5070",  # Our own.
    "127.0.0.1:5432",
    "192.0.2.77",
    "[2001:db8::7]",
    "nowhere.example",
    "inside.example:5432",
    "ourselves.example:5070",
    "other-kind.example",
]
NAMES: Final = {
    "inside.example": "127.0.0.1",
    "ourselves.example": "192.0.2.1",
    "other-kind.example": "2001:db8::8",
    "phone.example": "192.0.2.20",
}
CARRIER: Final = f"{SERVER[0]}:{SERVER[1]}"
MACHINE: Final = replace(TRUNK, machine="192.0.2.77")


@pytest.mark.parametrize("contact", UNUSABLE)
def test_what_is_owed_to_a_place_that_gets_nothing_goes_to_the_carrier(contact: str) -> None:
    network = Sending(Misplaced(contact), MACHINE, NAMES)
    network.take(network.agent.dial(0, dialling(talk_ms=5_000), OURS))
    network.run()
    # The carrier wants a password for the BYE, and gets it: it is the carrier.
    methods = ["INVITE", "ACK", "INVITE", "ACK", "BYE", "BYE"]
    assert network.places == [(method, CARRIER) for method in methods]
    assert (network.ends, len(network.agent)) == ([("k1", 16)], 0)
    (diverted,) = (one for one in network.told if isinstance(one, Diverted))
    assert (diverted.key, diverted.to) == ("k1", Flow(SERVER))
    assert "{}:{}".format(*diverted.meant.address) in {contact, f"{contact.strip('[]')}:5060"}


@pytest.mark.parametrize("moves_to", UNUSABLE)
def test_a_reinvite_that_names_such_a_place_swallows_nothing(moves_to: str) -> None:
    network = Sending(Misplaced("phone.example:5062", moves_to), MACHINE, NAMES)
    network.take(network.agent.dial(0, dialling(talk_ms=5_000), OURS))
    network.run()
    assert network.places[3] == ("ACK", "192.0.2.20:5062")
    assert [place for method, place in network.places if method == "BYE"] == [CARRIER, CARRIER]
    assert len([one for one in network.told if isinstance(one, Diverted)]) == 1


@pytest.mark.parametrize("contact", UNUSABLE)
def test_a_call_that_came_in_from_such_a_place_is_hung_up_at_the_carrier(contact: str) -> None:
    phone = Calling(talks_ms=None, data=at(contact))
    network = Sending(phone, MACHINE, NAMES)
    phone.call()
    network.run()
    assert (network.places, phone.byes) == ([("BYE", CARRIER)], 1)
    assert [one.to for one in network.told if isinstance(one, Diverted)] == [Flow(SERVER)]


def test_the_carrier_may_be_on_this_machine() -> None:
    """A carrier at home, such as a PBX on the same machine, is the carrier all the same."""
    trunk = replace(TRUNK, server=Flow(("127.0.0.1", 5060)), machine="127.0.0.1", networks=("192.0.2.10",))
    assert [trunk.may_send_to(host) for host in ("127.0.0.1", "192.0.2.10", "127.0.0.2")] == [True, True, False]


@pytest.mark.parametrize(
    ("trunk", "host", "is_taken"),
    [
        (TRUNK, "198.18.0.1", True),
        (TRUNK, "2001:db8::9", False),
        (TRUNK, "::ffff:198.18.0.1", False),
        (IPV6, "2001:db8::9", True),
        (IPV6, "198.18.0.1", False),
    ],
)
def test_sound_of_the_other_kind_of_internet_is_refused(trunk: Trunk, host: str, is_taken: bool) -> None:  # noqa: FBT001 - a parameter
    """RFC 3264 6: a call that is answered has sound. That of an address to which no packet can be sent has none."""
    assert trunk.may_sound_be_at(host) is is_taken
    assert replace(trunk, sound_networks=(host,)).may_sound_be_at(host) is is_taken


def test_an_offer_of_the_other_kind_of_internet_is_refused() -> None:
    offer = OFFER.replace(b"IN IP4 192.0.2.10", b"IN IP6 2001:db8::9")
    phone = Calling(data=invitation(body=offer))
    answered(Network(phone), phone)
    assert phone.status == 488


def test_sound_never_goes_to_our_own_address() -> None:
    """The address that the network shows is this machine, though `public_host` is another one."""
    trunk = SipParameters(server="192.0.2.10", public_host="198.51.100.1").trunk(Flow(SERVER), HERE)
    assert [trunk.may_sound_be_at(host) for host in (HERE[0], "198.51.100.1")] == [False, True]


def test_the_other_end_of_a_call_is_read_a_number_of_times_a_second() -> None:
    """The Contact of one forged INVITE makes its host the other end. That must not let it keep us busy."""
    phone = Calling(talks_ms=None, data=at(EVIL[0]))
    network = Network(phone)
    phone.call()
    network.run(2_000)
    assert phone.arrivals
    data = request(read_message(invitation()), "OPTIONS", 9)
    heard = [
        network.agent.receive(network.now_ms, data, Flow(EVIL)) != [] for _ in range(3 * PEER_MESSAGES_A_SECOND_MAX)
    ]
    assert heard.count(True) == PEER_MESSAGES_A_SECOND_MAX
    assert not network.agent.hears(network.now_ms, Flow(EVIL), 100)
    assert network.agent.hears(network.now_ms, Flow(SERVER), 100)
    assert network.agent.hears(network.now_ms + 1_000, Flow(EVIL), 100)


def test_each_telephone_that_rings_is_heard_and_after_the_answer_the_one_that_answered() -> None:
    """Their carrier leaves both in the way, so each sends its requests by itself."""
    agent = UserAgent(TRUNK, "secret")
    names = {"first.example": "192.0.2.21", "second.example": "192.0.2.22"}
    (sent,) = (one for one in agent.dial(0, dialling(), OURS) if isinstance(one, Send))
    invite = read_message(sent.data)

    def told(status: int, tag: str, *headers: tuple[str, str], body: bytes = b"") -> list[Output]:
        contact = ("Contact", f"<sip:callee@{tag}.example>")
        response = write_response(
            invite, status, "Text", Flow(HERE), to_tag=tag, headers=(contact, *headers), body=body
        )
        return agent.receive(1, response, Flow(SERVER))

    def asked(tag: str, cseq: int) -> list[int]:
        lines = (
            f"OPTIONS sip:anna@{HERE[0]} SIP/2.0",
            f"Via: SIP/2.0/UDP {names[f'{tag}.example']};branch=z9hG4bK{tag}{cseq}",
            f"From: {invite.header('To')};tag={tag}",
            f"To: {invite.header('From')}",
            f"Call-ID: {invite.call_id}",
            f"CSeq: {cseq} OPTIONS",
            "Content-Length: 0",
        )
        data = "\r\n".join([*lines, "", ""]).encode()
        outputs = agent.receive(2, data, Flow((names[f"{tag}.example"], 5060)))
        return [read_message(one.data).status for one in outputs if isinstance(one, Send)]

    for name, host in names.items():
        told(180, name.partition(".")[0])
        agent.resolved(1, LookUp(NextHop((name, 5060)), b""), host)
    assert (asked("first", 1), asked("second", 1)) == ([200], [200])
    told(200, "first", SDP, body=write_offer(THEIRS))
    assert (asked("first", 2), asked("second", 2)) == ([200], [])
