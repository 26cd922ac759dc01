"""Cases of a trunk and a telephone together: each is one call, or one registration."""

from collections.abc import Awaitable, Callable
from typing import Final

from dialer.domain.sessions.leg_protocol import Answered, Arrived, Ringing
from dialer.domain.words.enums import Cause
from tests.peers.telephones import NUMBER, Telephone
from tests.peers.trunk import Trunk

DID: Final = "12025550199"
"""The number that telephones call."""
SHORT_RING_MS: Final = 3_000
SESSION_S: Final = 90
"""The shortest session timer (RFC 4028, 5). It is refreshed after half of it."""
_Case = Callable[[Trunk, Telephone], Awaitable[None]]


async def _answered(line: Trunk, phone: Telephone) -> None:
    line.dial(NUMBER)
    await line.hears(Ringing)
    await phone.ring()
    await phone.push("answer")
    await line.hears(Answered)


async def _pressed(line: Trunk, phone: Telephone, key: str, button: str = "press") -> None:
    asked = line.ask()
    await phone.push(button, key)
    assert await line.key(asked) == key


async def key(line: Trunk, phone: Telephone) -> None:
    """Hear keys of the callee, who then hangs up."""
    await _answered(line, phone)
    await _pressed(line, phone, "1")
    await _pressed(line, phone, "#")
    await phone.push("hang up")
    assert await line.cause() == Cause.NORMAL_CLEARING


async def key_by_info(line: Trunk, phone: Telephone) -> None:
    """Hear a key that comes as a message."""
    await _answered(line, phone)
    await _pressed(line, phone, "1", "INFO")
    line.clear()
    await phone.over()


async def we_hang_up(line: Trunk, phone: Telephone) -> None:
    """Hang up, which the telephone knows at once."""
    await _answered(line, phone)
    line.clear()
    await phone.over()
    assert await line.cause() == Cause.NORMAL_CLEARING


async def busy(line: Trunk, phone: Telephone) -> None:
    """Call a telephone that is busy."""
    line.dial(NUMBER)
    await phone.ring()
    await phone.push("busy")
    assert await line.cause() == Cause.USER_BUSY


async def declined(line: Trunk, phone: Telephone) -> None:
    """Call somebody who refuses. Some telephones say that they are busy then."""
    line.dial(NUMBER)
    await phone.ring()
    await phone.push("decline")
    assert await line.cause() in {Cause.CALL_REJECTED, Cause.USER_BUSY}


async def no_answer(line: Trunk, phone: Telephone) -> None:
    """Let the telephone ring, until it must stop."""
    line.dial(NUMBER, ring_ms=SHORT_RING_MS)
    await phone.ring()
    assert await line.cause() == Cause.NO_ANSWER
    await phone.over()


async def inbound(line: Trunk, phone: Telephone) -> None:
    """Take a call of the telephone, and hear its key."""
    await phone.push("call", f"sip:{DID}@127.0.0.1:{line.port}")
    assert (await line.take()).called == DID
    await line.hears(Answered)
    await _pressed(line, phone, "3")
    line.clear()
    assert await line.cause() == Cause.NORMAL_CLEARING
    assert len([one for _, _, one in line.heard_of if isinstance(one, Arrived)]) == 1


async def hold(line: Trunk, phone: Telephone) -> None:
    """Wait while the callee holds the call, and hear a key before and after it."""
    await _answered(line, phone)
    await _pressed(line, phone, "1")
    await phone.push("hold")
    await line.acknowledged(1)
    await phone.push("resume")
    await line.acknowledged(2)
    await phone.sound()
    await _pressed(line, phone, "2")
    line.clear()
    assert await line.cause() == Cause.NORMAL_CLEARING


async def other_codec(line: Trunk, phone: Telephone) -> None:
    """Hang up after an answer without a common codec. The telephone hears of it, wherever its Contact leads."""
    line.dial(NUMBER)
    await phone.ring()
    assert await line.cause() == Cause.INCOMPATIBLE_DESTINATION
    await phone.over()


async def session_timer(line: Trunk, phone: Telephone) -> None:
    """Refresh the call after half of its timer. It goes on."""
    await _answered(line, phone)
    asked = line.ask()  # A line that gets no order for half a minute hangs up.
    await line.refreshed(SESSION_S)
    await phone.push("press", "1")
    assert await line.key(asked) == "1"
    line.clear()
    await phone.over()


CASES: Final[dict[str, _Case]] = {
    "key": key,
    "key by INFO": key_by_info,
    "we hang up": we_hang_up,
    "busy": busy,
    "declined": declined,
    "no answer": no_answer,
    "inbound": inbound,
    "hold and resume": hold,
    "other codec": other_codec,
    "session timer": session_timer,
}
"""The cases, by the words of the matrix. The callee hangs up in that of the key."""
