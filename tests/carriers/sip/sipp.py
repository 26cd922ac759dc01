"""One scenario for sipp, which behaves by the number that is called."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SDP: Final = """v=0
o=sipp 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [local_ip]
t=0 0
m=audio 40000 RTP/AVP 8 101
a=rtpmap:101 telephone-event/8000
a=DIRECTION"""
COPIED: Final = "[last_Via:]\n[last_From:]\nTO\n[last_Call-ID:]\n[last_CSeq:]"
TAGGED: Final = COPIED.replace("TO", "[last_To:];tag=sipp[call_number]")
WITHIN: Final = COPIED.replace("TO", "[last_To:]")
CONTACT: Final = "Contact: <sip:sipp@[local_ip]:[local_port]>"
INVITE_TAG: Final = "[$3];tag=sipp[call_number]"


def send(first: str, headers: str, body: str = "") -> str:
    """Return a step that sends a message."""
    kind = "Content-Type: application/sdp\n" if body.startswith("v=0") else ""
    message = f"{first}\n{headers}\n{kind}Content-Length: [len]\n\n{body}"
    return f"<send><![CDATA[\n{message}\n]]></send>\n"


def own(method: str, cseq: int, extra: str = "", body: str = "") -> str:
    """Return a step that sends a request within the call."""
    headers = (
        f"Via: SIP/2.0/UDP [local_ip]:[local_port];branch=[branch]\nFrom: {INVITE_TAG}\nTo: [$2]\n"
        f"Call-ID: [call_id]\nCSeq: {cseq} {method}\nMax-Forwards: 70\n{CONTACT}{extra}"
    )
    return send(f"{method} [$4] SIP/2.0", headers, body)


def receive(what: str, inside: str = "") -> str:
    """Return a step that waits for a message: a status or a method."""
    kind = "response" if what.isdigit() else "request"
    return f'<recv {kind}="{what}" timeout="8000">{inside}</recv>\n'


def wanted(pattern: str, header: str, variable: int) -> str:
    """Return an action that fails the call unless a header has a pattern."""
    return (
        f'<action><ereg regexp="{pattern}" search_in="hdr" header="{header}" check_it="true" '
        f'assign_to="{variable}"/><log message="[${variable}]"/></action>'
    )


RINGS: Final = send("SIP/2.0 180 Ringing", f"{TAGGED}\n{CONTACT}")
OK_SDP: Final = SDP.replace("DIRECTION", "sendrecv")
ANSWERS: Final = send("SIP/2.0 200 OK", f"{TAGGED}\n{CONTACT}", OK_SDP) + receive("ACK")
CLEARED: Final = receive("BYE") + send("SIP/2.0 200 OK", WITHIN)
HANGS_UP: Final = own("BYE", 99, "\nReason: Q.850;cause=27") + receive("200")


def refuses(line: str, extra: str = "") -> str:
    """Return the steps of a refusal."""
    return send(f"SIP/2.0 {line}", TAGGED + extra) + receive("ACK")


CHALLENGE: Final = 'Digest realm="sipp", nonce="[call_number]abc", qop="auth,auth-int", algorithm=MD5'
VERIFIES: Final = (
    '<action><assignstr assign_to="7" value="anna"/><assignstr assign_to="8" value="secret, with a comma"/>'
    '<verifyauth assign_to="9" username="[$7]" password="[$8]"/>'
    '<test assign_to="9" variable="9" compare="equal" value="1"/></action>'
)
"""An action that fails the call unless the credentials are right. It knows `Authorization` only."""


def asks(line: str, header: str, credentials: str) -> str:
    """Return the steps of a challenge whose answer must be right."""
    verifies = VERIFIES if header.startswith("WWW") else wanted("response=", f"{credentials}:", 9)
    return refuses(line, f"\n{header}: {CHALLENGE}") + receive("INVITE", verifies) + ANSWERS + CLEARED


def grants(asked_s: int, granted_s: int) -> str:
    """Return the steps of a registrar that wants a password, and registers for a shorter time than it is asked for."""
    given = send("SIP/2.0 200 OK", f"{TAGGED}\n[last_Contact:];expires={granted_s}")
    challenges = send("SIP/2.0 401 Unauthorized", f"{TAGGED}\nWWW-Authenticate: {CHALLENGE}")
    asked = wanted(f"^ *{asked_s}", "Expires:", 9)
    return receive("REGISTER", asked) + challenges + receive("REGISTER", VERIFIES) + given


CALLS: Final = f"""<?xml version="1.0"?>
<scenario name="callers">
<send retrans="500"><![CDATA[
INVITE sip:CALLED@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/UDP [local_ip]:[local_port];branch=[branch]
From: <sip:[field0]@[local_ip]:[local_port]>;tag=[pid]x[call_number]
To: <sip:CALLED@[remote_ip]:[remote_port]>
Call-ID: [call_id]
CSeq: 1 INVITE
Max-Forwards: 70
{CONTACT}
Content-Type: application/sdp
Content-Length: [len]

{OK_SDP}
]]></send>
<recv response="100" optional="true"/>
<recv response="180"/>
<recv response="200" rrs="true"/>
IN_CALL
{CLEARED}
</scenario>
"""
"""A scenario of callers, whose numbers are in a file: each answers the question with the key 1, and is hung up on."""


def within(method: str, cseq: int, extra: str = "", body: str = "") -> str:
    """Return a step in which a caller sends a request within the call."""
    headers = (
        f"Via: SIP/2.0/UDP [local_ip]:[local_port];branch=[branch]\n"
        f"From: <sip:[field0]@[local_ip]:[local_port]>;tag=[pid]x[call_number]\n[last_To:]\n"
        f"Call-ID: [call_id]\nCSeq: {cseq} {method}\nMax-Forwards: 70\n{CONTACT}{extra}"
    )
    return send(f"{method} [next_url] SIP/2.0", headers, body)


@contextmanager
def calling(
    sipp: str, folder: Path, to_port: int, called: str, callers: Sequence[str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Let callers call a number, each once. The process exits with 0 if all went as the scenario says."""
    key = "\nContent-Type: application/dtmf-relay"
    in_call = within("ACK", 1) + '<pause milliseconds="600"/>\n' + within("INFO", 2, key, "Signal=1") + receive("200")
    (folder / "callers.xml").write_text(CALLS.replace("CALLED", called).replace("IN_CALL", in_call), encoding="utf-8")
    (folder / "callers.csv").write_text("\n".join(["SEQUENTIAL", *callers, ""]), encoding="utf-8")
    command = [sipp, f"127.0.0.1:{to_port}", "-sf", "callers.xml", "-inf", "callers.csv", "-i", "127.0.0.1"]
    command += ["-m", str(len(callers)), "-nostdin", "-trace_err", "-error_file", "calling.log", "-timeout", "30"]
    with (folder / "calling.out").open("wb") as screen, subprocess.Popen(command, cwd=folder, stdout=screen) as process:
        try:
            yield process
        finally:
            process.kill()


KEEPS: Final = (
    '<ereg regexp="Via: [^\\r\\n]*([\\r\\n]+Via: [^\\r\\n]*)*" search_in="msg" assign_to="5,10"/>'
    '<ereg regexp="CSeq: [0-9]+ INVITE" search_in="msg" assign_to="6"/>'
)
"""Actions that keep what `late` needs of an INVITE."""


def late(line: str, tag: str = "sipp[call_number]", body: str = "") -> str:
    """Return a step that answers the INVITE after other messages have come, with the tag of a telephone."""
    headers = f"[$5]\nFrom: [$2]\nTo: [$3];tag={tag}\n[last_Call-ID:]\n[$6]\n{CONTACT}"
    return send(f"SIP/2.0 {line}", headers, body)


RE_INVITE: Final = "\nContent-Type: application/sdp"
PRESSES_5: Final = own("INFO", 91, "\nContent-Type: application/dtmf-relay", "Signal=5") + receive("200")
ELSEWHERE: Final = "Contact: <sip:zoe@192.0.2.77:5099>"
GOES_ELSEWHERE: Final = '<ereg regexp="^ACK sip:zoe@192.0.2.77:5099 " search_in="msg" check_it="true" assign_to="10"/>'
OTHER: Final = "other[call_number]"
"""The tag of a second telephone that answers the same call."""
BRANCHES: Final = {
    "1001": RINGS + ANSWERS + CLEARED,
    "1002": RINGS + ANSWERS + HANGS_UP,
    "1003": RINGS
    + receive("CANCEL")
    + send("SIP/2.0 200 OK", WITHIN)
    + late("487 Request Terminated")
    + receive("ACK"),
    "1004": RINGS
    + receive("CANCEL")
    + send("SIP/2.0 200 OK", WITHIN)
    + late("200 OK", body=OK_SDP)
    + receive("ACK")
    + CLEARED,
    "1005": refuses("486 Busy Here"),
    "1006": refuses("404 Not Found"),
    "1007": refuses("503 Service Unavailable"),
    "1008": refuses("603 Decline", "\nReason: Q.850;cause=42"),
    "1009": asks("401 Unauthorized", "WWW-Authenticate", "Authorization"),
    "1010": asks("407 Proxy Authentication Required", "Proxy-Authenticate", "Proxy-Authorization"),
    "1011": ANSWERS
    + own("INVITE", 91, body=SDP.replace("DIRECTION", "sendonly"))
    + receive("200", wanted("sip:.*@", "Contact:", 9))
    + own("ACK", 91)
    + own("INVITE", 92, body=OK_SDP)
    + receive("200")
    + own("ACK", 92)
    + HANGS_UP,
    "1012": ANSWERS + PRESSES_5 + CLEARED,
    "1013": send("SIP/2.0 183 Session Progress", f"{TAGGED}\n{CONTACT}", OK_SDP) + ANSWERS + CLEARED,
    "1015": RINGS
    + ANSWERS
    + '<pause milliseconds="500"/>\n'
    + own("INFO", 91, "\nContent-Type: application/dtmf", "7")
    + receive("200")
    + CLEARED,
    # It stays in the way of a telephone that is elsewhere.
    "1014": send("SIP/2.0 200 OK", f"{TAGGED}\n{ELSEWHERE}\nRecord-Route: <sip:[local_ip]:[local_port];lr>", OK_SDP)
    + receive("ACK", wanted("lr>", "Route:", 9).replace("<action>", f"<action>{GOES_ELSEWHERE}"))
    + CLEARED,
    # A second telephone answers, and is hung up on. The call with the first one goes on.
    "1016": RINGS
    + ANSWERS
    + late("200 OK", OTHER, OK_SDP)
    + receive("ACK", wanted("tag=other", "To:", 9))
    + receive("BYE", wanted("tag=other", "To:", 9))
    + send("SIP/2.0 200 OK", WITHIN)
    + PRESSES_5
    + CLEARED,
    # Its second BYE belongs to no call.
    "1017": RINGS + ANSWERS + own("BYE", 98) + receive("200") + own("BYE", 99) + receive("481"),
}
"""The steps after the INVITE, by the number that is called."""


def scenario(branches: Mapping[str, str]) -> str:
    """Return the scenario of numbers, from the steps of each."""
    keep = (
        '<action><ereg regexp=".*" search_in="hdr" header="From:" assign_to="2"/>'
        '<ereg regexp=".*" search_in="hdr" header="To:" assign_to="3"/>'
        '<ereg regexp="sip:[^&gt;]*" search_in="hdr" header="Contact:" assign_to="4"/>'
        f"{KEEPS}"
    )
    tests = "".join(
        f'<ereg regexp="^INVITE sip:{number}@" search_in="msg" assign_to="{number}"/>' for number in branches
    )
    jumps = "".join(f'<nop next="{number}" test="{number}"/>\n' for number in branches)
    last = '<nop next="end"/>\n'
    steps = "".join(f'<label id="{number}"/>\n{body}{last}' for number, body in branches.items())
    options = '<label id="options"/>\n' + send("SIP/2.0 200 OK", TAGGED)
    used = "2,3,4,5,6,9,10" if "[$9]" in steps else "2,3,4,5,6,10"
    return (
        '<?xml version="1.0" encoding="ISO-8859-1" ?>\n<scenario name="numbers">\n'
        '<recv request="OPTIONS" optional="true" next="options"/>\n'
        f'<recv request="INVITE" crlf="true">{keep}{tests}</action></recv>\n'
        f'{jumps}{steps}{options}<label id="end"/>\n'
        f'<Reference variables="{used}"/>\n</scenario>\n'
    )


def registrar(*steps: str) -> str:
    """Return the scenario of a registrar, from its steps."""
    return f'<?xml version="1.0"?>\n<scenario name="registrar">\n{"".join(steps)}</scenario>\n'


@contextmanager
def running(
    sipp: str, folder: Path, port: int, branches: Mapping[str, str], calls: int, seconds: int = 60
) -> Iterator[subprocess.Popen[bytes]]:
    """Run sipp until so many calls or seconds are over. An OPTIONS counts as a call."""
    with playing(sipp, folder, port, scenario(branches), calls, seconds) as process:
        yield process


@contextmanager
def playing(
    sipp: str, folder: Path, port: int, scenario: str, calls: int, seconds: int = 60
) -> Iterator[subprocess.Popen[bytes]]:
    """Run sipp with a scenario."""
    (folder / "numbers.xml").write_text(scenario, encoding="utf-8")
    command = [sipp, "-sf", "numbers.xml", "-i", "127.0.0.1", "-p", str(port), "-m", str(calls), "-nostdin"]
    command += ["-trace_err", "-error_file", "errors.log", "-timeout", str(seconds)]
    command += ["-trace_msg", "-message_file", "messages.log"]
    with (folder / "screen.log").open("wb") as screen, subprocess.Popen(command, cwd=folder, stdout=screen) as process:
        try:
            yield process
        finally:
            process.kill()
