"""Answers to orders: to a script that stays on its page, and to a browser that loads the page again."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from litestar import Request, Response

from dialer.console.serving.services import go_to
from dialer.resources.words.headers import header

JSON: Final = "application/json"
_NOT_KEPT: Final = {"Cache-Control": "no-store"}


def is_by_script(request: Request[Any, Any, Any]) -> bool:
    """Return whether a script has sent the request, and shows the messages of a refusal itself."""
    return JSON in (header(request.scope, b"accept") or "")


def answer_obeyed(request: Request[Any, Any, Any], url: str) -> Response[Any]:
    """Answer an order that was obeyed: with nothing to a script, and else with the page of `url`."""
    if is_by_script(request):
        return Response(b"", status_code=HTTPStatus.NO_CONTENT, headers=_NOT_KEPT)
    return go_to(url)


def answer_refused(messages: Sequence[str], status: int, headers: Mapping[str, str] | None = None) -> Response[Any]:
    """Answer a script whose order was refused, with the messages for people, and with the headers of the refusal."""
    sent = _NOT_KEPT | dict(headers or {})
    return Response({"messages": list(messages)}, status_code=status, media_type=JSON, headers=sent)
