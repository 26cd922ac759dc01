"""Signatures of events, as Standard Webhooks has them: receivers verify them with its libraries."""

import base64
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what every secret begins with
_SECRET_BYTES: Final = 24
SECRET_BYTES_MIN: Final = 16


class SecretError(ValueError):
    """Raised for a text that is no secret; the message says how one looks."""


def new_secret() -> str:
    """Return a new secret: `whsec_` and 24 random bytes in base64."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def check_secret(text: str) -> str:
    """Return a secret of a user, if it is valid.

    Raises:
        SecretError: the text is none.
    """
    try:
        known = base64.b64decode(text.removeprefix(SECRET_PREFIX), validate=True)
    except ValueError:
        known = b""
    if not text.startswith(SECRET_PREFIX) or len(known) < SECRET_BYTES_MIN:
        raise SecretError(f"A secret is {SECRET_PREFIX} and at least {SECRET_BYTES_MIN} bytes in base64.")
    return text


def signed_headers(known: Sequence[str], event_id: str, body: str, now: datetime) -> dict[str, str]:
    """Return the headers with which an event is sent; `now` is an aware moment.

    There is a signature by each secret, one or more: a receiver that knows any of them verifies.
    """
    from standardwebhooks.webhooks import Webhook  # noqa: PLC0415 - most services send no events

    now = now.astimezone(UTC)
    return {
        "Content-Type": "application/cloudevents+json",
        "webhook-id": event_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(Webhook(secret).sign(event_id, now, body) for secret in known),
    }
