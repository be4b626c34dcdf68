"""Names of host libraries and device attributes, renamed by prefix."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

LIBRARY_PREFIXES: Final = {
    "cublasLt": "hipblasLt",
    "cublas": "hipblas",
    "cusparse": "hipsparse",
    "cusolver": "hipsolver",
    "cufft": "hipfft",
    "curand": "hiprand",
    "nvrtc": "hiprtc",
}
"""Beginning of a function or type, before a capital letter; enumerators begin with the same in
capitals and `_`.
"""

ENUMERATOR_PREFIXES: Final = {
    "cudaDevAttr": "hipDeviceAttribute",
    "CUDA_R_": "HIP_R_",
    "CUDA_C_": "HIP_C_",
}
"""Beginning of enumerators of the runtime."""

IRREGULAR_NAMES: Final = {
    "cublasDataType_t": "hipblasDatatype_t",
    "CUBLAS_GEMM_DEFAULT_TENSOR_OP": "HIPBLAS_GEMM_DEFAULT",
    "CUBLAS_GEMM_DFALT": "HIPBLAS_GEMM_DEFAULT",
    "CUBLAS_GEMM_DFALT_TENSOR_OP": "HIPBLAS_GEMM_DEFAULT",
    "CUSPARSE_COMPUTE_32F": "HIPSPARSELT_COMPUTE_32F",
    "CUSPARSE_COMPUTE_16F": "HIPSPARSELT_COMPUTE_16F",
    "CUSPARSE_COMPUTE_32I": "HIPSPARSELT_COMPUTE_32I",
    "CUSPARSE_COMPUTE_TF32": "HIPSPARSELT_COMPUTE_TF32",
    "cusparseComputeType": "hipsparseLtComputetype_t",
    "nvrtcGetPTX": "hiprtcGetCode",
    "nvrtcGetPTXSize": "hiprtcGetCodeSize",
    "nvrtcGetCUBIN": "hiprtcGetCode",
    "nvrtcGetCUBINSize": "hiprtcGetCodeSize",
    "syevjInfo_t": "hipsolverSyevjInfo_t",
    "gesvdjInfo_t": "hipsolverGesvdjInfo_t",
    "CUFFT_INVERSE": "HIPFFT_BACKWARD",
    "nvtxRangePush": "roctxRangePush",
    "nvtxRangePushA": "roctxRangePushA",
    "nvtxRangePop": "roctxRangePop",
    "nvtxMark": "roctxMark",
    "nvtxMarkA": "roctxMarkA",
}
"""Names of those libraries that differ in more."""

_PREFIX_PATTERNS: Final = {
    **{
        f"{cuda}(?=[A-Z])": (cuda, hip)
        for cuda, hip in (LIBRARY_PREFIXES | ENUMERATOR_PREFIXES).items()
        if not cuda.endswith("_")
    },
    **{
        f"{cuda.upper()}_": (f"{cuda.upper()}_", f"{hip.upper()}_")
        for cuda, hip in LIBRARY_PREFIXES.items()
    },
    **{
        cuda: (cuda, hip)
        for cuda, hip in ENUMERATOR_PREFIXES.items()
        if cuda.endswith("_")
    },
}
# One search for all families; the number in a group's name is that of its prefixes.
_PREFIX: Final = re.compile(
    "|".join(
        f"(?P<f{number}>{pattern})" for number, pattern in enumerate(_PREFIX_PATTERNS)
    )
)
_PREFIXES: Final = tuple(_PREFIX_PATTERNS.values())


@lru_cache(maxsize=1 << 16)
def rename_library_symbol(name: str) -> str:
    """Return what a name of one of these families becomes; the name itself where it is of none."""
    if name in IRREGULAR_NAMES:
        return IRREGULAR_NAMES[name]

    prefix = _PREFIX.match(name)
    if prefix is None or prefix.lastgroup is None:
        return name

    cuda, hip = _PREFIXES[int(prefix.lastgroup[1:])]
    return hip + name[len(cuda) :]
