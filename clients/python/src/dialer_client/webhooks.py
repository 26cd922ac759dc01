"""The signatures of webhooks, as Standard Webhooks has them."""

from collections.abc import Mapping

from standardwebhooks.webhooks import EmptyWebhookSecretError, Webhook, WebhookVerificationError

from dialer_client.event_types import Event
from dialer_client.openings import event_of

__all__ = ["WebhookVerificationError", "verify"]


def verify(secret: str, headers: Mapping[str, str], body: bytes | str) -> Event:
    """Return the event that a webhook got. `secret` begins with `whsec_`, and `body` is as it came.

    Raises:
        WebhookVerificationError: somebody else sent it, it was changed, or it is older than five minutes.
    """
    try:
        return event_of(Webhook(secret).verify(body, dict(headers)))
    except (EmptyWebhookSecretError, KeyError, TypeError, ValueError) as error:
        raise WebhookVerificationError(f"No signed event: {error}") from error
