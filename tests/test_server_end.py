"""Tests of requests that the end of the service cuts off."""

from typing import Any

import anyio
import pytest
from litestar.types import Message, Receive, Scope, Send

from dialer.server import ENDING, UnavailableAtTheEnd

START: Any = {"type": "http.response.start", "status": 200, "headers": []}


@pytest.mark.parametrize("has_begun", [False, True])
async def test_a_request_that_is_cut_off_is_answered_with_503_unless_its_answer_has_begun(*, has_begun: bool) -> None:
    sent: list[Message] = []
    is_at_work = anyio.Event()

    async def work(_scope: Scope, _receive: Receive, send: Send) -> None:
        if has_begun:
            await send(START)
        is_at_work.set()
        await anyio.sleep_forever()

    async def receive() -> Any:  # noqa: ANN401 - a message of ASGI
        await anyio.sleep_forever()

    async def keep(message: Message) -> None:
        sent.append(message)

    async with anyio.create_task_group() as tasks:
        app: Any = UnavailableAtTheEnd(work)
        tasks.start_soon(app, {"type": "http", "method": "POST"}, receive, keep)
        await is_at_work.wait()
        tasks.cancel_scope.cancel()
    if has_begun:
        assert sent == [START]
    else:
        start, body = sent
        assert (start["type"], start["status"]) == ("http.response.start", 503)  # type: ignore[typeddict-item]
        assert dict(start["headers"])[b"retry-after"] == b"5"  # type: ignore[typeddict-item]
        assert body == {"type": "http.response.body", "body": ENDING, "more_body": False}
