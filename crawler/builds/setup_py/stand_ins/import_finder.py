"""Import finder that serves placeholder modules for missing libraries."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, Final

from crawler.builds.setup_py.stand_ins.placeholder import (
    CUDA_HOME,
    Placeholder,
    is_other_device,
    resolve_attribute,
)

_ALWAYS: Final = (
    "torch",
    "setuptools",
    "pkg_resources",
    "numpy",
    "pybind11",
    "Cython",
    "wheel",
)
_COMMANDS: Final = ("distutils.core", "distutils.extension", "distutils.command")
_REAL: Final = frozenset({"packaging"})


class PlaceholderModule(types.ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> Any:
        return resolve_attribute(self.__name__, name)

    def __call__(self, *_: object, **__: object) -> Any:
        """Answer with anything: a name of a module may be that of a class in it."""
        return Placeholder()


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Decides what an import gives: Python's own, the project's own, or a stand-in; nothing
    else of this machine.
    """

    def __init__(
        self, root: str, load: Callable[[str, str], importlib.abc.Loader]
    ) -> None:
        self._root = root
        self._load = load

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, *_: object
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module; what Python itself lacks on this system stays away."""
        top = fullname.partition(".")[0]
        if top in _ALWAYS and is_other_device(fullname):
            return None
        if top in _ALWAYS or any(
            f"{fullname}.".startswith(f"{name}.") for name in _COMMANDS
        ):
            return self._standing(fullname)
        if top in sys.stdlib_module_names or top in _REAL:
            return None
        own = self._own(fullname, path)
        return own or (None if is_other_device(top) else self._standing(fullname))

    def _own(
        self, fullname: str, path: Sequence[str] | None
    ) -> importlib.machinery.ModuleSpec | None:
        places = [
            place
            for place in (sys.path if path is None else path)
            if str(place).startswith(self._root)
        ]
        spec = (
            importlib.machinery.PathFinder.find_spec(fullname, places)
            if places
            else None
        )
        if spec is not None and isinstance(
            spec.loader, importlib.machinery.SourceFileLoader
        ):
            spec.loader = self._load(fullname, str(spec.origin))
        return spec

    def _standing(self, fullname: str) -> importlib.machinery.ModuleSpec:
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return an empty stand-in."""
        module = PlaceholderModule(spec.name)
        module.__file__, module.__path__ = f"{CUDA_HOME}/__init__.py", [CUDA_HOME]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: its names come as they are asked for."""
