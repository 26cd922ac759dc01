"""Tests of the addresses to which events may be sent."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.formats.network_addresses import addresses_within, is_public
from dialer.webhooks.addresses import AddressError, AddressGuard, parse_url
from dialer.webhooks.own_addresses import is_of_this_machine

INSIDE = (
    *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.1", "224.0.0.1"),
    *("255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "::127.0.0.1"),
    *("2001:0:a00:1:0:0:f5ff:fffe", "fd00:ec2::254", "fec0::1", "64:ff9b:1::a00:1", "::ffff:0:8.8.8.8", "192.88.99.1"),
    *("3fff::1", "5f00::1", "100:0:0:1::1", "100::1", "2001:2::1", "192.0.0.8"),
)


def leading_to(*addresses: str) -> AddressGuard:
    return AddressGuard(resolve=lambda _host, _port: addresses)


@pytest.mark.parametrize("address", INSIDE)
def test_nothing_goes_inside(address: str) -> None:
    with pytest.raises(AddressError, match="leads to no public address of another machine"):
        leading_to(address).check("https://inside.example/")


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808"])
def test_the_public_internet_is_reached(address: str) -> None:
    assert leading_to(address).addresses("out.example", 443) == [address]


def test_of_a_name_with_both_only_the_public_address_is_reached() -> None:
    assert leading_to("127.0.0.1", "8.8.8.8", "fe80::1%eth0").addresses("both.example", 443) == ["8.8.8.8"]


def test_an_admin_lists_networks() -> None:
    def resolve(host: str, _port: int) -> Sequence[str]:
        return [host]

    guard = AddressGuard(("10.1.0.0/16", "fd00:1::/32"), resolve)
    for host in ("10.1.2.3", "::ffff:10.1.2.3", "fd00:1::7"):
        assert guard.addresses(host, 80) == [host]
    for host in ("10.2.0.1", "::ffff:10.2.0.1", "fd00:2::7", "127.0.0.1"):
        with pytest.raises(AddressError):
            guard.addresses(host, 80)


def test_a_name_without_an_address_is_refused() -> None:
    def resolve(_host: str, _port: int) -> Sequence[str]:
        raise OSError("no such name")

    with pytest.raises(AddressError, match=r"The name gone\.example has no address\."):
        AddressGuard(resolve=resolve).check("http://gone.example/")


@pytest.mark.parametrize(
    "text",
    [
        *("", "example.com", "ftp://example.com/", "https://", "https:///path", "http://exa mple.com/", "http://[::1"),
        *("http://example.com:0/", "http://example.com:99999/", "http://example.com/\n", "http://example.com/#part"),
        *("file:///etc/passwd", "http://ex\u00e4mple.com/", "https://e.example/" + "x" * 500),
    ],
)
def test_a_text_that_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(AddressError, match=r"Use an address such as https://example\.com/events\."):
        parse_url(text)


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(AddressError, match="must not hold a password"):
        parse_url("https://user:word@example.com/")


@given(st.ip_addresses())
def test_an_address_that_leads_inside_is_never_public(address: IPv4Address | IPv6Address) -> None:
    if is_public(address):
        inside = (address.is_private, address.is_loopback, address.is_link_local, address.is_multicast)
        assert not any(inside)
        assert all(is_public(inner) for inner in addresses_within(address))


@given(st.ip_addresses(v=4, network="10.0.0.0/8"))
def test_no_spelling_of_a_private_address_is_public(address: IPv4Address) -> None:
    number = int(address)
    spellings = (f"::ffff:{address}", f"64:ff9b::{address}", str(IPv6Address((0x2002 << 112) | (number << 80))))
    assert not any(is_public(ip_address(text)) for text in spellings)


def test_nothing_goes_to_the_machines_own_public_addresses_unless_an_admin_lists_them() -> None:
    own = {"8.8.8.8", "2606:4700:4700::1111"}

    def guard(*networks: str) -> AddressGuard:
        return AddressGuard(networks, lambda host, _port: [host], lambda address: str(address) in own)

    for host in (*own, "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"):
        with pytest.raises(AddressError, match="no public address of another machine"):
            guard().addresses(host, 80)
        with pytest.raises(AddressError):
            guard().check_address(host)
    assert guard().addresses("9.9.9.9", 80) == ["9.9.9.9"]
    assert guard("8.8.8.0/24").addresses("8.8.8.8", 80) == ["8.8.8.8"]


@pytest.mark.parametrize(("address", "is_own"), [("127.0.0.1", True), ("192.0.2.7", False), ("2001:db8::7", False)])
def test_the_kernel_tells_which_addresses_are_the_machines_own(address: str, *, is_own: bool) -> None:
    assert is_of_this_machine(ip_address(address)) == is_own


def test_an_error_does_not_tell_where_an_internal_name_leads() -> None:
    with pytest.raises(AddressError) as refused:
        leading_to("10.1.2.3").check("https://inside.example/")
    assert "10.1.2.3" not in str(refused.value)


@given(st.ip_addresses(v=6))
def test_only_unicast_and_translated_addresses_are_public(address: IPv6Address) -> None:
    assert not is_public(address) or address in ip_network("2000::/3") or address in ip_network("64:ff9b::/96")
