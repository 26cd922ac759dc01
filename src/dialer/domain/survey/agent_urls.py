"""The addresses of programs that talk: WebSockets over TLS, or within this machine."""

from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from dialer.domain.words.sentences import Sentence

AGENT_URL_MAX: Final = 500
"""Characters of an address."""
_PORTS: Final = {"wss": 443, "ws": 80}


def split_agent_url(text: str) -> SplitResult | None:
    """Return the parts of an address; None if it is no `ws` or `wss` URL with a host."""
    try:
        url = urlsplit(text)
        is_whole = url.scheme in _PORTS and bool(url.hostname) and url.port != 0
    except ValueError:
        return None
    is_plain = text.isascii() and text.isprintable() and " " not in text and len(text) <= AGENT_URL_MAX
    return url if is_whole and is_plain else None


def agent_port(url: SplitResult) -> int:
    """Return the port of an address."""
    return url.port or _PORTS[url.scheme]


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine under a name or an address that never leaves it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.rstrip(".").lower() == "localhost"


def agent_url_fault(text: str) -> Sentence | None:
    """Return what is wrong with the address of a program; None if nothing is."""
    url = split_agent_url(text)
    if url is None or url.fragment:
        return Sentence("Use an address such as wss://agent.example.com/calls.")
    if url.username is not None or url.password is not None:
        return Sentence("The address must not hold a password. The program verifies the signature instead.")
    if url.query or "?" in text:
        return Sentence("The address must have no query (?…): it is not signed alike everywhere. Use a path instead.")
    if url.scheme == "ws" and not is_loopback(url.hostname or ""):
        return Sentence("ws:// is only for programs on this machine, such as ws://127.0.0.1:8765. Use wss://.")
    return None


def signed_url(url: SplitResult) -> str:
    """Return an address as the program's server sees it: the host in small letters, no usual port, at least `/`."""
    host = (url.hostname or "").lower()
    place = f"[{host}]" if ":" in host else host
    port = "" if url.port in (None, _PORTS[url.scheme]) else f":{url.port}"
    return f"{url.scheme}://{place}{port}{url.path or '/'}"
