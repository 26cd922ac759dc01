"""Tests of how the servers of a carrier are found by its name, with a name server of the test's own."""

import socket
from collections.abc import AsyncIterator
from typing import Final

import pytest

from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.sip.server_pool import ServerTarget
from dialer.carriers.voice import carrier_servers, dns_records
from dialer.carriers.voice.carrier_servers import HOSTS_MAX, CarrierServers, FoundServers
from dialer.carriers.voice.dns_records import DnsRecords
from tests.carriers.voice.name_server import NameServer, name_server

DOMAIN: Final = "carrier.example"
UDP: Final = f"_sip._udp.{DOMAIN}"
TLS: Final = f"_sips._tcp.{DOMAIN}"
TEST_NET: Final = ("192.0.2.0/24", "2001:db8::/32")


@pytest.fixture
async def names(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[NameServer]:
    """Return a name server."""
    async with name_server(monkeypatch) as server:
        yield server


def _ignore(_words: str) -> None:
    """Ignore what is said."""


def servers(records: DnsRecords | None = None, /, **parameters: object) -> CarrierServers:
    """Return the servers of a gateway at the domain, whose networks are known to be the carrier's."""
    usual = {"server": DOMAIN, "inbound_hosts": TEST_NET, **parameters}
    return CarrierServers(SipParameters(**usual), records or DnsRecords(), _ignore)  # type: ignore[arg-type]


async def test_servers_are_found_by_priority_and_weight(names: NameServer) -> None:
    names.add(
        TLS, "SRV", "20 1 5061 c.carrier.example.", "10 60 5061 a.carrier.example.", "10 40 5071 b.carrier.example."
    )
    for host, address in {"a": "192.0.2.1", "b": "192.0.2.2", "c": "192.0.2.3"}.items():
        names.add(f"{host}.{DOMAIN}", "A", address)
    found = await servers(transport="tls").find()
    assert (found.targets, found.words) == (
        (
            ServerTarget((("192.0.2.1", 5061),), 10, 60),
            ServerTarget((("192.0.2.2", 5071),), 10, 40),
            ServerTarget((("192.0.2.3", 5061),), 20, 1),
        ),
        (
            (
                "_sips._tcp.carrier.example: 3 targets, a.carrier.example:5061 (priority 10, weight 60) at 192.0.2.1,"
                " b.carrier.example:5071 (priority 10, weight 40) at 192.0.2.2, c.carrier.example:5061 (priority 20,"
                " weight 1) at 192.0.2.3"
            ),
        ),
    )


async def test_naptr_leads_to_the_service_of_the_transport(names: NameServer) -> None:
    names.add(
        DOMAIN,
        "NAPTR",
        '10 10 "s" "SIPS+D2T" "" _sips._tcp.secure.example.',
        '20 10 "s" "SIP+D2U" "" _sip._udp.later.example.',
        '20 5 "S" "sip+d2u" "" _sip._udp.first.example.',
        '1 1 "u" "E2U+sip" "!^.*$!sip:x@y!" .',
    )
    names.add("_sip._udp.first.example", "SRV", "1 1 5060 a.carrier.example.")
    names.add(f"a.{DOMAIN}", "A", "192.0.2.1")
    found = await servers().find()
    assert found.targets == (ServerTarget((("192.0.2.1", 5060),), 1, 1),)
    assert found.words == (
        "carrier.example offers TLS, UDP: _sip._udp.first.example, _sip._udp.later.example is looked up",
        "_sip._udp.first.example: 1 target, a.carrier.example:5060 (priority 1, weight 1) at 192.0.2.1",
    )


async def test_a_domain_that_offers_no_such_transport_says_so(names: NameServer) -> None:
    names.add(DOMAIN, "NAPTR", '10 10 "s" "SIPS+D2T" "" _sips._tcp.carrier.example.')
    names.add(UDP, "SRV", "1 1 5060 a.carrier.example.")
    names.add(f"a.{DOMAIN}", "A", "192.0.2.1")
    # Nothing of a name server makes a gateway use another transport than its own.
    found = await servers().find()
    assert found.words[0] == "carrier.example offers TLS, and not UDP, which the gateway has as its transport"
    assert found.targets == (ServerTarget((("192.0.2.1", 5060),), 1, 1),)


@pytest.mark.parametrize("server", [f"{DOMAIN}:5060", "127.0.0.1", "127.0.0.1:5070", "[::1]", "localhost"])
async def test_a_port_an_address_or_a_short_name_asks_for_no_records(names: NameServer, server: str) -> None:
    parameters = SipParameters(server=server)
    assert parameters.domain_to_find == ""
    if DOMAIN not in server:
        found = await CarrierServers(parameters, DnsRecords(), _ignore).find()
        assert (found.words, found.until_s, found.has_records) == ((), None, False)
    assert names.asked == []


async def test_without_srv_records_the_addresses_of_the_name_count(
    names: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def resolve(address: tuple[str, int]) -> tuple[socket.AddressFamily, tuple[str, int], tuple[str, ...]]:
        assert address == (DOMAIN, 5060)
        return socket.AddressFamily.AF_INET, ("192.0.2.7", 5060), ("192.0.2.8",)

    monkeypatch.setattr(carrier_servers, "resolve", resolve)
    one, records = ServerTarget((("192.0.2.7", 5060), ("192.0.2.8", 5060))), DnsRecords()
    words = "carrier.example has no SRV records for UDP: its own addresses are used"
    for _ in range(2):
        found = await servers(records).find()
        assert found == FoundServers(socket.AddressFamily.AF_INET, (one,), (words,), None, has_records=False)
    # That there are none is remembered.
    assert sorted(names.asked) == [(UDP, "SRV"), (DOMAIN, "NAPTR")]


async def test_a_single_dot_says_that_there_is_no_server(names: NameServer) -> None:
    names.add(UDP, "SRV", "0 0 0 .")
    with pytest.raises(OSError, match=r"_sip\._udp\.carrier\.example says that the carrier has no server for UDP"):
        await servers().find()


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("A", "127.0.0.1"),
        ("A", "169.254.169.254"),
        ("A", "0.0.0.0"),  # noqa: S104 - nothing is bound
        ("A", "224.0.0.1"),
        ("A", "255.255.255.255"),
        ("AAAA", "::1"),
        ("AAAA", "::ffff:127.0.0.1"),
        ("AAAA", "fe80::1"),
    ],
)
async def test_a_target_at_which_no_other_machine_can_be_gets_nothing(
    names: NameServer, kind: str, address: str
) -> None:
    names.add(UDP, "SRV", "1 1 22 a.carrier.example.")
    names.add(f"a.{DOMAIN}", kind, address)
    with pytest.raises(OSError, match=r"1 targets, and none that can be used: a\.carrier\.example leads to"):
        await servers().find()


async def test_targets_of_this_machine_are_used_if_the_gateway_names_its_network(names: NameServer) -> None:
    names.add(UDP, "SRV", "1 1 5062 a.carrier.example.", "2 1 5062 b.carrier.example.")
    names.add(f"a.{DOMAIN}", "A", "127.0.0.1")
    names.add(f"b.{DOMAIN}", "A", "169.254.1.1")
    found = await servers(inbound_hosts=("127.0.0.1",)).find()
    assert found.targets == (ServerTarget((("127.0.0.1", 5062),), 1, 1),)
    assert found.words[1].startswith("b.carrier.example leads to 169.254.1.1, where no other machine can be")


async def test_answers_without_end_are_cut(names: NameServer) -> None:
    names.add(UDP, "SRV", *(f"{place // 50} 1 {5000 + place} h{place}.carrier.example." for place in range(400)))
    for place in range(400):
        names.add(f"h{place}.{DOMAIN}", "A", *(f"192.0.2.{last}" for last in range(1, 200)))
    found = await servers().find()
    assert len(found.targets) == 8
    assert {(one.priority, len(one.addresses)) for one in found.targets} == {(0, 4)}
    assert names.by_tcp == 9


async def test_aliases_are_followed_and_those_in_a_circle_lead_nowhere(names: NameServer) -> None:
    names.add(UDP, "CNAME", "_sip._udp.other.example.")
    names.add("_sip._udp.other.example", "SRV", "1 1 5060 a.carrier.example.", "2 1 5060 round.example.")
    names.add(f"a.{DOMAIN}", "A", "192.0.2.1")
    names.add("round.example", "CNAME", "about.example.")
    names.add("about.example", "CNAME", "round.example.")
    found = await servers().find()
    assert found.targets == (ServerTarget((("192.0.2.1", 5060),), 1, 1),)


async def test_the_last_answer_is_good_while_the_name_server_is_away(
    names: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in {"KEPT_S_MIN": 0, "KEPT_S_MAX": 0, "AWAY_S": 3_600}.items():
        monkeypatch.setattr(dns_records, name, seconds)

    def be_away(*, is_away: bool) -> None:
        names.is_away = is_away
        # No answer comes then, however long the wait. One that comes has its time.
        monkeypatch.setattr(dns_records, "ANSWER_S", 0.05 if is_away else 60)

    async def unknown(_address: object) -> None:
        raise OSError("no name server answers")

    monkeypatch.setattr(carrier_servers, "resolve", unknown)
    names.add(UDP, "SRV", "1 1 5060 a.carrier.example.")
    names.add(f"a.{DOMAIN}", "A", "192.0.2.1")
    found = servers()
    be_away(is_away=True)
    with pytest.raises(OSError, match=r".+"):
        await found.find()
    monkeypatch.setattr(dns_records, "AWAY_S", 0)
    found = servers()
    be_away(is_away=False)
    first = await found.find()
    be_away(is_away=True)
    again = await found.find()
    assert again.targets == first.targets
    assert again.words[0] == "no name server answers for _sip._udp.carrier.example: the last answer is used"


@pytest.mark.parametrize(("lives_s", "asked"), [(0, 3), (2**31 - 1, 3)])
async def test_answers_are_kept_however_short_they_live(names: NameServer, lives_s: int, asked: int) -> None:
    names.lives_s = lives_s
    names.add(UDP, "SRV", "1 1 5060 a.carrier.example.")
    names.add(f"a.{DOMAIN}", "A", "192.0.2.1")
    found = servers()
    first = await found.find()
    assert await found.find() == first
    assert len(names.asked) == asked


async def test_the_addresses_that_were_found_last_are_the_carriers(
    names: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("KEPT_S_MIN", "KEPT_S_MAX"):
        monkeypatch.setattr(dns_records, name, 0)
    names.add(UDP, "SRV", "1 1 5060 a.carrier.example.")
    found = servers()
    for last in range(HOSTS_MAX + 6):
        names.add(f"a.{DOMAIN}", "A", f"192.0.2.{last}")
        await found.find()
    assert found.hosts == tuple(f"192.0.2.{last}" for last in range(HOSTS_MAX + 5, 5, -1))
