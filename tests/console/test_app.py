"""Tests that every page of the console is served."""

from importlib import import_module
from pkgutil import iter_modules

from dialer.api.service import handlers_in
from dialer.console import pages
from dialer.console.app import OPEN, PAGES


def test_every_module_with_pages_is_listed() -> None:
    """Add a new module of `dialer.console.pages` to `PAGES` in `dialer.console.app`, or to `OPEN`."""
    modules = [import_module(f"{pages.__name__}.{found.name}") for found in iter_modules(pages.__path__)]
    assert {module.__name__ for module in modules if handlers_in(module)} == {
        module.__name__ for module in (*OPEN, *PAGES)
    }
