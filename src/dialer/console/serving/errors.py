"""Errors of the console as pages, from the same table as the API's answers."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from litestar import Request, Response
from litestar.types import ExceptionHandlersMap

from dialer.api.http.error_answers import EXCEPTION_HANDLERS, Refusal, refusal_of
from dialer.app.work.errors import InvalidFieldsError
from dialer.console.parts.rendering import html, render
from dialer.console.parts.sentences import error_in_words, in_viewers_words
from dialer.console.serving.orders import answer_refused, is_by_script
from dialer.console.serving.sessions import HEADERS, CurrentSession, NoSecondFactorError, NotSignedInError
from dialer.console.words.language import gettext, gettext_noop, language_of, speak
from dialer.resources.words.errors import AnsweredError, InvalidError
from dialer.resources.words.headers import add_headers

_DETAILS: Final[Mapping[str, str]] = {
    "Not found.": gettext_noop("Nothing is at this address. It may have been deleted, or it is not yours."),
    "Internal error.": gettext_noop("The service has noted what happened. Try again, or tell your admin."),
}
"""The words for people in place of the API's."""
Answer = Callable[[Request[Any, Any, Any], Exception], Response[Any]]
SIGN_IN: Final = "/console/sign-in/"
SECOND_FACTOR: Final = "/console/account/second-factor/"
HOME: Final = "/console/"
_TITLES: Final[Mapping[int, str]] = {
    HTTPStatus.FORBIDDEN: gettext_noop("Not allowed"),
    HTTPStatus.NOT_FOUND: gettext_noop("There is no such page"),
    HTTPStatus.CONFLICT: gettext_noop("That is not possible now"),
    HTTPStatus.TOO_MANY_REQUESTS: gettext_noop("Too many requests"),
    HTTPStatus.SERVICE_UNAVAILABLE: gettext_noop("The database cannot be reached"),
    HTTPStatus.INTERNAL_SERVER_ERROR: gettext_noop("Something went wrong"),
}


def messages_of(error: Exception) -> list[str]:
    """Return the messages of an error, for the page whose form was refused."""
    if isinstance(error, (InvalidError, InvalidFieldsError)):
        return [in_viewers_words(message) for found in error.errors.values() for message in found]
    return [in_viewers_words(error.detail) if isinstance(error, AnsweredError) else error_in_words(error)]


def status_of(error: Exception) -> HTTPStatus:
    """Return the status of the answer to a form: wrong fields, or a state that forbids it."""
    is_of_fields = isinstance(error, (InvalidError, InvalidFieldsError))
    return HTTPStatus.BAD_REQUEST if is_of_fields else HTTPStatus.CONFLICT


def _answer(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    by_script = is_by_script(request)
    if isinstance(error, NotSignedInError) and not (by_script or request.scope["path"].rstrip("/").endswith("/live")):
        return _sign_in(request)
    if isinstance(error, NoSecondFactorError) and request.scope["method"] == "GET":
        return _see_other(SECOND_FACTOR)
    refusal = refusal_of(request, error)
    # A page shows no password dialog of the browser.
    headers = {name: value for name, value in refusal.headers.items() if name != "WWW-Authenticate"}
    messages = _messages(refusal)
    if by_script:
        return answer_refused(messages, refusal.status)
    return html(_page(request, refusal, messages), refusal.status, headers)


def _messages(refusal: Refusal) -> list[str]:
    errors = refusal.errors or {}
    messages = [message for field_messages in errors.values() for message in field_messages]
    return list(map(in_viewers_words, messages or [_DETAILS.get(refusal.detail, refusal.detail)]))


def _page(request: Request[Any, Any, Any], refusal: Refusal, messages: Sequence[str]) -> str:
    title = _TITLES.get(refusal.status, gettext_noop("The request was refused"))
    return render(
        "error.html",
        title=gettext(title),
        messages=messages,
        status=refusal.status,
        is_signed_in=isinstance(request.scope.get("auth"), CurrentSession),
    )


def _sign_in(request: Request[Any, Any, Any]) -> Response[Any]:
    """Lead to the sign-in, and from there back to the page."""
    query: str = request.scope["query_string"].decode("latin-1")
    here = request.scope["path"] + (f"?{query}" if query else "")
    back = (
        f"?{urlencode({'next': here})}"
        if request.scope["method"] == "GET" and here.rstrip("/") != HOME.rstrip("/")
        else ""
    )
    return _see_other(f"{SIGN_IN}{back}")


def _see_other(url: str) -> Response[Any]:
    headers = {"Location": url, "Cache-Control": "no-store"}
    return Response(b"", status_code=HTTPStatus.SEE_OTHER, media_type="text/plain", headers=headers)


def _by_path(answer_api: Answer) -> Answer:
    def answer(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
        if not request.scope["path"].startswith(HOME):
            return answer_api(request, error)
        add_headers(request.scope, HEADERS)
        speak(language_of(request.scope))
        return _answer(request, error)

    return answer


HANDLERS: Final[ExceptionHandlersMap] = dict.fromkeys(EXCEPTION_HANDLERS, _answer)
"""The exception handlers of the console."""
HANDLERS_BY_PATH: Final[ExceptionHandlersMap] = {kind: _by_path(answer) for kind, answer in EXCEPTION_HANDLERS.items()}
"""The exception handlers of the application: a path of the console gets a page, even if it belongs to no route."""
