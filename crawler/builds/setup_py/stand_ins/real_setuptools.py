"""Run a `setup.py` with the installed setuptools, and stand-ins for other missing libraries."""

from __future__ import annotations

import importlib
import importlib.machinery
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from crawler.builds.setup_py.stand_ins.child_interpreters import hook_children
from crawler.builds.setup_py.stand_ins.import_finder import StandInFinder
from crawler.builds.setup_py.stand_ins.known_libraries import register_known_libraries
from crawler.builds.setup_py.stand_ins.placeholder import (
    KNOWN_ATTRIBUTES,
    is_other_device,
)

_STAND_IN_LIBRARIES: Final = frozenset({"torch", "numpy", "pybind11", "Cython"})
_REAL_TOOLS: Final = ("setuptools", "distutils", "pkg_resources", "wheel")
_EXTENSION: Final = "torch.utils.cpp_extension"


class LibraryFinder(StandInFinder):
    """Serves stand-ins for the libraries that setups build upon."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, *_: object
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module of one of these libraries."""
        library = fullname.partition(".")[0]
        if library not in _STAND_IN_LIBRARIES or is_other_device(fullname):
            return None

        return self._make_stand_in_spec(fullname)


class FallbackFinder(StandInFinder):
    """Serves stand-ins for what nothing else finds, but for Python's own modules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, *_: object
    ) -> importlib.machinery.ModuleSpec | None:
        """Find any module; one that Python itself lacks on this system stays missing."""
        library = fullname.partition(".")[0]
        if library in sys.stdlib_module_names or is_other_device(library):
            return None

        return self._make_stand_in_spec(fullname)


def main(setup: str) -> None:
    """Build the extensions of a `setup.py` in its own folder."""
    folder = str(Path(setup).parent)
    hook_children()
    # Before Cython has a stand-in, which setuptools would take for the real one.
    _register_real_setuptools()
    install_library_finder()
    sys.meta_path.append(FallbackFinder(folder, importlib.machinery.SourceFileLoader))

    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv = ["setup.py", "build_ext"]
    # A placeholder as a value would be refused, since it is no text.
    vars(os.environ)["encodevalue"] = lambda value: os.fsencode(str(value))
    runpy.run_path(setup, run_name="__main__")


def install_library_finder() -> None:
    """Have this Python import stand-ins for the libraries that setups build upon.

    The hook calls it in each Python that a `setup.py` starts.
    """
    if not KNOWN_ATTRIBUTES:
        register_known_libraries({}, hip=False)

    sys.meta_path.insert(0, LibraryFinder("", importlib.machinery.SourceFileLoader))


def _register_real_setuptools() -> None:
    """Derive torch's commands and extensions from those of the real setuptools."""
    register_known_libraries({}, hip=False)
    tool_attributes = [
        name for name in KNOWN_ATTRIBUTES if name.startswith(_REAL_TOOLS)
    ]

    for name in tool_attributes:
        del KNOWN_ATTRIBUTES[name]

    build_ext = importlib.import_module("setuptools.command.build_ext").build_ext
    attributes = {"with_options": classmethod(lambda cls, **_: cls)}
    build_extension = type("BuildExtension", (build_ext,), attributes)
    KNOWN_ATTRIBUTES[f"{_EXTENSION}.BuildExtension"] = build_extension
    KNOWN_ATTRIBUTES[f"{_EXTENSION}.CppExtension"] = _make_extension
    KNOWN_ATTRIBUTES[f"{_EXTENSION}.CUDAExtension"] = _make_extension


def _make_extension(name: str, sources: Sequence[str] = (), **options: Any) -> Any:
    flags = options.get("extra_compile_args")
    # The real setuptools takes one list of flags, for the one compiler that it knows.
    if isinstance(flags, dict):
        options["extra_compile_args"] = flags.get("cxx") or []

    setuptools = importlib.import_module("setuptools")

    return setuptools.Extension(name, list(sources), **options)


if __name__ == "__main__":
    main(*sys.argv[1:])
