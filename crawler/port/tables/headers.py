"""Included headers."""

from __future__ import annotations

from typing import Final

RENAMED_PRELUDES: Final = {
    "kernelset/cuda.cuh": "kernelset/hip.h",
    "kernelset/torch.cuh": "kernelset/torch.hip.h",
    "kernelset/torch_parse.cuh": "kernelset/torch_parse.hip.h",
}
"""The first line of a kernel unit."""

RENAMED_HEADERS: Final = RENAMED_PRELUDES | {
    "cuda.h": "hip/hip_runtime.h",
    "cuda_runtime.h": "hip/hip_runtime.h",
    "cuda_runtime_api.h": "hip/hip_runtime_api.h",
    "device_launch_parameters.h": "hip/hip_runtime.h",
    "device_functions.h": "hip/device_functions.h",
    "device_atomic_functions.h": "hip/hip_runtime.h",
    "sm_20_atomic_functions.h": "hip/hip_runtime.h",
    "sm_30_intrinsics.h": "hip/hip_runtime.h",
    "sm_60_atomic_functions.h": "hip/hip_runtime.h",
    "vector_types.h": "hip/hip_vector_types.h",
    "vector_functions.h": "hip/hip_vector_types.h",
    "math_constants.h": "hip/hip_math_constants.h",
    "driver_types.h": "hip/driver_types.h",
    "channel_descriptor.h": "hip/channel_descriptor.h",
    "library_types.h": "hip/library_types.h",
    "cuComplex.h": "hip/hip_complex.h",
    "cuda_fp16.h": "hip/hip_fp16.h",
    "cuda_fp16.hpp": "hip/hip_fp16.h",
    "cuda_bf16.h": "hip/hip_bf16.h",
    "cuda/functional": "kernelset/libcudacxx.h",
    "cuda_fp8.h": "hip/hip_fp8.h",
    "cuda_fp6.h": "hip/hip_fp6.h",
    "cuda_fp4.h": "hip/hip_fp4.h",
    "cuda_profiler_api.h": "hip/hip_runtime_api.h",
    "cooperative_groups.h": "hip/hip_cooperative_groups.h",
    "cooperative_groups/reduce.h": "hip/hip_cooperative_groups.h",
    "cooperative_groups/scan.h": "hip/hip_cooperative_groups.h",
    "cub/cub.cuh": "hipcub/hipcub.hpp",
    "curand.h": "hiprand/hiprand.h",
    "curand_kernel.h": "hiprand/hiprand_kernel.h",
    "curand_philox4x32_x.h": "hiprand/hiprand_kernel.h",
    "curand_discrete.h": "hiprand/hiprand_kernel.h",
    "curand_discrete2.h": "hiprand/hiprand_kernel.h",
    "curand_globals.h": "hiprand/hiprand_kernel.h",
    "curand_lognormal.h": "hiprand/hiprand_kernel.h",
    "curand_mrg32k3a.h": "hiprand/hiprand_kernel.h",
    "curand_mtgp32.h": "hiprand/hiprand_kernel.h",
    "curand_mtgp32_kernel.h": "hiprand/hiprand_kernel.h",
    "curand_normal.h": "hiprand/hiprand_kernel.h",
    "curand_normal_static.h": "hiprand/hiprand_kernel.h",
    "curand_poisson.h": "hiprand/hiprand_kernel.h",
    "curand_precalc.h": "hiprand/hiprand_kernel.h",
    "curand_uniform.h": "hiprand/hiprand_kernel.h",
    "cusparseLt.h": "hipsparselt/hipsparselt.h",
    "cublas_v2.h": "hipblas/hipblas.h",
    "cusparse.h": "hipsparse/hipsparse.h",
    "cufft.h": "hipfft/hipfft.h",
    "cublas.h": "hipblas/hipblas.h",
    "cublasLt.h": "hipblaslt/hipblaslt.h",
    "cusolverDn.h": "hipsolver/hipsolver.h",
    "cufftXt.h": "hipfft/hipfftXt.h",
    "nvrtc.h": "hip/hiprtc.h",
    "nvToolsExt.h": "roctracer/roctx.h",
    "nvtx3/nvToolsExt.h": "roctracer/roctx.h",
    "nccl.h": "rccl/rccl.h",
}
"""Included header to included header, without brackets."""

RENAMED_HEADER_FOLDERS: Final = {
    "cuda/std/": "kernelset/libcudacxx.h",
    "cub/block/": "hipcub/hipcub.hpp",
    "cub/warp/": "hipcub/hipcub.hpp",
    "cub/device/": "hipcub/hipcub.hpp",
    "cub/thread/": "hipcub/hipcub.hpp",
    "cub/iterator/": "hipcub/hipcub.hpp",
    "cub/util": "hipcub/hipcub.hpp",
    "cub/config": "hipcub/hipcub.hpp",
    "cub/agent/": "hipcub/hipcub.hpp",
    "cub/grid/": "hipcub/hipcub.hpp",
}
"""Beginning of an included header's name to included header."""

RUNTIME_HEADERS: Final = frozenset({"hip/hip_runtime.h", "hip/hip_runtime_api.h"})
"""One of these must be included where device code stands; nvcc does it by itself, hipcc does
not.
"""
