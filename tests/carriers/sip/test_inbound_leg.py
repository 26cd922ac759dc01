"""Tests of calls that come in over SIP."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.leg import read_handle
from dialer.carriers.sip.messages import read_message
from dialer.carriers.sip.outputs import LegAnswered, LegArrived, LegOver, Send, SoundAgreed
from dialer.carriers.sip.sdp import write_offer
from dialer.carriers.sip.user_agent import ARRIVALS_PER_S_MAX, UserAgent
from tests.carriers.sip.calling import Calling, accept, invitation, order_for
from tests.carriers.sip.network import OURS, SERVER, THEIRS, TRUNK, Network, at_once


def called(phone: Calling, fate: Callable[[int], tuple[int, ...]] = at_once) -> Network:
    """Let a telephone call us, until nothing is left to happen."""
    network = Network(phone, fate)
    phone.call()
    network.run()
    return network


def refusing(cause: int) -> Calling:
    """Return a telephone whose call is refused."""

    def refuse(phone: Calling, arrived: LegArrived) -> None:
        phone.network.take(phone.network.agent.clear(phone.network.now_ms, arrived.key, cause, "no"))

    return Calling(decides=refuse)


def test_a_call_rings_is_answered_and_ends() -> None:
    phone = Calling()
    network = called(phone)
    (arrived,) = phone.arrivals
    assert (arrived.called, arrived.caller) == ("+12025550199", "+12025550999")
    assert network.lines == ["180", "200", "200"]
    assert network.sent[1].header("Record-Route") == "<sip:192.0.2.10;lr>"
    assert (network.ends, phone.is_over) == ([(arrived.key, 16)], True)
    assert len(network.agent) == 0


def test_we_may_hang_up_first() -> None:
    phone = Calling(talks_ms=None)
    network = called(phone)
    assert (network.lines, phone.byes) == (["180", "200", "BYE"], 1)
    assert network.ends == [(phone.arrivals[0].key, 16)]


@pytest.mark.parametrize(("cause", "status"), [(1, 404), (17, 486), (34, 503), (41, 503), (16, 480)])
def test_a_refusal_has_the_status_of_its_cause(cause: int, status: int) -> None:
    phone = refusing(cause)
    network = called(phone)
    assert (phone.status, phone.is_over) == (status, True)
    assert (network.ends, network.lines) == ([(phone.arrivals[0].key, cause)], ["180", str(status)])
    assert network.sent[-1].header("Reason") == f"Q.850;cause={cause}"


def test_a_caller_who_gives_up_is_over() -> None:
    phone = Calling(decides_ms=2_000, cancels_ms=1_000)
    network = called(phone)
    assert (network.lines, phone.status) == (["180", "200", "487"], 487)
    assert network.ends == [(phone.arrivals[0].key, 16)]


def test_a_call_about_which_nobody_decides_is_refused() -> None:
    phone = Calling(decides_ms=30_000)
    network = called(phone)
    assert (phone.status, network.ends) == (503, [(phone.arrivals[0].key, 41)])


def test_an_answer_without_an_ack_is_repeated_and_hung_up_in_the_end() -> None:
    """All but the INVITE is lost on the way to us."""
    phone = Calling(talks_ms=None)
    network = called(phone, fate=lambda number: (1,) if number < 3 else (1,) if number % 2 else ())
    assert network.ends[-1][1] in {16, 102}
    lost = Calling(talks_ms=None)
    lost.request_bytes = lambda *_: b""  # type: ignore[method-assign] # it never acknowledges
    network = called(lost)
    assert network.ends == [(lost.arrivals[0].key, 102)]
    assert network.lines.count("200") > 5
    assert network.lines[-1] == "BYE"


def test_a_second_process_answers_a_call_of_the_first() -> None:
    """Its 200 is the same but for the version of its sound, so the other side takes it for a repetition."""
    answers = []

    def by_another(phone: Calling, arrived: LegArrived) -> None:
        phone.network.restart()
        accept(phone, arrived)

    for decides in (accept, by_another):
        phone = Calling(decides=decides)
        network = called(phone)
        assert network.ends == [(phone.arrivals[0].key, 16)]
        answers.append(network.sent[1].message)
    assert answers[0].body == answers[1].body
    assert answers[0].to_address == answers[1].to_address


def test_a_third_process_takes_the_call_up() -> None:
    phone = Calling(talks_ms=9_000)
    network = Network(phone)
    phone.call()
    network.run(2_000)
    (answered,) = (one for one in network.told if isinstance(one, LegAnswered))
    network.restart()
    order = order_for(phone.arrivals[0])
    network.take(network.agent.take_up(network.now_ms, order, read_handle(answered.handle)))
    network.run()
    assert network.lines == ["180", "200", "INVITE", "ACK", "200"]
    assert network.ends == [(phone.arrivals[0].key, 16)]


@pytest.mark.parametrize(
    ("headers", "called_number", "caller"),
    [
        (("P-Asserted-Identity: <tel:+12025550888>",), "+12025550199", "+12025550888"),
        (("P-Asserted-Identity: <sip:+12025550888;npdi@x.example>", "Privacy: id"), "+12025550199", ""),
        (("P-Asserted-Identity: nonsense",), "anna", "+12025550999"),
        ((), "support", "+12025550999"),
        # Both values may be in one header, in any order (RFC 3325 9.1).
        (("P-Asserted-Identity: <sip:anna@x.example>, <tel:+12025550141>",), "+12025550199", "+12025550141"),
        (("P-Asserted-Identity: <tel:+12025550141>, <sip:anna@x.example>",), "+12025550199", "+12025550141"),
        (
            ("P-Asserted-Identity: <sip:anna@x>", 'P-Asserted-Identity: "B, C" <TEL:+1-202-555-0141>'),
            "1",
            "+1-202-555-0141",
        ),
        # A local number is within its context (RFC 3966 5.1.5).
        (("P-Asserted-Identity: <tel:2025550141;phone-context=+1>",), "2025550166;phone-context=+1", "+12025550141"),
        (("P-Asserted-Identity: <sip:202-555-0141;Phone-Context=+1@x;user=phone>",), "1", "+12025550141"),
        (("P-Asserted-Identity: <tel:8631;phone-context=pbx.example>",), "1", "8631"),
        (("P-Asserted-Identity: <tel:1234567;phone-context=+1-914-555>",), "1", "1234567"),
    ],
)
def test_numbers_are_those_that_the_trunk_vouches_for(
    headers: tuple[str, ...], called_number: str, caller: str
) -> None:
    """A request URI that only names our account leaves the number to To."""
    data = invitation(called_number, headers=headers)
    if called_number == "anna":
        data = data.replace(b"To: <sip:anna@", b"To: <sip:+12025550199@")
        called_number = "+12025550199"
    if "phone-context" in called_number:
        called_number = "+12025550166"
    phone = Calling(data=data)
    called(phone)
    assert [(one.called, one.caller) for one in phone.arrivals] == [(called_number, caller)]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (invitation(headers=("Require: 100rel",)), 420),
        (invitation(headers=("Session-Expires: 10", "Supported: 100rel, timer")), 422),
        (invitation(headers=tuple(f"X-{place}: {'x' * 900}" for place in range(10))), 513),
        (invitation(body=b"v=0\r\n"), 488),
    ],
)
def test_what_cannot_be_answered_is_refused(data: bytes, status: int) -> None:
    phone = Calling(data=data)
    called(phone)
    assert phone.status == status


@pytest.mark.parametrize(
    ("headers", "session", "requires", "refreshes"),
    [
        # RFC 4028 9, table 2: without support, it is always us who refreshes.
        (("Session-Expires: 90",), "90;refresher=uas", "", True),
        (("x: 90;refresher=uac",), "90;refresher=uas", "", True),
        (("x: 90;refresher=uas", "k: path"), "90;refresher=uas", "", True),
        (("Session-Expires: 90", "Supported: path , Timer"), "90;refresher=uac", "timer", False),
        (("Session-Expires: 90;Refresher=UAC", "Supported: path", "k: timer"), "90;refresher=uac", "timer", False),
        (("Session-Expires: 90;refresher=uas", "Require: timer"), "90;refresher=uas", "timer", True),
        # A caller who knows no timers cannot be told that the interval is too short.
        (("Session-Expires: 60",), "", "", None),
        ((), "", "", None),
    ],
)
def test_a_session_timer_is_what_the_other_side_understands(
    headers: tuple[str, ...],
    session: str,
    requires: str,
    refreshes: bool | None,  # noqa: FBT001 - a parameter
) -> None:
    def accept_for_long(phone: Calling, arrived: LegArrived) -> None:
        order = replace(order_for(arrived), talk_limit_ms=100_000)
        phone.network.take(phone.network.agent.answer(phone.network.now_ms, order, OURS))

    phone = Calling(decides=accept_for_long, data=invitation(headers=headers), talks_ms=None)
    network = Network(phone)
    phone.call()
    network.run(59_000)
    answer = network.sent[1]
    assert (answer.status, answer.header("Session-Expires"), answer.header("Require")) == (200, session, requires)
    assert network.lines[2:3] == (["INVITE"] if refreshes else [])
    network.run(80_000)
    assert (network.ends == [(phone.arrivals[0].key, 102)]) == (refreshes is False)


def test_the_description_of_the_caller_may_come_with_the_ack() -> None:
    phone = Calling(data=invitation(body=b""), acks_with=("application/sdp", write_offer(THEIRS)))
    network = called(phone)
    assert b"m=audio" in network.sent[1].message.body
    places = {(one.sound.host, one.sound.port) for one in network.told if isinstance(one, SoundAgreed)}
    assert places == {(THEIRS.host, THEIRS.port)}
    assert network.ends == [(phone.arrivals[0].key, 16)]


@pytest.mark.parametrize("acks_with", [("", b""), ("text/plain", b"hello"), ("application/sdp", b"v=0\r\n")])
def test_a_call_whose_caller_describes_no_sound_is_hung_up(acks_with: tuple[str, bytes]) -> None:
    phone = Calling(data=invitation(body=b""), acks_with=acks_with, talks_ms=None)
    network = called(phone)
    assert (network.ends, phone.byes) == ([(phone.arrivals[0].key, 88)], 1)
    assert [one for one in network.told if isinstance(one, LegAnswered)] == []


def test_an_ack_that_owes_no_answer_may_have_any_body() -> None:
    phone = Calling(acks_with=("text/plain", b"hello"))
    assert called(phone).ends == [(phone.arrivals[0].key, 16)]


def test_the_same_call_by_another_way_is_no_second_call() -> None:
    phone = Calling()
    network = Network(phone)
    phone.call()
    network.to_us(invitation().replace(b"z9hG4bKin1", b"z9hG4bKin2"))
    network.run(1_000)
    assert (len(phone.arrivals), "482" in network.lines) == (1, True)


def test_only_the_trunk_and_its_networks_are_heard() -> None:
    agent = UserAgent(replace(TRUNK, networks=("198.51.100.0/24",)), "secret")
    heard = [agent.receive(0, invitation(), Flow((host, 5060))) for host in ("203.0.113.7", "198.51.100.7", SERVER[0])]
    assert [any(isinstance(one, LegArrived) for one in outputs) for outputs in heard] == [False, True, False]
    assert heard[0] == []


def test_too_many_calls_within_a_second_are_refused() -> None:
    agent = UserAgent(TRUNK, "secret")
    for place in range(ARRIVALS_PER_S_MAX):
        agent.receive(0, invitation().replace(b"a1@", b"%d@" % place), Flow(SERVER))
    outputs = agent.receive(0, invitation(), Flow(SERVER))
    (refused,) = (read_message(one.data) for one in outputs if isinstance(one, Send))
    assert (refused.status, refused.header("Retry-After")) == (503, "1")


@given(
    st.randoms(use_true_random=False),
    st.sampled_from([0, 300, 25_000]),
    st.sampled_from([None, 200, 700]),
    st.sampled_from([None, 900, 9_000]),
    st.booleans(),
)
def test_over_a_bad_network_every_call_is_one_and_nothing_stays_up(
    chance: Random,
    decides_ms: int,
    cancels_ms: int | None,
    talks_ms: int | None,
    refuses: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    """The network loses, doubles and delays for a while."""

    def fate(number: int) -> tuple[int, ...]:
        if number > 60:
            return (1,)
        return chance.choice([(), (1,), (1,), (1, 30), (700,), (5, 2_500)])

    decides = refusing(17)._decides if refuses else accept  # noqa: SLF001 - the other decision
    phone = Calling(decides=decides, decides_ms=decides_ms, cancels_ms=cancels_ms, talks_ms=talks_ms)
    network = called(phone, fate)
    assert len(phone.arrivals) <= 1
    assert len([one for one in network.told if isinstance(one, LegOver)]) == len(phone.arrivals)
    assert len([one for one in network.told if isinstance(one, LegAnswered)]) <= 1
    assert (phone.is_over, len(network.agent)) == (True, 0)
