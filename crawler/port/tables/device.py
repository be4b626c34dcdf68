"""Names of device libraries, compiler macros and toolkit macros."""

from __future__ import annotations

from typing import Final

from crawler.port.tables.prefixes import map_prefix

CONSTANTS: Final = map_prefix(
    "CUDART_",
    "HIP_",
    """
    INF_F NAN_F MIN_DENORM_F MAX_NORMAL_F NEG_ZERO_F ZERO_F ONE_F SQRT_HALF_F SQRT_TWO_F
    THIRD_F PIO4_F PIO2_F 3PIO4_F 2_OVER_PI_F SQRT_2_OVER_PI_F PI_F L2E_F L2T_F LG2_F
    LGE_F LN2_F LNT_F LNPI_F TWO_TO_M126_F TWO_TO_126_F NORM_HUGE_F TWO_TO_23_F
    TWO_TO_24_F TWO_TO_31_F TWO_TO_32_F REMQUO_BITS_F REMQUO_MASK_F TRIG_PLOSS_F INF NAN
    NEG_ZERO MIN_DENORM ZERO ONE SQRT_TWO SQRT_HALF THIRD TWOTHIRD PIO4 PIO2 3PIO4
    2_OVER_PI PI SQRT_2_OVER_PI L2E L2E_HI L2E_LO L2T L2T_HI L2T_LO LG2 LG2_HI LG2_LO
    LGE LGE_HI LGE_LO LN2 LN2_HI LN2_LO LNT LNT_HI LNT_LO LNPI LN2_X_1024 LN2_X_1025
    LN2_X_1075 LG2_X_1024 LG2_X_1075 TWO_TO_23 TWO_TO_52 TWO_TO_53 TWO_TO_54 TWO_TO_M54
    TWO_TO_M1022 TRIG_PLOSS DBL2INT_CVT
    """,
)
"""`math_constants.h`."""

RANDOM: Final = (
    map_prefix(
        "curand",
        "hiprand",
        """
        _init _uniform _uniform2 _uniform4 _uniform_double _uniform2_double
        _uniform4_double _normal _normal2 _normal4 _normal_double _normal2_double
        _normal4_double _log_normal _log_normal2 _log_normal4 _log_normal_double
        _log_normal2_double _log_normal4_double _poisson _poisson4 _discrete _discrete4
        _mtgp32_single _mtgp32_single_specific _mtgp32_specific _Philox4x32_10 State_t
        State StateXORWOW_t StateXORWOW StateMRG32k3a_t StateMRG32k3a StateMtgp32_t
        StateMtgp32 StatePhilox4_32_10_t StatePhilox4_32_10 StateSobol32_t StateSobol32
        StateSobol64_t StateScrambledSobol32_t
        """,
    )
    | map_prefix(
        "CURAND",
        "HIPRAND",
        "_STATUS_SUCCESS _RNG_PSEUDO_DEFAULT _RNG_PSEUDO_XORWOW _RNG_PSEUDO_PHILOX4_32_10",
    )
    | {"curand": "hiprand", "curand4": "hiprand4", "skipahead": "skipahead"}
)
"""Random numbers, in kernels and on the host."""

CUB: Final = map_prefix(
    "CUB_",
    "HIPCUB_",
    "MAX MIN ROUND_UP_NEAREST IS_DEVICE_CODE",
) | {"CUB_PTX_ARCH": "HIPCUB_ARCH"}
"""Macros of cub; its names keep theirs in the namespace."""

RENAMED_NAMESPACES: Final = {"cub": "hipcub"}
"""Renamed where `::` follows or `namespace` stands before."""

COMPILER_MACROS: Final = {
    "__CUDACC__": "__HIPCC__",
    "__NVCC__": "__HIPCC__",
    "__CUDACC_EXTENDED_LAMBDA__": "__HIPCC__",
    "__CUDACC_RELAXED_CONSTEXPR__": "__HIPCC__",
    "__CUDA_ARCH__": "KERNELSET_CUDA_ARCH",
}
"""What code asks of its compiler; `<kernelset/hip.h>` says which CUDA architecture an AMD
device is taken for.
"""

TOOLKIT_MACROS: Final = {
    "CUDA_VERSION": "KERNELSET_CUDA_VERSION",
    "CUDART_VERSION": "KERNELSET_CUDA_VERSION",
    "__CUDACC_VER_MAJOR__": "KERNELSET_CUDACC_VER_MAJOR",
    "__CUDACC_VER_MINOR__": "KERNELSET_CUDACC_VER_MINOR",
}
"""What code asks of its toolkit. A unit was cut out of what one of them shows, so that its port
keeps to that one; in a
whole file they stay as they are, and HIP has none."""

_COMPATIBILITY: Final = """
    __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync
    __all_sync __activemask __match_any_sync __match_all_sync __syncwarp
    __reduce_add_sync __reduce_min_sync __reduce_max_sync __reduce_and_sync
    __reduce_or_sync __reduce_xor_sync __ldcs __ldcg __ldca __ldlu __ldcv __stcs __stcg
    __stwb __stwt __nanosleep __dp4a __dp2a_lo __dp2a_hi
    kernelset_grid_dependency_synchronize kernelset_trigger_launch_completion __trap
    __brkpt __isShared __isGlobal __cvta_generic_to_shared kernelset KERNELSET_CUDA_ARCH
    KERNELSET_CUDA_VERSION KERNELSET_CUDACC_VER_MAJOR KERNELSET_CUDACC_VER_MINOR
    kernelset_half_raw kernelset_half2_raw
"""

COMPATIBILITY_NAMES: Final = frozenset(_COMPATIBILITY.split())
"""What `<kernelset/hip.h>` defines and HIP alone does not, in every version."""
