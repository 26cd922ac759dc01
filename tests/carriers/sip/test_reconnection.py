"""Tests of what is sent over a new connection to the carrier, after the one before is lost."""

from dialer.carriers.sip.flows import Flow, Transport
from dialer.carriers.sip.messages import read_message, write_response
from dialer.carriers.sip.outputs import Output, Send
from dialer.carriers.sip.sdp import SDP_TYPE, write_offer
from dialer.carriers.sip.trunk import Trunk
from dialer.carriers.sip.user_agent import UserAgent
from tests.carriers.sip.network import OURS, THEIRS, dialling


def trunk(port: int) -> Trunk:
    """Return a carrier over TLS that finds us at a port."""
    server = Flow(("192.0.2.9", 5_061), Transport.TLS)
    return Trunk(server=server, domain="carrier.example", here=("192.0.2.1", port), asks_options=False)


def invites(outputs: list[Output]) -> list[str]:
    """Return the branches of the INVITEs among outputs."""
    sent = [read_message(output.data) for output in outputs if isinstance(output, Send)]
    return [message.branch for message in sent if message.method == "INVITE"]


def test_an_invite_goes_again_to_its_own_server_and_never_after_another_one() -> None:
    agent = UserAgent(trunk(1), "secret")
    agent.open(0)
    [branch] = invites(agent.dial(0, dialling(), OURS))
    assert invites(agent.reopen(2_000, trunk(2), is_same_server=True)) == [branch]
    assert invites(agent.reopen(4_000, trunk(3), is_same_server=False)) == []
    # The other server is the one of before now, and does not know the INVITE all the same.
    assert invites(agent.reopen(6_000, trunk(4), is_same_server=True)) == []


def test_a_call_that_is_withdrawn_is_not_placed_over_the_next_connection() -> None:
    agent = UserAgent(trunk(1), "secret")
    agent.open(0)
    assert invites(agent.withdraw(0, dialling(), OURS)) == []
    assert invites(agent.reopen(5_000, trunk(2), is_same_server=True)) == []


def test_a_call_that_rang_meanwhile_tells_where_we_are_now_once_it_is_up() -> None:
    agent = UserAgent(trunk(1), "secret")
    agent.open(0)
    [sent] = [output for output in agent.dial(0, dialling(), OURS) if isinstance(output, Send)]
    invite, server = read_message(sent.data), Flow(("192.0.2.9", 5_061), Transport.TLS)
    agent.receive(100, write_response(invite, 180, "Ringing", server, to_tag="t"), server)
    assert invites(agent.reopen(2_000, trunk(2), is_same_server=True)) == []
    headers = (("Contact", "<sip:callee@192.0.2.9>"), SDP_TYPE)
    answer = write_response(invite, 200, "OK", server, to_tag="t", headers=headers, body=write_offer(THEIRS))
    assert invites(agent.receive(3_000, answer, server)) == []
    acknowledged = agent.acknowledge(3_100, "k1")
    assert len(invites(acknowledged)) == 1
    contacts = [read_message(output.data).header("Contact") for output in acknowledged if isinstance(output, Send)]
    assert contacts[-1] == "<sip:dialer@192.0.2.1:2;transport=tls>"
