"""The servers of a carrier, found by its name: NAPTR and SRV records, and the addresses of their targets (RFC 3263)."""

import asyncio
import socket
from collections.abc import Callable
from typing import Final

import msgspec

from dialer.carriers.sip.flows import Address
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.sip.server_pool import ServerTarget, in_order
from dialer.carriers.sip.server_records import Naptr, Srv, first_targets, service_name, services_for, transports_in
from dialer.carriers.sip.trunk import is_single_machine, is_within
from dialer.carriers.voice.dns_records import DnsKind, DnsRecords
from dialer.carriers.voice.sockets import address_towards, resolve

ADDRESSES_MAX: Final = 4
"""Addresses of a target that are used."""
HOSTS_MAX: Final = 64
"""Addresses of the carrier's servers that are known as the carrier's."""
LEFT_OUT_SHOWN_MAX: Final = 4
_KINDS: Final = {socket.AddressFamily.AF_INET: DnsKind.A, socket.AddressFamily.AF_INET6: DnsKind.AAAA}


class FoundServers(msgspec.Struct, frozen=True):
    """The servers of a carrier, as its records have them."""

    family: socket.AddressFamily
    targets: tuple[ServerTarget, ...]
    """By its SRV records; without any, one with the addresses of its name."""
    words: tuple[str, ...] = ()
    """Lines that say in words what was found."""
    until_s: float | None = None
    """The moment of the loop's clock until which it is good; None if it is not to be looked up again."""
    has_records: bool = True


class CarrierServers:
    """Finds the servers of one gateway's carrier, again and again."""

    def __init__(self, parameters: SipParameters, records: DnsRecords, say: Callable[[str], None]) -> None:
        """Prepare it. `records` remembers answers; `say` gets what was found, each time that it is something else."""
        self._parameters: Final = parameters
        self._records: Final = records
        self._say: Final = say
        self._said: tuple[str, ...] = ()
        self.hosts: tuple[str, ...] = ()
        """The addresses that were found so far, the newest first: they are the carrier's."""

    async def addresses(self, family: socket.AddressFamily) -> list[Address]:
        """Return the addresses of the servers in the order of their turns.

        Raises:
            OSError: as `find`.
        """
        return self.in_order(await self.find(family))

    def in_order(self, found: FoundServers) -> list[Address]:
        """Return the addresses of servers in the order of their turns, which is the same at each start."""
        return in_order(found.targets, self._parameters.username)

    async def find(self, family: socket.AddressFamily | None = None) -> FoundServers:
        """Return the servers with addresses of a family, or of the first one that there is a way to.

        Raises:
            OSError: the name is unknown, has no server for the transport, or none that anything may be sent to.
        """
        found = await self._find(family)
        if family not in {None, found.family}:
            raise OSError("the carrier's name has changed its kind of addresses")
        if found.words != self._said:
            self._said = found.words
            self._say("\n".join(found.words))
        hosts = (host for target in found.targets for host, _ in target.addresses)
        self.hosts = tuple(dict.fromkeys((*hosts, *self.hosts)))[:HOSTS_MAX]
        return found

    async def _find(self, family: socket.AddressFamily | None) -> FoundServers:
        if not self._parameters.domain_to_find:
            return await self._by_name()
        name, records, words, until_s = await self._services()
        if not records:
            return msgspec.structs.replace(await self._by_name(), words=words, until_s=until_s)
        return await self._by_records((name, records), words, until_s or 0.0, family)

    async def _by_name(self) -> FoundServers:
        family, (host, port), others = await resolve(self._parameters.server_address)
        addresses = (host, port), *((other, port) for other in others)
        return FoundServers(family, (ServerTarget(addresses),), has_records=False)

    async def _by_records(
        self,
        service: tuple[str, tuple[Srv, ...]],
        words: tuple[str, ...],
        until_s: float,
        family: socket.AddressFamily | None,
    ) -> FoundServers:
        """Return the servers that the SRV records of a service name."""
        families = tuple(_KINDS) if family is None else (family,)
        name, records = service
        targets = first_targets(records)
        if not targets:
            raise OSError(f"{name} says that the carrier has no server for {self._kind}")
        lefts: list[str] = []
        for one in families:
            hosts = await asyncio.gather(*(self._addresses(target, one) for target in targets))
            until_s = min(until_s, *(until for _, _, until in hosts))
            lefts += [left for _, left, _ in hosts if left]
            usable = [(target, found) for target, (found, _, _) in zip(targets, hosts, strict=True) if found]
            if usable:
                said = (*words, f"{name}: {_targets_in_words(usable)}", *lefts[:LEFT_OUT_SHOWN_MAX])
                return FoundServers(one, tuple(_target(*pair) for pair in usable), said, until_s)
        why = "; ".join(lefts[:LEFT_OUT_SHOWN_MAX]) or "their names have no addresses"
        raise OSError(f"{name}: {len(targets)} targets, and none that can be used: {why}")

    @property
    def _kind(self) -> str:
        return self._parameters.transport.upper()

    async def _services(self) -> tuple[str, tuple[Srv, ...], tuple[str, ...], float | None]:
        """Return the SRV records of the domain with their name, what is to be said, and until when they are good.

        That there are none is good until the line is opened again.
        """
        domain, kind = self._parameters.domain_to_find, self._parameters.kind
        usual = service_name(domain, kind)
        pointers, answer = await asyncio.gather(
            self._records.find(domain, DnsKind.NAPTR), self._records.find(usual, DnsKind.SRV)
        )
        naptrs = [one for one in pointers.records if isinstance(one, Naptr)]
        words, until_s = _pointers_in_words(domain, naptrs, self._parameters), pointers.until_s
        for name in (*services_for(naptrs, kind), usual):
            found = answer if name == usual else await self._records.find(name, DnsKind.SRV)
            until_s = min(until_s, found.until_s)
            records = tuple(one for one in found.records if isinstance(one, Srv))
            if found.is_away:
                words = (*words, _away_in_words(name, records))
            if records:
                return name, records, words, until_s
        if answer.is_away:
            return usual, (), words, until_s
        return usual, (), (*words, f"{domain} has no SRV records for {self._kind}: its own addresses are used"), None

    async def _addresses(self, target: Srv, family: socket.AddressFamily) -> tuple[list[Address], str, float]:
        """Return the addresses of a target that may be used, why others are left out, and until when they are good."""
        answer = await self._records.find(target.target, _KINDS[family])
        hosts = [one for one in answer.records if isinstance(one, str)]
        usable = [one for one in hosts if self._may_be(one, family)]
        left_out = [one for one in hosts if one not in usable]
        why = (
            f"{target.target} leads to {', '.join(left_out[:LEFT_OUT_SHOWN_MAX])}, where no other machine can be,"
            " or no way leads. Nothing is sent there, unless inbound_hosts names it"
            if left_out
            else ""
        )
        return [(host, target.port) for host in usable[:ADDRESSES_MAX]], why, answer.until_s

    def _may_be(self, host: str, family: socket.AddressFamily) -> bool:
        """Return whether the carrier may be at an address: anybody who owns a name can say that it is here."""
        if is_within(host, self._parameters.inbound_hosts):
            return True
        try:
            return is_single_machine(host) and address_towards(family, (host, self._parameters.usual_port)) != host
        except OSError:
            return False


def _target(target: Srv, addresses: list[Address]) -> ServerTarget:
    return ServerTarget(tuple(addresses), target.priority, target.weight)


def _targets_in_words(usable: list[tuple[Srv, list[Address]]]) -> str:
    shown = ", ".join(
        f"{target.target}:{target.port} (priority {target.priority}, weight {target.weight}) at"
        f" {' and '.join(host for host, _ in addresses)}"
        for target, addresses in usable
    )
    return f"{len(usable)} target{'s' if len(usable) > 1 else ''}, {shown}"


def _pointers_in_words(domain: str, naptrs: list[Naptr], parameters: SipParameters) -> tuple[str, ...]:
    offered = transports_in(naptrs)
    if not offered:
        return ()
    names = ", ".join(one.name for one in offered)
    if parameters.kind in offered:
        return (f"{domain} offers {names}: {', '.join(services_for(naptrs, parameters.kind))} is looked up",)
    return (f"{domain} offers {names}, and not {parameters.kind.name}, which the gateway has as its transport",)


def _away_in_words(name: str, records: tuple[Srv, ...]) -> str:
    last = ": the last answer is used" if records else ""
    return f"no name server answers for {name}{last}"
