"""Setups as they are found in the wild, and what keeps a plain run of them from telling
anything.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.builds.systems.setuptools import PLUGIN
from crawler.checkout.source_tree import open_tree
from crawler.model import CompileCommand, Dialect, FlagsOrigin

pytestmark = pytest.mark.apt

KERNEL = "__global__ void k(int* p) { *p = 1; }\n"
HIP_KERNEL = (
    "#include <hip/hip_runtime.h>\n" + KERNEL + "void f() { hipDeviceSynchronize(); }\n"
)
HEAD = """
import os, sys, subprocess
import torch
from setuptools import Extension, setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
"""
DECLARE = "setup(ext_modules=[CUDAExtension('p._ext', ['k.cu'], define_macros=[('FOUND', None)])])\n"

TRAPS: dict[str, dict[str, str]] = {
    "builders of the tree, switched on by variables with computed names": {
        "setup.py": """
from builders import ALL
setup(ext_modules=[one.made() for one in ALL if one.wanted()])
""",
        "builders/__init__.py": """
import os
from torch.utils.cpp_extension import CUDAExtension
class Builder:
    def wanted(self): return os.environ.get(f"P_{'BUILD'}_OPS") == "1" and not os.environ.get("P_SKIP_CUDA_BUILD")
    def made(self): return CUDAExtension("p._ext", ["k.cu"], define_macros=[("FOUND", None)])
ALL = [Builder()]
""",
    },
    "a submodule that is not here": {
        "setup.py": f"""
if not os.path.exists("third_party/cutlass/include"):
    raise RuntimeError("git submodule update --init")
{DECLARE}"""
    },
    "a step that fails before the extensions": {
        "setup.py": f"""
def sources():
    found = ["k.cu"]
    found.remove("not_in_the_archive.cu")
    return found
names = sources()
assert torch.__version__ < "1.0"
sys.exit("no") if not names else None
{DECLARE}"""
    },
    "an extension that a command makes": {
        "setup.py": """
class Build(BuildExtension):
    def run(self):
        self.extensions.append(CUDAExtension("p._ext", ["k.cu"], define_macros=[("FOUND", None)]))
        super().run()
setup(ext_modules=[], cmdclass={"build_ext": Build})
"""
    },
    "a command that calls nvcc": {
        "setup.py": """
class Shell(Extension):
    def __init__(self, name): super().__init__(name, sources=[])
class Build(BuildExtension):
    def build_extension(self, ext):
        assert "release" in subprocess.check_output(["nvcc", "--version"], text=True)
        subprocess.check_call("nvcc -DFOUND -c k.cu -o /tmp/k.o", shell=True)
setup(ext_modules=[Shell("p._ext")], cmdclass={"build_ext": Build})
"""
    },
    "git is asked where there is no repository": {
        "setup.py": f"""
head = subprocess.check_output(["git", "rev-parse", "HEAD"], text=True).strip()
subprocess.run(["git", "submodule", "update", "--init"], check=True)
assert len(head) == 40
{DECLARE}"""
    },
    "other makers' libraries are looked for first": {
        "setup.py": f"""
def device():
    try:
        import torch_npu
        return "npu"
    except ImportError:
        pass
    try:
        import torch.mps as mps
        mps.current_allocated_memory()
        return "mps"
    except ImportError:
        pass
    if hasattr(torch, "is_mlu_available") and torch.is_mlu_available() or torch.xpu.is_available():
        return "mlu"
    return "cuda" if torch.cuda.is_available() else "cpu"
if device() == "cuda":
    {DECLARE}"""
    },
    "the properties of the device are computed with": {
        "setup.py": f"""
device = torch.cuda.get_device_properties(torch.cuda.current_device())
if int((device.major + device.minor * 0.1) * 10) >= 70 and device.total_memory > 1 << 30:
    {DECLARE}"""
    },
    "Cython, and a subclass of Extension": {
        "setup.py": """
from Cython.Build import cythonize
class Mine(Extension):
    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self.define_macros = [("FOUND", None)]
setup(ext_modules=cythonize([Mine("p._ext", ["p.pyx", "k.cu"])]))
"""
    },
    "an extension whose fields are no lists": {
        "setup.py": """
setup(ext_modules=[CUDAExtension("p._odd", ["other.cu"], include_dirs="inc", define_macros={"A": 1}, undef_macros=3),
                   CUDAExtension("p._ext", ["k.cu"], extra_compile_args={"nvcc": "-DFOUND"})])
"""
    },
    "compiled when a module is imported": {
        "p/ops.py": """
import os
from torch.utils.cpp_extension import load
from .elsewhere import anything
here = os.path.dirname(os.path.abspath(__file__))
ops = load(name="ops", sources=[os.path.join(here, "..", "k.cu")], extra_cuda_cflags=["-DFOUND"])
"""
    },
    "compiled by a function when it is called": {
        "p/ops.py": """
from torch.utils import cpp_extension
def get(name, *, verbose=False):
    return cpp_extension.load(name=name, sources="k.cu", extra_cuda_cflags=["-DFOUND"])
"""
    },
}


def find_commands(
    root: Path, files: dict[str, str], scratch: Path
) -> dict[str, CompileCommand]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(HEAD + text if name == "setup.py" else text)
    return {
        command.file: command
        for command in PLUGIN.find_commands(open_tree(root), scratch).commands
    }


@pytest.mark.parametrize("files", TRAPS.values(), ids=TRAPS.keys())
def test_a_trap_is_passed(files: dict[str, str], tmp_path: Path, scratch: Path) -> None:
    commands = find_commands(tmp_path / "p", {**files, "k.cu": KERNEL}, scratch)
    assert "-DFOUND" in commands["k.cu"].arguments
    assert commands["k.cu"].origin is FlagsOrigin.RECORDED


def test_what_is_switched_on_adds_files_and_changes_none(
    tmp_path: Path, scratch: Path
) -> None:
    setup = """
more = os.environ.get("P_BUILD_MORE") == "1"
setup(ext_modules=[CUDAExtension("p._a", ["a.cu"], define_macros=[("MORE", "1")] if more else [])]
      + ([CUDAExtension("p._b", ["b.cu"])] if more else []))
"""
    commands = find_commands(
        tmp_path / "p", {"setup.py": setup, "a.cu": KERNEL, "b.cu": KERNEL}, scratch
    )
    assert commands.keys() == {"a.cu", "b.cu"}
    assert "-DMORE=1" not in commands["a.cu"].arguments


def test_hip_files_are_asked_for_with_a_torch_for_rocm(
    tmp_path: Path, scratch: Path
) -> None:
    setup = """
from torch.utils.cpp_extension import IS_HIP_EXTENSION, ROCM_HOME
if IS_HIP_EXTENSION and torch.version.hip and ROCM_HOME:
    setup(ext_modules=[CUDAExtension("p._h", ["h.hip"])])
else:
    setup(ext_modules=[CUDAExtension("p._c", ["c.cu"])])
"""
    commands = find_commands(
        tmp_path / "p",
        {"setup.py": setup, "c.cu": KERNEL, "h.hip": HIP_KERNEL},
        scratch,
    )
    assert commands["c.cu"].dialect is Dialect.CUDA
    assert commands["h.hip"].dialect is Dialect.HIP
    assert "-DUSE_ROCM=1" in commands["h.hip"].arguments


def test_what_fails_in_a_loop_ends(tmp_path: Path, scratch: Path) -> None:
    setup = """
CUDAExtension("p._ext", ["k.cu"])
open("generated.txt")
while True:
    raise StopIteration
"""
    assert find_commands(
        tmp_path / "p", {"setup.py": setup, "k.cu": KERNEL}, scratch
    ).keys() == {"k.cu"}
