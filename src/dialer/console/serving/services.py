"""The objects that pages of the console use, and the values that every page shows."""

from http import HTTPStatus
from typing import Any, Final, NamedTuple

from litestar import Response
from litestar.datastructures import Cookie

from dialer.api.http.auth import Authenticator
from dialer.api.service import ApiRequest
from dialer.console.charts.answer_counts import AnswerCounts
from dialer.console.charts.calls_per_minute import Minutes
from dialer.console.lists.list_tasks import ListTasks
from dialer.console.parts.rendering import html, render
from dialer.console.parts.zones import zone_of
from dialer.console.serving.live_parts import Snapshots
from dialer.console.serving.presence import OpenDesks
from dialer.console.serving.sessions import CurrentSession, Sessions
from dialer.console.words.language import gettext_noop
from dialer.domain.words.roles import Permission, Role

REAL: Final = "real"
ACCOUNT: Final = "account"
"""The item at the end of the navigation, below which pages are that have no item for the viewer."""


class NavigationItem(NamedTuple):
    """A page in the navigation, with the permission that it needs."""

    name: str
    title: str
    url: str
    permission: Permission


DESK: Final = NavigationItem("desk", gettext_noop("Desk"), "/console/desk/", Permission.WORK)
"""The page of agents at work, which leads the navigation of agents only."""
NAVIGATION: Final = (
    NavigationItem("overview", gettext_noop("Overview"), "/console/overview/", Permission.READ),
    NavigationItem("campaigns", gettext_noop("Campaigns"), "/console/campaigns/", Permission.READ),
    NavigationItem("calls", gettext_noop("Calls"), "/console/calls/", Permission.READ_CALLS),
    NavigationItem("figures", gettext_noop("Figures"), "/console/figures/", Permission.READ),
    NavigationItem("people", gettext_noop("People"), "/console/records/phonebook/", Permission.READ),
    NavigationItem("surveys", gettext_noop("Surveys"), "/console/records/survey-template/", Permission.READ),
    NavigationItem("centre", gettext_noop("Call centre"), "/console/board/", Permission.READ),
    NavigationItem("lines", gettext_noop("Lines"), "/console/records/gateway/", Permission.READ),
    NavigationItem("money", gettext_noop("Money"), "/console/money/", Permission.READ),
    NavigationItem("administration", gettext_noop("Administration"), "/console/records/users/", Permission.ADMIN),
)


class ConsoleServices:
    """The objects that pages use besides those of the API."""

    def __init__(
        self,
        *,
        authenticator: Authenticator,
        sessions: Sessions,
        snapshots: Snapshots,
        list_tasks: ListTasks,
        presence: OpenDesks,
        first_admin_token: str | None,
    ) -> None:
        self.authenticator: Final = authenticator
        self.sessions: Final = sessions
        self.first_admin_token: Final = first_admin_token
        """The token with which the first admin can be created; None if there are users."""
        self.snapshots: Final = snapshots
        self.list_tasks: Final = list_tasks
        self.presence: Final = presence
        self.minutes: Final = Minutes()
        self.answers: Final = AnswerCounts()


def current_session(request: ApiRequest) -> CurrentSession:
    """Return the session of a request to a page that needs one."""
    session: CurrentSession = request.scope["auth"]
    return session


def frame(request: ApiRequest, here: str) -> dict[str, Any]:
    """Return the values that every page with a navigation shows; `here` is the name of the page."""
    session = current_session(request)
    service = request.service
    items = (DESK, *NAVIGATION) if session.actor.role is Role.AGENT else NAVIGATION
    shown = [item for item in items if session.actor.may(item.permission)]
    return {
        "here": ACCOUNT if any(item.name == here for item in items if item not in shown) else here,
        "viewer": session.actor,
        "may": session.actor.may,
        "permissions": Permission,
        "csrf": session.form_token,
        "zone": zone_of(request),
        "now_ms": service.worker.clock.now_ms(),
        "clock_mode": "" if service.worker.clock.mode == REAL else service.worker.clock.mode,
        "navigation": shown,
    }


def page(
    request: ApiRequest,
    template: str,
    here: str,
    status: int = HTTPStatus.OK,
    **values: Any,  # noqa: ANN401 - each page has its own
) -> Response[str]:
    """Return a page with a navigation."""
    from dialer.console.words.help_places import help_for  # noqa: PLC0415 - a service without visitors has no pages

    return html(render(template, **frame(request, here), help_url=help_for(template, here), **values), status)


def go_to(url: str, *cookies: Cookie) -> Response[bytes]:
    """Return a redirect that a browser follows with GET, which sets cookies."""
    return Response(
        b"",
        status_code=HTTPStatus.SEE_OTHER,
        headers={"Location": url, "Cache-Control": "no-store"},
        media_type="text/plain",
        cookies=list(cookies),
    )
