"""Calls through Kamailio, a SIP proxy that nobody here wrote: it registers us, challenges, and stays in the way."""

import asyncio
import contextlib
import socket
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import pytest
from msgspec.structs import replace

from dialer.carriers.media.dtmf_inband import tone
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Ask, Dialling, Ended, Play, Speech
from dialer.domain.words.enums import Cause
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.sip.calling import invitation
from tests.carriers.sip.sipp import (
    BRANCHES,
    CLEARED,
    CONTACT,
    OK_SDP,
    RINGS,
    TAGGED,
    receive,
    refuses,
    running,
    send,
    wanted,
)
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.baresip import baresip
from tests.carriers.voice.listener import Listener
from tests.certificates import Authority, dns, uri
from tests.optional_tools import find_file, find_tool

MODULES: Final = "/usr/lib/x86_64-linux-gnu/kamailio/modules"
CONFIG: Final = """
mpath="{modules}/"
loadmodule "kex.so"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "siputils.so"
loadmodule "textops.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "auth.so"
loadmodule "xlog.so"
modparam("auth", "algorithm", "{algorithm}")
children=1
{streams}
dns=no
rev_dns=no
auto_aliases=no
log_stderror=yes
listen=udp:127.0.0.1:{port}
request_route {{
    if (is_method("OPTIONS")) {{ sl_send_reply("200", "OK"); exit; }}
    if (is_method("CANCEL")) {{ if (t_check_trans()) {{ t_relay(); }} exit; }}
    if (has_totag()) {{
        if (loose_route()) {{ xlog("L_ERR", "passed $rm\\n"); t_relay(); exit; }}
        if (is_method("ACK") && t_check_trans()) {{ t_relay(); exit; }}
        if (!is_method("ACK")) {{ sl_send_reply("481", "No route"); }}
        exit;
    }}
    if (is_method("REGISTER")) {{
        append_to_reply("{beside}");
        if (!pv_www_authenticate("home", "secret, with a comma", "0")) {{ www_challenge("home", "1"); exit; }}
        xlog("L_ERR", "registered $hdr(Expires)\\n");
        save("location");
        exit;
    }}
    if ($rU == "anna") {{ lookup("location"); t_relay(); exit; }}
    if (!pv_proxy_authenticate("home", "secret, with a comma", "0")) {{ proxy_challenge("home", "1"); exit; }}
    if (!registered("location", "sip:anna@127.0.0.1")) {{ sl_send_reply("403", "Not registered"); exit; }}
    consume_credentials();
    record_route();
    $du = "sip:127.0.0.1:{target}";
    t_relay();
}}
"""
SECURE: Final = """enable_tls=yes
tcp_children=1
loadmodule "tls.so"
modparam("tls", "tls_method", "TLSv1.2+")
modparam("tls", "certificate", "{certificate}")
modparam("tls", "private_key", "{key}")
modparam("tls", "ca_list", "{authority}")
modparam("tls", "verify_certificate", 1)
modparam("tls", "require_certificate", 1)
listen=tls:127.0.0.1:{port}"""
"""Lines for TLS, with callers who are known by their certificates."""
ANSWERS: Final = send("SIP/2.0 200 OK", f"{TAGGED}\n[last_Record-Route:]\n{CONTACT}", OK_SDP)
NUMBERS: Final = {
    "1001": RINGS + ANSWERS + receive("ACK", wanted("127.0.0.1", "Via:", 9)) + CLEARED,
    "1003": BRANCHES["1003"],
    "1005": refuses("486 Busy Here"),
}


ATTEMPTS_MAX: Final = 60
PROBE: Final = """OPTIONS sip:127.0.0.1 SIP/2.0
Via: SIP/2.0/UDP {here};branch=z9hG4bKprobe{attempt}
Max-Forwards: 70
From: <sip:probe@127.0.0.1>;tag=1
To: <sip:127.0.0.1>
Call-ID: probe{attempt}
CSeq: 1 OPTIONS
Content-Length: 0

"""


@asynccontextmanager
async def proxy(
    folder: Path, port: int, target: int, algorithm: str, beside: str, streams: str = "disable_tcp=yes"
) -> AsyncIterator[list[str]]:
    """Run Kamailio between us and a telephone, and yield its log, which is complete at the end.

    It challenges with an algorithm, and has another header beside its own.
    """
    words = {"port": port, "target": target, "algorithm": algorithm, "beside": beside, "streams": streams}
    words["modules"] = MODULES
    (folder / "kamailio.cfg").write_text("#!KAMAILIO\n" + CONFIG.format(**words))
    log: list[str] = []
    command = [find_tool("kamailio"), "-f", "kamailio.cfg", "-DD", "-E", "-Y", str(folder), "-m", "16", "-M", "4"]
    process = await asyncio.create_subprocess_exec(*command, cwd=folder, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    try:
        await asyncio.to_thread(_until_it_answers, port)
        yield log
    finally:
        process.terminate()
        log += (await process.stderr.read()).decode().splitlines()
        await process.wait()


def _until_it_answers(port: int) -> None:
    """Wait until a proxy takes requests: on a loaded machine it starts for seconds."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        probe.settimeout(0.5)
        here = f"127.0.0.1:{probe.getsockname()[1]}"
        for attempt in range(ATTEMPTS_MAX):
            request = PROBE.format(here=here, attempt=attempt).replace("\n", "\r\n").encode()
            with contextlib.suppress(OSError):
                probe.sendto(request, ("127.0.0.1", port))
                if probe.recv(65_536).startswith(b"SIP/2.0 200"):
                    return
    raise AssertionError("the proxy does not answer")


USUAL: Final = SipParameters(
    server="127.0.0.1", username="anna", password="secret, with a comma", register=True, session_expires=0
)
OTHER_CHALLENGE: Final = (
    'WWW-Authenticate: Digest realm=\\"home\\", nonce=\\"nobody checks it\\", qop=\\"auth\\", algorithm=AKAv1-MD5'
)
"""A challenge for telephones with a SIM card (RFC 3310), which others leave out."""


def over_tls(folder: Path, port: int) -> tuple[SipParameters, str]:
    """Return the parameters of a gateway over TLS whose both sides have certificates, and the lines for Kamailio."""
    find_file(f"{MODULES}/tls.so", "kamailio-tls-modules")
    authority = Authority(folder)
    theirs, ours = authority.sign("theirs", uri("carrier.example")), authority.sign("ours", dns("us.example"))
    parameters = replace(
        USUAL,
        server=f"127.0.0.1:{port}",
        transport="tls",
        srtp="off",
        server_name="carrier.example",
        ca_file=authority.file,
        certificate=ours[0],
        key=ours[1],
    )
    return parameters, SECURE.format(certificate=theirs[0], key=theirs[1], authority=authority.file, port=port)


@pytest.mark.parametrize(
    ("algorithm", "beside", "is_secure"),
    [
        ("MD5", "X-Other: 1", False),
        ("SHA-256", "X-Other: 1", False),
        ("MD5", OTHER_CHALLENGE, False),
        ("SHA-256", "X-Other: 1", True),
    ],
)
async def test_a_proxy_registers_us_challenges_and_stays_in_the_way_of_a_call(
    tmp_path: Path, record_property: Callable[[str, object], None], algorithm: str, beside: str, *, is_secure: bool
) -> None:
    record_property("cell", "Kamailio/registration")
    port, target, listener = free_port(), free_port(), Listener(Ask(1, (), 1, 60_000))
    parameters, streams = replace(USUAL, server=f"127.0.0.1:{port}"), "disable_tcp=yes"
    if is_secure:
        parameters, streams = over_tls(tmp_path, port)
    dials = [Dialling(number, number, "+12025550150", 4_000, 500) for number in NUMBERS]
    with running(find_tool("sipp"), tmp_path, target, NUMBERS, calls=len(NUMBERS)) as process:
        async with proxy(tmp_path, port, target, algorithm, beside + r"\r\n", streams) as log:
            await listener.call(parameters, tmp_path, *dials)
            try:
                code = await asyncio.to_thread(process.wait, 20)
            except subprocess.TimeoutExpired:  # A call did not come to the telephone: what we heard tells why.
                code = -1
    assert code == 0, (listener.heard, log)
    assert listener.heard == {
        "1001": ["rings", "answered", "over 16"],
        "1003": ["rings", "over 19"],
        "1005": ["over 17"],
    }
    assert [line.rpartition(" ")[2] for line in log if "passed" in line] == ["ACK", "BYE"]
    assert [line.rpartition(" ")[2] for line in log if "registered" in line] == ["3600", "0"]


async def test_calls_of_a_proxy_come_by_the_connection_over_which_we_registered(tmp_path: Path) -> None:
    port = free_port()
    parameters, streams = over_tls(tmp_path, port)
    worker = Worker(watch := Watch())
    async with proxy(tmp_path, port, 9, "SHA-256", r"X-Other: 1\r\n", streams):
        text = msgspec.json.encode(parameters).decode()
        line = SipLine(text, worker, SoundRoom(), SoundFiles(FolderMedia(tmp_path)), t1_ms=100)
        await watch.until(lambda: not worker.why_not)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as caller:
            caller.sendto(invitation("anna"), ("127.0.0.1", port))
            await watch.until(lambda: [kind for _, kind in worker.kinds] == ["Arrived"])
            await line.close()


async def test_sound_goes_on_while_a_proxy_starts_anew_and_the_call_then_ends_as_usual(tmp_path: Path) -> None:
    port, phone = free_port(), free_port()
    parameters, streams = over_tls(tmp_path, port)
    files, worker = SoundFiles(FolderMedia(tmp_path)), Worker(watch := Watch())
    for hz in (660, 880):
        files.write(f"{hz}.wav", tone((hz,), 60_000))
    proxies = partial(proxy, tmp_path, port, phone, "SHA-256", r"X-Other: 1\r\n", streams)
    folder = tmp_path / "phone"
    folder.mkdir()
    async with baresip(folder, "777", phone) as buttons:
        async with proxies():
            line = SipLine(msgspec.json.encode(parameters).decode(), worker, SoundRoom(), files)
            await watch.until(lambda: not worker.why_not)
            line.dial(Dialling("call", "777", "", 20_000, 60_000))
            await watch.until(lambda: ("call", "Answered") in worker.kinds)
            line.settled(worker.heard_of[-1][0])
            line.perform("call", Play(1, (Speech(file="880.wav"),)))
            await buttons.hears(880)
        await watch.until(lambda: worker.why_not)
        line.perform("call", Play(2, (Speech(file="660.wav"),)))
        await buttons.hears(660)
        async with proxies() as log:
            await watch.until(lambda: not worker.why_not)
            await buttons.press("hangup")
            await watch.until(lambda: ("call", "Ended") in worker.kinds)
            ended = worker.first(Ended)
            await line.close()
    assert isinstance(ended, Ended)
    assert ended.cause is Cause.NORMAL_CLEARING
    # Ours to the telephone, and its own to us, at the address that it has learnt from the re-INVITE.
    assert [one.rpartition(" ")[2] for one in log if "passed" in one] == ["INVITE", "ACK", "BYE"]
