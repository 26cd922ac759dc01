"""A client of an application in the same process, as quick as threads allow."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import anyio
from anyio.from_thread import BlockingPortal
from litestar import Litestar
from litestar.testing import TestClient


class QuickClient(TestClient[Litestar]):
    """A test client whose requests go to the application's thread once instead of twice."""

    @contextmanager
    def portal(self) -> Iterator[BlockingPortal]:
        """Yield the way to the application's thread."""
        with super().portal() as portal:
            yield portal if isinstance(portal, _Portal) else cast("BlockingPortal", _Portal(portal))


class _Portal:
    def __init__(self, portal: BlockingPortal) -> None:
        self._portal = portal

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - as the portal's
        # A request begins with an event of its own, which needs no thread before somebody waits for it.
        return anyio.Event() if work is anyio.Event else self._portal.call(work, *arguments)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as the portal's
        return getattr(self._portal, name)
