"""Imports of other libraries that a command does without, until something asks for them.

Some libraries import all of their parts, and bind to every other library that is installed. This costs each start a
tenth of its time. `install` changes how a few of their modules are imported, which `LATE` and `WITHOUT` name.
"""

import sys
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Final

MADE_LATE: Final[Mapping[str, frozenset[str]]] = {
    "sqlalchemy.dialects.mssql": frozenset({"UNIQUEIDENTIFIER"}),
    "sqlalchemy.dialects.oracle": frozenset({"BLOB", "RAW"}),
}
"""Types of databases that nobody uses here, by module: `advanced_alchemy.types` asks for them, and makes none."""
LATE: Final = frozenset({"advanced_alchemy", "pdb", "pyotp", "yaml", *MADE_LATE})
"""Modules that run when somebody asks for a name of theirs, or makes a value of a type in `MADE_LATE`."""
WITHOUT: Final[Mapping[str, Sequence[str]]] = {
    "advanced_alchemy._typing": ("attrs", "cattrs", "litestar", "pydantic"),
    "advanced_alchemy.base": ("pydantic",),
    "advanced_alchemy.types.file_object._typing": ("pydantic",),
    "litestar.pagination": ("advanced_alchemy",),
    "litestar.plugins.attrs": ("attr", "attrs"),
    "litestar.plugins.pydantic": ("pydantic",),
    "structlog.dev": ("rich",),
    "structlog.tracebacks": ("rich",),
}
"""Modules that run as if libraries were not installed that they would bind to. Nothing here uses both together."""


_RUN: Final = "_run_late"
"""The name of the function that runs a late module, in it, until it has run."""


class _LateModule(ModuleType):
    """A module that runs when a name is missing in it."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a name of any module
        """Return a name of the module, which runs first if it has not. Types of `MADE_LATE` do not need that yet."""
        run = vars(self).get(_RUN)
        if run is not None:
            if name in MADE_LATE.get(self.__name__, ()):
                return partial(_make_late, self, name)
            run()
        return super().__getattribute__(name)


def _make_late(module: ModuleType, name: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - a type of any module
    """Return a value of a type of a module, which runs first."""
    vars(module).get(_RUN, int)()
    return getattr(module, name)(*args, **kwargs)


class _LateLoader(Loader):
    """Loads a module that runs later, once, whichever thread asks first."""

    def __init__(self, loader: Loader) -> None:
        self._loader: Final = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module that has not run."""
        return _LateModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is, until a name of it is asked for."""
        vars(module)[_RUN] = partial(self._run, module)

    def _run(self, module: ModuleType) -> None:
        """Run the module as the import of a module of its own.

        So threads wait for each other by Python's own locks of imports, which let no two threads wait for ever.
        """
        import_name = f"{_RUN}_{module.__name__.replace('.', '_')}"
        _LATE_RUNS[import_name] = _LateRun(self._loader, module)
        __import__(import_name)


class _LateRun(Loader):
    """Runs a late module when the module that stands for its run is imported."""

    def __init__(self, loader: Loader, module: ModuleType) -> None:
        self._loader: Final = loader
        self._module: Final = module

    def create_module(self, _spec: ModuleSpec) -> None:
        """Let the module that stands for the run be an empty one."""

    def exec_module(self, _stands_for: ModuleType) -> None:
        """Run the late module."""
        self._loader.exec_module(self._module)
        del vars(self._module)[_RUN]


_LATE_RUNS: Final[dict[str, _LateRun]] = {}
"""The run of each late module that somebody has asked for, by the name of the module that stands for it."""


class _Hidden(threading.local):
    """The libraries that a thread does not find."""

    names: frozenset[str] = frozenset()


_hidden: Final = _Hidden()


class _WithoutLoader(Loader):
    """Loads a module as if other libraries were not installed."""

    def __init__(self, loader: Loader, absent: Sequence[str]) -> None:
        self._loader: Final = loader
        self._absent: Final = absent

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the module as its own loader makes it."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module. Other threads find the libraries meanwhile."""
        if threading.active_count() > 1:
            self._run_beside_others(module)
            return
        before = {name: sys.modules.pop(name) for name in self._absent if name in sys.modules}
        sys.modules.update(dict.fromkeys(self._absent))  # type: ignore[arg-type] # An import of None raises an error.
        try:
            self._loader.exec_module(module)
        finally:
            for name in self._absent:
                del sys.modules[name]
            sys.modules.update(before)

    def _run_beside_others(self, module: ModuleType) -> None:
        """Run the module with libraries hidden from this thread only, if it has a way for that.

        If one is there already, none is hidden: the module would find the library without its parts.
        """
        if not sys.modules.keys().isdisjoint(self._absent):
            self._loader.exec_module(module)
            return
        before, _hidden.names = _hidden.names, _hidden.names.union(self._absent)
        try:
            self._loader.exec_module(module)
        except ModuleNotFoundError as error:
            if error.name not in self._absent:
                raise
            _hidden.names = before
            self._loader.exec_module(module)
        finally:
            _hidden.names = before


class LateImports(MetaPathFinder):
    """The finder of the modules that are imported in another way."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that `LATE` or `WITHOUT` names; None for all others."""
        if fullname.partition(".")[0] in _hidden.names:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname.partition(".")[0])
        if fullname in _LATE_RUNS:
            return ModuleSpec(fullname, _LATE_RUNS[fullname])
        if fullname not in LATE and fullname not in WITHOUT:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = (
                _LateLoader(spec.loader) if fullname in LATE else _WithoutLoader(spec.loader, WITHOUT[fullname])
            )
        return spec


def install() -> None:
    """Run the modules of `LATE` at the first use of a name of theirs, from now on.

    Those of `WITHOUT` run as if the libraries named there were not installed.
    """
    if not any(isinstance(finder, LateImports) for finder in sys.meta_path):
        sys.meta_path.insert(0, LateImports())
