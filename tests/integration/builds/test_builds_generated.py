"""Sources that a build makes before it compiles: by its setup.py, by CMake as it configures,
and by custom commands.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.builds.database.compile_database import build_compile_database
from crawler.checkout.generated_files import write_generated_files
from crawler.checkout.source_tree import open_tree
from crawler.checkout.tree_copies import make_linked_copy
from crawler.extract.describe.tags import tag_generated_kernels
from crawler.extract.link import link_commit
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.model import CompileDatabase, InstantiationOrigin, Kernel, Layer

pytestmark = pytest.mark.apt

KERNELS = """#pragma once
#include <config.h>
template <typename T> __global__ void scale(T* p, int n) { if (threadIdx.x < n) p[threadIdx.x] *= T(STEP); }
"""
GENERATE = """
import os, sys
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
for kind in sys.argv[2:]:
    with open(os.path.join(folder, f"scale_{kind}.cu"), "w") as stream:
        body = f"scale<{kind}><<<1, 64>>>(p, n);"
        stream.write(f'#include "kernels.cuh"\\nvoid scale_{kind}({kind}* p, int n) {{ {body} }}\\n')
with open(os.path.join(folder, "config.h"), "w") as stream:
    stream.write("#define STEP 4\\n")
    stream.write("__global__ void written(float* p) { *p = STEP; }\\n")
"""
SETUP = """
import glob, os, subprocess, sys
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
"""
AT_ONCE = """
subprocess.check_call([sys.executable, "generate.py", "made", "float", "double"])
setup(ext_modules=[CUDAExtension("p._ext", glob.glob("made/*.cu"), include_dirs=["src", "made"])])
"""
BY_A_COMMAND = """
class Build(BuildExtension):
    def run(self):
        import generate_all
        super().run()
names = ["made/scale_float.cu", "made/scale_double.cu"]
setup(ext_modules=[CUDAExtension("p._ext", names, include_dirs=["src", "made"])], cmdclass={"build_ext": Build})
"""
BY_CMAKE = """
class Build(BuildExtension):
    def build_extension(self, extension):
        subprocess.check_call(["python", "generate.py", "made", "float", "double"])
        subprocess.check_call(["cmake", os.path.abspath(".")], cwd=self.folder())
        subprocess.check_call(["cmake", "--build", "."], cwd=self.folder())
    def folder(self):
        os.makedirs("/tmp/p", exist_ok=True)
        return "/tmp/p"
from setuptools import Extension
setup(name="p", ext_modules=[Extension("p._ext", [])], cmdclass={"build_ext": Build})
"""
ASKS_TORCH = """
execute_process(COMMAND python -c "import torch; print(torch.__version__)" RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "no torch")
endif()
cmake_minimum_required(VERSION 3.18)
project(p LANGUAGES CXX CUDA)
file(GLOB MADE made/*.cu)
add_library(p ${MADE})
target_include_directories(p PRIVATE src made)
"""
CMAKE = """
cmake_minimum_required(VERSION 3.18)
project(p LANGUAGES CXX CUDA)
find_package(Python3 COMPONENTS Interpreter REQUIRED)
"""
EARLY = """
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/generate.py
                        ${CMAKE_CURRENT_BINARY_DIR}/made float double)
file(GLOB MADE ${CMAKE_CURRENT_BINARY_DIR}/made/*.cu)
add_library(p ${MADE})
target_include_directories(p PRIVATE src ${CMAKE_CURRENT_BINARY_DIR}/made)
"""
INTO_THE_TREE = EARLY.replace(
    "${CMAKE_CURRENT_BINARY_DIR}", "${CMAKE_CURRENT_SOURCE_DIR}"
)
LATE = """
set(MADE ${CMAKE_CURRENT_BINARY_DIR}/made/config.h)
add_custom_command(OUTPUT ${MADE}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/generate.py ${CMAKE_CURRENT_BINARY_DIR}/made)
foreach(kind float double)
  set(one ${CMAKE_CURRENT_BINARY_DIR}/made/scale_${kind}.cu)
  add_custom_command(OUTPUT ${one}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/generate.py ${CMAKE_CURRENT_BINARY_DIR}/made ${kind})
  list(APPEND MADE ${one})
endforeach()
add_library(p ${MADE})
target_include_directories(p PRIVATE src ${CMAKE_CURRENT_BINARY_DIR}/made)
"""
CONFIGURED = """
set(STEP 4)
configure_file(src/config.h.in made/config.h)
add_library(p src/use.cu)
target_include_directories(p PRIVATE src ${CMAKE_CURRENT_BINARY_DIR}/made)
"""
MAKE = """
MADE = made/scale_float.cu made/scale_double.cu
libp.a: $(MADE:.cu=.o)
\tar rcs $@ $^
made/scale_%.cu: generate.py
\tpython3 generate.py made $*
made/%.o: made/%.cu
\tnvcc -Isrc -Imade -c $< -o $@
"""
PROJECTS = {
    "setup.py at once": {"setup.py": SETUP + AT_ONCE},
    "setup.py by a command": {"setup.py": SETUP + BY_A_COMMAND},
    "setup.py that calls CMake": {
        "setup.py": SETUP + BY_CMAKE,
        "CMakeLists.txt": ASKS_TORCH,
    },
    "make": {"Makefile": MAKE},
    "configure": {
        "Makefile.in": MAKE,
        "configure": "#!/bin/sh\n# nvcc\ncp Makefile.in Makefile\n",
    },
    "CMake as it configures": {"CMakeLists.txt": CMAKE + EARLY},
    "CMake, into the tree": {"CMakeLists.txt": CMAKE + INTO_THE_TREE},
    "CMake by custom commands": {"CMakeLists.txt": CMAKE + LATE},
    "CMake from a template": {
        "CMakeLists.txt": CMAKE + CONFIGURED,
        "src/config.h.in": "#define STEP @STEP@\n__global__ void written(float* p) { *p = STEP; }\n",
        "src/use.cu": '#include "kernels.cuh"\nvoid a(float* p) { scale<float><<<1, 4>>>(p, 4); }\n'
        "void b(double* p) { scale<double><<<1, 4>>>(p, 4); }\n",
    },
}


def project(root: Path, files: dict[str, str]) -> Path:
    common = {
        "src/kernels.cuh": KERNELS,
        "generate.py": GENERATE,
        "generate_all.py": "import sys\nsys.argv = ['', 'made', 'float', 'double']\nexec(open('generate.py').read())\n",
    }
    for name, text in {**common, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def kernels(root: Path, database: CompileDatabase, folder: Path) -> dict[str, Kernel]:
    write_generated_files(make_linked_copy(open_tree(root), folder), database.generated)
    commands = [
        database.entries[number] for group in database.groups for number in group
    ]
    linked = link_commit(tuple(extract_batch_facts(folder, commands))).kernels
    tagged = tag_generated_kernels(linked, {file.path for file in database.generated})
    return {
        kernel.name: kernel for kernel in tagged if kernel.found_by is Layer.AST
    }  # the generator quotes them


@pytest.mark.parametrize("name", PROJECTS)
def test_kernels_are_used_with_what_a_build_has_written(
    name: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "project", PROJECTS[name])
    before = sorted(root.rglob("*"))
    database = build_compile_database(root)
    assert sorted(root.rglob("*")) == before
    by_name = kernels(root, database, tmp_path / "copy")
    scale = by_name["scale"]
    assert {
        (instantiation.arguments, instantiation.origin)
        for instantiation in scale.instantiations
    } == {
        (("float",), InstantiationOrigin.LAUNCH),
        (("double",), InstantiationOrigin.LAUNCH),
    }
    assert scale.span.path == "src/kernels.cuh"
    assert scale.unit is not None
    assert not scale.unit.missing_headers
    assert "generated" not in scale.tags
    made = by_name["written"]
    assert "generated" in made.tags
    assert made.span.path.endswith("made/config.h")
    assert made.unit is not None
    assert (database.relevant, database.covered) in {(1, 1), (2, 2)}
