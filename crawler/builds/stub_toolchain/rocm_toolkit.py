"""Stand-in ROCm installation that lets CMake enable HIP and find its packages."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.builds.sandbox_paths import ROCM_HOME
from crawler.builds.stub_toolchain.script_files import read_script, write_program
from crawler.sandbox import Mount

MOUNT_POINT: Final = ROCM_HOME
RELEASE: Final = "6.2.0"
COMPILER: Final = f"{MOUNT_POINT}/llvm/bin/clang++"
_PACKAGE_VERSION: Final = f"""
set(PACKAGE_VERSION {RELEASE})
set(PACKAGE_VERSION_COMPATIBLE TRUE)
"""
_HIP_LANG_CONFIG: Final = """
foreach(target hip-lang::device hip-lang::host hip-lang::amdhip64)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
  endif()
endforeach()
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
"""
_HIP_CONFIG: Final = f"""
foreach(target hip::device hip::host hip::amdhip64)
  if(NOT TARGET ${{target}})
    add_library(${{target}} INTERFACE IMPORTED)
  endif()
endforeach()
set_property(TARGET hip::device PROPERTY INTERFACE_COMPILE_OPTIONS \
"$<$<COMPILE_LANGUAGE:CXX>:SHELL:-x hip>")
set(HIP_FOUND TRUE)
set(HIP_PLATFORM amd)
set(HIP_COMPILER clang)
set(HIP_RUNTIME rocclr)
set(hip_INCLUDE_DIRS {MOUNT_POINT}/include)
set(hip_LIBRARIES hip::host hip::device)
set(hip_HIPCC_EXECUTABLE {MOUNT_POINT}/bin/hipcc)
"""
_FILES: Final = {
    "lib/cmake/hip-lang/hip-lang-config.cmake": _HIP_LANG_CONFIG,
    "lib/cmake/hip-lang/hip-lang-config-version.cmake": _PACKAGE_VERSION,
    "lib/cmake/hip/hip-config.cmake": _HIP_CONFIG,
    "lib/cmake/hip/hip-config-version.cmake": _PACKAGE_VERSION,
    ".info/version": f"{RELEASE}-1\n",
}
_PROGRAMS: Final = {
    "bin/hipcc": "rocm_hipcc",
    "bin/hipconfig": "rocm_hipconfig",
    "llvm/bin/clang++": "rocm_hipcc",
}
"""Scripts by the programs that they stand in for."""


def write_rocm_toolkit(folder: Path) -> Mount:
    """Write the stand-in into `folder`, and return how it is mounted."""
    shutil.copytree(headers.ROOT / "hip", folder / "include")
    for name, text in _FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    for name, script in _PROGRAMS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = read_script(script, home=MOUNT_POINT, release=RELEASE)
        write_program(path, text)

    compilers = folder / "llvm/bin"

    for name in ("amdclang++", "clang"):
        (compilers / name).symlink_to("clang++")

    return Mount(source=folder, target=MOUNT_POINT)
