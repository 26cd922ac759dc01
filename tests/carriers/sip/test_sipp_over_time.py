"""Calls to sipp that depend on time or on losses: session timers, refreshes that cross, registrations, OPTIONS."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from dialer.carriers.sip.outputs import LegAnswered
from tests.carriers.sip.sipp import (
    ANSWERS,
    CHALLENGE,
    CLEARED,
    CONTACT,
    HANGS_UP,
    KEEPS,
    OK_SDP,
    RE_INVITE,
    RINGS,
    TAGGED,
    WITHIN,
    grants,
    late,
    own,
    receive,
    refuses,
    registrar,
    running,
    send,
    wanted,
)
from tests.carriers.sip.still_phone import Noise, StillPhone, silence, still_phone, still_trunk
from tests.carriers.sip.test_sipp import free_port
from tests.optional_tools import find_tool

US: Final = "Session-Expires: 90;refresher=uac"
THEM: Final = "Session-Expires: 90;refresher=uas"
TOO_SMALL: Final = "422 Session Interval Too Small"
REFRESHED: Final = send("SIP/2.0 200 OK", f"{WITHIN}\n{CONTACT}\n{US}", OK_SDP) + receive("ACK")
REPEATS: Final = '<send retrans="50">'
"""A step of sipp that sends its message again until it is answered."""


def answers(header: str) -> str:
    """Return the steps of a telephone that rings and answers, with a header in its 200."""
    return RINGS + send("SIP/2.0 200 OK", f"{TAGGED}\n{CONTACT}\n{header}", OK_SDP) + receive("ACK")


def torn(data: bytes) -> Iterator[bytes]:
    """Give all beginnings of a datagram, and bytes that are no message at all."""
    yield from (data[:length] for length in range(0, len(data), 3))
    yield from (b"\0" * 100, b"\r\n\r\n", data[::-1], b"SIP/2.0 200 OK\r\n\r\n")


async def in_call(phone: StillPhone) -> None:
    """Call, and acknowledge the answer."""
    await phone.rings()
    await phone.hears("200 INVITE")
    phone.acknowledge()


async def test_a_session_is_refreshed_by_us_in_time(tmp_path: Path) -> None:
    refreshes = receive("INVITE", wanted(US.partition(" ")[2], "Session-Expires:", 9)) + REFRESHED
    with still_phone(tmp_path, answers(US) + 2 * refreshes + HANGS_UP, expires_s=90) as phone:
        await in_call(phone)
        for _ in range(2):
            phone.pass_s(44)
            phone.sent.clear()
            phone.pass_s(1)
            await phone.hears("200 INVITE")
            assert phone.sent == ["INVITE", "ACK"]
        await phone.hears("BYE")
    assert phone.ends == [27]


async def test_a_refresh_that_wants_a_password_is_acknowledged_with_it(tmp_path: Path) -> None:
    """As RFC 3261, section 22.1, wants it of an ACK. Its realm is the one of the call's first INVITE."""
    signed = wanted("response=", "Proxy-Authorization:", 9)
    asks, line = f"\nProxy-Authenticate: {CHALLENGE}", "407 Proxy Authentication Required"
    wants = send(f"SIP/2.0 {line}", f"{WITHIN}{asks}")
    steps = refuses(line, asks) + receive("INVITE", signed) + answers(US) + receive("INVITE") + wants + receive("ACK")
    steps += receive("INVITE", signed)
    steps += send("SIP/2.0 200 OK", f"{WITHIN}\n{CONTACT}", OK_SDP) + receive("ACK", signed) + HANGS_UP
    with still_phone(tmp_path, steps, expires_s=90) as phone:
        phone.dial()
        await phone.arrives()
        for kind in ("407 INVITE", "180 INVITE", "200 INVITE"):
            await phone.hears(kind)
        phone.acknowledge()
        phone.pass_s(45)
        for kind in ("407 INVITE", "200 INVITE", "BYE"):
            await phone.hears(kind)
    assert (phone.sent[-3:], phone.ends) == (["INVITE", "ACK", "200 BYE"], [27])


@pytest.mark.parametrize("noise", [silence, torn])
async def test_a_session_that_the_other_side_refreshes_goes_on_until_it_does_not(tmp_path: Path, noise: Noise) -> None:
    """Torn datagrams from its address change nothing."""
    told = wanted(US.partition(" ")[2], "Session-Expires:", 9)
    steps = answers(THEM) + own("UPDATE", 91, f"\n{US}") + receive("200", told)
    steps += own("INVITE", 92, f"{RE_INVITE}\n{US}", OK_SDP) + receive("200", told) + own("ACK", 92) + CLEARED
    with still_phone(tmp_path, steps, expires_s=90, noise=noise) as phone:
        await in_call(phone)
        for kinds in (["UPDATE"], ["INVITE", "ACK"]):
            phone.pass_s(59)
            for kind in kinds:
                await phone.hears(kind)
        phone.pass_s(59)
        assert (phone.sent, phone.ends) == (["ACK", "200 UPDATE", "200 INVITE"], [])
        phone.pass_s(1)
        await phone.hears("200 BYE")
    assert phone.ends == [102]


async def test_a_session_is_refreshed_as_seldom_as_the_other_side_wants(tmp_path: Path) -> None:
    steps = refuses(TOO_SMALL, "\nMin-SE: 200")
    steps += receive("INVITE", wanted("200", "Session-Expires:", 9)) + answers(US.replace("90", "200"))
    steps += receive("INVITE") + send(f"SIP/2.0 {TOO_SMALL}", f"{WITHIN}\nMin-SE: 400") + receive("ACK")
    steps += receive("INVITE", wanted("400", "Min-SE:", 9)) + REFRESHED.replace("90", "400") + CLEARED
    with still_phone(tmp_path, steps, expires_s=90) as phone:
        phone.dial()
        await phone.arrives()
        await phone.hears("422 INVITE")
        await phone.hears("180 INVITE")
        await phone.hears("200 INVITE")
        phone.acknowledge()
        phone.sent.clear()
        phone.pass_s(99)
        assert phone.sent == []
        phone.pass_s(1)
        await phone.hears("422 INVITE")
        await phone.hears("200 INVITE")
        phone.pass_s(199)
        assert phone.sent == ["INVITE", "ACK", "INVITE", "ACK"]
        phone.clear()
        await phone.hears("200 BYE")


async def test_refreshes_that_cross_are_sent_again(tmp_path: Path) -> None:
    keeps = f"<action>{KEEPS}</action>"
    steps = answers(US) + receive("INVITE", keeps) + own("INVITE", 91, RE_INVITE, OK_SDP) + receive("491")
    steps += own("ACK", 91) + late("491 Request Pending") + receive("ACK")
    steps += own("INVITE", 92, RE_INVITE, OK_SDP) + receive("200") + own("ACK", 92) + receive("INVITE") + REFRESHED
    with still_phone(tmp_path, steps + HANGS_UP, expires_s=90) as phone:
        await in_call(phone)
        phone.sent.clear()
        phone.pass_s(45)
        for kind in ("INVITE", "ACK", "491 INVITE", "INVITE", "ACK"):
            await phone.hears(kind)
        assert phone.sent == ["INVITE", "491 INVITE", "ACK", "200 INVITE"]
        phone.pass_s(2)
        assert len(phone.sent) == 4
        phone.sends(within_s=2)
        await phone.hears("200 INVITE")
        await phone.hears("BYE")
    assert (phone.sent[4:], phone.ends) == (["INVITE", "ACK", "200 BYE"], [27])


async def test_an_answer_that_is_lost_or_whose_ack_is_lost_comes_again(tmp_path: Path) -> None:
    """It is acknowledged once it is on record, and then each time."""
    steps = RINGS + ANSWERS.replace("<send>", REPEATS, 1) + CLEARED
    with still_phone(tmp_path, steps) as phone:
        await phone.rings()
        await phone.misses("200 INVITE")
        for _ in range(2):
            await phone.hears("200 INVITE")
        assert phone.sent == []
        phone.loses.append("ACK")
        phone.acknowledge()
        await phone.hears("200 INVITE")
        phone.clear()
        await phone.hears("200 BYE")
    assert phone.sent[:1] == ["ACK"]
    assert [isinstance(one, LegAnswered) for one in phone.told].count(True) == len(phone.ends) == 1


async def test_both_sides_hang_up_at_once(tmp_path: Path) -> None:
    """The answer to their BYE is lost, so it comes again."""
    bye = own("BYE", 99).replace("<send>", REPEATS)
    steps = answers(US) + receive("BYE") + send("SIP/2.0 200 OK", WITHIN) + bye + receive("200")
    with still_phone(tmp_path, steps) as phone:
        await in_call(phone)
        phone.clear()
        phone.loses.append("200 BYE")
        for kind in ("200 BYE", "BYE", "BYE"):
            await phone.hears(kind)
    assert (phone.sent, phone.ends) == (["ACK", "BYE", "200 BYE"], [16])


async def test_a_registration_is_refreshed_in_time_and_taken_back(tmp_path: Path) -> None:
    """The registrar wants a password each time."""
    with still_trunk(tmp_path, registrar(grants(3600, 60), grants(3600, 60), grants(0, 0)), registers=True) as phone:
        phone.open()
        await phone.arrives()
        await phone.hears("401 REGISTER")
        await phone.hears("200 REGISTER")
        phone.sent.clear()
        phone.pass_s(47)
        assert (phone.sent, phone.states) == ([], [""])
        phone.pass_s(1)
        await phone.hears("401 REGISTER")
        await phone.hears("200 REGISTER")
        phone.perform(phone.agent.close(phone.now_ms))
        await phone.hears("401 REGISTER")
        assert not phone.agent.is_closed
        await phone.hears("200 REGISTER")
    assert (phone.sent, phone.states) == (["REGISTER"] * 4, ["", ""])
    assert phone.agent.is_closed


async def test_a_trunk_that_says_nothing_ends_the_call() -> None:
    with contextlib.closing(StillPhone(free_port())) as phone:
        phone.dial()
        phone.pass_s(31.9)
        assert (phone.sent, phone.ends) == (["INVITE"] * 7, [])
        phone.pass_s(0.1)
        assert phone.ends == [102]


async def test_a_trunk_is_down_after_three_unanswered_options_and_up_once_it_answers(tmp_path: Path) -> None:
    with contextlib.closing(StillPhone(port := free_port())) as phone:
        with running(find_tool("sipp"), tmp_path, port, {"1": RINGS}, calls=1):
            phone.open()
            await phone.arrives()
            await phone.hears("200 OPTIONS")
        assert phone.states == [""]
        phone.pass_s(130)
        assert phone.states == ["", "3 OPTIONS in a row: no answer"]
        with running(find_tool("sipp"), tmp_path, port, {"1": RINGS}, calls=1):
            await phone.arrives(wait_s=4)
            await phone.hears("200 OPTIONS")
    assert phone.states[-1] == ""
