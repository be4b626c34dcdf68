"""The extension modules that a `setup.py` makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.builds.setup_py.extension_modules import (
    ExtensionModule,
    find_extension_modules,
)
from crawler.checkout.source_tree import open_tree

pytestmark = pytest.mark.apt
SETUP = """
import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

modules = [
    CppExtension("ops._cpu", ["csrc/ops.cpp"]),
    CppExtension("ops._version", ["csrc/version.cpp"]),
]
if torch.cuda.is_available() and CUDA_HOME:
    modules.append(CUDAExtension("ops._cuda", ["csrc/ops.cpp", "csrc/k.cu"], define_macros=[("N", "3")]))
setup(name="ops", ext_modules=modules, cmdclass={"build_ext": BuildExtension})
"""
KERNEL = "__global__ void k(float* x) { x[0] = N; }\n"


@pytest.fixture
def modules(tmp_path: Path) -> dict[str, ExtensionModule]:
    tmp_path.chmod(0o755)
    (tmp_path / "csrc").mkdir()
    (tmp_path / "setup.py").write_text(SETUP)
    (tmp_path / "csrc" / "k.cu").write_text(KERNEL)
    for name in ("ops", "version"):
        (tmp_path / "csrc" / f"{name}.cpp").write_text("int f();\n")

    return {
        module.name: module for module in find_extension_modules(open_tree(tmp_path))
    }


def test_a_module_has_all_of_its_sources_with_their_flags(
    modules: dict[str, ExtensionModule],
) -> None:
    module = modules["ops._cuda"]
    by_file = {command.file: command for command in module.commands}

    assert module.files == {"csrc/ops.cpp", "csrc/k.cu"}
    assert "-DN=3" in by_file["csrc/k.cu"].arguments
    assert "-DTORCH_EXTENSION_NAME=_cuda" in by_file["csrc/ops.cpp"].arguments
    assert by_file["csrc/ops.cpp"].dialect is None


def test_modules_without_device_code_are_made_too(
    modules: dict[str, ExtensionModule],
) -> None:
    assert "ops._version" in modules


def test_the_same_for_a_machine_without_a_gpu_is_left_out(
    modules: dict[str, ExtensionModule],
) -> None:
    assert "ops._cpu" not in modules


def test_a_project_without_device_code_has_none(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "setup.py").write_text(
        "from setuptools import Extension, setup\n"
        "setup(name='plain', ext_modules=[Extension('plain', ['plain.c'])])\n"
    )
    (tmp_path / "plain.c").write_text("int f(void);\n")

    assert find_extension_modules(open_tree(tmp_path)) == ()


@pytest.mark.parametrize("name", ["/etc/module", "../../module", "a..b", "a-b", ""])
def test_a_name_that_leads_out_of_the_project_is_none(
    tmp_path: Path, name: str
) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "k.cu").write_text("__global__ void k() {}\n")
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\n"
        "from torch.utils.cpp_extension import CUDAExtension\n"
        f"modules = [CUDAExtension({name!r}, ['k.cu']), CUDAExtension('good', ['k.cu'])]\n"
        "setup(name='ops', ext_modules=modules)\n"
    )

    modules = find_extension_modules(open_tree(tmp_path))
    assert [module.name for module in modules] == ["good"]
