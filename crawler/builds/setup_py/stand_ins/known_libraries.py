"""Attributes of torch, setuptools and other build requirements that have a definite stand-in."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from crawler.builds.setup_py.stand_ins.declared_extensions import (
    Command,
    Extension,
    load,
    setup,
)
from crawler.builds.setup_py.stand_ins.placeholder import (
    CUDA_HOME,
    KNOWN_ATTRIBUTES,
    LIBRARY_VERSIONS,
    PLACEHOLDER_BASES,
    Placeholder,
)

ROCM_HOME = "/opt/rocm"
_DEVICE = SimpleNamespace(
    name="NVIDIA A100",
    major=8,
    minor=0,
    multi_processor_count=108,
    total_memory=40 << 30,
    gcnArchName="gfx90a",
)
_EXTENSION = "torch.utils.cpp_extension"


def make_constant(value: object) -> Any:
    """Return a function that returns `value`, whatever it is called with."""
    return lambda *_, **__: value


def as_list(modules: Any = (), *_: object, **__: object) -> list[Any]:
    """Return the extensions that `cythonize` is given."""
    return list(modules) if isinstance(modules, list | tuple) else [modules]


def parse_version(text: object) -> Any:
    """Parse a version, as `pkg_resources` does."""
    try:
        from packaging.version import parse
    except ImportError:
        return Placeholder()

    return parse(str(text))


def find_packages(*_: object, **__: object) -> list[str]:
    """Return no package: none is installed from here."""
    return []


def register_known_libraries(versions: dict[str, str], *, hip: bool) -> None:
    """Register the attributes of a torch for CUDA, or for ROCm, and of the build tools.

    `versions` maps a library to the version that it is to claim.
    """
    # So that a class derived from an unknown build command still runs.
    PLACEHOLDER_BASES.append(Command)
    LIBRARY_VERSIONS.update(versions)
    KNOWN_ATTRIBUTES.update(_describe_torch(versions, hip=hip))

    for module in ("setuptools", "distutils.core"):
        for name, value in _SETUP_TOOLS.items():
            KNOWN_ATTRIBUTES[f"{module}.{name}"] = value

    KNOWN_ATTRIBUTES.update(_BUILD_LIBRARIES)


def _describe_torch(versions: dict[str, str], *, hip: bool) -> dict[str, Any]:
    return {
        "torch.version.cuda": None if hip else versions.get("cuda", "12.4"),
        "torch.version.hip": versions.get("rocm", "6.2.0") if hip else None,
        "torch.version.git_version": "0" * 40,
        "torch.cuda.is_available": make_constant(True),
        "torch.cuda.device_count": make_constant(1),
        "torch.cuda.get_device_capability": make_constant((8, 0)),
        "torch.cuda.current_device": make_constant(0),
        "torch.cuda.get_device_name": make_constant(_DEVICE.name),
        "torch.cuda.get_device_properties": make_constant(_DEVICE),
        "torch.cuda.get_arch_list": make_constant(["gfx90a" if hip else "sm_80"]),
        "torch.__config__": Placeholder("torch.__config__"),
        "torch.__config__.parallel_info": make_constant("backend: OpenMP"),
        "torch._C._GLIBCXX_USE_CXX11_ABI": True,
        "torch.compiled_with_cxx11_abi": make_constant(True),
        f"{_EXTENSION}.CUDA_HOME": None if hip else CUDA_HOME,
        f"{_EXTENSION}.ROCM_HOME": ROCM_HOME if hip else None,
        f"{_EXTENSION}.HIP_HOME": ROCM_HOME if hip else None,
        f"{_EXTENSION}.IS_HIP_EXTENSION": hip,
        f"{_EXTENSION}.IS_WINDOWS": False,
        f"{_EXTENSION}.is_ninja_available": make_constant(True),
        f"{_EXTENSION}.include_paths": make_constant([]),
        f"{_EXTENSION}.library_paths": make_constant([]),
        f"{_EXTENSION}.LIB_EXT": ".so",
        f"{_EXTENSION}.CLIB_EXT": ".so",
        f"{_EXTENSION}.CLIB_PREFIX": "lib",
        f"{_EXTENSION}.EXEC_EXT": "",
        f"{_EXTENSION}.COMMON_NVCC_FLAGS": [],
        f"{_EXTENSION}.COMMON_HIP_FLAGS": [],
        f"{_EXTENSION}.CUDAExtension": Extension,
        f"{_EXTENSION}.CppExtension": Extension,
        f"{_EXTENSION}.BuildExtension": Command,
        f"{_EXTENSION}.load": load,
    }


_SETUP_TOOLS = {"setup": setup, "Extension": Extension, "Command": Command}
_SETUPTOOLS_COMMANDS = (
    "build_ext",
    "build_py",
    "build_clib",
    "install",
    "develop",
    "sdist",
    "egg_info",
    "test",
    "bdist_egg",
)
_BUILD_LIBRARIES: dict[str, Any] = {
    "setuptools.extension.Extension": Extension,
    "distutils.extension.Extension": Extension,
    "pybind11.setup_helpers.Pybind11Extension": Extension,
    "pybind11.setup_helpers.build_ext": Command,
    "Cython.Build.cythonize": as_list,
    "Cython.Distutils.build_ext": Command,
    "Cython.Distutils.Extension": Extension,
    "setuptools.find_packages": find_packages,
    "setuptools.find_namespace_packages": find_packages,
    **{f"setuptools.command.{name}.{name}": Command for name in _SETUPTOOLS_COMMANDS},
    "setuptools.command.build.build": Command,
    "wheel.bdist_wheel.bdist_wheel": Command,
    "numpy.get_include": make_constant(CUDA_HOME),
    "pybind11.get_include": make_constant(CUDA_HOME),
    "pkg_resources.parse_version": parse_version,
}
