"""Dialogs: the values by which two user agents recognise a call, and address each other (RFC 3261 12)."""

from ipaddress import ip_address
from typing import Final

import msgspec
from sipmessage import URI, Address

from dialer.carriers.sip import flows
from dialer.carriers.sip.flows import SIP_PORT, UDP, Flow, NextHop, Target, Transport
from dialer.carriers.sip.messages import PORT_MAX, Received

ROUTES_MAX: Final = 16


class Dialog(msgspec.Struct, frozen=True, omit_defaults=True):
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
    fallback: flows.Address
    """The address of the trunk, for targets that name none."""
    transport: Transport = Transport.UDP

    @property
    def flow(self) -> Flow:
        """The flow by which the dialog began."""
        return Flow(self.fallback, self.transport)

    def first_hop(self) -> Target:
        """Return the address to which requests in the dialog are sent: the first route, or else the remote target.

        A dialog that began over a connection stays there, whatever its URIs say: so none leads to another transport.
        """
        if self.transport is not UDP:
            return self.flow
        uri = Address.parse(self.routes[0]).uri if self.routes else URI.parse(self.target)
        return hop_of(uri) or self.flow

    def addressing(self) -> tuple[str, tuple[str, ...]]:
        """Return the request URI and the Route headers; a first proxy without `lr` routes strictly (12.2.1.1)."""
        if self.routes and "lr" not in (first := Address.parse(self.routes[0]).uri).parameters:
            return str(first), (*self.routes[1:], f"<{self.target}>")
        return self.target, self.routes


def dialog_of(answer: Received, local: str, flow: Flow) -> Dialog:
    """Return the dialog that a 2xx to an INVITE creates. Without a Contact, the trunk stays the target."""
    routes = tuple(reversed(answer.record_route))
    return _dialog(answer, (local, answer.header("To"), answer.to_tag), routes, flow)


def answered_dialog(invite: Received, tag: str, flow: Flow) -> Dialog:
    """Return the dialog that our 2xx to an INVITE creates (RFC 3261 12.1.1)."""
    ends = f"{invite.header('To')};tag={tag}", invite.header("From"), invite.from_tag
    return _dialog(invite, ends, invite.record_route, flow)


def _dialog(message: Received, ends: tuple[str, str, str], routes: tuple[Address, ...], flow: Flow) -> Dialog:
    contact = message.contact
    target = str(contact) if contact is not None and contact.host else host_in_uri(flow.address)
    return Dialog(message.call_id, *ends, target, tuple(map(str, routes[:ROUTES_MAX])), flow.address, flow.transport)


def with_target(dialog: Dialog, request: Received) -> Dialog:
    """Return the dialog after a request that refreshes its target (12.2.2)."""
    contact = request.contact
    return dialog if contact is None or not contact.host else msgspec.structs.replace(dialog, target=str(contact))


def hop_of(uri: URI) -> NextHop | None:
    """Return the place to which a URI leads; None if it names none over UDP."""
    if not uri.host or uri.scheme != "sip":
        return None
    port = uri.port if uri.port is not None else SIP_PORT
    return NextHop((_plain(uri.host.strip("[]")), port)) if 0 < port <= PORT_MAX else None


def _plain(host: str) -> str:
    """Return a host as sockets write it, if it is an IP address."""
    try:
        return str(ip_address(host))
    except ValueError:
        return host


def host_in_uri(address: flows.Address) -> str:
    """Return the URI of an address without a user."""
    host, port = address
    return f"sip:[{host}]:{port}" if ":" in host else f"sip:{host}:{port}"
