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

# Libraries that always get a stand-in, also where this machine has them.
_REPLACED_LIBRARIES: Final = (
    "torch",
    "setuptools",
    "pkg_resources",
    "numpy",
    "pybind11",
    "Cython",
    "wheel",
)
_REPLACED_MODULES: Final = (
    "distutils.core",
    "distutils.extension",
    "distutils.command",
)
_REAL_LIBRARIES: Final = frozenset({"packaging"})


class PlaceholderModule(types.ModuleType):
    """A module that has every attribute."""

    def __getattr__(self, name: str) -> Any:
        return resolve_attribute(self.__name__, name)

    def __call__(self, *_: object, **__: object) -> Any:
        """Return a placeholder: a module may have the name of a class inside of it."""
        return Placeholder()


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds Python's own modules, the project's own, or a stand-in, and nothing else."""

    def __init__(
        self, root: str, load: Callable[[str, str], importlib.abc.Loader]
    ) -> None:
        self._root = root
        self._load = load

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, *_: object
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module; one that Python itself lacks on this system stays missing."""
        library = fullname.partition(".")[0]
        is_replaced_library = library in _REPLACED_LIBRARIES
        # A project asks by an import whether `torch.npu` or `torch_xla` is there.
        if is_replaced_library and is_other_device(fullname):
            return None
        if is_replaced_library or _is_replaced_module(fullname):
            return self._make_stand_in_spec(fullname)
        if library in sys.stdlib_module_names or library in _REAL_LIBRARIES:
            return None

        own_spec = self._find_own_module(fullname, path)
        if own_spec is not None:
            return own_spec
        if is_other_device(library):
            return None

        return self._make_stand_in_spec(fullname)

    def _find_own_module(
        self, fullname: str, path: Sequence[str] | None
    ) -> importlib.machinery.ModuleSpec | None:
        # `path` is that of the package for a module inside of one.
        folders = sys.path if path is None else path
        own_folders = [
            folder for folder in folders if str(folder).startswith(self._root)
        ]
        if not own_folders:
            return None

        spec = importlib.machinery.PathFinder.find_spec(fullname, own_folders)
        if spec is not None and isinstance(
            spec.loader, importlib.machinery.SourceFileLoader
        ):
            spec.loader = self._load(fullname, str(spec.origin))

        return spec

    def _make_stand_in_spec(self, fullname: str) -> importlib.machinery.ModuleSpec:
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return an empty stand-in."""
        module = PlaceholderModule(spec.name)
        module.__file__ = f"{CUDA_HOME}/__init__.py"
        module.__path__ = [CUDA_HOME]

        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: a stand-in makes each attribute when it is read."""


def _is_replaced_module(fullname: str) -> bool:
    return any(f"{fullname}.".startswith(f"{name}.") for name in _REPLACED_MODULES)
