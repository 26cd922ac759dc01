"""Tests of secrets in the parameters of gateways: they are kept for the same other side only."""

import json

import pytest

from dialer.domain.gateway_secrets import with_kept_secrets

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
