"""Tests of the secrets of gateways: passwords are kept for the same other side only, and the way is for admins."""

import json

import pytest

from dialer.domain.credentials.gateway_secrets import fields_for_users, shows_secrets, with_kept_secrets

SMPP = {"host": "smsc.example.com", "system_id": "anna", "tls": True, "password": "swordfish"}
HTTP = {"url": "https://carrier.example/", "body": {"to": "{number}"}, "password": "swordfish", "secret": "s" * 16}


@pytest.mark.parametrize(
    ("before", "change"),
    [
        (SMPP, {"tls": False}),
        (SMPP, {"host": "elsewhere.example.com"}),
        (HTTP, {"body": {"to": "{number}", "text": "{password}"}}),
        (HTTP, {"query": {"p": "{password}"}}),
        (HTTP, {"headers": {"X-Key": "{password}"}}),
        (HTTP, {"method": "GET"}),
        (HTTP, {"callback_url": "https://elsewhere.example.com"}),
    ],
)
def test_a_secret_is_not_kept_for_another_side_or_another_field(
    before: dict[str, object], change: dict[str, object]
) -> None:
    shown = {name: value for name, value in before.items() if name not in {"password", "secret"}}
    after = json.loads(with_kept_secrets(json.dumps(before), json.dumps(shown | change)))
    assert after == shown | change


def test_a_secret_is_kept_if_a_client_writes_back_what_it_read_with_defaults() -> None:
    shown = {"host": "smsc.example.com", "system_id": "anna", "tls": True, "window": 5, "query": {}}
    assert json.loads(with_kept_secrets(json.dumps(SMPP), json.dumps(shown)))["password"] == "swordfish"


@pytest.mark.parametrize(
    ("parameters", "is_shown"),
    [
        ({"url": "http://carrier.example/x", "username": "u", "password": "p"}, True),
        ({"url": "HTTP://user@carrier.example:80/x", "password": "p"}, True),
        ({"url": "http://8.8.8.8/x", "headers": {"X-Key": "k"}}, True),
        ({"url": "http://[2001:4860:4860::8888]:80/x", "password": "p"}, True),
        ({"url": "https://carrier.example/x", "callback_url": "http://dialer.example", "secret": "s"}, True),
        ({"url": "https://carrier.example/x", "password": "p"}, False),
        ({"url": "http://carrier.example/x"}, False),
        ({"url": "http://kannel:13013/x", "password": "p"}, False),
        ({"url": "http://10.1.2.3:13013/x", "password": "p"}, False),
        ({"url": "http://[::1]:13013/x", "password": "p"}, False),
        ({"url": 7, "password": "p"}, False),
    ],
)
def test_a_password_over_http_is_told(parameters: dict[str, object], *, is_shown: bool) -> None:
    """A Kannel in the same network is fine."""
    assert shows_secrets(json.dumps(parameters)) is is_shown


def test_only_admins_see_the_way_to_a_real_carrier() -> None:
    assert fields_for_users(is_simulated=False) == {"parameters": "{}"}
    assert fields_for_users(is_simulated=True) == {}
