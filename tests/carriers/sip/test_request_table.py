"""Tests of the answers to requests within calls: each cell of the tables in the reference is sent and compared."""

from pathlib import Path
from typing import Final

import pytest

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.messages import Received, read_message, write_response
from dialer.carriers.sip.outputs import LegArrived, LegOver, Output, Send
from dialer.carriers.sip.sdp import write_offer
from dialer.carriers.sip.trunk import METHODS
from dialer.carriers.sip.user_agent import UserAgent
from tests.carriers.sip.calling import invitation, order_for
from tests.carriers.sip.network import HERE, OURS, SERVER, THEIRS, TRUNK, dialling

PAGE: Final = Path(__file__).parents[3] / "docs" / "reference" / "sip-requests.md"
PLACED: Final = ("Nothing has rung", "It rings (18x)", "Answered, without our ACK", "In the call", "We have hung up")
CAME_IN: Final = ("It rings", "Answered, without an ACK", "In the call", "We have hung up", "Refused by us")
CONTACT: Final = f"Contact: <sip:callee@{SERVER[0]}:{SERVER[1]}>"
DESCRIBED: Final = (("Contact", f"<sip:callee@{SERVER[0]}:{SERVER[1]}>"), ("Content-Type", "application/sdp"))
Cell = tuple[str, str, str]


def cells(states: tuple[str, ...]) -> list[Cell]:
    """Return each request, state and answer of one table of the page."""
    lines = PAGE.read_text().splitlines()
    head = next(
        place for place, line in enumerate(lines) if line.startswith(f"| Request of the other side | {states[0]} |")
    )
    found = []
    assert [cell.strip() for cell in lines[head].split("|")[2:-2]] == list(states)
    for line in lines[head + 2 :]:
        if not line.startswith("|"):
            break
        request, *answers = [cell.strip() for cell in line.split("|")[1:-2]]
        found += [(request, state, answer) for state, answer in zip(states, answers, strict=True)]
    return found


class Call:
    """A call in a state, and what the user agent sends when a request comes."""

    def __init__(self) -> None:
        self.agent = UserAgent(TRUNK, "secret")
        self.outputs: list[Output] = []
        self.ends = ("", "")
        """From and To of requests of the other side."""
        self.call_id = ""

    def take(self, outputs: list[Output]) -> list[Received]:
        """Keep what the user agent says, and return the messages."""
        self.outputs += outputs
        return [read_message(one.data) for one in outputs if isinstance(one, Send)]

    def receive(self, data: bytes) -> list[Received]:
        return self.take(self.agent.receive(10, data, Flow(SERVER)))

    def ask(
        self, method: str, *headers: str, cseq: int = 20, branch: str = "asked", body: bytes = b""
    ) -> list[Received]:
        """Send a request of the other side."""
        lines = [
            f"{method} sip:anna@{HERE[0]}:{HERE[1]} SIP/2.0",
            f"Via: SIP/2.0/UDP {SERVER[0]}:{SERVER[1]};branch=z9hG4bK{branch}",
            f"From: {self.ends[0]}",
            f"To: {self.ends[1]}",
            f"Call-ID: {self.call_id}",
            f"CSeq: {cseq} {method}",
            *headers,
            f"Content-Length: {len(body)}",
        ]
        return self.receive("\r\n".join([*lines, "", ""]).encode() + body)

    def cancel(self) -> list[Received]:
        return self.ask("CANCEL")

    @property
    def causes(self) -> list[int]:
        return [one.cause for one in self.outputs if isinstance(one, LegOver)]


def placed(state: str) -> Call:
    """Return a call that we placed."""
    call = Call()
    (invite,) = call.take(call.agent.dial(0, dialling(), OURS))
    call.call_id = invite.call_id
    call.ends = (f"{invite.header('To')};tag=callee", invite.header("From"))
    reached = PLACED.index(state)
    call.receive(write_response(invite, 100, "Trying", Flow(HERE)))
    if reached >= 1:
        call.receive(write_response(invite, 180, "Ringing", Flow(HERE), to_tag="callee"))
    if reached >= 2:
        call.receive(
            write_response(invite, 200, "OK", Flow(HERE), to_tag="callee", headers=DESCRIBED, body=write_offer(THEIRS))
        )
    if reached >= 3:
        call.take(call.agent.acknowledge(10, "k1"))
    if reached == 4:
        call.take(call.agent.clear(10, "k1", 16, "enough"))
    return call


class CallIn(Call):
    """A call that came in."""

    def cancel(self) -> list[Received]:
        data = invitation().partition(b"Content-Length")[0] + b"Content-Length: 0\r\n\r\n"
        return self.receive(data.replace(b"INVITE sip", b"CANCEL sip").replace(b"7 INVITE", b"7 CANCEL"))


def came_in(state: str) -> Call:
    """Return a call that came in."""
    call = CallIn()
    (ringing,) = call.receive(invitation())
    (arrived,) = (one for one in call.outputs if isinstance(one, LegArrived))
    call.call_id, call.ends = ringing.call_id, (ringing.header("From"), ringing.header("To"))
    reached = CAME_IN.index(state)
    if reached == 4:
        call.take(call.agent.clear(10, arrived.key, 17, "busy"))
        return call
    if reached >= 1:
        call.take(call.agent.answer(10, order_for(arrived), OURS))
    if reached >= 2:
        call.ask("ACK", cseq=7)
    if reached == 3:
        call.take(call.agent.clear(10, arrived.key, 16, "enough"))
    return call


def answers(call: Call, request: str) -> list[str]:
    """Return the answers to a request of the page, each as `status`, without those to other requests."""
    method, _, rest = request.partition(" ")
    body = write_offer(THEIRS) if method == "INVITE" or rest == "with a description" else b""
    described = ("Content-Type: application/sdp",) if body else ()
    sent = call.cancel() if method == "CANCEL" else call.ask(method, CONTACT, *described, body=body)
    return [str(one.status) for one in sent if one.status and one.method == method] or ["none"]


@pytest.mark.parametrize("cell", cells(PLACED), ids=" | ".join)
def test_each_request_within_a_call_that_we_placed_is_answered(cell: Cell) -> None:
    request, state, answer = cell
    assert answers(placed(state), request) == [answer]


@pytest.mark.parametrize("cell", cells(CAME_IN), ids=" | ".join)
def test_each_request_within_a_call_that_came_in_is_answered(cell: Cell) -> None:
    request, state, answer = cell
    assert answers(came_in(state), request) == [answer]


def test_the_tables_have_each_method_that_is_promised() -> None:
    for states in (PLACED, CAME_IN):
        assert {request.split()[0] for request, _, _ in cells(states)} == {*METHODS.split(", "), "REFER"}


@pytest.mark.parametrize("state", PLACED[1:4])
def test_a_request_that_comes_again_gets_the_same_answer_and_an_older_one_is_refused(state: str) -> None:
    call = placed(state)
    statuses = [
        call.ask("INFO", "Content-Type: application/dtmf-relay", branch="one", body=b"Signal=1\r\n")[0].status,
        call.ask("INFO", "Content-Type: application/dtmf-relay", branch="one", body=b"Signal=1\r\n")[0].status,
        call.ask("INFO", cseq=19, branch="older")[0].status,
    ]
    assert statuses == [200, 200, 500]


@pytest.mark.parametrize(
    "call", [placed("It rings (18x)"), placed("In the call"), came_in("It rings"), came_in("In the call")]
)
def test_an_extension_that_is_not_known_is_refused_in_each_dialog(call: Call) -> None:
    (refused,) = call.ask("UPDATE", CONTACT, "Require: timer, 100rel")
    assert (refused.status, refused.header("Unsupported")) == (420, "100rel")


@pytest.mark.parametrize(
    "call", [placed("It rings (18x)"), placed("In the call"), came_in("It rings"), came_in("In the call")]
)
def test_an_info_with_a_body_that_is_not_understood_is_refused_in_each_dialog(call: Call) -> None:
    (refused,) = call.ask("INFO", "Content-Type: text/plain", body=b"Hello")
    assert (refused.status, refused.header("Accept").split(", ")[0]) == (415, "application/dtmf-relay")


def test_a_telephone_that_hangs_up_while_it_rings_ends_the_call() -> None:
    call = placed("It rings (18x)")
    (answered, cancel) = call.ask("BYE", "Reason: Q.850;cause=21")
    assert (answered.status, cancel.method) == (200, "CANCEL")
    invite = read_message(next(one.data for one in call.outputs if isinstance(one, Send)))
    call.receive(write_response(invite, 487, "Request Terminated", Flow(HERE), to_tag="callee"))
    assert call.causes == [21]


def test_a_caller_who_hangs_up_while_it_rings_gets_an_answer_to_both_requests() -> None:
    call = came_in("It rings")
    assert [(one.status, one.method) for one in call.ask("BYE")] == [(200, "BYE"), (487, "INVITE")]
    assert call.causes == [16]


def test_our_own_invite_that_comes_back_is_a_loop() -> None:
    call = placed("Nothing has rung")
    sent = next(one.data for one in call.outputs if isinstance(one, Send))
    (refused,) = call.receive(sent.replace(b"branch=z9hG4bK", b"branch=z9hG4bKproxy"))
    assert refused.status == 482


def test_a_place_that_an_update_tells_while_it_rings_gets_our_bye() -> None:
    call = CallIn()
    (ringing,) = call.receive(invitation())
    call.call_id, call.ends = ringing.call_id, (ringing.header("From"), ringing.header("To"))
    call.ask("UPDATE", "Contact: <sip:moved@192.0.2.10:5099>", cseq=8)
    (arrived,) = (one for one in call.outputs if isinstance(one, LegArrived))
    call.take(call.agent.answer(10, order_for(arrived), OURS))
    call.ask("ACK", cseq=7, branch="ack")
    (bye,) = call.take(call.agent.clear(10, arrived.key, 16, "enough"))
    assert str(getattr(bye.message, "uri", "")) == "sip:moved@192.0.2.10:5099"


@pytest.mark.parametrize("refused_by", ["488", "486", "cancelled"])
def test_a_call_that_is_tried_again_with_a_higher_cseq_rings(refused_by: str) -> None:
    call = came_in("It rings")
    (arrived,) = (one for one in call.outputs if isinstance(one, LegArrived))
    if refused_by == "cancelled":
        call.cancel()
    else:
        call.take(call.agent.clear(10, arrived.key, 88 if refused_by == "488" else 17, "no"))
    call.ask("ACK", cseq=7, branch="in1")
    again = invitation().replace(b"z9hG4bKin1", b"z9hG4bKin2").replace(b"CSeq: 7", b"CSeq: 8")
    assert [one.status for one in call.receive(again)] == [180]
    keys = [one.key for one in call.outputs if isinstance(one, LegArrived)]
    assert len(set(keys)) == 2
    assert [one.status for one in call.receive(again.replace(b"in2", b"in3"))] == [482]


def test_an_ack_of_the_loop_is_none_of_the_answer() -> None:
    call = came_in("Answered, without an ACK")
    (loop,) = call.receive(invitation().replace(b"z9hG4bKin1", b"z9hG4bKin2"))
    call.ends = (call.ends[0], loop.header("To"))
    before = len(call.outputs)
    call.ask("ACK", cseq=7, branch="in2")
    assert (loop.status, call.outputs[before:]) == (482, [])
