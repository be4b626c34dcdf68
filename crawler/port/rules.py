"""What CUDA names become in HIP. The tables are the documentation; `rewrite` applies them to whole tokens only.

Kernel launches (`<<<…>>>`), built-in variables, most device functions and vector types are the same in both
dialects and are not listed. What HIP lacks but can be expressed in it (the `_sync` family, `__ldcs`, …) keeps its name:
`<kernelset/hip.h>` defines it.
"""

from __future__ import annotations

from typing import Final


def _same(cuda: str, hip: str, stems: str) -> dict[str, str]:
    return {cuda + stem: hip + stem for stem in stems.split()}


PRELUDES: Final = {
    "kernelset/cuda.cuh": "kernelset/hip.h",
    "kernelset/torch.cuh": "kernelset/torch.hip.h",
}
"""The first line of a kernel unit."""

HEADERS: Final = PRELUDES | {
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
    "cuda_fp8.h": "hip/hip_fp8.h",
    "cuda_profiler_api.h": "hip/hip_runtime_api.h",
    "cooperative_groups.h": "hip/hip_cooperative_groups.h",
    "cooperative_groups/reduce.h": "hip/hip_cooperative_groups.h",
    "cooperative_groups/scan.h": "hip/hip_cooperative_groups.h",
    "cub/cub.cuh": "hipcub/hipcub.hpp",
    "curand.h": "hiprand/hiprand.h",
    "curand_kernel.h": "hiprand/hiprand_kernel.h",
    "curand_philox4x32_x.h": "hiprand/hiprand_kernel.h",
    "cublas_v2.h": "hipblas/hipblas.h",
    "cusparse.h": "hipsparse/hipsparse.h",
    "cufft.h": "hipfft/hipfft.h",
    "nccl.h": "rccl/rccl.h",
}
"""Included header to included header, without brackets."""

HEADER_FOLDERS: Final = {
    "cub/block/": "hipcub/hipcub.hpp",
    "cub/warp/": "hipcub/hipcub.hpp",
    "cub/device/": "hipcub/hipcub.hpp",
    "cub/thread/": "hipcub/hipcub.hpp",
    "cub/iterator/": "hipcub/hipcub.hpp",
    "cub/util": "hipcub/hipcub.hpp",
}
"""Beginning of an included header's name to included header."""

NAMESPACES: Final = {"cub": "hipcub"}
"""Renamed where `::` follows or `namespace` stands before."""

RUNTIME: Final = _same(
    "cuda",
    "hip",
    """
    Success GetLastError PeekAtLastError GetErrorName GetErrorString Error_t
    ErrorInvalidValue ErrorMemoryAllocation ErrorNotReady ErrorInvalidConfiguration ErrorInvalidDevice
    ErrorInvalidDeviceFunction ErrorLaunchFailure ErrorLaunchOutOfResources ErrorNotSupported ErrorUnknown
    ErrorNoDevice ErrorIllegalAddress ErrorPeerAccessAlreadyEnabled ErrorCooperativeLaunchTooLarge
    Malloc MallocHost MallocManaged MallocPitch Malloc3D MallocArray MallocAsync Free FreeHost FreeArray FreeAsync
    HostRegister HostUnregister HostGetDevicePointer
    Memcpy MemcpyAsync Memcpy2D Memcpy2DAsync Memcpy3D Memcpy3DAsync MemcpyPeer MemcpyPeerAsync MemcpyKind
    MemcpyToSymbol MemcpyToSymbolAsync MemcpyFromSymbol MemcpyFromSymbolAsync MemcpyToArray
    MemcpyHostToDevice MemcpyDeviceToHost MemcpyDeviceToDevice MemcpyHostToHost MemcpyDefault
    Memset MemsetAsync Memset2D Memset2DAsync MemGetInfo MemPrefetchAsync MemAdvise
    MemAdviseSetReadMostly MemAdviseSetPreferredLocation MemAttachGlobal MemAttachHost
    MemoryTypeHost MemoryTypeDevice MemoryTypeManaged
    GetSymbolAddress GetSymbolSize PointerGetAttributes
    SetDevice GetDevice GetDeviceCount DeviceSynchronize DeviceReset DeviceGetAttribute DeviceSetCacheConfig
    DeviceSetSharedMemConfig DeviceGetSharedMemConfig DeviceGetLimit DeviceSetLimit DeviceCanAccessPeer
    DeviceEnablePeerAccess DeviceDisablePeerAccess DeviceGetStreamPriorityRange DeviceGetPCIBusId
    DeviceScheduleBlockingSync DeviceScheduleSpin DeviceScheduleYield SetDeviceFlags
    DriverGetVersion RuntimeGetVersion ChooseDevice
    Stream_t StreamCreate StreamCreateWithFlags StreamCreateWithPriority StreamDestroy StreamSynchronize
    StreamWaitEvent StreamQuery StreamAddCallback StreamNonBlocking StreamDefault StreamGetFlags
    StreamBeginCapture StreamEndCapture StreamIsCapturing StreamCaptureStatus StreamCaptureStatusNone
    StreamCaptureModeGlobal StreamCaptureModeThreadLocal StreamCaptureModeRelaxed
    Event_t EventCreate EventCreateWithFlags EventDestroy EventRecord EventSynchronize EventElapsedTime EventQuery
    EventDefault EventBlockingSync EventDisableTiming EventInterprocess
    Graph_t GraphExec_t GraphCreate GraphInstantiate GraphLaunch GraphDestroy GraphExecDestroy GraphNode_t
    LaunchKernel LaunchCooperativeKernel LaunchHostFunc
    FuncAttributes FuncGetAttributes FuncSetAttribute FuncSetCacheConfig FuncSetSharedMemConfig FuncCache_t
    FuncAttributeMaxDynamicSharedMemorySize FuncAttributePreferredSharedMemoryCarveout
    FuncCachePreferNone FuncCachePreferShared FuncCachePreferL1 FuncCachePreferEqual
    SharedMemConfig SharedMemBankSizeDefault SharedMemBankSizeFourByte SharedMemBankSizeEightByte
    OccupancyMaxActiveBlocksPerMultiprocessor OccupancyMaxActiveBlocksPerMultiprocessorWithFlags
    OccupancyMaxPotentialBlockSize
    Array_t Array Extent Pos PitchedPtr ChannelFormatDesc ChannelFormatKind CreateChannelDesc
    ChannelFormatKindSigned ChannelFormatKindUnsigned ChannelFormatKindFloat ChannelFormatKindNone
    TextureObject_t SurfaceObject_t CreateTextureObject DestroyTextureObject CreateSurfaceObject DestroySurfaceObject
    ResourceDesc ResourceTypeArray ResourceTypeLinear ResourceTypePitch2D ResourceViewDesc
    AddressModeWrap AddressModeClamp AddressModeMirror AddressModeBorder FilterModePoint FilterModeLinear
    ReadModeElementType ReadModeNormalizedFloat
    IpcMemHandle_t IpcEventHandle_t IpcGetMemHandle IpcOpenMemHandle IpcCloseMemHandle IpcMemLazyEnablePeerAccess
    ProfilerStart ProfilerStop DataType
    """,
) | {
    "cudaError": "hipError_t",
    "cudaDeviceProp": "hipDeviceProp_t",
    "cudaGetDeviceProperties": "hipGetDeviceProperties",
    "cudaMallocHost": "hipHostMalloc",
    "cudaHostAlloc": "hipHostMalloc",
    "cudaFreeHost": "hipHostFree",
    "cudaHostAllocDefault": "hipHostMallocDefault",
    "cudaHostAllocMapped": "hipHostMallocMapped",
    "cudaHostAllocPortable": "hipHostMallocPortable",
    "cudaHostAllocWriteCombined": "hipHostMallocWriteCombined",
    "cudaHostRegisterDefault": "hipHostRegisterDefault",
    "cudaHostRegisterPortable": "hipHostRegisterPortable",
    "cudaThreadSynchronize": "hipDeviceSynchronize",
    "cudaThreadExit": "hipDeviceReset",
    "cudaErrorMemoryAllocation": "hipErrorOutOfMemory",
    "cudaPointerAttributes": "hipPointerAttribute_t",
    "cudaTextureDesc": "hipTextureDesc",
    "cudaTextureAddressMode": "hipTextureAddressMode",
    "cudaTextureFilterMode": "hipTextureFilterMode",
    "cudaTextureReadMode": "hipTextureReadMode",
    "cudaFuncCache": "hipFuncCache_t",
    "cudaStreamPerThread": "hipStreamPerThread",
    "cudaDataType_t": "hipDataType",
    "cudaGridDependencySynchronize": "kernelset_grid_dependency_synchronize",
    "cudaTriggerProgrammaticLaunchCompletion": "kernelset_trigger_launch_completion",
    "cudaDevAttrMultiProcessorCount": "hipDeviceAttributeMultiprocessorCount",
    "cudaDevAttrMaxThreadsPerBlock": "hipDeviceAttributeMaxThreadsPerBlock",
    "cudaDevAttrMaxSharedMemoryPerBlock": "hipDeviceAttributeMaxSharedMemoryPerBlock",
    "cudaDevAttrMaxSharedMemoryPerBlockOptin": "hipDeviceAttributeMaxSharedMemoryPerBlock",
    "cudaDevAttrMaxSharedMemoryPerMultiprocessor": "hipDeviceAttributeMaxSharedMemoryPerMultiprocessor",
    "cudaDevAttrMaxThreadsPerMultiProcessor": "hipDeviceAttributeMaxThreadsPerMultiProcessor",
    "cudaDevAttrMaxRegistersPerBlock": "hipDeviceAttributeMaxRegistersPerBlock",
    "cudaDevAttrMaxGridDimX": "hipDeviceAttributeMaxGridDimX",
    "cudaDevAttrMaxGridDimY": "hipDeviceAttributeMaxGridDimY",
    "cudaDevAttrMaxGridDimZ": "hipDeviceAttributeMaxGridDimZ",
    "cudaDevAttrWarpSize": "hipDeviceAttributeWarpSize",
    "cudaDevAttrClockRate": "hipDeviceAttributeClockRate",
    "cudaDevAttrComputeCapabilityMajor": "hipDeviceAttributeComputeCapabilityMajor",
    "cudaDevAttrComputeCapabilityMinor": "hipDeviceAttributeComputeCapabilityMinor",
    "cudaDevAttrCooperativeLaunch": "hipDeviceAttributeCooperativeLaunch",
}
"""The runtime interface: functions, types and enumerators."""

DRIVER: Final = {
    "CUresult": "hipError_t",
    "CUDA_SUCCESS": "hipSuccess",
    "CUdevice": "hipDevice_t",
    "CUdeviceptr": "hipDeviceptr_t",
    "CUcontext": "hipCtx_t",
    "CUmodule": "hipModule_t",
    "CUfunction": "hipFunction_t",
    "CUstream": "hipStream_t",
    "CUevent": "hipEvent_t",
    "cuInit": "hipInit",
    "cuModuleLoadData": "hipModuleLoadData",
    "cuModuleGetFunction": "hipModuleGetFunction",
    "cuModuleUnload": "hipModuleUnload",
    "cuLaunchKernel": "hipModuleLaunchKernel",
    "cuMemAlloc": "hipMalloc",
    "cuMemFree": "hipFree",
    "cuDeviceGetAttribute": "hipDeviceGetAttribute",
}
"""The driver interface, as far as it is the same."""

FP8: Final = _same(
    "__nv_",
    "__hip_",
    """
    fp8_e4m3 fp8_e5m2 fp8x2_e4m3 fp8x2_e5m2 fp8x4_e4m3 fp8x4_e5m2 fp8_storage_t fp8x2_storage_t fp8x4_storage_t
    fp8_interpretation_t saturation_t cvt_float_to_fp8 cvt_float2_to_fp8x2 cvt_halfraw_to_fp8
    cvt_bfloat16raw_to_fp8 cvt_fp8_to_halfraw cvt_double_to_fp8
    """,
) | _same("__NV_", "__HIP_", "NOSAT SATFINITE E4M3 E5M2")
"""8-bit floating point; HIP has it from version 6.2 on, and we for what is older."""

TYPES: Final = {
    "__nv_half": "__half",
    "__nv_half2": "__half2",
    "nv_half": "__half",
    "nv_half2": "__half2",
    "nv_bfloat16": "__hip_bfloat16",
    "nv_bfloat162": "__hip_bfloat162",
    "__nv_bfloat16": "__hip_bfloat16",
    "__nv_bfloat162": "__hip_bfloat162",
    "__nv_bfloat16_raw": "__hip_bfloat16_raw",
    "__nv_bfloat162_raw": "__hip_bfloat162_raw",
    "cuComplex": "hipComplex",
    "cuFloatComplex": "hipFloatComplex",
    "cuDoubleComplex": "hipDoubleComplex",
}
"""Element types of device code."""

COMPLEX: Final = {
    f"cu{name}{suffix}": f"hip{name}{suffix}"
    for name in ("Creal", "Cimag", "Cadd", "Csub", "Cmul", "Cdiv", "Conj", "Cabs", "Cfma")
    for suffix in ("", "f")
} | {
    "make_cuComplex": "make_hipComplex",
    "make_cuFloatComplex": "make_hipFloatComplex",
    "make_cuDoubleComplex": "make_hipDoubleComplex",
    "cuComplexFloatToDouble": "hipComplexFloatToDouble",
    "cuComplexDoubleToFloat": "hipComplexDoubleToFloat",
}
"""Complex arithmetic."""

CONSTANTS: Final = _same(
    "CUDART_",
    "HIP_",
    """
    INF_F NAN_F MIN_DENORM_F MAX_NORMAL_F NEG_ZERO_F ZERO_F ONE_F SQRT_HALF_F SQRT_TWO_F THIRD_F PIO4_F PIO2_F
    3PIO4_F 2_OVER_PI_F SQRT_2_OVER_PI_F PI_F L2E_F L2T_F LG2_F LGE_F LN2_F LNT_F LNPI_F TWO_TO_M126_F TWO_TO_126_F
    NORM_HUGE_F TWO_TO_23_F TWO_TO_24_F TWO_TO_31_F TWO_TO_32_F REMQUO_BITS_F REMQUO_MASK_F TRIG_PLOSS_F
    INF NAN NEG_ZERO MIN_DENORM ZERO ONE SQRT_TWO SQRT_HALF THIRD TWOTHIRD PIO4 PIO2 3PIO4 2_OVER_PI PI
    SQRT_2_OVER_PI L2E L2E_HI L2E_LO L2T L2T_HI L2T_LO LG2 LG2_HI LG2_LO LGE LGE_HI LGE_LO LN2 LN2_HI LN2_LO
    LNT LNT_HI LNT_LO LNPI LN2_X_1024 LN2_X_1025 LN2_X_1075 LG2_X_1024 LG2_X_1075 TWO_TO_23 TWO_TO_52 TWO_TO_53
    TWO_TO_54 TWO_TO_M54 TWO_TO_M1022 TRIG_PLOSS DBL2INT_CVT
    """,
)
"""`math_constants.h`."""

RANDOM: Final = (
    _same(
        "curand",
        "hiprand",
        """
        _init _uniform _uniform2 _uniform4 _uniform_double _uniform2_double _uniform4_double
        _normal _normal2 _normal4 _normal_double _normal2_double _normal4_double
        _log_normal _log_normal2 _log_normal4 _log_normal_double _log_normal2_double _log_normal4_double
        _poisson _poisson4 _discrete _discrete4
        State_t State StateXORWOW_t StateXORWOW StateMRG32k3a_t StateMRG32k3a StateMtgp32_t StateMtgp32
        StatePhilox4_32_10_t StatePhilox4_32_10 StateSobol32_t StateSobol32 StateSobol64_t StateScrambledSobol32_t
        Generator_t CreateGenerator DestroyGenerator SetPseudoRandomGeneratorSeed SetStream
        GenerateUniform GenerateUniformDouble GenerateNormal GenerateNormalDouble Generate
        Status_t
        """,
    )
    | _same("CURAND", "HIPRAND", "_STATUS_SUCCESS _RNG_PSEUDO_DEFAULT _RNG_PSEUDO_XORWOW _RNG_PSEUDO_PHILOX4_32_10")
    | {"curand": "hiprand", "curand4": "hiprand4", "skipahead": "skipahead"}
)
"""Random numbers, in kernels and on the host."""

CUB: Final = _same(
    "CUB_",
    "HIPCUB_",
    "MAX MIN PTX_ARCH ROUND_UP_NEAREST IS_DEVICE_CODE",
)
"""Macros of cub; its names keep theirs in the namespace."""

COMPILER: Final = {
    "__CUDACC__": "__HIPCC__",
    "__NVCC__": "__HIPCC__",
    "__CUDA_ARCH__": "KERNELSET_CUDA_ARCH",
}
"""What code asks of its compiler; `<kernelset/hip.h>` says which CUDA architecture an AMD device is taken for."""

FAMILIES: Final = {
    "runtime": RUNTIME,
    "driver": DRIVER,
    "fp8": FP8,
    "type": TYPES,
    "complex": COMPLEX,
    "constant": CONSTANTS,
    "random": RANDOM,
    "cub": CUB,
    "compiler": COMPILER,
}
"""The rule's name in a report, by table."""

NAMES: Final = {cuda: (family, hip) for family, table in FAMILIES.items() for cuda, hip in table.items() if cuda != hip}
"""Identifier to the family of its rule and its new name."""

RUNTIME_HEADERS: Final = frozenset({"hip/hip_runtime.h", "hip/hip_runtime_api.h"})
"""One of these must be included where device code stands; nvcc does it by itself, hipcc does not."""

_COMPATIBILITY: Final = """
    __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync __activemask
    __match_any_sync __match_all_sync __syncwarp __reduce_add_sync __reduce_min_sync __reduce_max_sync
    __reduce_and_sync __reduce_or_sync __reduce_xor_sync
    __ldcs __ldcg __ldca __ldlu __ldcv __stcs __stcg __stwb __stwt __nanosleep __dp4a __dp2a_lo __dp2a_hi
    kernelset_grid_dependency_synchronize kernelset_trigger_launch_completion
    __trap __brkpt __isShared __isGlobal __cvta_generic_to_shared
    kernelset KERNELSET_CUDA_ARCH
"""
COMPATIBILITY: Final = frozenset(_COMPATIBILITY.split())
"""What `<kernelset/hip.h>` defines and HIP alone does not, in every version."""
