"""Stand-in CUDA toolkit that lets a build system configure for CUDA."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.builds.sandbox_paths import CUDA_HOME
from crawler.builds.stub_toolchain.script_files import read_script, write_program
from crawler.sandbox import Mount

MOUNT_POINT: Final = CUDA_HOME
RELEASE: Final = "12.9"
_BUILD_NUMBER: Final = "41"
_HEADER_SETS: Final = ("common", "cuda")
# fmt: off
_LIBRARIES: Final = (
    "libcudart.so", "libcudart_static.a", "libcudadevrt.a", "libcublas.so", "libcublasLt.so",
    "libcublas_static.a", "libcublasLt_static.a", "libcurand.so", "libcusparse.so",
    "libcusolver.so", "libcufft.so", "libnvrtc.so", "libnvToolsExt.so", "libculibos.a",
    "libnvJitLink.so", "libcupti.so", "libnccl.so", "libnccl_static.a", "libcudnn.so",
    "libnvjpeg.so", "stubs/libcuda.so", "stubs/libnvidia-ml.so",
)
_EMPTY_HEADERS: Final = (
    "cublas_v2.h", "curand.h", "cusparse.h", "cusolverDn.h", "cufft.h", "nccl.h", "cudnn.h",
    "nvrtc.h",
)
# fmt: on
"""Headers of libraries that a configure run looks for."""
_EMPTY_LIBRARIES: Final = {
    "a": "!<arch>\n",
    "so": "/* an empty linker script */\n",
}
"""What a linker takes for a library without symbols, by extension."""


def write_cuda_toolkit(folder: Path) -> Mount:
    """Write the toolkit into `folder`, and return how it is mounted."""
    _write_headers(folder / "include")
    _write_libraries(folder / "lib64")
    # some look for lib, others for lib64
    (folder / "lib").symlink_to("lib64")
    # clang and CMake take a folder for a toolkit by its libdevice
    (folder / "nvvm/libdevice").mkdir(parents=True)
    (folder / "bin").mkdir()
    write_program(folder / "bin/nvcc", _make_nvcc_script())

    return Mount(source=folder, target=MOUNT_POINT)


def _write_headers(folder: Path) -> None:
    for header_set in _HEADER_SETS:
        shutil.copytree(headers.ROOT / header_set, folder, dirs_exist_ok=True)

    for name in _EMPTY_HEADERS:
        (folder / name).touch()


def _write_libraries(folder: Path) -> None:
    for name in _LIBRARIES:
        path = folder / name
        extension = name.rpartition(".")[2]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_EMPTY_LIBRARIES[extension])


def _make_nvcc_script() -> str:
    major, _, minor = RELEASE.partition(".")

    return read_script(
        "cuda_nvcc",
        home=MOUNT_POINT,
        release=RELEASE,
        major=major,
        minor=minor,
        build=_BUILD_NUMBER,
    )
