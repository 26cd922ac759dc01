"""Dialogs: the values by which two user agents recognise a call, and address each other (RFC 3261 12)."""

from ipaddress import ip_address
from typing import Final

import msgspec
from sipmessage import URI, Address

from dialer.carriers.sip import outputs
from dialer.carriers.sip.messages import PORT_MAX, SIP_PORT, Received

ROUTES_MAX: Final = 16


class Dialog(msgspec.Struct, frozen=True):
    """A dialog between two user agents. As JSON, it is what takes a leg up in another process."""

    call_id: str
    local: str
    """The value of From in our requests, with our tag."""
    remote: str
    """The value of To in our requests, with the other side's tag."""
    remote_tag: str
    target: str
    """The URI of the other side's Contact."""
    routes: tuple[str, ...]
    """The route set: the proxies that stay in the way, nearest first."""
    fallback: outputs.Address
    """The address of the trunk, for targets that name none."""

    def first_hop(self) -> outputs.Address:
        """Return the address to which requests in the dialog are sent."""
        uri = Address.parse(self.routes[0]).uri if self.routes else URI.parse(self.target)
        return address_of(uri) or self.fallback

    def addressing(self) -> tuple[str, tuple[str, ...]]:
        """Return the request URI and the Route headers; a first proxy without `lr` routes strictly (12.2.1.1)."""
        if self.routes and "lr" not in (first := Address.parse(self.routes[0]).uri).parameters:
            return str(first), (*self.routes[1:], f"<{self.target}>")
        return self.target, self.routes


def dialog_of(answer: Received, local: str, fallback: outputs.Address) -> Dialog:
    """Return the dialog that a 2xx to an INVITE creates. Without a Contact, the trunk stays the target."""
    routes = tuple(reversed(answer.record_route))
    return _dialog(answer, (local, answer.header("To"), answer.to_tag), routes, fallback)


def answered_dialog(invite: Received, tag: str, fallback: outputs.Address) -> Dialog:
    """Return the dialog that our 2xx to an INVITE creates (RFC 3261 12.1.1)."""
    ends = f"{invite.header('To')};tag={tag}", invite.header("From"), invite.from_tag
    return _dialog(invite, ends, invite.record_route, fallback)


def _dialog(
    message: Received, ends: tuple[str, str, str], routes: tuple[Address, ...], fallback: outputs.Address
) -> Dialog:
    contact = message.contact
    target = str(contact) if contact is not None and contact.host else host_in_uri(fallback)
    return Dialog(message.call_id, *ends, target, tuple(map(str, routes[:ROUTES_MAX])), fallback)


def with_target(dialog: Dialog, request: Received) -> Dialog:
    """Return the dialog after a request that refreshes its target (12.2.2)."""
    contact = request.contact
    return dialog if contact is None or not contact.host else msgspec.structs.replace(dialog, target=str(contact))


def address_of(uri: URI) -> outputs.Address | None:
    """Return the address that a URI names; None if it names none over UDP."""
    if not uri.host or uri.scheme != "sip":
        return None
    port = uri.port if uri.port is not None else SIP_PORT
    return (_plain(uri.host.strip("[]")), port) if 0 < port <= PORT_MAX else None


def _plain(host: str) -> str:
    """Return a host as sockets write it, if it is an IP address."""
    try:
        return str(ip_address(host))
    except ValueError:
        return host


def host_in_uri(address: outputs.Address) -> str:
    """Return the URI of an address without a user."""
    host, port = address
    return f"sip:[{host}]:{port}" if ":" in host else f"sip:{host}:{port}"
