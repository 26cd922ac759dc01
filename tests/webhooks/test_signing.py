"""Tests of the signatures of events: receivers verify them with the library of Standard Webhooks."""

from datetime import UTC, datetime

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from dialer.webhooks.signing import SecretError, check_secret, new_secret, signed_headers

BODY = '{"type": "call.ended", "name": "Zoë"}'


def test_a_receiver_verifies_what_was_signed_and_nothing_else() -> None:
    secret, now = new_secret(), datetime.now(UTC)
    headers = signed_headers([secret], "evt_7", BODY, now)
    assert headers["webhook-timestamp"] == str(int(now.timestamp()))
    assert Webhook(secret).verify(BODY, headers) == {"type": "call.ended", "name": "Zoë"}
    for wrong in ({**headers, "webhook-id": "evt_8"}, {**headers, "webhook-timestamp": "1"}):
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(BODY, wrong)
    with pytest.raises(WebhookVerificationError):
        Webhook(new_secret()).verify(BODY, headers)


@pytest.mark.parametrize("text", ["", "whsec_", "whsec_c2hvcnQ=", "c2VjcmV0c2VjcmV0c2VjcmV0", "whsec_no base64 at all"])
def test_a_text_that_is_no_secret_is_refused(text: str) -> None:
    with pytest.raises(SecretError, match="at least 16 bytes in base64"):
        check_secret(text)


def test_a_new_secret_is_one_and_no_two_are_equal() -> None:
    assert check_secret(new_secret()) != check_secret(new_secret())
