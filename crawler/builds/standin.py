"""Runs a `setup.py` inside the sandbox with stand-ins for torch and setuptools, and writes down its extensions.

Started as a program of its own: `standin.py SETUP RECORD`. It imports nothing of ours, and whatever the project
imports that is not here becomes a stand-in, too: what counts is only which extensions it declares.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import os
import runpy
import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

VERSION = "99.0.0"
CUDA_HOME = "/opt/cuda"
ALWAYS = ("torch", "setuptools", "pkg_resources", "numpy", "pybind11", "Cython", "wheel", "distutils.core")
DECLARED: list[dict[str, Any]] = []


class Anything:
    """Answers to every name and call, compares as something new, and iterates over nothing."""

    def __init__(self, path: str = "") -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        return _answer(self._path, name)

    def __call__(self, *_: object, **__: object) -> Any:
        """Answer with anything."""
        return Anything()

    def __mro_entries__(self, _: tuple[type, ...]) -> tuple[type, ...]:
        return (Command,)

    def __getitem__(self, _: object) -> Any:
        return Anything()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return VERSION

    def __fspath__(self) -> str:
        return CUDA_HOME

    def __int__(self) -> int:
        return 99

    def __eq__(self, _: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0

    def __lt__(self, _: object) -> bool:
        return False

    def __le__(self, _: object) -> bool:
        return False

    def __gt__(self, _: object) -> bool:
        return True

    def __ge__(self, _: object) -> bool:
        return True

    def __add__(self, other: object) -> Any:
        return other

    __radd__ = __add__

    def __mul__(self, other: object) -> Any:
        return other

    __rmul__ = __sub__ = __rsub__ = __truediv__ = __floordiv__ = __mod__ = __mul__

    def __float__(self) -> float:
        return 99.0

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None: ...


class Command:
    """Stands for the commands that projects derive from."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def __getattr__(self, _: str) -> Any:
        return Anything()

    @classmethod
    def with_options(cls, **_: object) -> type[Command]:
        """Return itself, as torch's does a subclass."""
        return cls


class Extension:
    """Writes down what it is made of."""

    def __init__(self, name: object = "", sources: Sequence[object] = (), *_: object, **options: Any) -> None:
        self.__dict__.update(options)
        self.name, self.sources = name, list(sources)
        for field in ("include_dirs", "define_macros", "undef_macros", "extra_compile_args"):
            self.__dict__.setdefault(field, [])
        DECLARED.append(self.__dict__)


def load(name: object = "", sources: Any = (), **options: Any) -> Any:
    """Stand for torch's compilation on the spot."""
    options["include_dirs"] = options.pop("extra_include_paths", None) or []
    flags = {"cxx": options.get("extra_cflags") or [], "nvcc": options.get("extra_cuda_cflags") or []}
    Extension(name, [sources] if isinstance(sources, str) else sources, extra_compile_args=flags, **options)
    return Anything()


class Module(types.ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> Any:
        return _answer(self.__name__, name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves stand-ins for the modules that `serves` names; everything, where it is empty."""

    def __init__(self, *serves: str) -> None:
        self._serves = serves

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        """Serve a module, or leave it to the next finder; what Python lacks on this system stays away."""
        if fullname.partition(".")[0] in sys.stdlib_module_names and fullname not in self._serves:
            return None
        if self._serves and not any(f"{fullname}.".startswith(f"{name}.") for name in self._serves):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return an empty stand-in."""
        module = Module(spec.name)
        module.__file__, module.__path__ = f"{CUDA_HOME}/__init__.py", [CUDA_HOME]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: its names come as they are asked for."""


def find_packages(*_: object, **__: object) -> list[str]:
    """Return no package: none is installed from here."""
    return []


def _answer(path: str, name: str) -> Any:
    if name == "__version__":
        return VERSION
    found = f"{path}.{name}"
    if name.startswith("__") and name.endswith("__") and found not in KNOWN:
        raise AttributeError(name)
    return KNOWN.get(found, Anything(found))


def _version(text: object) -> Any:
    try:
        from packaging.version import parse
    except ImportError:
        return Anything()
    return parse(str(text))


def _constant(value: object) -> Any:
    return lambda *_, **__: value


KNOWN: dict[str, Any] = {
    "torch.version.cuda": "12.4",
    "torch.version.hip": None,
    "torch.cuda.is_available": _constant(True),
    "torch.cuda.device_count": _constant(1),
    "torch.cuda.get_device_capability": _constant((8, 0)),
    "torch.cuda.get_arch_list": _constant(["sm_80"]),
    "torch.__config__": Anything("torch.__config__"),
    "torch.__config__.parallel_info": _constant("backend: OpenMP"),
    "torch._C._GLIBCXX_USE_CXX11_ABI": True,
    "torch.compiled_with_cxx11_abi": _constant(True),
    "torch.utils.cpp_extension.CUDA_HOME": CUDA_HOME,
    "torch.utils.cpp_extension.ROCM_HOME": None,
    "torch.utils.cpp_extension.HIP_HOME": None,
    "torch.utils.cpp_extension.IS_HIP_EXTENSION": False,
    "torch.utils.cpp_extension.IS_WINDOWS": False,
    "torch.utils.cpp_extension.include_paths": _constant([]),
    "torch.utils.cpp_extension.library_paths": _constant([]),
    "torch.utils.cpp_extension.COMMON_NVCC_FLAGS": [],
    "torch.utils.cpp_extension.COMMON_HIP_FLAGS": [],
    "torch.utils.cpp_extension.CUDAExtension": Extension,
    "torch.utils.cpp_extension.CppExtension": Extension,
    "torch.utils.cpp_extension.BuildExtension": Command,
    "torch.utils.cpp_extension.load": load,
    "setuptools.Extension": Extension,
    "setuptools.extension.Extension": Extension,
    "distutils.core.Extension": Extension,
    "pybind11.setup_helpers.Pybind11Extension": Extension,
    "setuptools.find_packages": find_packages,
    "setuptools.find_namespace_packages": find_packages,
    "setuptools.Command": Command,
    "setuptools.command.build_ext.build_ext": Command,
    "numpy.get_include": _constant(CUDA_HOME),
    "pybind11.get_include": _constant(CUDA_HOME),
    "pkg_resources.parse_version": _version,
}


def main(setup: str, record: str) -> None:
    """Run `setup` in its own folder, and write what it declared to `record`, also when it fails."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if "distutils" not in type(finder).__name__.lower()]
    sys.meta_path.insert(0, Finder(*ALWAYS))
    sys.meta_path.append(Finder())
    os.chdir(Path(setup).parent)
    sys.path[0] = str(Path(setup).parent)
    sys.argv = ["setup.py", "build_ext"]
    vars(os.environ)["encodevalue"] = lambda value: os.fsencode(str(value))
    try:
        runpy.run_path(setup, run_name="__main__")
    finally:
        Path(record).write_text(json.dumps([_plain(declared) for declared in DECLARED]))


def _plain(value: object) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(inner) for inner in value if not isinstance(inner, Anything)]
    return value if value is None or isinstance(value, str | int | float) else str(value)


if __name__ == "__main__":
    main(*sys.argv[1:])
