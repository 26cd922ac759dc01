"""Answers whose bytes are there at once, sent without the steps that only other answers need."""

from http import HTTPStatus
from typing import Any, Final, TypeVar

from litestar import Litestar, Request, Response
from litestar.types import Receive, Scope, Send

_Content = TypeVar("_Content")
_WITHOUT_BODY: Final = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})
_OWN: Final = frozenset({"content-type", "content-length"})


class Answer(Response[_Content]):
    """A response with a body, and without cookies and work to do afterwards.

    The framework asks for both, and looks up each header before it adds one, in a sixth of the time of a small request.
    """

    def __init__(
        self,
        content: _Content,
        *,
        status_code: int | None = None,
        headers: dict[str, Any] | None = None,
        media_type: str | None = None,
        type_encoders: Any = None,  # noqa: ANN401 - answers hold only what needs none
        **besides: Any,  # noqa: ANN401 - the framework's own parameters
    ) -> None:
        """Take the content, and the framework's own parameters, such as cookies, if there are any."""
        if any(besides.values()):
            besides["type_encoders"] = type_encoders
            super().__init__(content, status_code=status_code, headers=headers, media_type=media_type, **besides)
            return
        self.content = content
        self.status_code = status_code
        self.headers = headers or {}
        self.media_type = media_type
        self.cookies = []
        self.background = None
        self.response_type_encoders = {}
        self.encoding = "utf-8"

    def to_asgi_response(
        self,
        app: Litestar | None,
        request: Request[Any, Any, Any],
        **how: Any,  # noqa: ANN401 - the framework's own parameters
    ) -> Any:  # noqa: ANN401 - an ASGI application, as the framework's own is
        """Return the ASGI application that sends the answer."""
        headers: dict[str, Any] = {**(how.get("headers") or {}), **self.headers}
        status = self.status_code or how.get("status_code") or HTTPStatus.OK
        media_type = self.media_type or how.get("media_type") or "application/json"
        is_plain = status not in _WITHOUT_BODY and media_type == "application/json"
        is_special = self.cookies or how.get("cookies") or self.background or how.get("background")
        if not is_plain or is_special or not _OWN.isdisjoint(map(str.lower, headers)):
            return super().to_asgi_response(app, request, **how)
        body = self.render(self.content, media_type)
        lines = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        lines += ((b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)))
        return _Ready(status, lines, body)


class _Ready:
    """An ASGI application that sends one answer."""

    __slots__ = ("_body", "_headers", "_status")

    def __init__(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        self._status: Final = status
        self._headers: Final = headers
        self._body: Final = body

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the answer."""
        await send({"type": "http.response.start", "status": self._status, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._body, "more_body": False})
