"""Tests of strangers: credentials go to the carrier alone, a dialog belongs to its two ends (RFC 3261 12, 22, 26)."""

from random import Random
from typing import Final, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.sip import allowed_hosts
from dialer.carriers.sip.flows import Flow, NextHop
from dialer.carriers.sip.messages import Received, read_message
from dialer.carriers.sip.outputs import LegAnswered, LegArrived, LookUp, Send, SoundAgreed
from dialer.carriers.sip.trunk import Trunk
from dialer.carriers.sip.user_agent import PEER_BYTES_MAX, UserAgent
from tests.carriers.sip.calling import Calling, invitation
from tests.carriers.sip.network import HERE, OURS, SERVER, TRUNK, Callee, Network, dialling
from tests.carriers.sip.strangers import CHALLENGES, EVIL, SETTLED_MS, Tapped, challenge, request, story
from tests.carriers.sip.test_leg import Owned

AnyNetwork = TypeVar("AnyNetwork", bound=Network)
LISTED: Final = replace(TRUNK, networks=("198.51.100.0/24",))


class Asked(Owned):
    """A telephone whose carrier wants a password for INVITE and BYE."""

    def receive(self, message: Received) -> None:
        if message.method in {"INVITE", "BYE"} and not message.header("Proxy-Authorization"):
            self.network.to_us(challenge(message, *CHALLENGES[1]))
        else:
            super().receive(message)


def placed(network: AnyNetwork) -> AnyNetwork:
    """Place a call, and let everything happen."""
    network.take(network.agent.dial(0, dialling(talk_ms=5_000), OURS))
    network.run(SETTLED_MS)
    return network


def answered(network: AnyNetwork, phone: Calling) -> AnyNetwork:
    """Let a telephone call, and let everything happen."""
    phone.call()
    network.run(SETTLED_MS)
    return network


@given(st.randoms(use_true_random=False))
def test_strangers_get_no_credentials_and_change_no_call_that_we_place(chance: Random) -> None:
    calm, tapped = placed(Network(Asked())), placed(Tapped(Asked(), chance, TRUNK))
    assert story(tapped) == story(calm)
    assert (tapped.caused, tapped.to_strangers) == ([], [])


@given(st.randoms(use_true_random=False))
def test_strangers_get_no_credentials_and_change_no_call_that_comes_in(chance: Random) -> None:
    """Here the stranger even knows the tags."""
    phones = [Calling(talks_ms=None), Calling(talks_ms=None)]
    calm, tapped = answered(Network(phones[0]), phones[0]), Tapped(phones[1], chance, TRUNK)
    answered(tapped, phones[1])
    assert story(tapped) == story(calm)
    assert (tapped.caused, tapped.to_strangers, tapped.with_credentials) == ([], [], [])


def test_the_stranger_is_noticed_if_everybody_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted bug: the source of a message is not looked at."""
    monkeypatch.setattr(allowed_hosts.Peers, "is_end", lambda *_: True)
    monkeypatch.setattr(UserAgent, "hears", lambda *_: True)
    stories = []
    for seed in range(20):
        tapped = placed(Tapped(Asked(), Random(seed), TRUNK))  # noqa: S311 - chance makes attacks, never a secret
        stories.append((story(tapped) == story(placed(Network(Asked()))), bool(tapped.caused)))
    assert (False, True) in stories


def test_the_stranger_is_noticed_if_credentials_go_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted bug: a challenge is answered wherever the request went."""
    assert leaked(Trunk.is_of) == []
    monkeypatch.setattr(Trunk, "is_of", lambda *_: True)
    assert leaked(Trunk.is_of) != []


def leaked(_is_of: object) -> list[Send]:
    """Return what a callee whose Contact is elsewhere gets by asking for a password for the realm of the carrier."""

    class Elsewhere(Asked):
        def answer(self) -> None:
            if self.invite is not None:
                contact = (("Contact", f"<sip:evil@{EVIL[0]}>"), ("Content-Type", "application/sdp"))
                self.respond(self.invite, 200, contact, OFFER)

        def receive(self, message: Received) -> None:
            if message.method == "BYE":
                outputs = self.network.agent.receive(
                    self.network.now_ms, challenge(message, *CHALLENGES[1]), Flow((EVIL[0], 5060))
                )
                self.network.take(outputs)
            else:
                super().receive(message)

    tapped = placed(Tapped(Elsewhere(), Random(0), TRUNK))  # noqa: S311 - chance makes attacks, never a secret
    return [one for one in tapped.to_strangers if b"Authorization:" in one.data]


OFFER: Final = invitation().partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize(("line", "header"), CHALLENGES)
def test_a_bye_of_a_call_that_came_in_never_carries_credentials(line: str, header: str) -> None:
    """A caller can ask for them, from behind the carrier (RFC 3261 22.2)."""

    class Asking(Calling):
        def receive(self, message: Received) -> None:
            if message.method == "BYE" and not message.status:
                self.byes += 1
                self.network.to_us(challenge(message, line, header))
            else:
                super().receive(message)

    phone = Asking(talks_ms=None)
    network = answered(Network(phone), phone)
    assert (phone.byes, network.lines) == (1, ["180", "200", "BYE"])


def test_credentials_are_given_for_the_realms_of_the_carrier_only() -> None:
    """A challenge to a BYE has the realm of the INVITE's, or is somebody else's (RFC 3261 22.1)."""

    class Doubtful(Asked):
        def receive(self, message: Received) -> None:
            if message.method == "BYE":
                self.byes += 1
                self.network.to_us(challenge(message, *CHALLENGES[1], realm="evil.example"))
            else:
                super().receive(message)

    callee = Doubtful()
    network = placed(Network(callee))
    assert (callee.byes, network.lines) == (1, ["INVITE", "ACK", "INVITE", "ACK", "BYE"])


def test_the_tag_of_our_end_cannot_be_guessed() -> None:
    """RFC 3261 19.3: 32 bits of chance at least. Two services give one call two tags."""
    tags = set()
    for secret in ("one", "two"):
        (told,) = (
            one for one in UserAgent(TRUNK, secret).receive(0, invitation(), Flow(SERVER)) if isinstance(one, Send)
        )
        tags.add(read_message(told.data).to_tag)
    assert [len(tag) for tag in tags] == [20, 20]


def test_nothing_is_sent_to_where_a_call_wants_its_sound_before_its_ack() -> None:
    """The forger of a source never sees the tag that the ACK needs (RFC 3261 13.3.1.4)."""
    phone = Calling(talks_ms=None)
    real, phone.request_bytes = phone.request_bytes, lambda *_: b""  # type: ignore[method-assign] # it never acknowledges
    network = Network(phone)
    phone.call()
    network.run(10_000)
    assert [one for one in network.told if isinstance(one, SoundAgreed | LegAnswered)] == []
    phone.request_bytes = real  # type: ignore[method-assign] # now it does
    network.to_us(real("ACK", 7, "ack"))
    network.run(11_000)
    assert [type(one) for one in network.told] == [LegArrived, LegAnswered, SoundAgreed]


def test_an_ack_with_another_tag_acknowledges_nothing() -> None:
    """The forger of a source can forge an ACK, too, but does not know the tag (RFC 3261 12.2.2, 13.3.1.4)."""
    phone = Calling(talks_ms=None)
    real, phone.request_bytes = phone.request_bytes, lambda *_: b""  # type: ignore[method-assign] # it never acknowledges
    network = Network(phone)
    phone.call()
    network.run(2_000)
    tag, phone.tag = phone.tag, "guess"
    network.to_us(real("ACK", 7, "ack"))
    network.run(9_000)
    assert [type(one) for one in network.told] == [LegArrived]
    phone.tag = tag
    network.to_us(real("ACK", 7, "ack").replace(b";tag=zoe", b";tag=other"))
    network.run(network.now_ms + 10)
    assert [type(one) for one in network.told] == [LegArrived]
    network.to_us(real("ACK", 7, "ack"))
    network.run(network.now_ms + 10)
    assert [type(one) for one in network.told] == [LegArrived, LegAnswered, SoundAgreed]


@pytest.mark.parametrize("method", ["INVITE", "OPTIONS", "CANCEL", "BYE", "INFO", "UPDATE", "ACK"])
def test_the_forger_of_a_call_does_not_learn_its_tag_at_its_contact(method: str) -> None:
    """The INVITE names the forger's own address as Contact, from where requests are heard (RFC 3261 12.2.2)."""
    direct = invitation().replace(b"Record-Route: <sip:192.0.2.10;lr>\r\n", b"")
    phone = Calling(talks_ms=None, data=direct.replace(b"<sip:zoe@192.0.2.10:5060>", b"<sip:zoe@203.0.113.66>"))
    phone.request_bytes = lambda *_: b""  # type: ignore[method-assign] # it never acknowledges
    network = Network(phone)
    phone.call()
    network.run(2_000)
    (tag,) = {one.to_tag for one in network.sent if one.status == 200}
    for data in (invitation(), request(read_message(invitation()), method, 9)):
        outputs = network.agent.receive(network.now_ms, data.replace(b"bKin1", b"bKin2"), Flow(EVIL))
        assert not [one for one in outputs if isinstance(one, Send) and tag.encode() in one.data]
        network.take(outputs)
    assert not [one for one in network.told if isinstance(one, SoundAgreed | LegAnswered)]


@pytest.mark.parametrize(
    ("host", "is_taken"),
    [
        ("192.0.2.10", True),
        ("198.18.0.1", True),
        ("10.1.2.3", True),
        ("127.0.0.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("169.254.169.254", False),
        ("::1", False),
        ("::ffff:127.0.0.1", False),
        ("ff02::1", False),
    ],
)
def test_sound_is_sent_to_one_host_that_is_not_this_machine(host: str, is_taken: bool) -> None:  # noqa: FBT001 - a parameter
    offer = OFFER.replace(b"IN IP4 192.0.2.10", f"IN IP{6 if ':' in host else 4} {host}".encode())
    phone = Calling(data=invitation(body=offer))
    answered(Network(phone), phone)
    assert phone.status == (200 if is_taken else 488)


def test_sound_may_be_limited_to_the_networks_of_the_carrier() -> None:
    limited = replace(TRUNK, sound_networks=("198.51.100.0/24",))
    hosts = ("192.0.2.10", "198.51.100.7", "203.0.113.5")
    assert [limited.may_sound_be_at(host) for host in hosts] == [True, True, False]
    at_home = replace(TRUNK, server=Flow(("127.0.0.1", 5060)))
    assert [at_home.may_sound_be_at(host) for host in ("127.0.0.1", "127.0.0.2")] == [True, False]
    listed = replace(at_home, sound_networks=("127.0.0.0/8",))
    assert [listed.may_sound_be_at(host) for host in ("127.0.0.2", "192.0.2.10")] == [True, False]


def test_strangers_are_not_even_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a long message from the other end of a call, which is not the carrier."""
    read: list[int] = []
    monkeypatch.setattr("dialer.carriers.sip.user_agent.read_message", lambda data: read.append(len(data)))
    agent = UserAgent(LISTED, "secret")
    assert agent.receive(0, invitation(), Flow(EVIL)) == []
    assert read == []
    assert [agent.hears(0, Flow(source), 9_000) for source in (SERVER, ("198.51.100.9", 9), EVIL)] == [
        True,
        True,
        False,
    ]


def test_the_other_end_of_a_call_is_heard_where_its_contact_says() -> None:
    """A telephone may send its BYE past the carrier (RFC 3261 12.2.1.1), in messages of a usual size."""

    class Elsewhere(Owned):
        def answer(self) -> None:
            if self.invite is not None:
                contact = (("Contact", f"<sip:z@{EVIL[0]}>"), ("Content-Type", "application/sdp"))
                self.respond(self.invite, 200, contact, OFFER)

    callee = Elsewhere()
    network = Network(callee)
    network.take(network.agent.dial(0, dialling(), OURS))
    network.run(2_000)
    assert not network.agent.hears(network.now_ms, Flow(EVIL), PEER_BYTES_MAX + 1)
    assert callee.invite is not None
    bye = request(callee.invite, "BYE", 8).replace(b"\r\nTo: ", b";tag=callee\r\nTo: ", 1)
    for source, ends in ((("203.0.113.67", 5060), []), (EVIL, [("k1", 16)])):
        network.take(network.agent.receive(network.now_ms, bye, Flow(source)))
        assert network.ends == ends
    network.run(SETTLED_MS)
    assert not network.agent.hears(network.now_ms, Flow(EVIL), 100)


def test_a_name_in_a_contact_is_heard_once_its_address_is_known() -> None:
    class Named(Owned):
        def answer(self) -> None:
            if self.invite is not None:
                contact = (("Contact", "<sip:z@phone.example>"), ("Content-Type", "application/sdp"))
                self.respond(self.invite, 200, contact, OFFER)

    network = Network(Named())
    network.take(network.agent.dial(0, dialling(), OURS))
    network.run(2_000)
    assert not network.agent.hears(network.now_ms, Flow(EVIL), 100)
    asked, found = LookUp(NextHop(("phone.example", 5060)), b"the ACK", "k1"), Flow((EVIL[0], 5060))
    assert network.agent.resolved(network.now_ms, asked, EVIL[0]) == [Send(found, b"the ACK", "k1")]
    assert network.agent.hears(network.now_ms, Flow(EVIL), 100)
    outputs = network.agent.clear(network.now_ms, "k1", 16, "")
    assert [one.flow for one in outputs if isinstance(one, Send)] == [found]


def test_replies_without_rport_go_to_the_port_of_the_via() -> None:
    """RFC 3261 18.2.2; with `rport`, they go to where the request came from (RFC 3581 4)."""
    found = []
    for via, port in ((b":5066;branch", 5066), (b";branch", 5060), (b":5066;rport;branch", 4_444)):
        data = invitation().replace(b":5060;branch=z9hG4bKin1;rport", via + b"=z9hG4bKin1")
        outputs = UserAgent(TRUNK, "secret").receive(0, data, Flow((SERVER[0], 4_444)))
        found.append([one.flow for one in outputs if isinstance(one, Send)] == [Flow((SERVER[0], port))])
    assert found == [True] * 3


def test_here_is_no_stranger() -> None:
    """A service and its carrier may be on one machine."""
    callee = Callee()
    network = Network(callee, trunk=replace(TRUNK, server=Flow((HERE[0], 5060))))
    assert network.agent.hears(network.now_ms, Flow((HERE[0], 5060)), 10_000)
