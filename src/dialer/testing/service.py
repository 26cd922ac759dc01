"""The service as one test sees it: an account of its own with a key, events, and the clock."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final

import httpx

from dialer.domain.words.enums import CampaignStatus
from dialer.local_service.client import PAGES_MAX, Client, Filter, Record
from dialer.local_service.clock_client import DevClient
from dialer.local_service.errors import DemoError
from dialer.testing.spans import read_span

STEPS_MAX: Final = 10_000
"""The most events of the dialling that one wait for an event of the account steps over."""
EVENTS_A_PAGE: Final = 1_000


class NotHeardError(AssertionError):
    """Raised when an event that a test waits for does not come."""


class KeyAuth(httpx.Auth):
    """The authentication by an API key."""

    def __init__(self, key: str) -> None:
        self._key: Final = key

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override] # it gets no answers
        """Send the key with a request."""
        request.headers["Authorization"] = f"Bearer {self._key}"
        yield request


class DialerService(Client):
    """A running service, with an account that nobody else uses.

    Beside the attributes, it is a client of the API: `create`, `change`, `read`, `every_page`, `import_csv`. Its
    methods raise `DemoError` when the service refuses.
    """

    def __init__(self, url: str, key: str, username: str, gateway: Record, admin: DevClient) -> None:
        super().__init__(url, KeyAuth(key))
        self.url: Final = url
        """The address of the service, without a slash at the end; the API is below `/rest-api/`."""
        self.key: Final = key
        """An API key of the account, with all scopes of a manager."""
        self.username: Final = username
        self.headers: Final = {"Authorization": f"Bearer {key}"}
        """The headers with which any client is let in."""
        self.gateway: Final = gateway
        """A simulated gateway."""
        self._admin: Final = admin

    @property
    def now(self) -> datetime:
        """The time of the virtual clock."""
        return datetime.fromisoformat(self._admin.now())

    def advance(self, span: str | timedelta) -> datetime:
        """Advance the clock by "45s", "1h30m", "2d" or a `timedelta`, and return the time then.

        Everything that was due has happened on the return: calls, answers, hang-ups, retries.

        Raises:
            ValueError: the span is none.
        """
        return datetime.fromisoformat(self._admin.advance_clock(seconds=read_span(span).total_seconds()))

    def advance_to(self, to: str) -> None:
        """Advance the clock to a moment, such as `2026-01-06T09:00:00-05:00`."""
        self._admin.advance_to(to)

    def advance_to_next(self) -> datetime:
        """Advance the clock to the next event of the dialling: a dial, an answer, the end of a call.

        Raises:
            DemoError: no campaign dials, and no call is in progress.
        """
        return datetime.fromisoformat(self._admin.advance_clock(next=True))

    def advance_until(self, kind: str, *, campaign: int | None = None, within: str | timedelta = "1d") -> Record:
        """Advance the clock to the first new event of a type, such as `campaign.ended`, and return that event.

        Raises:
            NotHeardError: there is none within the time, or nothing more is due.
        """
        latest, after = self.now + read_span(within), self._last_event()
        for _ in range(STEPS_MAX):
            try:
                now = self.advance_to_next()
            except DemoError as error:
                raise NotHeardError(f"no {kind}: {error}") from error
            if found := self._events((kind,), campaign, after):
                return found[0]
            if now > latest:
                break
        raise NotHeardError(f"no {kind} until {self.now:%Y-%m-%d %H:%M:%S} UTC")

    def events(self, *kinds: str, campaign: int | None = None) -> list[Record]:
        """Return the events of the account so far, oldest first: all, or those of some types or of one campaign."""
        return self._events(kinds, campaign, "")

    def end(self) -> None:
        """Abort the campaigns of the account that are not over, so that they do not dial in another test."""
        for resource in ("campaigns", "sms-campaigns"):
            for campaign in self.every_page(resource):
                if campaign["status"] in {CampaignStatus.START, CampaignStatus.PAUSE}:
                    self.change(resource, campaign["id"], status=int(CampaignStatus.ABORT))

    def _last_event(self) -> str:
        return str(found[-1]["id"]) if (found := self.events()) else ""

    def _events(self, kinds: tuple[str, ...], campaign: int | None, after: str) -> list[Record]:
        wanted: dict[str, Filter | None] = {"types": ",".join(kinds), "campaign": campaign, "after": after}
        given = {name: value for name, value in wanted.items() if value} | {"limit": EVENTS_A_PAGE}
        found: list[Record] = []
        for _ in range(PAGES_MAX):
            page = self._object(self._ask("GET", "events/", HTTPStatus.OK, params=given))
            found += page["results"]
            if len(page["results"]) < EVENTS_A_PAGE:
                return found
            given |= {"after": page["results"][-1]["id"]}
        raise DemoError(f"there are more than {PAGES_MAX} pages of events")
