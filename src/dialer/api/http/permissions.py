"""The permission that each route needs: the only place where roles of users and scopes of API keys are checked.

The routes of the resource table get their permissions from its rows (`Resource.permission`). Every other route under
`/rest-api` must have a line in `ROUTES`, and every page of the console one in `PAGES` or `OPEN_PAGES`. A route without
one keeps the application from starting.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from litestar.enums import HttpMethod

from dialer.app.work.errors import ErrorCode
from dialer.domain.words.roles import Permission
from dialer.resources.crud.resource import Actor, Resource
from dialer.resources.crud.urls import PREFIX
from dialer.resources.words.errors import ForbiddenError

_ABOUT_TALK: Final = ("hang-up", "hold", "resume", "transfer", "consult", "consultation")
_ABOUT_RECORDING: Final = ("recording/start", "recording/pause", "recording/resume")
_ORDERS: Final = (*_ABOUT_TALK, *_ABOUT_RECORDING)
"""The orders about a call in progress."""
RECORD: Final = "{record_id}"
NO_SCOPE: Final = "This API key lacks the scope '{}'. Use a key that has it."

ROUTES: Final[Mapping[str, Permission]] = {
    "GET /": Permission.SIGNED_IN,
    "GET /clock": Permission.SIGNED_IN,
    "POST /clock/advance": Permission.ADMIN,
    "GET /own-settings": Permission.SIGNED_IN,
    "PATCH /own-settings": Permission.CAMPAIGNS,
    "GET /promised-call-backs": Permission.READ,
    "GET /contact-law": Permission.READ,
    "GET /events": Permission.READ,
    "PATCH /events": Permission.CAMPAIGNS,
    "POST /audio-files": Permission.CAMPAIGNS,
    "POST /apply": Permission.CAMPAIGNS,
    "POST /apply/recordings": Permission.CAMPAIGNS,
    "GET /export": Permission.READ,
    f"DELETE /audio-files/{RECORD}": Permission.CAMPAIGNS,
    f"POST /phonebook/{RECORD}/import": Permission.CAMPAIGNS,
    f"POST /dnc-list/{RECORD}/import": Permission.CAMPAIGNS,
    f"POST /dnc/{RECORD}/import": Permission.CAMPAIGNS,
    "POST /contact/bulk": Permission.CAMPAIGNS,
    "POST /dnc-contact/bulk": Permission.CAMPAIGNS,
    "POST /consent/bulk": Permission.CAMPAIGNS,
    f"POST /campaigns/{RECORD}/copy": Permission.CAMPAIGNS,
    f"POST /sms-campaigns/{RECORD}/copy": Permission.CAMPAIGNS,
    f"POST /campaigns/{RECORD}/call-again": Permission.CAMPAIGNS,
    f"POST /sms-campaigns/{RECORD}/call-again": Permission.CAMPAIGNS,
    f"POST /campaigns/{RECORD}/recycle": Permission.CAMPAIGNS,
    f"POST /sms-campaigns/{RECORD}/recycle": Permission.CAMPAIGNS,
    f"POST /campaigns/{RECORD}/forecast": Permission.READ,
    f"POST /sms-campaigns/{RECORD}/forecast": Permission.READ,
    **{
        f"{method} /{path}/{RECORD}/what-if": Permission.READ if method == "GET" else Permission.CAMPAIGNS
        for path in ("campaigns", "sms-campaigns")
        for method in ("POST", "GET", "DELETE")
    },
    f"GET /campaigns/{RECORD}/check": Permission.READ,
    f"GET /sms-campaigns/{RECORD}/check": Permission.READ,
    f"GET /survey-template/{RECORD}/check": Permission.READ,
    f"GET /surveyaggregate/{RECORD}": Permission.READ,
    f"GET /campaigns/{RECORD}/statistics": Permission.READ,
    f"GET /sms-campaigns/{RECORD}/statistics": Permission.READ,
    f"GET /campaigns/{RECORD}/proof": Permission.READ,
    f"GET /sms-campaigns/{RECORD}/proof": Permission.READ,
    f"GET /campaigns/{RECORD}/results": Permission.READ,
    f"GET /sms-campaigns/{RECORD}/results": Permission.READ,
    "GET /statistics": Permission.READ,
    f"GET /agent/{RECORD}/statistics": Permission.READ_CALLS,
    f"GET /agent/{RECORD}/days": Permission.READ_CALLS,
    "GET /agent-days": Permission.READ,
    f"GET /queue/{RECORD}/statistics": Permission.READ,
    f"GET /queue/{RECORD}/staffing-plan": Permission.READ,
    f"GET /survey-result/{RECORD}/recording": Permission.READ,
    f"GET /campaigns/{RECORD}/recordings": Permission.READ,
    f"GET /campaigns/{RECORD}/call-recordings": Permission.RECORDINGS,
    f"GET /audio-files/{RECORD}/download": Permission.READ,
    f"GET /call-recording/{RECORD}/download": Permission.RECORDINGS,
    f"DELETE /call-recording/{RECORD}": Permission.RECORDINGS,
    f"POST /cdr/{RECORD}/refund": Permission.MONEY,
    f"POST /gateway/{RECORD}/test-call": Permission.ADMIN,
    f"POST /campaigns/{RECORD}/test-call": Permission.CAMPAIGNS,
    f"GET /campaigns/{RECORD}/test-call": Permission.READ,
    f"DELETE /campaigns/{RECORD}/test-call": Permission.CAMPAIGNS,
    f"POST /sms-campaigns/{RECORD}/test-text": Permission.CAMPAIGNS,
    f"GET /sms-campaigns/{RECORD}/test-text": Permission.READ,
    f"DELETE /sms-campaigns/{RECORD}/test-text": Permission.CAMPAIGNS,
    f"GET /webhook/{RECORD}/deliveries": Permission.READ,
    f"POST /webhook/{RECORD}/deliveries/{{delivery_id}}/resend": Permission.KEYS,
    **{f"POST /webhook/{RECORD}/{order}": Permission.KEYS for order in ("test", "rotate")},
    f"GET /callrequest/{RECORD}/disposition": Permission.READ_CALLS,
    f"PUT /callrequest/{RECORD}/disposition": Permission.WORK,
    f"GET /callrequest/{RECORD}/draft": Permission.READ_CALLS,
    **{f"{method} /callrequest/{RECORD}/draft": Permission.WORK for method in ("PUT", "DELETE")},
    f"POST /agent/{RECORD}/dial": Permission.WORK,
    **{f"POST /agent/{RECORD}/{order}": Permission.WORK for order in ("ready", "longer-wrap-up")},
    f"GET /agent/{RECORD}/telephone": Permission.READ_CALLS,
    f"POST /agent/{RECORD}/telephone": Permission.WORK,
    **{f"{method} /agent/{RECORD}/telephone/{{token}}": Permission.WORK for method in ("PATCH", "DELETE")},
    f"GET /agent/{RECORD}/preview": Permission.READ_CALLS,
    **{f"POST /agent/{RECORD}/preview/{{subscriber_id}}/{order}": Permission.WORK for order in ("call", "skip")},
    **{f"POST /callrequest/{RECORD}/{order}": Permission.WORK for order in _ORDERS},
    f"GET /callrequest/{RECORD}/listen": Permission.READ,
    **{f"POST /callrequest/{RECORD}/{order}": Permission.CAMPAIGNS for order in ("listen", "stop-listening")},
}
"""The permissions of routes outside of the resource table, by method and path after `/rest-api`.

A forecast is a POST that changes nothing.
"""


CONSOLE: Final = "/console"
PAGES: Final[Mapping[str, Permission]] = {
    "GET /console": Permission.SIGNED_IN,
    "GET /console/help": Permission.SIGNED_IN,
    "GET /console/help/{name}": Permission.SIGNED_IN,
    "GET /console/account": Permission.SIGNED_IN,
    "POST /console/account/sign-out": Permission.SIGNED_IN,
    "POST /console/account/sessions": Permission.SIGNED_IN,
    "POST /console/account/password": Permission.SIGNED_IN,
    "POST /console/account/keys": Permission.SIGNED_IN,
    "POST /console/account/language": Permission.SIGNED_IN,
    "POST /console/account/telephone": Permission.CAMPAIGNS,
    "GET /console/account/second-factor": Permission.SIGNED_IN,
    "POST /console/account/second-factor": Permission.SIGNED_IN,
    "POST /console/account/second-factor/off": Permission.SIGNED_IN,
    f"POST /console/users/{RECORD}/second-factor/off": Permission.ADMIN,
    # It finds only records that the viewer may read.
    "GET /console/search": Permission.SIGNED_IN,
    "GET /console/overview": Permission.READ,
    "GET /console/overview/live": Permission.READ,
    "POST /console/overview/first-steps": Permission.CAMPAIGNS,
    "POST /console/overview/example": Permission.CAMPAIGNS,
    "POST /console/overview/stop": Permission.CAMPAIGNS,
    "POST /console/overview/resume": Permission.CAMPAIGNS,
    "GET /console/campaigns": Permission.READ,
    f"GET /console/campaigns/{RECORD}": Permission.READ,
    f"GET /console/campaigns/{RECORD}/live": Permission.READ,
    f"POST /console/campaigns/{RECORD}/state": Permission.CAMPAIGNS,
    f"POST /console/campaigns/{RECORD}/forecast": Permission.CAMPAIGNS,
    f"GET /console/campaigns/{RECORD}/what-if": Permission.READ,
    f"GET /console/campaigns/{RECORD}/what-if/live": Permission.READ,
    f"POST /console/campaigns/{RECORD}/what-if": Permission.CAMPAIGNS,
    f"POST /console/campaigns/{RECORD}/what-if/apply": Permission.CAMPAIGNS,
    f"POST /console/campaigns/{RECORD}/copy": Permission.CAMPAIGNS,
    f"POST /console/campaigns/{RECORD}/delete-example": Permission.CAMPAIGNS,
    "POST /console/text-length": Permission.CAMPAIGNS,
    f"GET /console/campaigns/{RECORD}/test": Permission.READ,
    f"POST /console/campaigns/{RECORD}/test": Permission.CAMPAIGNS,
    f"GET /console/campaigns/{RECORD}/test/live": Permission.READ,
    f"POST /console/campaigns/{RECORD}/test/stop": Permission.CAMPAIGNS,
    f"GET /console/campaigns/{RECORD}/call-again": Permission.CAMPAIGNS,
    f"POST /console/campaigns/{RECORD}/call-again": Permission.CAMPAIGNS,
    f"GET /console/campaigns/{RECORD}/recycle": Permission.CAMPAIGNS,
    f"POST /console/campaigns/{RECORD}/recycle": Permission.CAMPAIGNS,
    f"GET /console/campaigns/{RECORD}/answers/export": Permission.READ,
    f"GET /console/campaigns/{RECORD}/results/export": Permission.READ,
    f"GET /console/campaigns/{RECORD}/proof": Permission.READ,
    f"GET /console/campaigns/{RECORD}/figures": Permission.READ,
    f"GET /console/campaigns/{RECORD}/people/export": Permission.READ,
    f"GET /console/campaigns/{RECORD}/report": Permission.READ,
    f"GET /console/campaigns/{RECORD}/summary": Permission.READ,
    f"GET /console/campaigns/{RECORD}/recordings": Permission.READ,
    f"GET /console/campaigns/{RECORD}/figures/export": Permission.READ,
    "GET /console/figures": Permission.READ,
    "GET /console/figures/export": Permission.READ,
    "GET /console/new-campaign": Permission.CAMPAIGNS,
    "POST /console/new-campaign": Permission.CAMPAIGNS,
    "POST /console/new-campaign/paste": Permission.CAMPAIGNS,
    "GET /console/new-campaign/survey": Permission.CAMPAIGNS,
    "POST /console/new-campaign/survey": Permission.CAMPAIGNS,
    "POST /console/new-campaign/gateway": Permission.ADMIN,
    "GET /console/number": Permission.READ,
    "POST /console/number/erase": Permission.ADMIN,
    "POST /console/number/call-again": Permission.CAMPAIGNS,
    "POST /console/number/do-not-call": Permission.CAMPAIGNS,
    "POST /console/number/allow": Permission.CAMPAIGNS,
    "POST /console/number/note": Permission.CAMPAIGNS,
    "GET /console/money": Permission.READ,
    "GET /console/service": Permission.ADMIN,
    "POST /console/service/advance": Permission.ADMIN,
    f"GET /console/surveys/{RECORD}": Permission.READ,
    f"GET /console/surveys/{RECORD}/try": Permission.READ,
    f"POST /console/surveys/{RECORD}/speech": Permission.READ,
    f"GET /console/speech/{RECORD}": Permission.READ,
    "GET /console/placeholders": Permission.READ,
    f"POST /console/surveys/{RECORD}/branches": Permission.CAMPAIGNS,
    f"POST /console/surveys/{RECORD}/order": Permission.CAMPAIGNS,
    f"POST /console/surveys/{RECORD}/sections": Permission.CAMPAIGNS,
    f"POST /console/surveys/{RECORD}/sections/{{section_id}}": Permission.CAMPAIGNS,
    f"POST /console/surveys/{RECORD}/sections/{{section_id}}/delete": Permission.CAMPAIGNS,
    f"POST /console/surveys/{RECORD}/undo": Permission.CAMPAIGNS,
    f"POST /console/surveys/{RECORD}/redo": Permission.CAMPAIGNS,
    "GET /console/surveys/new": Permission.CAMPAIGNS,
    "POST /console/surveys/new": Permission.CAMPAIGNS,
    f"GET /console/sections/{RECORD}": Permission.READ,
    f"GET /console/gateways/{RECORD}/test-call": Permission.ADMIN,
    f"GET /console/webhooks/{RECORD}": Permission.READ,
    **{f"POST /console/webhooks/{RECORD}/{order}": Permission.KEYS for order in ("state", "test", "rotate", "resend")},
    f"POST /console/gateways/{RECORD}/test-call": Permission.ADMIN,
    "GET /console/recordings/new": Permission.CAMPAIGNS,
    "POST /console/recordings/new": Permission.CAMPAIGNS,
    f"GET /console/recordings/{RECORD}/sound": Permission.READ,
    f"POST /console/recordings/{RECORD}/delete": Permission.CAMPAIGNS,
    "GET /console/board": Permission.READ,
    f"POST /console/queues/{RECORD}/agents": Permission.CAMPAIGNS,
    "GET /console/agent-days": Permission.READ,
    "GET /console/agent-days/export": Permission.READ,
    f"GET /console/agents/{RECORD}/day": Permission.READ_CALLS,
    "GET /console/agent-list": Permission.CAMPAIGNS,
    "POST /console/agent-list": Permission.CAMPAIGNS,
    f"GET /console/queues/{RECORD}/staffing": Permission.READ,
    f"GET /console/queues/{RECORD}/staffing/export": Permission.READ,
    "GET /console/board/live": Permission.READ,
    f"POST /console/board/agents/{RECORD}": Permission.WORK,
    "POST /console/board/listen": Permission.CAMPAIGNS,
    "POST /console/board/whisper": Permission.CAMPAIGNS,
    "POST /console/board/join": Permission.CAMPAIGNS,
    "POST /console/board/stop-listening": Permission.CAMPAIGNS,
    f"GET /console/agents/{RECORD}": Permission.READ_CALLS,
    f"GET /console/agents/{RECORD}/live": Permission.READ_CALLS,
    f"POST /console/agents/{RECORD}/status": Permission.WORK,
    "GET /console/desk": Permission.WORK,
    "GET /console/desk/crm": Permission.WORK,
    "GET /console/desk/live": Permission.WORK,
    "POST /console/desk/live": Permission.WORK,
    "POST /console/desk/telephone": Permission.WORK,
    "POST /console/desk/telephone/state": Permission.WORK,
    "POST /console/desk/status": Permission.WORK,
    "POST /console/desk/disposition": Permission.WORK,
    "POST /console/desk/draft": Permission.WORK,
    "POST /console/desk/discard": Permission.WORK,
    "POST /console/desk/call": Permission.WORK,
    "POST /console/desk/skip": Permission.WORK,
    "POST /console/desk/dial": Permission.WORK,
    "POST /console/desk/hang-up": Permission.WORK,
    "POST /console/desk/hold": Permission.WORK,
    "POST /console/desk/resume": Permission.WORK,
    "POST /console/desk/recording": Permission.WORK,
    "POST /console/desk/transfer": Permission.WORK,
    "POST /console/desk/consult": Permission.WORK,
    "POST /console/desk/consultation": Permission.WORK,
    "POST /console/desk/ready": Permission.WORK,
    "POST /console/desk/longer": Permission.WORK,
    f"POST /console/calls/{RECORD}/disposition": Permission.WORK,
    "GET /console/calls": Permission.READ_CALLS,
    "GET /console/calls/export": Permission.READ_CALLS,
    f"GET /console/calls/{RECORD}": Permission.READ_CALLS,
    f"GET /console/callrequests/{RECORD}": Permission.READ_CALLS,
    f"GET /console/answers/{RECORD}/recording": Permission.READ,
    "GET /console/call-recordings": Permission.RECORDINGS,
    f"GET /console/call-recordings/{RECORD}/sound": Permission.RECORDINGS,
    f"GET /console/campaigns/{RECORD}/call-recordings": Permission.RECORDINGS,
    # The rows of the resource table say who may read and write which records; the pages ask them.
    "GET /console/records/{path}": Permission.SIGNED_IN,
    "POST /console/records/{path}": Permission.SIGNED_IN,
    "GET /console/records/{path}/new": Permission.SIGNED_IN,
    "GET /console/records/{path}/export": Permission.SIGNED_IN,
    f"GET /console/records/{{path}}/{RECORD}": Permission.SIGNED_IN,
    f"POST /console/records/{{path}}/{RECORD}": Permission.SIGNED_IN,
    f"POST /console/records/{{path}}/{RECORD}/delete": Permission.SIGNED_IN,
    f"GET /console/records/{{path}}/{RECORD}/import": Permission.CAMPAIGNS,
    f"POST /console/records/{{path}}/{RECORD}/import": Permission.CAMPAIGNS,
    "GET /console/lists/{token}": Permission.CAMPAIGNS,
    "POST /console/lists/{token}": Permission.CAMPAIGNS,
    "GET /console/lists/{token}/rejected": Permission.CAMPAIGNS,
    "GET /console/lists/{token}/task": Permission.CAMPAIGNS,
    "POST /console/lists/{token}/task": Permission.CAMPAIGNS,
    "GET /console/lists/{token}/task/live": Permission.CAMPAIGNS,
}
"""The permissions of the console's pages, by method and path."""
OPEN_PAGES: Final = frozenset(
    {
        "GET /console/sign-in",
        "POST /console/sign-in",
        "GET /console/sign-in/code",
        "POST /console/sign-in/code",
        "GET /console/first-admin",
        "POST /console/first-admin",
        "GET /console/static/{name}",
        "GET /console/shared/{token}",
        "GET /console/shared/{token}/file",
        "GET /console/{path}",
    }
)
"""The pages of the console that need no sign-in. The last one answers that there is no such page."""


class UnknownRouteError(LookupError):
    """Raised at the start for a route without a permission, for its developer."""

    def __init__(self, route: str) -> None:
        super().__init__(
            f"no permission is declared for {route!r}: add a line to ROUTES in src/dialer/api/http/permissions.py,"
            " with the permission of dialer.domain.words.roles that a request to it needs"
        )


class Permissions:
    """The permissions of the routes that the application serves, of the API and of the console.

    Before `serve`, all are refused.
    """

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._declared: Final = {**dict(declared_permissions(resources)), **ROUTES, **PAGES}
        self._served: Final[dict[tuple[str, str], Permission]] = {}

    def serve(self, methods: Mapping[str, Iterable[str]]) -> None:
        """Look up the permission of each route: `methods` are those of all routes, by path template.

        Raises:
            UnknownRouteError: a route has no permission.
        """
        for template, offered in methods.items():
            for method in offered if _is_within(template, PREFIX) or _is_within(template, CONSOLE) else ():
                route = f"{method} {_path(template)}"
                if route in OPEN_PAGES:
                    continue
                if method != HttpMethod.OPTIONS and route not in self._declared:
                    raise UnknownRouteError(route)
                if method != HttpMethod.OPTIONS:
                    self._served[method, template] = self._declared[route]

    def check(self, actor: Actor, method: str, template: str) -> None:
        """Check that a caller may send a request to a route.

        Raises:
            ForbiddenError: the caller's role or API key does not give the permission.
        """
        permission = self._served.get((method, template))
        if permission is not None and actor.may(permission):
            return
        if permission is not None and permission.is_given(actor.role, None, is_granted=actor.recordings):
            raise ForbiddenError(NO_SCOPE.format(permission.value.scope), code=ErrorCode.SCOPE_MISSING)
        raise ForbiddenError


def declared_permissions(resources: Sequence[Resource]) -> Iterator[tuple[str, Permission]]:
    """Yield the permission of each route of the resource table; a route is a method and a path after `/rest-api`."""
    for resource in resources:
        for path in dict.fromkeys((resource.path, resource.url)):
            yield f"GET /{path}", resource.permission("GET")
            yield f"POST /{path}", resource.permission("POST")
            yield f"DELETE /{path}", resource.permission("DELETE")
            for method in ("GET", "PUT", "PATCH", "DELETE"):
                yield f"{method} /{path}/{RECORD}", resource.permission(method)


def _is_within(template: str, prefix: str) -> bool:
    return template == prefix or template.startswith(f"{prefix}/")


def _path(template: str) -> str:
    return template.removeprefix(PREFIX).rstrip("/") or "/"
