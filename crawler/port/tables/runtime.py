"""Names of the CUDA runtime API."""

from __future__ import annotations

from typing import Final

from crawler.port.tables.prefixes import map_prefix

_ERRORS: Final = map_prefix(
    "cudaError",
    "hipError",
    """
    Assert ContextIsDestroyed CooperativeLaunchTooLarge DeviceAlreadyInUse
    HostMemoryAlreadyRegistered HostMemoryNotRegistered IllegalAddress
    InitializationError InsufficientDriver InvalidChannelDescriptor InvalidConfiguration
    InvalidDevice InvalidDeviceFunction InvalidMemcpyDirection InvalidPitchValue
    InvalidResourceHandle InvalidSymbol InvalidTexture InvalidValue LaunchFailure
    LaunchOutOfResources MissingConfiguration NoDevice NotReady NotSupported
    OperatingSystem PeerAccessAlreadyEnabled PeerAccessNotEnabled PeerAccessUnsupported
    ProfilerDisabled SetOnActiveProcess SharedObjectInitFailed
    SharedObjectSymbolNotFound Unknown UnsupportedLimit
    """,
)

RUNTIME: Final = (
    map_prefix(
        "cuda",
        "hip",
        """
    Success GetLastError PeekAtLastError GetErrorName GetErrorString Error_t Malloc
    MallocHost MallocManaged MallocPitch Malloc3D MallocArray MallocAsync Free FreeHost
    FreeArray FreeAsync HostRegister HostUnregister HostGetDevicePointer Memcpy
    MemcpyAsync Memcpy2D Memcpy2DAsync Memcpy3D Memcpy3DAsync MemcpyPeer MemcpyPeerAsync
    MemcpyKind MemcpyToSymbol MemcpyToSymbolAsync MemcpyFromSymbol MemcpyFromSymbolAsync
    MemcpyToArray MemcpyHostToDevice MemcpyDeviceToHost MemcpyDeviceToDevice
    MemcpyHostToHost MemcpyDefault Memset MemsetAsync Memset2D Memset2DAsync MemGetInfo
    MemPrefetchAsync MemAdvise MemAdviseSetReadMostly MemAdviseSetPreferredLocation
    MemAttachGlobal MemAttachHost MemoryTypeHost MemoryTypeDevice MemoryTypeManaged
    GetSymbolAddress GetSymbolSize PointerGetAttributes SetDevice GetDevice
    GetDeviceCount DeviceSynchronize DeviceReset DeviceGetAttribute DeviceSetCacheConfig
    DeviceSetSharedMemConfig DeviceGetSharedMemConfig DeviceGetLimit DeviceSetLimit
    DeviceCanAccessPeer DeviceEnablePeerAccess DeviceDisablePeerAccess
    DeviceGetStreamPriorityRange DeviceGetPCIBusId DeviceScheduleBlockingSync
    DeviceScheduleSpin DeviceScheduleYield SetDeviceFlags DriverGetVersion
    RuntimeGetVersion ChooseDevice Stream_t StreamCreate StreamCreateWithFlags
    StreamCreateWithPriority StreamDestroy StreamSynchronize StreamWaitEvent StreamQuery
    StreamAddCallback StreamNonBlocking StreamDefault StreamGetFlags StreamBeginCapture
    StreamEndCapture StreamIsCapturing StreamCaptureStatus StreamCaptureStatusNone
    StreamCaptureModeGlobal StreamCaptureModeThreadLocal StreamCaptureModeRelaxed
    Event_t EventCreate EventCreateWithFlags EventDestroy EventRecord EventSynchronize
    EventElapsedTime EventQuery EventDefault EventBlockingSync EventDisableTiming
    EventInterprocess Graph_t GraphExec_t GraphCreate GraphInstantiate GraphLaunch
    GraphDestroy GraphExecDestroy GraphNode_t LaunchKernel LaunchCooperativeKernel
    LaunchHostFunc FuncAttributes FuncGetAttributes FuncSetAttribute FuncSetCacheConfig
    FuncSetSharedMemConfig FuncCache_t FuncAttributeMaxDynamicSharedMemorySize
    FuncAttributePreferredSharedMemoryCarveout FuncCachePreferNone FuncCachePreferShared
    FuncCachePreferL1 FuncCachePreferEqual SharedMemConfig SharedMemBankSizeDefault
    SharedMemBankSizeFourByte SharedMemBankSizeEightByte
    OccupancyMaxActiveBlocksPerMultiprocessor
    OccupancyMaxActiveBlocksPerMultiprocessorWithFlags OccupancyMaxPotentialBlockSize
    Array_t Array Extent Pos PitchedPtr ChannelFormatDesc ChannelFormatKind
    CreateChannelDesc ChannelFormatKindSigned ChannelFormatKindUnsigned
    ChannelFormatKindFloat ChannelFormatKindNone TextureObject_t SurfaceObject_t
    CreateTextureObject DestroyTextureObject CreateSurfaceObject DestroySurfaceObject
    ResourceDesc ResourceTypeArray ResourceTypeLinear ResourceTypePitch2D
    ResourceViewDesc AddressModeWrap AddressModeClamp AddressModeMirror
    AddressModeBorder FilterModePoint FilterModeLinear ReadModeElementType
    ReadModeNormalizedFloat IpcMemHandle_t IpcEventHandle_t IpcGetMemHandle
    IpcOpenMemHandle IpcCloseMemHandle IpcMemLazyEnablePeerAccess ProfilerStart
    ProfilerStop DataType MemPool_t MemPoolCreate MemPoolDestroy MemPoolSetAttribute
    MemPoolGetAttribute MemPoolTrimTo MemPoolProps MemPoolAttr MallocFromPoolAsync
    DeviceSetMemPool DeviceGetMemPool DeviceGetDefaultMemPool MemAllocationType
    MemAllocationHandleType MemLocation MemLocationType MemoryAdvise
    MemoryTypeUnregistered MemHandleTypeNone MemHandleTypePosixFileDescriptor
    MipmappedArray_t Memcpy3DParms Malloc3DArray GetChannelDesc ResourceType
    Memcpy2DToArray Memcpy2DToArrayAsync Memcpy2DFromArray Memcpy2DFromArrayAsync
    GetTextureObjectResourceDesc GetTextureObjectTextureDesc StreamGetPriority
    StreamGetCaptureInfo StreamCaptureMode StreamCaptureStatusActive StreamCallback_t
    HostFn_t ThreadExchangeStreamCaptureMode GraphUpload GraphExecUpdate
    GraphExecUpdateResult GraphGetNodes GraphNodeType GraphNodeGetType
    GraphNodeTypeKernel GraphKernelNodeGetParams GraphKernelNodeSetParams
    GraphDebugDotPrint IpcGetEventHandle IpcOpenEventHandle DeviceGetByPCIBusId
    OccupancyDisableCachingOverride ComputeMode ComputeModeDefault ComputeModeProhibited
    ComputeModeExclusiveProcess
    """,
    )
    | _ERRORS
    | {
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
        "cudaErrorNoKernelImageForDevice": "hipErrorNoBinaryForGpu",
        "cudaErrorInvalidKernelImage": "hipErrorInvalidImage",
        "cudaErrorLaunchTimeout": "hipErrorLaunchTimeOut",
        "cudaErrorECCUncorrectable": "hipErrorECCNotCorrectable",
        "cudaErrorCudartUnloading": "hipErrorDeinitialized",
        "cudaErrorMapBufferObjectFailed": "hipErrorMapFailed",
        "cudaErrorUnmapBufferObjectFailed": "hipErrorUnmapFailed",
        "cudaDeviceAttr": "hipDeviceAttribute_t",
        "cudaLimit": "hipLimit_t",
        "cudaDevAttrGlobalMemoryBusWidth": "hipDeviceAttributeMemoryBusWidth",
        "make_cudaExtent": "make_hipExtent",
        "make_cudaPos": "make_hipPos",
        "make_cudaPitchedPtr": "make_hipPitchedPtr",
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
        "cudaDevAttrMaxSharedMemoryPerBlockOptin": "hipDeviceAttributeMaxSharedMemoryPerBlock",
    }
)
"""The runtime interface: functions, types and enumerators."""
