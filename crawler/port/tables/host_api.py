"""Host-side names of the runtime and driver APIs: graphs, memory pools, textures."""

from __future__ import annotations

from typing import Final

from crawler.port.tables.prefixes import map_prefix

MORE_RUNTIME: Final = map_prefix(
    "cuda",
    "hip",
    """
    ErrorPriorLaunchFailure ErrorInvalidDevicePointer ErrorProfilerNotInitialized
    ErrorProfilerAlreadyStarted ErrorProfilerAlreadyStopped ErrorInvalidGraphicsContext
    MemAttachSingle OccupancyDefault Memcpy2DArrayToArray MemcpyArrayToArray
    MemcpyFromArrayAsync MemRangeGetAttribute MemRangeGetAttributes
    MemAdviseUnsetReadMostly MemAdviseUnsetPreferredLocation MemAdviseSetAccessedBy
    MemAdviseUnsetAccessedBy MemRangeAttributeReadMostly
    MemRangeAttributePreferredLocation MemRangeAttributeAccessedBy
    MemRangeAttributeLastPrefetchLocation Memset3D Memset3DAsync MemAccessDesc
    MemAccessFlagsProtReadWrite MemLocationTypeDevice MemPoolAttrReleaseThreshold
    MemPoolAttrReservedMemCurrent MemPoolAttrReservedMemHigh MemPoolAttrUsedMemCurrent
    MemPoolAttrUsedMemHigh MemPoolReuseAllowInternalDependencies
    MemPoolReuseAllowOpportunistic MemPoolReuseFollowEventDependencies MemPoolSetAccess
    FreeMipmappedArray GetMipmappedArrayLevel MallocMipmappedArray HostNodeParams
    HostGetFlags HostRegisterMapped HostRegisterIoMemory StreamAttachMemAsync
    CpuDeviceId StreamGetCaptureInfo_v2 StreamCaptureStatusInvalidated
    StreamSetCaptureDependencies StreamUpdateCaptureDependencies
    GraphInstantiateWithFlags GraphInstantiateFlagAutoFreeOnLaunch
    GraphAddChildGraphNode GraphAddDependencies GraphAddEmptyNode
    GraphAddEventRecordNode GraphAddEventWaitNode GraphAddHostNode GraphAddKernelNode
    GraphAddMemcpyNode GraphAddMemcpyNode1D GraphAddMemcpyNodeFromSymbol
    GraphAddMemcpyNodeToSymbol GraphAddMemsetNode GraphChildGraphNodeGetGraph GraphClone
    GraphDestroyNode GraphEventRecordNodeGetEvent GraphEventRecordNodeSetEvent
    GraphEventWaitNodeGetEvent GraphEventWaitNodeSetEvent
    GraphExecChildGraphNodeSetParams GraphExecEventRecordNodeSetEvent
    GraphExecEventWaitNodeSetEvent GraphExecHostNodeSetParams
    GraphExecKernelNodeSetParams GraphExecMemcpyNodeSetParams
    GraphExecMemcpyNodeSetParams1D GraphExecMemcpyNodeSetParamsFromSymbol
    GraphExecMemcpyNodeSetParamsToSymbol GraphExecMemsetNodeSetParams GraphGetEdges
    GraphGetRootNodes GraphHostNodeGetParams GraphHostNodeSetParams
    GraphKernelNodeGetAttribute GraphKernelNodeSetAttribute GraphMemcpyNodeGetParams
    GraphMemcpyNodeSetParams GraphMemcpyNodeSetParams1D
    GraphMemcpyNodeSetParamsFromSymbol GraphMemcpyNodeSetParamsToSymbol
    GraphMemsetNodeGetParams GraphMemsetNodeSetParams GraphNodeFindInClone
    GraphNodeGetDependencies GraphNodeGetDependentNodes GraphRemoveDependencies
    GraphExecUpdateError GraphExecUpdateErrorFunctionChanged
    GraphExecUpdateErrorNodeTypeChanged GraphExecUpdateErrorNotSupported
    GraphExecUpdateErrorParametersChanged GraphExecUpdateErrorTopologyChanged
    GraphExecUpdateErrorUnsupportedFunctionChange GraphExecUpdateSuccess
    GraphInstantiateFlags GraphNodeTypeCount GraphNodeTypeEmpty GraphNodeTypeEventRecord
    GraphNodeTypeGraph GraphNodeTypeHost GraphNodeTypeMemcpy GraphNodeTypeMemset
    GraphNodeTypeWaitEvent SetValidDevices DeviceGetP2PAttribute ComputeModeExclusive
    GetDeviceFlags DeviceScheduleAuto DeviceScheduleMask DeviceMapHost
    DeviceLmemResizeToMax DeviceGetCacheConfig ConfigureCall SetupArgument
    MemAllocationTypePinned OccupancyMaxPotentialBlockSizeWithFlags LimitPrintfFifoSize
    LimitMallocHeapSize BindTexture UnbindTexture BindTexture2D BindTextureToArray
    BindTextureToMipmappedArray GetTextureAlignmentOffset GetTextureReference
    ResourceTypeMipmappedArray ResViewFormatNone ResViewFormatUnsignedChar1
    ResViewFormatUnsignedChar2 ResViewFormatUnsignedChar4 ResViewFormatSignedChar1
    ResViewFormatSignedChar2 ResViewFormatSignedChar4 ResViewFormatUnsignedShort1
    ResViewFormatUnsignedShort2 ResViewFormatUnsignedShort4 ResViewFormatSignedShort1
    ResViewFormatSignedShort2 ResViewFormatSignedShort4 ResViewFormatUnsignedInt1
    ResViewFormatUnsignedInt2 ResViewFormatUnsignedInt4 ResViewFormatSignedInt1
    ResViewFormatSignedInt2 ResViewFormatSignedInt4 ResViewFormatHalf1
    ResViewFormatHalf2 ResViewFormatHalf4 ResViewFormatFloat1 ResViewFormatFloat2
    ResViewFormatFloat4 ResViewFormatUnsignedBlockCompressed1
    ResViewFormatUnsignedBlockCompressed2 ResViewFormatUnsignedBlockCompressed3
    ResViewFormatUnsignedBlockCompressed4 ResViewFormatSignedBlockCompressed4
    ResViewFormatUnsignedBlockCompressed5 ResViewFormatSignedBlockCompressed5
    ResViewFormatUnsignedBlockCompressed6H ResViewFormatSignedBlockCompressed6H
    ResViewFormatUnsignedBlockCompressed7 GetTextureObjectResourceViewDesc
    BoundaryModeZero BoundaryModeClamp BoundaryModeTrap GraphicsMapResources
    GraphicsResourceGetMappedPointer GraphicsSubResourceGetMappedArray
    GraphicsUnmapResources GraphicsUnregisterResource GraphicsRegisterFlagsNone
    GraphicsRegisterFlagsReadOnly GraphicsRegisterFlagsWriteDiscard
    GraphicsRegisterFlagsSurfaceLoadStore GraphicsRegisterFlagsTextureGather
    Array_const_t MipmappedArray_const_t ArrayDefault ArrayLayered ArraySurfaceLoadStore
    ArrayCubemap ArrayTextureGather MemRangeAttribute MemoryType ResourceViewFormat
    SurfaceBoundaryMode TextureType1D TextureType2D TextureType3D TextureTypeCubemap
    TextureType1DLayered TextureType2DLayered TextureTypeCubemapLayered
    GraphicsRegisterFlags
    """,
)
"""Names of the runtime in every HIP from 5.2 on."""

NEWER_RUNTIME: Final = map_prefix(
    "cuda",
    "hip",
    """
    ArrayGetInfo GraphDebugDotFlagsVerbose GraphRetainUserObject GraphUserObjectMove
    DeviceGetGraphMemAttribute DeviceGraphMemTrim DeviceSetGraphMemAttribute
    GraphAddExternalSemaphoresSignalNode GraphAddExternalSemaphoresWaitNode
    GraphAddMemAllocNode GraphAddMemFreeNode GraphAddNode
    GraphExecExternalSemaphoresSignalNodeSetParams
    GraphExecExternalSemaphoresWaitNodeSetParams GraphExecGetFlags
    GraphExecNodeSetParams GraphExternalSemaphoresSignalNodeGetParams
    GraphExternalSemaphoresSignalNodeSetParams GraphExternalSemaphoresWaitNodeGetParams
    GraphExternalSemaphoresWaitNodeSetParams GraphInstantiateWithParams
    GraphKernelNodeCopyAttributes GraphMemAllocNodeGetParams GraphMemFreeNodeGetParams
    GraphNodeGetEnabled GraphNodeSetEnabled GraphNodeSetParams GraphReleaseUserObject
    UserObjectRelease UserObjectRetain GraphDebugDotFlags
    GraphDebugDotFlagsEventNodeParams GraphDebugDotFlagsExtSemasSignalNodeParams
    GraphDebugDotFlagsExtSemasWaitNodeParams GraphDebugDotFlagsHandles
    GraphDebugDotFlagsHostNodeParams GraphDebugDotFlagsKernelNodeAttributes
    GraphDebugDotFlagsKernelNodeParams GraphDebugDotFlagsMemcpyNodeParams
    GraphDebugDotFlagsMemsetNodeParams GraphDependencyType GraphDependencyTypeDefault
    GraphDependencyTypeProgrammatic GraphEdgeData GraphInstantiateError
    GraphInstantiateFlagDeviceLaunch GraphInstantiateFlagUpload
    GraphInstantiateFlagUseNodePriority GraphInstantiateInvalidStructure
    GraphInstantiateMultipleDevicesNotSupported
    GraphInstantiateNodeOperationNotSupported GraphInstantiateParams
    GraphInstantiateResult GraphInstantiateSuccess GraphKernelNodePortDefault
    GraphKernelNodePortLaunchCompletion GraphKernelNodePortProgrammatic
    GraphMemAttrReservedMemCurrent GraphMemAttrReservedMemHigh
    GraphMemAttrUsedMemCurrent GraphMemAttrUsedMemHigh GraphMemAttributeType
    GraphNodeParams GraphNodeTypeExtSemaphoreSignal GraphNodeTypeExtSemaphoreWait
    GraphNodeTypeMemAlloc GraphNodeTypeMemFree UserObject_t UserObjectCreate
    UserObjectNoDestructorSync OccupancyMaxPotentialBlockSizeVariableSMem
    OccupancyMaxPotentialBlockSizeVariableSMemWithFlags LimitStackSize
    """,
)
"""Names of the runtime that HIP has since."""

MORE_DRIVER: Final = map_prefix(
    "cu",
    "hip",
    """
    CtxGetApiVersion CtxGetCacheConfig CtxGetFlags DeviceGetUuid CtxGetSharedMemConfig
    CtxSetCacheConfig CtxSetSharedMemConfig CtxEnablePeerAccess CtxDisablePeerAccess
    DeviceGetP2PAttribute DevicePrimaryCtxSetFlags DeviceGetPCIBusId DeviceGetByPCIBusId
    DeviceComputeCapability ModuleGetTexRef FuncSetSharedMemConfig StreamAddCallback
    StreamAttachMemAsync StreamGetFlags StreamWaitValue32 StreamWriteValue32
    Array3DCreate Array3DGetDescriptor ArrayCreate ArrayDestroy ArrayGetDescriptor
    IpcCloseMemHandle IpcGetEventHandle IpcGetMemHandle IpcOpenEventHandle
    IpcOpenMemHandle MemAllocHost Memcpy2DUnaligned MemcpyAtoA MemcpyAtoD MemcpyAtoH
    MemcpyAtoHAsync MemcpyDtoA MemcpyHtoA MemcpyHtoAAsync MemGetAddressRange
    MemHostGetDevicePointer MipmappedArrayCreate MipmappedArrayDestroy
    MipmappedArrayGetLevel MemAdvise MemRangeGetAttribute MemRangeGetAttributes
    MemExportToShareableHandle MemGetAccess MemGetAllocationPropertiesFromHandle
    MemImportFromShareableHandle MemMapArrayAsync MemRetainAllocationHandle
    MemPoolCreate MemPoolDestroy MemPoolExportPointer MemPoolExportToShareableHandle
    MemPoolGetAccess MemPoolGetAttribute MemPoolImportFromShareableHandle
    MemPoolImportPointer MemPoolSetAccess MemPoolSetAttribute MemPoolTrimTo
    PointerGetAttributes TexRefGetAddress TexRefGetAddressMode TexRefGetArray
    TexRefGetBorderColor TexRefGetFilterMode TexRefGetFlags TexRefGetFormat
    TexRefGetMaxAnisotropy TexRefGetMipmapFilterMode TexRefGetMipmapLevelBias
    TexRefGetMipmapLevelClamp TexRefSetAddress TexRefSetAddress2D TexRefSetAddressMode
    TexRefSetArray TexRefSetBorderColor TexRefSetFilterMode TexRefSetFlags
    TexRefSetFormat TexRefSetMaxAnisotropy TexRefSetMipmapFilterMode
    TexRefSetMipmapLevelBias TexRefSetMipmapLevelClamp TexRefSetMipmappedArray
    TexObjectCreate TexObjectDestroy TexObjectGetResourceDesc
    TexObjectGetResourceViewDesc TexObjectGetTextureDesc GraphicsMapResources
    GraphicsResourceGetMappedPointer GraphicsSubResourceGetMappedArray
    GraphicsUnmapResources GraphicsUnregisterResource ProfilerStart ProfilerStop
    """,
)
"""Names of the driver in every HIP from 5.2 on."""

NEWER_DRIVER: Final = map_prefix(
    "cu",
    "hip",
    """
    StreamBatchMemOp PointerSetAttribute
    """,
)
"""Names of the driver that HIP has since."""
