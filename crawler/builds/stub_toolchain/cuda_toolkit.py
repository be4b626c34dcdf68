"""Stand-in CUDA toolkit that lets a build system configure for CUDA."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.sandbox import Mount

MOUNT_POINT: Final = "/opt/cuda"
RELEASE: Final = "12.9"
_BUILD: Final = "41"
_LIBRARIES: Final = (
    *(
        "libcudart.so",
        "libcudart_static.a",
        "libcudadevrt.a",
        "libcublas.so",
        "libcublasLt.so",
        "libcublas_static.a",
    ),
    *(
        "libcublasLt_static.a",
        "libcurand.so",
        "libcusparse.so",
        "libcusolver.so",
        "libcufft.so",
        "libnvrtc.so",
    ),
    *(
        "libnvToolsExt.so",
        "libculibos.a",
        "libnvJitLink.so",
        "libcupti.so",
        "libnccl.so",
        "libnccl_static.a",
    ),
    *("libcudnn.so", "libnvjpeg.so", "stubs/libcuda.so", "stubs/libnvidia-ml.so"),
)
_HEADERS: Final = (
    "cublas_v2.h",
    "curand.h",
    "cusparse.h",
    "cusolverDn.h",
    "cufft.h",
    "nccl.h",
    "cudnn.h",
    "nvrtc.h",
)
_EMPTY: Final = {"a": "!<arch>\n", "so": "/* an empty linker script */\n"}
_NVCC: Final = f"""#!/bin/sh
# answers like nvcc {RELEASE}, and compiles a configure run's probes as plain C++
top={MOUNT_POINT}
dry=
for word in "$@"; do
  case "$word" in
    --version|-V)
      echo "nvcc: NVIDIA (R) Cuda compiler driver"
      echo "Cuda compilation tools, release {RELEASE}, V{RELEASE}.{_BUILD}"
      exit 0 ;;
    -v|--verbose|--dryrun|-dryrun) dry=1 ;;
  esac
done
if [ -n "$dry" ]; then
  {{
    echo "#\\$ _NVVM_BRANCH_=nvvm"
    echo "#\\$ TOP=$top"
    echo "#\\$ PATH=$top/bin:/usr/bin:/bin"
    echo "#\\$ INCLUDES=\\"-I$top/include\\""
    echo "#\\$ LIBRARIES=  \\"-L$top/lib64/stubs\\" \\"-L$top/lib64\\""
    echo "#\\$ cudafe++ a.cu"
    echo "#\\$ g++ a.o \\"-L$top/lib64/stubs\\" \\"-L$top/lib64\\" -lcudadevrt -lcudart_static -lrt -lpthread -ldl"
  }} >&2
fi
for word in "$@"; do
  shift
  if [ -n "$skip" ]; then skip=; continue; fi
  if [ -n "$split" ]; then split=; set -- "$@" $(echo "$word" | tr , ' '); continue; fi
  case "$word" in
    -gencode|--generate-code|-arch|-code|-ccbin|-Xptxas|-Xcudafe|-Xfatbin|-Xnvlink|-t|--threads|-x) skip=1 ;;
    --keep-dir|-cudart) skip=1 ;;
    -Xcompiler|--compiler-options) split=1 ;;
    -Xlinker|-forward-unknown-to-host-compiler|--options-file|-rdc*|-dc|-dlink|-lib|--keep|-keep) ;;
    -arch=*|-code=*|-ccbin=*|--generate-code=*|--gpu-*|-Xcompiler=*|-Xptxas=*|-cudart=*|--cudart=*|--compiler-*) ;;
    --expt-*|-expt-*|--extended-lambda|-extended-lambda|--use_fast_math|-use_fast_math|--*|-v|-dryrun|-lineinfo) ;;
    -isystem=*) set -- "$@" -isystem "${{word#-isystem=}}" ;;
    -lcuda*|-lcublas*|-lcu*|-lnv*) ;;
    *.cu) set -- "$@" -x c++ "$word" -x none ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec /usr/bin/g++ -D__NVCC__ -D__CUDACC__ -D__CUDACC_VER_MAJOR__={RELEASE.partition(".")[0]} \\
  -D__CUDACC_VER_MINOR__={RELEASE.partition(".")[2]} -D__CUDACC_VER_BUILD__={_BUILD} \\
  -D__device__= -D__global__= -D__host__= -D__shared__= -D__constant__= -I{MOUNT_POINT}/include "$@"
"""


def write_cuda_toolkit(folder: Path) -> Mount:
    """Write the toolkit into `folder`, and return how it is mounted."""
    for part in ("common", "cuda"):
        shutil.copytree(headers.ROOT / part, folder / "include", dirs_exist_ok=True)
    for name in _HEADERS:
        (folder / "include" / name).touch()
    for name in _LIBRARIES:
        (folder / "lib64" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "lib64" / name).write_text(_EMPTY[name.rpartition(".")[2]])
    (folder / "lib").symlink_to("lib64")
    (folder / "nvvm/libdevice").mkdir(parents=True)
    program = folder / "bin/nvcc"
    program.parent.mkdir()
    program.write_text(_NVCC)
    program.chmod(0o755)
    return Mount(source=folder, target=MOUNT_POINT)
