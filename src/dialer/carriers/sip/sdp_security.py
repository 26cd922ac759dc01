"""The keys of encrypted sound in session descriptions (SDES, RFC 4568)."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

import msgspec
from msgspec.structs import replace

_TAG: Final = re.compile(r"[0-9]{1,9}\Z", re.ASCII)
_LIFETIME: Final = re.compile(r"(?:2\^)?[0-9]{1,15}\Z", re.ASCII)
_HARMLESS: Final = re.compile(r"(?:WSH=[0-9]{1,5}|KDR=0|-\S*)\Z", re.ASCII)
"""Parameters of a key that change nothing for us: what the other side's window is, and what may be ignored."""
_HIDDEN: Final = "[not shown]"


class Suite(StrEnum):
    """The ways in which sound is encrypted, by their names in SDP (RFC 4568 6.2, RFC 7714 14.2)."""

    AES_CM = "AES_CM_128_HMAC_SHA1_80"
    AES_GCM = "AEAD_AES_128_GCM"


KEY_BYTES: Final[Mapping[Suite, int]] = {Suite.AES_CM: 30, Suite.AES_GCM: 28}
"""The length of a key with its salt."""


class SoundKeys(msgspec.Struct, frozen=True):
    """The keys of a sound, each with its salt. Each side encrypts with its own."""

    suite: Suite
    tag: int
    """The number of the key in the other side's description, which an answer repeats."""
    ours: bytes
    theirs: bytes

    def __repr__(self) -> str:
        """Return its suite only: what is logged must not decrypt a call."""
        return f"{type(self).__name__}({self.suite.value}, {_HIDDEN})"


class Security(msgspec.Struct, frozen=True):
    """The ways in which the sound of a call may be encrypted, and our keys for that."""

    keys: tuple[tuple[Suite, bytes], ...] = ()
    """Our key for each suite, the preferred one first; empty if sound is never encrypted."""
    takes_plain: bool = True
    """True if sound may also go without encryption."""

    def __repr__(self) -> str:
        """Return its suites only."""
        suites = [suite.value for suite, _ in self.keys]
        return f"{type(self).__name__}({suites}, takes_plain={self.takes_plain})"

    def strict(self) -> "Security":
        """Return the security of an offer: nothing but encrypted sound answers one with keys."""
        return replace(self, takes_plain=not self.keys)

    def without_offer(self) -> "Security":
        """Return the security of our offer in an answer: who does not decrypt could not ask for another one."""
        return PLAIN if self.takes_plain else self

    def agreed(self, keys: SoundKeys | None) -> "Security":
        """Return the security of the rest of a call. Nobody talks it down, and our key never changes."""
        return PLAIN if keys is None else Security(((keys.suite, keys.ours),), takes_plain=False)


PLAIN: Final = Security()


def fresh_security(mode: str, random_bytes: Callable[[int], bytes]) -> Security:
    """Return the security of a new call, `required`, `offered` or `off`, with keys of its own."""
    if mode == "off":
        return PLAIN
    keys = tuple((suite, random_bytes(KEY_BYTES[suite])) for suite in Suite)
    return Security(keys, takes_plain=mode == "offered")


def offered_lines(security: Security) -> list[str]:
    """Return the lines that offer our keys."""
    return [_line(tag, suite, key) for tag, (suite, key) in enumerate(security.keys, 1)]


def agreed_lines(keys: SoundKeys | None) -> list[str]:
    """Return the line of the key that was agreed on."""
    return [] if keys is None else [_line(keys.tag, keys.suite, keys.ours)]


def _line(tag: int, suite: Suite, key: bytes) -> str:
    return f"a=crypto:{tag} {suite.value} inline:{base64.b64encode(key).decode()}"


def fitting_keys(lines: Iterable[tuple[str, str]], security: Security) -> SoundKeys | None:
    """Return the first key of the other side for which we have one, with ours; None if there is none."""
    ours = dict(security.keys)
    for kind, value in lines:
        name, _, crypto = value.partition(":")
        words = crypto.split() if (kind, name) == ("a", "crypto") else []
        if len(words) >= 3 and words[1] in ours and _TAG.match(words[0]):  # noqa: PLR2004 - tag, suite and key
            suite = Suite(words[1])
            theirs = _key_in(words[2], suite)
            # With our own key, anybody could send our packets back to us.
            if theirs is not None and theirs != ours[suite] and _is_understood(words[3:]):
                return SoundKeys(suite, int(words[0]), ours[suite], theirs)
    return None


def _key_in(text: str, suite: Suite) -> bytes | None:
    """Return a key with its salt; None if it is none, or one of several, whose packets name it (MKI)."""
    method, _, given = text.partition(":")
    key, *rest = given.split("|")
    if method.lower() != "inline" or not all(map(_LIFETIME.match, rest)):
        return None
    try:
        found = base64.b64decode(key + "=" * (-len(key) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    return found if len(found) == KEY_BYTES[suite] else None


def _is_understood(parameters: Sequence[str]) -> bool:
    """Return whether none of the parameters of a key asks for packets of another form (RFC 4568 6.3)."""
    return all(map(_HARMLESS.match, parameters))
