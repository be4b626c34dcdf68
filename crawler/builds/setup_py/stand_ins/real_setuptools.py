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

_SERVED: Final = frozenset({"torch", "numpy", "pybind11", "Cython"})
_TOOLS: Final = ("setuptools", "distutils", "pkg_resources", "wheel")
_EXTENSION: Final = "torch.utils.cpp_extension"


class LibraryFinder(StandInFinder):
    """Serves stand-ins for the libraries that setups build upon."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, *_: object
    ) -> importlib.machinery.ModuleSpec | None:
        """Find one of them."""
        served = fullname.partition(".")[0] in _SERVED and not is_other_device(fullname)
        return self._standing(fullname) if served else None


class FallbackFinder(StandInFinder):
    """Serves stand-ins for what nothing else finds; what Python itself lacks on this system
    stays away.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, *_: object
    ) -> importlib.machinery.ModuleSpec | None:
        """Find anything."""
        top = fullname.partition(".")[0]
        return (
            None
            if top in sys.stdlib_module_names or is_other_device(top)
            else self._standing(fullname)
        )


def main(setup: str) -> None:
    """Build the extensions of a setup in its own folder."""
    folder = str(Path(setup).parent)
    hook_children()
    _know_setuptools()  # before Cython has a stand-in, which setuptools would take for itself
    install_library_finder()
    sys.meta_path.append(FallbackFinder(folder, importlib.machinery.SourceFileLoader))
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv = ["setup.py", "build_ext"]
    vars(os.environ)["encodevalue"] = lambda value: os.fsencode(str(value))
    runpy.run_path(setup, run_name="__main__")


def install_library_finder() -> None:
    """Have this Python import stand-ins for the libraries that setups, and the scripts which
    they start, build upon.
    """
    if not KNOWN_ATTRIBUTES:
        register_known_libraries({}, hip=False)
    sys.meta_path.insert(0, LibraryFinder("", importlib.machinery.SourceFileLoader))


def _know_setuptools() -> None:
    """Have torch's commands and extensions be of the real setuptools' kind."""
    register_known_libraries({}, hip=False)
    for name in [name for name in KNOWN_ATTRIBUTES if name.startswith(_TOOLS)]:
        del KNOWN_ATTRIBUTES[name]
    command = importlib.import_module("setuptools.command.build_ext").build_ext
    lenient = {"with_options": classmethod(lambda cls, **_: cls)}
    KNOWN_ATTRIBUTES[f"{_EXTENSION}.BuildExtension"] = type(
        "BuildExtension", (command,), lenient
    )
    KNOWN_ATTRIBUTES[f"{_EXTENSION}.CUDAExtension"] = KNOWN_ATTRIBUTES[
        f"{_EXTENSION}.CppExtension"
    ] = _extension


def _extension(name: str, sources: Sequence[str] = (), **options: Any) -> Any:
    flags = options.get("extra_compile_args")
    if isinstance(flags, dict):
        options["extra_compile_args"] = flags.get("cxx") or []
    return importlib.import_module("setuptools").Extension(
        name, list(sources), **options
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
