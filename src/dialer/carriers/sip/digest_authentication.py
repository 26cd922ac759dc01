"""Digest authentication: the answer to a challenge (RFC 7616, and RFC 8760 for SIP)."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.trunk import TrunkAccount

CHALLENGES_MAX: Final = 8
_PARAMETER: Final = re.compile(r'([A-Za-z][A-Za-z0-9-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_ESCAPED: Final = re.compile(r"\\(.)")
_HASHES: Final = {"md5": "md5", "sha-256": "sha256", "sha-512-256": "sha512_256"}
_HEADERS: Final = {401: ("WWW-Authenticate", "Authorization"), 407: ("Proxy-Authenticate", "Proxy-Authorization")}


class Challenge(msgspec.Struct, frozen=True):
    """A digest challenge of the other side, with an algorithm that we know."""

    answer_header: str
    """`Authorization` or `Proxy-Authorization`."""
    realm: str
    nonce: str
    opaque: str | None
    algorithm: str
    """As the other side spelled it; empty if it named none, which means MD5."""
    qop: str
    """`auth`, `auth-int`, or empty for the form of RFC 2069."""
    is_stale: bool
    """True if only the nonce was wrong, not the password."""


def read_challenge(response: Received) -> Challenge | None:
    """Return the first digest challenge of a 401 or 407 with a known algorithm; None without one."""
    challenge_header, answered = _HEADERS[response.status]
    for value in response.message.headers.getlist(challenge_header)[:CHALLENGES_MAX]:
        scheme, _, rest = value.strip().partition(" ")
        parameters = {
            name.lower(): bare or _ESCAPED.sub(r"\1", quoted) for name, quoted, bare in _PARAMETER.findall(rest)
        }
        if scheme.lower() == "digest" and (challenge := _understood(answered, parameters)):
            return challenge
    return None


def _understood(answer_header: str, parameters: Mapping[str, str]) -> Challenge | None:
    algorithm = parameters.get("algorithm", "")
    offered = [quality.strip().lower() for quality in parameters.get("qop", "").split(",") if quality.strip()]
    qop = next((quality for quality in ("auth", "auth-int") if quality in offered), "")
    is_known = (algorithm.lower().removesuffix("-sess") or "md5") in _HASHES
    if not is_known or "nonce" not in parameters or (offered and not qop):
        return None
    return Challenge(
        answer_header=answer_header,
        realm=parameters.get("realm", ""),
        nonce=parameters["nonce"],
        opaque=parameters.get("opaque"),
        algorithm=algorithm,
        qop=qop,
        is_stale=parameters.get("stale", "").lower() == "true",
    )


class SignedRequest(msgspec.Struct, frozen=True):
    """The parts of a request that its credentials cover."""

    method: str
    uri: str
    body: bytes = b""


def authorise(challenge: Challenge, account: TrunkAccount, request: SignedRequest, count: int, cnonce: str) -> str:
    """Return the value of the header that answers a challenge.

    `count` is how often its nonce was used, this time included; `cnonce` is a text that nobody can guess.
    """
    numbered = f"{count:08x}"
    response = _response(challenge, account, request, numbered, cnonce)
    parts = [
        ("username", _quoted(account.username)),
        ("realm", _quoted(challenge.realm)),
        ("nonce", _quoted(challenge.nonce)),
        ("uri", _quoted(request.uri)),
        ("response", f'"{response}"'),
    ]
    if challenge.algorithm:
        parts.append(("algorithm", challenge.algorithm))
    if challenge.opaque is not None:
        parts.append(("opaque", _quoted(challenge.opaque)))
    if challenge.qop:
        parts += [("qop", challenge.qop), ("nc", numbered)]
    if challenge.qop or _is_session(challenge):
        parts.append(("cnonce", _quoted(cnonce)))
    return "Digest " + ", ".join(f"{name}={value}" for name, value in parts)


def _response(challenge: Challenge, account: TrunkAccount, request: SignedRequest, count: str, cnonce: str) -> str:
    """Return the hash that proves the password (RFC 7616 3.4.1)."""
    name = _HASHES[challenge.algorithm.lower().removesuffix("-sess") or "md5"]

    def digest(*parts: str) -> str:
        return hashlib.new(name, ":".join(parts).encode(), usedforsecurity=False).hexdigest()

    secret = digest(account.username, challenge.realm, account.password)
    if _is_session(challenge):
        secret = digest(secret, challenge.nonce, cnonce)
    what: Iterable[str] = (request.method, request.uri)
    if challenge.qop == "auth-int":
        what = (*what, hashlib.new(name, request.body, usedforsecurity=False).hexdigest())
    if not challenge.qop:
        return digest(secret, challenge.nonce, digest(*what))
    return digest(secret, challenge.nonce, count, cnonce, challenge.qop, digest(*what))


def _is_session(challenge: Challenge) -> bool:
    return challenge.algorithm.lower().endswith("-sess")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
