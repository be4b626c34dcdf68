"""Stand-in ROCm installation that lets CMake enable HIP and find its packages."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.sandbox import Mount

MOUNT_POINT: Final = "/opt/rocm"
RELEASE: Final = "6.2.0"
COMPILER: Final = f"{MOUNT_POINT}/llvm/bin/clang++"
_VERSION: Final = f"""
set(PACKAGE_VERSION {RELEASE})
set(PACKAGE_VERSION_COMPATIBLE TRUE)
"""
_HIP_LANG: Final = """
foreach(target hip-lang::device hip-lang::host hip-lang::amdhip64)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
  endif()
endforeach()
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
"""
_HIP: Final = f"""
foreach(target hip::device hip::host hip::amdhip64)
  if(NOT TARGET ${{target}})
    add_library(${{target}} INTERFACE IMPORTED)
  endif()
endforeach()
set_property(TARGET hip::device PROPERTY INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-x hip>")
set(HIP_FOUND TRUE)
set(HIP_PLATFORM amd)
set(HIP_COMPILER clang)
set(HIP_RUNTIME rocclr)
set(hip_INCLUDE_DIRS {MOUNT_POINT}/include)
set(hip_LIBRARIES hip::host hip::device)
set(hip_HIPCC_EXECUTABLE {MOUNT_POINT}/bin/hipcc)
"""
# answers like hipcc, and compiles a configure run's probes as plain C++
_HIPCC: Final = f"""#!/bin/sh
for word in "$@"; do
  case "$word" in
    --version)
      echo "HIP version: {RELEASE}"
      echo "clang version 18.0.0"
      echo "Target: x86_64-unknown-linux-gnu"
      exit 0 ;;
  esac
done
for word in "$@"; do
  shift
  if [ -n "$skip" ]; then skip=; continue; fi
  case "$word" in
    -x) skip=1 ;;
    --offload-arch=*|--amdgpu-target=*|-fgpu-rdc|-fno-gpu-rdc|--hip-*|--rocm-*|--gcc-toolchain=*|-mllvm) ;;
    *.hip|*.cu) set -- "$@" -x c++ "$word" -x none ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec /usr/bin/g++ -D__HIPCC__ -D__HIP_PLATFORM_AMD__ -I{MOUNT_POINT}/include "$@"
"""
_HIPCONFIG: Final = f"""#!/bin/sh
case "$1" in
  --platform|-P) printf amd ;;
  --compiler|-c) printf clang ;;
  --runtime|-r) printf rocclr ;;
  --path|-p|--rocmpath|-R) printf {MOUNT_POINT} ;;
  --cpp_config|-C) printf ' -D__HIP_PLATFORM_AMD__= -I{MOUNT_POINT}/include' ;;
  *) printf {RELEASE} ;;
esac
"""
_FILES: Final = {
    "lib/cmake/hip-lang/hip-lang-config.cmake": _HIP_LANG,
    "lib/cmake/hip-lang/hip-lang-config-version.cmake": _VERSION,
    "lib/cmake/hip/hip-config.cmake": _HIP,
    "lib/cmake/hip/hip-config-version.cmake": _VERSION,
    ".info/version": f"{RELEASE}-1\n",
}
_PROGRAMS: Final = {
    "bin/hipcc": _HIPCC,
    "bin/hipconfig": _HIPCONFIG,
    "llvm/bin/clang++": _HIPCC,
}


def write_rocm_toolkit(folder: Path) -> Mount:
    """Write the stand-in into `folder`, and return how it is mounted."""
    shutil.copytree(headers.ROOT / "hip", folder / "include")
    for name, text in {**_FILES, **_PROGRAMS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for name in _PROGRAMS:
        (folder / name).chmod(0o755)
    for name in ("amdclang++", "clang"):
        (folder / "llvm/bin" / name).symlink_to("clang++")
    return Mount(source=folder, target=MOUNT_POINT)
