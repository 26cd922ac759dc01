"""Addresses of programs that receive events: where requests may go, and where they never go.

A name is resolved before each connection, and the address that was checked is the one that is connected to. So a name
that leads elsewhere a moment later leads nowhere.
"""

import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult, urlsplit

from dialer.domain.formats.network_addresses import Address, addresses_within, is_public
from dialer.domain.words.sentences import Sentence
from dialer.webhooks.names import NameLookups, Resolve, SlowNameError
from dialer.webhooks.own_addresses import is_of_this_machine

URL_MAX: Final = 500
"""Characters of a URL."""
_PORTS: Final = {"http": 80, "https": 443}

_LOOKUPS: Final = NameLookups()


class AddressError(ValueError):
    """Raised for a URL to which webhooks must not be sent; its message is a sentence for the user."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(str(sentence))
        self.sentence: Final = sentence


def parse_url(text: str) -> SplitResult:
    """Return the parts of a URL of a program.

    Raises:
        AddressError: it is no http or https URL with a host, or holds a password.
    """
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        url, port = urlsplit(""), None
    is_plain = text.isascii() and text.isprintable() and " " not in text and len(text) <= URL_MAX
    if not is_plain or url.scheme not in _PORTS or not url.hostname or port == 0 or url.fragment:
        raise AddressError(Sentence("Use an address such as https://example.com/events."))
    if url.username is not None or url.password is not None:
        raise AddressError(Sentence("The address must not hold a password. Receivers verify the signature instead."))
    return url


def port_of(url: SplitResult) -> int:
    """Return the port of a URL."""
    return url.port or _PORTS[url.scheme]


def resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name, as the machine resolves it.

    Raises:
        OSError: the name has none.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(str(error)) from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class AddressGuard:
    """The check of addresses, with the networks that an admin has listed besides the public internet."""

    def __init__(
        self,
        networks: Sequence[str] = (),
        resolve: Resolve = resolved,
        is_own: Callable[[Address], bool] = is_of_this_machine,
        lookups: NameLookups = _LOOKUPS,
    ) -> None:
        """`is_own` tells the addresses of this machine, to which nothing is sent unless their network is listed."""
        self._networks: Final = tuple(map(ip_network, networks))
        self._resolve: Final = resolve
        self._is_own: Final = is_own
        self._lookups: Final = lookups

    def check(self, text: str) -> None:
        """Check that webhooks may be sent to a URL. The host name is resolved, which may take seconds.

        Raises:
            AddressError: nothing may be sent there.
        """
        url = parse_url(text)
        self.addresses(url.hostname or "", port_of(url))

    def addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host to which requests may go.

        Raises:
            AddressError: the host has no address, or only such as nothing may be sent to.
        """
        try:
            found = self._lookups.addresses(self._resolve, host, port)
        except SlowNameError:
            raise AddressError(
                Sentence("The addresses of the name %(host)s did not come in time. Try again later.", host=host[:100])
            ) from None
        except OSError:
            raise AddressError(Sentence("The name %(host)s has no address.", host=host[:100])) from None
        allowed = self.allowed(found)
        if not allowed:
            raise _not_allowed(host)
        return allowed

    def allowed(self, addresses: Sequence[str]) -> list[str]:
        """Return those of some addresses to which requests may go."""
        return [text for text in addresses if self._is_allowed(text)]

    def check_address(self, address: str) -> None:
        """Check the address of a connection.

        Raises:
            AddressError: nothing may be sent there.
        """
        if not self._is_allowed(address):
            raise _not_allowed(address)

    def _is_allowed(self, text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:  # An address with a zone, which is link-local.
            return False
        return self._is_listed(address) or (is_public(address) and not self._leads_here(address))

    def _leads_here(self, address: Address) -> bool:
        """Return whether an address, or one to which it leads, is this machine's own: firewalls do not see requests."""
        return any(map(self._is_own, (address, *addresses_within(address))))

    def _is_listed(self, address: Address) -> bool:
        inner = tuple(addresses_within(address))
        return any(_has(network, one) for one in inner or (address,) for network in self._networks)


def _not_allowed(host: str) -> AddressError:
    """Return the error for a host. It does not tell the address, which may be that of an internal name."""
    return AddressError(
        Sentence(
            "%(host)s leads to no public address of another machine. Nothing is sent there, unless an admin lists its"
            " network in DIALER_WEBHOOK_NETWORKS.",
            host=host[:100],
        )
    )


def _has(network: IPv4Network | IPv6Network, address: Address) -> bool:
    return address.version == network.version and address in network
