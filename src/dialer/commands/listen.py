"""`dialer listen`: the events of an account on this machine."""

import contextlib
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx
import msgspec
import rich_click as click

from dialer.commands.forwarding import Forwarder
from dialer.commands.output import printable, say
from dialer.commands.service_access import checked_url, read_key
from dialer.webhooks.server_sent import SentEvent, sent_events

SILENCE_S: Final = 45.0
"""The silence after which a connection counts as lost. The service sends a comment every 15 seconds."""
AGAIN_S_MAX: Final = 30.0
_MESSAGE_MAX: Final = 1_000
_PASSING: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS}) | {status for status in HTTPStatus if status >= 500}  # noqa: PLR2004


class Following:
    """A stream of events that is opened again, after the last event, whenever it ends."""

    def __init__(
        self,
        client: httpx.Client,
        parameters: dict[str, str],
        after: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client: Final = client
        self._parameters: Final = parameters
        self._last_id = after
        self._sleep: Final = sleep
        self._again_s = 1.0

    def events(self) -> Iterator[SentEvent]:
        """Yield the account's events until the program is interrupted.

        Raises:
            ClickException: the service refuses for good.
        """
        while True:
            try:
                yield from self._stream()
            except httpx.HTTPError as error:
                what = "No connection to" if isinstance(error, httpx.ConnectError) else "The connection is lost to"
                say(f"{what} {self._client.base_url} ({type(error).__name__}). Again in {self._again_s:.0f} s.")
            self._sleep(self._again_s)
            self._again_s = min(2 * self._again_s, AGAIN_S_MAX)

    def _stream(self) -> Iterator[SentEvent]:
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": self._last_id} if self._last_id else {})}
        with self._client.stream("GET", "events/", params=self._parameters, headers=headers) as answer:
            if answer.status_code in _PASSING:
                say(f"The service is not ready ({answer.status_code}). Again in {self._again_s:.0f} s.")
                return
            if not answer.is_success:
                raise click.ClickException(f"the service refuses ({answer.status_code}): {_refusal(answer.read())}")
            for event in sent_events(answer.iter_lines()):
                self._again_s, self._last_id = 1.0, event.id
                yield event


def _refusal(body: bytes) -> str:
    """Return the messages of an error of the API in words, or what else the answer holds."""
    try:
        members = msgspec.json.decode(body, type=dict[str, str | list[str]])
    except msgspec.MsgspecError:
        return printable(body.decode("utf-8", "replace")[:_MESSAGE_MAX])
    texts = [text if isinstance(text, str) else f"{name}: {' '.join(text)}" for name, text in members.items()]
    return printable("; ".join(texts)[:_MESSAGE_MAX])


def listen(
    url: str,
    *,
    key_file: Path | None,
    types: str,
    campaign: int | None,
    after: str,
    forward_to: str | None,
    secret: str | None,
) -> None:
    """Show events, and post them if there is an address, until Ctrl+C."""
    key = read_key(key_file)
    forwarder = None if forward_to is None else Forwarder(forward_to, secret, lambda: datetime.now(UTC))
    if forwarder is not None and secret is None:
        say(f"Signing secret: {forwarder.secret}")
    wanted = {"types": types, "campaign": "" if campaign is None else str(campaign)}
    client = httpx.Client(
        base_url=f"{checked_url('--url', url)}/rest-api/",
        headers={"Authorization": f"Bearer {key}"},
        timeout=httpx.Timeout(SILENCE_S),
    )
    following = Following(client, {name: value for name, value in wanted.items() if value}, after)
    # The user's Ctrl+C is the regular end.
    with client, contextlib.suppress(KeyboardInterrupt):
        for event in following.events():
            show(event, forwarder)


def show(event: SentEvent, forwarder: Forwarder | None) -> None:
    """Print one event, and what the program answered to it."""
    try:
        members = msgspec.json.decode(event.data, type=dict[str, object])
    except msgspec.DecodeError:
        say("The service sent something else than an event.")
        return
    line = f"{members.get('time')} {event.id} {event.type} {members.get('subject')}"
    answered = "" if forwarder is None else f" -> {forwarder.post(event.id, event.data)}"
    click.echo(printable(line) + answered)
