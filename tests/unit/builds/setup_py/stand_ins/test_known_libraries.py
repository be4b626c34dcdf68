"""What stands for torch and the build tools says what a machine with a GPU would say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from crawler.builds.setup_py.stand_ins import placeholder
from crawler.builds.setup_py.stand_ins.declared_extensions import Command, Extension
from crawler.builds.setup_py.stand_ins.known_libraries import (
    ROCM_HOME,
    as_list,
    find_packages,
    parse_version,
    register_known_libraries,
)
from crawler.builds.setup_py.stand_ins.placeholder import CUDA_HOME, Placeholder


@pytest.fixture(autouse=True)
def fresh_registry() -> Iterator[None]:
    yield
    placeholder.LIBRARY_VERSIONS.clear()
    placeholder.KNOWN_ATTRIBUTES.clear()
    placeholder.PLACEHOLDER_BASES.clear()


def import_torch(*, hip: bool, **versions: str) -> Any:
    register_known_libraries(versions, hip=hip)
    return Placeholder("torch")


def test_a_torch_for_cuda_has_a_toolkit_and_no_rocm() -> None:
    torch = import_torch(hip=False, torch="2.4.0", cuda="12.1")
    assert torch.__version__ == "2.4.0"
    assert torch.version.cuda == "12.1"
    assert torch.version.hip is None
    assert torch.utils.cpp_extension.CUDA_HOME == CUDA_HOME
    assert torch.utils.cpp_extension.ROCM_HOME is None
    assert torch.utils.cpp_extension.IS_HIP_EXTENSION is False
    assert torch.cuda.get_arch_list() == ["sm_80"]


def test_a_torch_for_rocm_has_rocm_and_no_toolkit() -> None:
    torch = import_torch(hip=True, rocm="6.3.0")
    assert torch.version.cuda is None
    assert torch.version.hip == "6.3.0"
    assert torch.utils.cpp_extension.CUDA_HOME is None
    assert torch.utils.cpp_extension.ROCM_HOME == ROCM_HOME
    assert torch.utils.cpp_extension.IS_HIP_EXTENSION is True
    assert torch.cuda.get_arch_list() == ["gfx90a"]


@pytest.mark.parametrize("hip", [False, True])
def test_there_is_one_device(hip: bool) -> None:
    torch = import_torch(hip=hip)
    assert torch.cuda.is_available()
    assert torch.cuda.device_count() == 1
    assert torch.cuda.get_device_capability(0) == (8, 0)
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    assert properties.major == 8
    assert properties.multi_processor_count > 100


def test_extensions_and_commands_are_those_that_record() -> None:
    torch = import_torch(hip=False)
    extension = torch.utils.cpp_extension
    assert extension.CUDAExtension is Extension
    assert extension.CppExtension is Extension
    assert extension.BuildExtension is Command
    setuptools = Placeholder("setuptools")
    assert setuptools.Extension is Extension
    assert setuptools.command.build_ext.build_ext is Command
    assert Placeholder("pybind11").setup_helpers.Pybind11Extension is Extension


def test_a_class_derived_from_an_unknown_command_is_a_command() -> None:
    import_torch(hip=False)
    unknown: Any = Placeholder("scikit_build").commands.build

    class Derived(unknown):  # type: ignore[misc]
        pass

    assert issubclass(Derived, Command)


def test_versions_compare_as_versions() -> None:
    assert parse_version("2.10") > parse_version("2.9")
    assert parse_version(Placeholder("torch").__version__) > parse_version("3")


def test_cython_gives_back_what_it_is_given() -> None:
    assert as_list(["a", "b"], language_level=3) == ["a", "b"]
    assert as_list(("a",)) == ["a"]
    assert as_list("a.pyx") == ["a.pyx"]
    assert find_packages("src", exclude=["tests"]) == []
