"""Names of the CUDA driver API."""

from __future__ import annotations

from typing import Final

from crawler.port.tables.prefixes import map_prefix

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
    "CUarray": "hipArray_t",
    # `typedef struct CUstream_st *cudaStream_t;` stands in for CUDA's headers where host code
    # does without them
    "CUstream_st": "ihipStream_t",
    "CUevent_st": "ihipEvent_t",
    "CUctx_st": "ihipCtx_t",
    "CUmod_st": "ihipModule_t",
    "CUfunc_st": "ihipModuleSymbol_t",
    "CUgraph_st": "ihipGraph",
    "CUgraphNode_st": "hipGraphNode",
    "CUgraphExec_st": "hipGraphExec",
    "CUmemPoolHandle_st": "ihipMemPoolHandle_t",
    "CUtexObject": "hipTextureObject_t",
    "CUsurfObject": "hipSurfaceObject_t",
    "CUlinkState": "hiprtcLinkState",
    "CUfunction_attribute": "hipFunction_attribute",
    "CUdevice_attribute": "hipDeviceAttribute_t",
    "CUpointer_attribute": "hipPointer_attribute",
    "CUmemGenericAllocationHandle": "hipMemGenericAllocationHandle_t",
    "CUmemAllocationProp": "hipMemAllocationProp",
    "CUmemAccessDesc": "hipMemAccessDesc",
    "CU_MEM_LOCATION_TYPE_DEVICE": "hipMemLocationTypeDevice",
    "CU_MEM_ALLOCATION_TYPE_PINNED": "hipMemAllocationTypePinned",
    "CU_MEM_ACCESS_FLAGS_PROT_READWRITE": "hipMemAccessFlagsProtReadWrite",
    "CU_MEM_ALLOC_GRANULARITY_MINIMUM": "hipMemAllocationGranularityMinimum",
    "CU_MEM_ALLOC_GRANULARITY_RECOMMENDED": "hipMemAllocationGranularityRecommended",
    "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT": "hipDeviceAttributeMultiprocessorCount",
    "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK": "hipDeviceAttributeMaxSharedMemoryPerBlock",
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR": "hipDeviceAttributeComputeCapabilityMajor",
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR": "hipDeviceAttributeComputeCapabilityMinor",
    "CUDA_ERROR_INVALID_VALUE": "hipErrorInvalidValue",
    "CUDA_ERROR_OUT_OF_MEMORY": "hipErrorOutOfMemory",
    "CUDA_ERROR_NOT_INITIALIZED": "hipErrorNotInitialized",
    "CUDA_ERROR_DEINITIALIZED": "hipErrorDeinitialized",
    "CUDA_ERROR_INVALID_CONTEXT": "hipErrorInvalidContext",
    "CUDA_ERROR_FILE_NOT_FOUND": "hipErrorFileNotFound",
    "CUDA_ERROR_NOT_SUPPORTED": "hipErrorNotSupported",
    "CUDA_ERROR_UNKNOWN": "hipErrorUnknown",
    "cuMemAlloc": "hipMalloc",
    "cuMemFree": "hipFree",
    "cuLaunchKernel": "hipModuleLaunchKernel",
    "cuLaunchCooperativeKernel": "hipModuleLaunchCooperativeKernel",
    "cuDeviceGetCount": "hipGetDeviceCount",
    "cuGetErrorString": "hipDrvGetErrorString",
    "cuGetErrorName": "hipDrvGetErrorName",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": (
        "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"
    ),
    "cuOccupancyMaxPotentialBlockSize": "hipModuleOccupancyMaxPotentialBlockSize",
} | map_prefix(
    "cu",
    "hip",
    """
    Init DriverGetVersion DeviceGet DeviceGetName DeviceGetAttribute DeviceCanAccessPeer
    DeviceTotalMem DevicePrimaryCtxRetain DevicePrimaryCtxRelease
    DevicePrimaryCtxGetState DevicePrimaryCtxReset CtxCreate CtxDestroy CtxGetCurrent
    CtxSetCurrent CtxGetDevice CtxPushCurrent CtxPopCurrent CtxSynchronize ModuleLoad
    ModuleLoadData ModuleLoadDataEx ModuleGetFunction ModuleGetGlobal ModuleUnload
    FuncGetAttribute FuncSetAttribute FuncSetCacheConfig PointerGetAttribute MemcpyHtoD
    MemcpyDtoH MemcpyDtoD MemcpyHtoDAsync MemcpyDtoHAsync MemcpyDtoDAsync MemsetD8
    MemsetD16 MemsetD32 MemsetD8Async MemsetD16Async MemsetD32Async MemGetInfo MemMap
    MemUnmap MemCreate MemRelease MemSetAccess MemAddressReserve MemAddressFree
    MemGetAllocationGranularity StreamCreate StreamCreateWithPriority StreamDestroy
    StreamSynchronize StreamQuery StreamWaitEvent StreamGetPriority EventCreate
    EventDestroy EventRecord EventSynchronize EventElapsedTime EventQuery
    """,
)
"""Functions, types and enumerators of `cuda.h`."""
