"""The way from the usage of a command to its work, which is imported only when it runs."""

import importlib
from collections.abc import Callable
from functools import wraps
from types import ModuleType

from dialer import late_imports
from dialer.garbage import making_what_stays

Usage = Callable[..., None]


def runs(place: str) -> Callable[[Usage], Usage]:
    """Return a decorator that makes a command run the function of its name in the module `place`."""

    def replace(usage: Usage) -> Usage:
        @wraps(usage)
        def run(*values: object, **named_values: object) -> None:
            getattr(imported(place), usage.__name__)(*values, **named_values)

        return run

    return replace


def imported(name: str) -> ModuleType:
    """Import a module of the work, without what other libraries import and nothing needs."""
    late_imports.install()
    with making_what_stays():
        return importlib.import_module(name)
