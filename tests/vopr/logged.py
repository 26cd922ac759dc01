"""Exceptions that workers log."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import structlog


@contextlib.contextmanager
def keeping_errors(errors: list[BaseException]) -> Iterator[None]:
    """Keep the exceptions that workers log, each once, and write no log."""

    def keep(_logger: Any, _name: str, _event: structlog.typing.EventDict) -> NoReturn:  # noqa: ANN401 - structlog
        error = sys.exc_info()[1]
        if error is not None and error not in errors:
            errors.append(error)
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(processors=[keep])
    try:
        yield
    finally:
        structlog.configure(**before)
