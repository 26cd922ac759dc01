"""Posting of signed events to a program."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

import httpx
import rich_click as click

from dialer.commands.service_access import checked_url
from dialer.webhooks.signing import SecretError, check_secret, new_secret, signed_headers

TIMEOUT_S: Final = 10.0


class Forwarder:
    """A way to a program, with the secret that signs."""

    def __init__(
        self, url: str, secret: str | None, now: Callable[[], datetime], transport: httpx.BaseTransport | None = None
    ) -> None:
        self.url: Final = checked_url("--forward-to", url)
        try:
            self.secret: Final = new_secret() if secret is None else check_secret(secret)
        except SecretError as error:
            raise click.ClickException(f"--secret: {error}") from None
        self._now: Final = now
        self._client: Final = httpx.Client(timeout=TIMEOUT_S, transport=transport)

    def post(self, event_id: str, body: str) -> str:
        """Post an event, and return in words what the program answered."""
        headers = signed_headers([self.secret], event_id, body, self._now())
        try:
            answer = self._client.post(self.url, content=body.encode(), headers=headers)
        except httpx.ConnectError:
            return f"not delivered: no program answers at {self.url}"
        except httpx.TimeoutException:
            return f"not delivered: no answer within {TIMEOUT_S:g} s"
        except httpx.HTTPError as error:
            return f"not delivered: {type(error).__name__}"
        return f"{answer.status_code}"
