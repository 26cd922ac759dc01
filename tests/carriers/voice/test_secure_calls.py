"""Calls with encrypted sound to baresip, a SIP telephone that nobody here wrote. Tones are measured at both ends."""

import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from cryptography.fernet import Fernet
from msgspec.structs import replace

from dialer.carriers.line_port import Alive, Found, Line, LiveLeg, Unknown
from dialer.carriers.media.dtmf_inband import tone
from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.sdp import write_offer
from dialer.carriers.sip.sdp_security import Security, Suite, fresh_security
from dialer.carriers.voice import sip_trunk_endpoint
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.line_factory import sip_lines
from dialer.carriers.voice.sealed_handles import HandleSeal
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.carriers.voice.trial_call import Trial
from dialer.domain.sessions.leg_protocol import Answered, Arrived, Arriving, Clear, Dialling, Done, Play, Record, Speech
from dialer.store.media.folder import FolderMedia
from dialer.store.tables.key_ring import derived_keys
from tests.carriers.listening import Watch, Worker
from tests.carriers.pitches import PITCHES, voices_in
from tests.carriers.sip.network import OURS
from tests.carriers.sip.test_sipp import free_port
from tests.carriers.voice.baresip import Buttons, baresip
from tests.carriers.voice.test_line_process import process_of

CALL: Final = Dialling("call", "777", "", 20_000, 60_000)
MANDATORY: Final = "srtp-mand"
SEAL: Final = Fernet.generate_key().decode()
RECORDINGS_MAX: Final = 5
"""Recordings of a telephone that are tried, until one has begun before its key."""


class Scene:
    """A line, the worker that hears it, and what both ends of its call hear."""

    def __init__(self, folder: Path, port: int, buttons: Buttons, stack: AsyncExitStack) -> None:
        self.folder, self._port, self.buttons, self._stack = folder, port, buttons, stack
        self.watch = Watch()
        self.worker = Worker(self.watch)
        self.files = SoundFiles(FolderMedia(folder))
        for who in ("agent", "supervisor"):
            self.files.write(f"{who}.wav", tone((PITCHES[who],), 10_000))
        self.line: Line
        self._turn = 0

    def parameters(self, **others: object) -> str:
        """Return the parameters of the gateway. Keys over UDP are the admin's word."""
        return json.dumps({"server": f"127.0.0.1:{self._port}", "session_expires": 0, **others})

    def open(self, **parameters: object) -> None:
        """Open a line in this process."""
        room = SoundRoom()
        line = SipLine(self.parameters(**parameters), self.worker, room, self.files, t1_ms=100)
        self.line = line
        self._stack.callback(room.close)
        self._stack.push_async_callback(line.close)

    async def answered(self) -> Answered:
        """Place the call, and return its answer."""
        await self.watch.until(lambda: not self.worker.why_not)
        self.line.dial(CALL)
        await self.watch.until(lambda: ("call", "Answered") in self.worker.kinds)
        self.line.settled(self.worker.heard_of[-1][0])
        found = self.worker.first(Answered)
        assert isinstance(found, Answered)
        return found

    async def ended(self) -> int:
        """Wait for the end of the call, and return its cause."""
        await self.watch.until(lambda: "Ended" in [kind for _, kind in self.worker.kinds])
        return int(self.worker.heard_of[-1][2].cause)  # type: ignore[union-attr] # the end

    async def both_hear(self, key: str = "call") -> None:
        """Play a tone that the telephone has to hear, and record its own until it presses a key."""
        first = self._turn = self._turn + 1
        # Another one than before, as the telephone keeps what it heard last.
        who = "agent" if first == 1 else "supervisor"
        self.line.perform(key, Play(first, (Speech(f"{who}.wav"),)))
        await self.buttons.hears(PITCHES[who])
        said = b""
        for _ in range(RECORDINGS_MAX):
            said = said or await self._said(key)
        # Its key begins before it is recorded as one.
        assert voices_in(said[-1_600:]) <= {"callee"}
        assert "callee" in voices_in(said[:1_600])

    async def _said(self, key: str) -> bytes:
        """Record the telephone until it presses a key; nothing if a busy machine hears the key before the voice."""
        self._turn += 1
        turn, name = self._turn, f"said-{self._turn}.wav"
        self.line.perform(key, Record(turn, name))
        for _ in range(3):
            await self.buttons.press("sndcode", "#")
        await self.watch.until(lambda: turn in self._done())
        return self.files.read(name)

    def _done(self) -> list[int]:
        return [heard.turn for _, _, heard in self.worker.heard_of if isinstance(heard, Done)]


@asynccontextmanager
async def telephone(folder: Path, encryption: str = MANDATORY) -> AsyncIterator[Scene]:
    """Run a baresip, and prepare to call it."""
    port = free_port()
    (folder / "phone").mkdir()
    async with AsyncExitStack() as stack:
        phone = baresip(folder / "phone", "777", port, PITCHES["callee"], encryption=encryption)
        yield Scene(folder, port, await stack.enter_async_context(phone), stack)


def only(suite: Suite) -> Callable[[str, Callable[[int], bytes]], Security]:
    """Return what makes the keys of calls that offer one suite."""

    def fresh(mode: str, random_bytes: Callable[[int], bytes]) -> Security:
        security = fresh_security(mode, random_bytes)
        return replace(security, keys=tuple(key for key in security.keys if key[0] is suite))

    return fresh


@pytest.mark.parametrize("suite", Suite)
async def test_both_ends_hear_each_other_with_each_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: Suite
) -> None:
    monkeypatch.setattr(sip_trunk_endpoint, "fresh_security", only(suite))
    async with telephone(tmp_path) as scene:
        scene.open(srtp="required")
        await scene.answered()
        await scene.both_hear()
        await scene.buttons.press("hangup")
        assert await scene.ended() == 16


@pytest.mark.parametrize(("ours", "theirs", "cause"), [("required", "", 88), ("off", MANDATORY, 88)])
async def test_who_has_no_encryption_in_common_does_not_talk(
    tmp_path: Path, ours: str, theirs: str, cause: int
) -> None:
    async with telephone(tmp_path, theirs) as scene:
        scene.open(srtp=ours)
        await scene.watch.until(lambda: not scene.worker.why_not)
        scene.line.dial(CALL)
        assert (await scene.ended(), ("call", "Answered") in scene.worker.kinds) == (cause, False)


@pytest.mark.parametrize("theirs", [MANDATORY, ""])
async def test_sound_that_is_offered_is_encrypted_where_the_telephone_can(tmp_path: Path, theirs: str) -> None:
    async with telephone(tmp_path, theirs) as scene:
        scene.open(srtp="offered")
        await scene.answered()
        await scene.both_hear()
        scene.line.perform("call", Clear(100))
        assert await scene.ended() == 16


async def test_a_telephone_calls_us_with_its_own_key(tmp_path: Path) -> None:
    async with telephone(tmp_path) as scene:
        port = free_port()
        scene.open(srtp="required", local_port=port)
        await scene.watch.until(lambda: not scene.worker.why_not)
        await scene.buttons.press("dial", f"sip:199@127.0.0.1:{port}")
        await scene.watch.until(lambda: scene.worker.kinds)
        _, key, arrived = scene.worker.heard_of[0]
        assert isinstance(arrived, Arrived)
        scene.line.dial(Arriving(key, arrived.caller, 60_000, arrived.handle))
        await scene.watch.until(lambda: (key, "Answered") in scene.worker.kinds)
        scene.line.settled(scene.worker.heard_of[-1][0])
        await scene.both_hear(key)


async def found_again(scene: Scene, seal: str) -> tuple[list[Found], str]:
    """Kill the process of a call with encrypted sound, and return how the next one finds it, and its handle."""
    scene.line = sip_lines(scene.folder, scene.folder, seal=lambda: seal)(
        1, scene.parameters(srtp="required"), scene.worker
    )
    answered = await scene.answered()
    await scene.both_hear()
    os.kill(process_of(scene.folder), signal.SIGKILL)
    await scene.watch.until(lambda: scene.worker.why_not)
    await scene.watch.until(lambda: not scene.worker.why_not)
    return list(await scene.line.find([LiveLeg(CALL, 10**6, 0, answered.handle)])), answered.handle


async def test_both_ends_hear_each_other_after_the_process_was_killed(tmp_path: Path) -> None:
    async with telephone(tmp_path) as scene:
        try:
            found, handle = await found_again(scene, SEAL)
            assert found == [Alive()]
            assert handle.startswith("sealed:")
            await scene.both_hear()
            await scene.buttons.press("hangup")
            assert await scene.ended() == 16
        finally:
            await scene.line.close()
            os.kill(process_of(scene.folder), signal.SIGTERM)


def test_a_sealed_handle_is_opened_with_its_key_only() -> None:
    seal, heard = HandleSeal(SEAL), Answered(0, '{"our": "key"}')
    closed = seal.closed(heard)
    assert isinstance(closed, Answered)
    rotated = HandleSeal(f"{Fernet.generate_key().decode()} {SEAL}")
    assert [one.opened(closed.handle) for one in (seal, rotated)] == [heard.handle] * 2
    assert [one.opened(closed.handle) for one in (HandleSeal(), HandleSeal(Fernet.generate_key().decode()))] == [""] * 2
    assert seal.opened(closed.handle[:-4]) == ""
    assert (seal.opened("plain"), seal.closed(Done(1, 0))) == ("plain", Done(1, 0))


def test_the_service_seals_with_keys_that_follow_from_its_own_and_are_others() -> None:
    own = [Fernet.generate_key().decode() for _ in range(2)]
    derived = derived_keys(" ".join(own), "handles").split()
    assert [len(Fernet(key).encrypt(b"")) > 0 for key in derived] == [True, True]
    assert set(derived).isdisjoint([*own, *derived_keys(" ".join(own), "others").split()])
    assert derived == derived_keys(" ".join(own), "handles").split()


def test_a_trial_call_shows_no_key() -> None:
    shown: list[str] = []
    body = write_offer(replace(OURS, security=fresh_security("required", lambda size: b"k" * size)))
    Trial(shown.append, is_full=True).trace(b"INVITE sip:1@a SIP/2.0\r\n\r\n" + body, Flow(("a", 1)), is_sent=True)
    assert [line.strip() for line in shown if "crypto" in line] == [
        "a=crypto:1 AES_CM_128_HMAC_SHA1_80 [not shown]",
        "a=crypto:2 AEAD_AES_128_GCM [not shown]",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a=crypto:1  AES_CM_128_HMAC_SHA1_80  inline:KEY", "a=crypto:1  AES_CM_128_HMAC_SHA1_80 [not shown]"),
        ("a=crypto:1\tAEAD_AES_128_GCM\tinline:KEY", "a=crypto:1\tAEAD_AES_128_GCM [not shown]"),
        ("a=crypto:1 inline:KEY", "a=crypto: [not shown]"),
        ("a=crypto:KEY", "a=crypto: [not shown]"),
        ("A = crypto : 1 AES_CM_128_HMAC_SHA1_80KEY", "A = crypto : [not shown]"),
        ("a=x\ra=crypto:1 AES_256 inline:KEY", "a=crypto: [not shown]"),
    ],
)
def test_a_trial_call_shows_no_key_however_it_is_written(line: str, expected: str) -> None:
    shown: list[str] = []
    Trial(shown.append, is_full=True).trace(f"INVITE\r\n{line}\r\n".encode(), Flow(("a", 1)), is_sent=False)
    assert [one.strip() for one in shown if "crypto" in one] == [expected]


async def test_without_a_seal_no_key_is_stored_and_the_call_ends(tmp_path: Path) -> None:
    async with telephone(tmp_path) as scene:
        try:
            assert await found_again(scene, "") == ([Unknown()], "")
        finally:
            await scene.line.close()
            os.kill(process_of(scene.folder), signal.SIGTERM)
