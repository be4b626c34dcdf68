// The host side: types and functions of the CUDA runtime and driver that project code names around its launches.
// They are declared, never defined: a unit is device code, and a parse needs no bodies.
#pragma once
#include <kernelset/attributes.h>
#include <kernelset/vectors.h>
#include <stddef.h>
#include <stdint.h>

// projects ask by these names whether CUDA's headers were read before theirs
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __HOST_DEFINES_H__

#define KS_ENUM(NAME, ...) enum NAME { __VA_ARGS__ };
#include <kernelset/errors.h>
typedef cudaError cudaError_t;
KS_ENUM(cudaMemcpyKind, cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
        cudaMemcpyDefault)
KS_ENUM(cudaFuncAttribute, cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9,
        cudaFuncAttributeNonPortableClusterSizeAllowed = 10)
KS_ENUM(cudaFuncCache, cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual)
KS_ENUM(cudaSharedMemConfig, cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte)
KS_ENUM(cudaDeviceAttr, cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8, cudaDevAttrWarpSize = 10,
        cudaDevAttrMaxGridDimX = 5, cudaDevAttrMaxGridDimY = 6, cudaDevAttrMaxGridDimZ = 7,
        cudaDevAttrMultiProcessorCount = 16, cudaDevAttrMaxThreadsPerMultiProcessor = 39, cudaDevAttrComputeCapabilityMajor = 75,
        cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
        cudaDevAttrCooperativeLaunch = 95, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97, cudaDevAttrL2CacheSize = 38,
        cudaDevAttrMaxBlockDimX = 2, cudaDevAttrMaxBlockDimY = 3, cudaDevAttrMaxBlockDimZ = 4, cudaDevAttrTotalConstantMemory = 9,
        cudaDevAttrMaxRegistersPerBlock = 12, cudaDevAttrClockRate = 13, cudaDevAttrIntegrated = 18, cudaDevAttrCanMapHostMemory = 19,
        cudaDevAttrComputeMode = 20, cudaDevAttrConcurrentKernels = 31, cudaDevAttrPciBusId = 33, cudaDevAttrPciDeviceId = 34,
        cudaDevAttrMemoryClockRate = 36, cudaDevAttrGlobalMemoryBusWidth = 37, cudaDevAttrAsyncEngineCount = 40,
        cudaDevAttrUnifiedAddressing = 41, cudaDevAttrMaxRegistersPerMultiprocessor = 82, cudaDevAttrManagedMemory = 83,
        cudaDevAttrHostNativeAtomicSupported = 86, cudaDevAttrPageableMemoryAccess = 88, cudaDevAttrConcurrentManagedAccess = 89,
        cudaDevAttrMaxBlocksPerMultiprocessor = 106, cudaDevAttrMaxPersistingL2CacheSize = 108, cudaDevAttrMemoryPoolsSupported = 115,
        cudaDevAttrClusterLaunch = 120)
KS_ENUM(cudaComputeMode, cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess)
KS_ENUM(cudaSurfaceBoundaryMode, cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap)
KS_ENUM(cudaAccessProperty, cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting)
KS_ENUM(cudaLimit, cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth,
        cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize)
KS_ENUM(cudaChannelFormatKind, cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat,
        cudaChannelFormatKindNone)
KS_ENUM(cudaTextureAddressMode, cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder)
KS_ENUM(cudaTextureFilterMode, cudaFilterModePoint, cudaFilterModeLinear)
KS_ENUM(cudaTextureReadMode, cudaReadModeElementType, cudaReadModeNormalizedFloat)
KS_ENUM(cudaResourceType, cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D)
KS_ENUM(cudaMemoryType, cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged)
KS_ENUM(cudaStreamCaptureStatus, cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated)
KS_ENUM(cudaStreamCaptureMode, cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed)
KS_ENUM(cudaLaunchAttributeID, cudaLaunchAttributeClusterDimension = 4, cudaLaunchAttributeCooperative = 2,
        cudaLaunchAttributeProgrammaticStreamSerialization = 6, cudaLaunchAttributePriority = 8,
        cudaLaunchAttributePreferredClusterDimension = 11)
KS_ENUM(cudaDataType_t, CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_8I, CUDA_C_32F, CUDA_C_64F, CUDA_C_16F, CUDA_R_8U, CUDA_R_32I, CUDA_R_16BF,
        CUDA_R_8F_E4M3, CUDA_R_8F_E5M2)
KS_ENUM(cudaRoundMode, cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf)
typedef cudaDataType_t cudaDataType;
#undef KS_ENUM
// macros, as CUDA has them: a flag of zero is also a null stream
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaEventDefault 0
#define cudaEventBlockingSync 1
#define cudaEventDisableTiming 2
#define cudaEventInterprocess 4
#define cudaHostAllocDefault 0
#define cudaHostAllocPortable 1
#define cudaHostAllocMapped 2
#define cudaHostAllocWriteCombined 4
#define cudaHostRegisterDefault 0
#define cudaHostRegisterPortable 1
#define cudaHostRegisterMapped 2
#define cudaHostRegisterReadOnly 8
#define cudaMemAttachGlobal 1
#define cudaMemAttachHost 2
#define cudaOccupancyDefault 0
#define cudaOccupancyDisableCachingOverride 1
#define cudaGraphKernelNodePortDefault 0
#define cudaGraphKernelNodePortProgrammatic 1
#define cudaGraphKernelNodePortLaunchCompletion 2
#define cudaIpcMemLazyEnablePeerAccess 1
#define cudaDeviceScheduleAuto 0
#define cudaDeviceScheduleSpin 1
#define cudaDeviceScheduleYield 2
#define cudaDeviceScheduleBlockingSync 4
#define cudaDeviceMapHost 8
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
enum cudaGraphDependencyType { cudaGraphDependencyTypeDefault = 0, cudaGraphDependencyTypeProgrammatic = 1 };
struct cudaGraphEdgeData { unsigned char from_port, to_port, type, reserved[5]; };
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess = 0, cudaGraphExecUpdateError = 1 };
struct cudaGraphExecUpdateResultInfo { cudaGraphExecUpdateResult result; cudaGraphNode_t errorNode, errorFromNode; };
typedef struct CUfunc_st *cudaFunction_t;
typedef struct cudaArray *cudaArray_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef unsigned long long CUdeviceptr;
enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3,
                CUDA_ERROR_DEINITIALIZED = 4, CUDA_ERROR_NO_DEVICE = 100, CUDA_ERROR_INVALID_DEVICE = 101, CUDA_ERROR_INVALID_IMAGE = 200,
                CUDA_ERROR_INVALID_CONTEXT = 201, CUDA_ERROR_NO_BINARY_FOR_GPU = 209, CUDA_ERROR_INVALID_PTX = 218,
                CUDA_ERROR_INVALID_SOURCE = 300, CUDA_ERROR_FILE_NOT_FOUND = 301, CUDA_ERROR_INVALID_HANDLE = 400,
                CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_ILLEGAL_ADDRESS = 700,
                CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701, CUDA_ERROR_LAUNCH_TIMEOUT = 702, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
                CUDA_ERROR_CONTEXT_IS_DESTROYED = 709, CUDA_ERROR_LAUNCH_FAILED = 719, CUDA_ERROR_NOT_PERMITTED = 800,
                CUDA_ERROR_NOT_SUPPORTED = 801, CUDA_ERROR_UNKNOWN = 999 };
typedef CUresult cudaError_enum;
enum CUctx_flags { CU_CTX_SCHED_AUTO = 0, CU_CTX_SCHED_SPIN = 1, CU_CTX_SCHED_YIELD = 2, CU_CTX_SCHED_BLOCKING_SYNC = 4,
                   CU_CTX_BLOCKING_SYNC = 4, CU_CTX_MAP_HOST = 8, CU_CTX_LMEM_RESIZE_TO_MAX = 16 };
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
struct cudaAccessPolicyWindow { void *base_ptr; size_t num_bytes; float hitRatio; cudaAccessProperty hitProp, missProp; };
typedef unsigned long long CUmemGenericAllocationHandle;
enum CUmemLocationType { CU_MEM_LOCATION_TYPE_INVALID = 0, CU_MEM_LOCATION_TYPE_DEVICE = 1, CU_MEM_LOCATION_TYPE_HOST = 2 };
enum CUmemAllocationType { CU_MEM_ALLOCATION_TYPE_INVALID = 0, CU_MEM_ALLOCATION_TYPE_PINNED = 1 };
enum CUmemAccess_flags { CU_MEM_ACCESS_FLAGS_PROT_NONE = 0, CU_MEM_ACCESS_FLAGS_PROT_READ = 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 };
enum CUmemAllocationGranularity_flags { CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1 };
struct CUmemLocation { CUmemLocationType type; int id; };
struct CUmemAllocationProp { CUmemAllocationType type; int requestedHandleTypes; CUmemLocation location; void *win32HandleMetaData;
  struct { unsigned char compressionType, gpuDirectRDMACapable; unsigned short usage; } allocFlags; };
struct CUmemAccessDesc { CUmemLocation location; CUmemAccess_flags flags; };
enum cudaMemLocationType { cudaMemLocationTypeInvalid = 0, cudaMemLocationTypeDevice = 1, cudaMemLocationTypeHost = 2,
  cudaMemLocationTypeHostNuma = 3, cudaMemLocationTypeHostNumaCurrent = 4 };
struct cudaMemLocation { cudaMemLocationType type; int id; };
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
enum cudaMemPoolAttr { cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic = 2,
  cudaMemPoolReuseAllowInternalDependencies = 3, cudaMemPoolAttrReleaseThreshold = 4 };
struct cudaKernelNodeParams { void *func; dim3 gridDim, blockDim; unsigned int sharedMemBytes; void **kernelParams, **extra; };
struct cudaMemsetParams { void *dst; size_t pitch; unsigned int value, elementSize; size_t width, height; };
struct cudaIpcMemHandle_t { char reserved[64]; };
struct cudaExtent { size_t width, height, depth; };
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaPos { size_t x, y, z; };
struct cudaMemcpy3DParms { cudaArray_t srcArray; cudaPos srcPos; cudaPitchedPtr srcPtr; cudaArray_t dstArray; cudaPos dstPos;
  cudaPitchedPtr dstPtr; cudaExtent extent; cudaMemcpyKind kind; };
struct cudaChannelFormatDesc { int x, y, z, w; cudaChannelFormatKind f; };
struct cudaTextureDesc { cudaTextureAddressMode addressMode[3]; cudaTextureFilterMode filterMode; cudaTextureReadMode readMode;
                         int sRGB; float borderColor[4]; int normalizedCoords; };
struct cudaResourceDesc { cudaResourceType resType; struct { struct { cudaArray_t array; } array;
  struct { void *devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
  struct { void *devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D; } res; };
struct cudaDeviceProp { char name[256], gcnArchName[256]; size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor, multiProcessorCount,
  maxThreadsPerMultiProcessor, l2CacheSize, memoryClockRate, memoryBusWidth, cooperativeLaunch, integrated, canMapHostMemory,
  maxBlocksPerMultiProcessor, concurrentKernels, persistingL2CacheMaxSize, accessPolicyMaxWindowSize, gcnArch, asicRevision; size_t totalConstMem;
  // CUDA Runtime API, "cudaDeviceProp"
  size_t memPitch, textureAlignment, texturePitchAlignment, surfaceAlignment, reservedSharedMemPerBlock;
  int deviceOverlap, kernelExecTimeoutEnabled, computeMode, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
  unifiedAddressing, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported, regsPerMultiprocessor, managedMemory,
  isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess,
  concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeMultiDeviceLaunch,
  pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, hostRegisterSupported, memoryPoolsSupported,
  maxTexture1D, maxTexture1DLinear, maxTexture2D[2], maxTexture2DLinear[3], maxTexture3D[3], maxSurface1D, maxSurface2D[2]; };
struct cudaFuncAttributes { size_t sharedSizeBytes, constSizeBytes, localSizeBytes; int maxThreadsPerBlock, numRegs, ptxVersion,
  binaryVersion, maxDynamicSharedSizeBytes; };
struct cudaPointerAttributes { cudaMemoryType type; int device; void *devicePointer, *hostPointer; };
struct cudaLaunchAttribute { cudaLaunchAttributeID id; struct { struct { unsigned int x, y, z; } clusterDim, preferredClusterDim; int cooperative, priority;
  int programmaticStreamSerializationAllowed; } val; };
struct cudaLaunchConfig_t { dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream; cudaLaunchAttribute *attrs;
  unsigned int numAttrs; };

extern "C" {
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, struct CUstream_st *stream = 0);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
}

#ifdef KERNELSET_PROGRAM
#include <kernelset/program/api.h>
#else
// libraries take the address of these
__host__ __device__ cudaError_t cudaMalloc(void **, size_t);
__host__ __device__ cudaError_t cudaMallocHost(void **, size_t);
__host__ __device__ cudaError_t cudaFree(void *);
__host__ __device__ cudaError_t cudaFreeHost(void *);
__host__ __device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
// a host function of the API takes what it is given: argument types matter to no kernel
#define KS_API(NAME) template <typename... Arguments> __host__ __device__ cudaError_t NAME(Arguments &&...);
KS_API(cudaMalloc) KS_API(cudaMallocManaged) KS_API(cudaMallocHost) KS_API(cudaHostAlloc) KS_API(cudaFree) KS_API(cudaFreeHost)
KS_API(cudaMallocAsync) KS_API(cudaFreeAsync) KS_API(cudaMallocPitch) KS_API(cudaMalloc3D) KS_API(cudaMallocArray)
KS_API(cudaFreeArray) KS_API(cudaMalloc3DArray) KS_API(cudaMemcpy) KS_API(cudaMemcpyAsync) KS_API(cudaMemcpy2D)
KS_API(cudaMemcpy2DAsync) KS_API(cudaMemcpy3D) KS_API(cudaMemcpyToSymbol) KS_API(cudaMemcpyFromSymbol)
KS_API(cudaMemcpyToSymbolAsync) KS_API(cudaMemcpyFromSymbolAsync) KS_API(cudaMemcpyToArray) KS_API(cudaMemcpy2DToArray) KS_API(cudaMemcpyFromArray) KS_API(cudaMemcpyPeer)
KS_API(cudaChooseDevice) KS_API(cudaStreamGetFlags) KS_API(cudaMemcpy2DFromArray) KS_API(cudaMemcpyToArrayAsync) KS_API(cudaMemcpy3DAsync) KS_API(cudaMemset3D)
KS_API(cudaBindTexture2D) KS_API(cudaBindSurfaceToArray) KS_API(cudaGetChannelDesc) KS_API(cudaDestroySurfaceObject)
KS_API(cudaMemcpyPeerAsync) KS_API(cudaMemset) KS_API(cudaMemsetAsync) KS_API(cudaMemset2D) KS_API(cudaMemset2DAsync)
KS_API(cudaMemGetInfo) KS_API(cudaMemPrefetchAsync) KS_API(cudaMemAdvise) KS_API(cudaGetSymbolAddress)
KS_API(cudaDeviceSynchronize) KS_API(cudaThreadSynchronize) KS_API(cudaDeviceReset) KS_API(cudaSetDevice) KS_API(cudaGetDevice)
KS_API(cudaGetDeviceCount) KS_API(cudaGetDeviceProperties) KS_API(cudaDeviceGetAttribute) KS_API(cudaDeviceSetLimit)
KS_API(cudaDeviceGetLimit) KS_API(cudaDeviceGetCacheConfig) KS_API(cudaDeviceSetCacheConfig) KS_API(cudaDeviceCanAccessPeer) KS_API(cudaDeviceEnablePeerAccess)
KS_API(cudaDeviceDisablePeerAccess) KS_API(cudaCtxResetPersistingL2Cache)
KS_API(cudaDeviceSetSharedMemConfig) KS_API(cudaSetDeviceFlags) KS_API(cudaDeviceGetStreamPriorityRange)
KS_API(cudaStreamCreate) KS_API(cudaStreamCreateWithFlags) KS_API(cudaStreamCreateWithPriority) KS_API(cudaStreamDestroy)
KS_API(cudaStreamSynchronize) KS_API(cudaStreamWaitEvent) KS_API(cudaStreamQuery) KS_API(cudaStreamIsCapturing)
KS_API(cudaStreamBeginCapture) KS_API(cudaStreamEndCapture) KS_API(cudaStreamGetCaptureInfo) KS_API(cudaStreamSetAttribute)
KS_API(cudaStreamAddCallback) KS_API(cudaLaunchHostFunc) KS_API(cudaThreadExchangeStreamCaptureMode)
KS_API(cudaGraphInstantiate) KS_API(cudaGraphLaunch) KS_API(cudaGraphDestroy) KS_API(cudaGraphExecDestroy)
KS_API(cudaGraphExecUpdate) KS_API(cudaGraphGetNodes) KS_API(cudaGraphCreate) KS_API(cudaGraphAddKernelNode)
KS_API(cudaEventCreate) KS_API(cudaEventCreateWithFlags) KS_API(cudaEventDestroy) KS_API(cudaEventRecord)
KS_API(cudaEventSynchronize) KS_API(cudaEventElapsedTime) KS_API(cudaEventQuery) KS_API(cudaFuncSetAttribute)
KS_API(cudaFuncSetCacheConfig) KS_API(cudaFuncGetAttributes) KS_API(cudaFuncSetSharedMemConfig)
KS_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor) KS_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
KS_API(cudaOccupancyMaxPotentialBlockSize) KS_API(cudaOccupancyMaxActiveClusters)
KS_API(cudaOccupancyMaxPotentialBlockSizeVariableSMem) KS_API(cudaOccupancyAvailableDynamicSMemPerBlock)
KS_API(cudaLaunchKernel) KS_API(cudaLaunchKernelEx) KS_API(cudaLaunchKernelExC) KS_API(cudaLaunchCooperativeKernel)
KS_API(cudaPointerGetAttributes) KS_API(cudaHostRegister) KS_API(cudaHostUnregister) KS_API(cudaHostGetDevicePointer)
KS_API(cudaCreateTextureObject) KS_API(cudaDestroyTextureObject) KS_API(cudaCreateSurfaceObject) KS_API(cudaBindTexture)
KS_API(cudaUnbindTexture) KS_API(cudaBindTextureToArray) KS_API(cudaIpcGetMemHandle) KS_API(cudaIpcOpenMemHandle)
KS_API(cudaIpcCloseMemHandle) KS_API(cudaRuntimeGetVersion) KS_API(cudaDriverGetVersion) KS_API(cudaProfilerStart)
KS_API(cudaProfilerStop) KS_API(cudaDeviceGetDefaultMemPool) KS_API(cudaMemPoolSetAttribute) KS_API(cudaGetDriverEntryPoint)
KS_API(cudaDeviceGetPCIBusId) KS_API(cudaGraphGetRootNodes) KS_API(cudaGraphAddMemcpyNode)
KS_API(cudaGraphAddMemsetNode) KS_API(cudaGraphAddDependencies) KS_API(cudaGraphKernelNodeGetParams)
KS_API(cudaGraphKernelNodeSetParams) KS_API(cudaGraphExecKernelNodeSetParams) KS_API(cudaGraphUpload)
KS_API(cudaLaunchDevice) KS_API(cudaLaunchDeviceV2)
KS_API(cudaStreamUpdateCaptureDependencies) KS_API(cudaStreamBeginCaptureToGraph) KS_API(cudaGraphAddNode)
#undef KS_API
__host__ __device__ cudaError_t cudaGetLastError();
__host__ __device__ cudaError_t cudaPeekAtLastError();
__host__ __device__ const char *cudaGetErrorString(cudaError_t);
__host__ __device__ const char *cudaGetErrorName(cudaError_t);
#endif
#ifdef KERNELSET_PROGRAM  // the driver's calls are not in the model
#define KS_API(NAME) template <typename... Arguments> CUresult NAME(Arguments &&...) { kernelset::refuse_call(#NAME); return CUDA_ERROR_NOT_SUPPORTED; }
#else
#define KS_API(NAME) template <typename... Arguments> __host__ __device__ CUresult NAME(Arguments &&...);
#endif
KS_API(cuMemsetD8Async) KS_API(cuMemsetD16Async) KS_API(cuMemsetD32Async) KS_API(cuLaunchKernelEx) KS_API(cuInit)
KS_API(cuModuleLoad) KS_API(cuModuleLoadData) KS_API(cuModuleGetFunction) KS_API(cuLaunchKernel) KS_API(cuMemCreate)
KS_API(cuMemRelease) KS_API(cuMemMap) KS_API(cuMemUnmap) KS_API(cuMemSetAccess) KS_API(cuMemAddressReserve)
KS_API(cuMemAddressFree) KS_API(cuMemGetAllocationGranularity) KS_API(cuDeviceGetAttribute) KS_API(cuDeviceGet)
KS_API(cuCtxCreate) KS_API(cuMemAlloc) KS_API(cuMemFree) KS_API(cuGetErrorString) KS_API(cuTensorMapEncodeTiled)
KS_API(cuMemsetD8) KS_API(cuMemsetD16) KS_API(cuMemsetD32) KS_API(cuMemcpy) KS_API(cuMemcpyAsync) KS_API(cuMemcpyHtoD)
KS_API(cuMemcpyDtoH) KS_API(cuMemcpyHtoDAsync) KS_API(cuMemcpyDtoHAsync) KS_API(cuStreamSynchronize)
KS_API(cuModuleUnload) KS_API(cuModuleGetGlobal) KS_API(cuFuncSetAttribute) KS_API(cuFuncGetAttribute)
KS_API(cuLaunchCooperativeKernel) KS_API(cuCtxGetCurrent) KS_API(cuCtxSetCurrent) KS_API(cuCtxGetDevice)
KS_API(cuCtxSynchronize) KS_API(cuDeviceGetCount) KS_API(cuDeviceGetName) KS_API(cuDevicePrimaryCtxRetain)
KS_API(cuGetErrorName) KS_API(cuTensorMapEncodeIm2col) KS_API(cuTensorMapReplaceAddress) KS_API(cuPointerGetAttribute)
KS_API(cuOccupancyMaxActiveBlocksPerMultiprocessor) KS_API(cuOccupancyMaxActiveClusters) KS_API(cuDriverGetVersion)
#undef KS_API
#ifndef KERNELSET_PROGRAM
template <typename T> cudaChannelFormatDesc cudaCreateChannelDesc();
cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, cudaChannelFormatKind);
cudaPos make_cudaPos(size_t, size_t, size_t);
cudaExtent make_cudaExtent(size_t, size_t, size_t);
cudaPitchedPtr make_cudaPitchedPtr(void *, size_t, size_t, size_t);
#endif
#define cudaArrayDefault 0
#define cudaArrayLayered 1
#define cudaArraySurfaceLoadStore 2
#define cudaArrayCubemap 4
#define cudaArrayTextureGather 8
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaTextureType1D 1
#define cudaTextureType2D 2
#define cudaTextureType3D 3
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC
#define cudaSurfaceType1D 1
#define cudaSurfaceType2D 2
#define cudaSurfaceType3D 3
#define cudaSurfaceTypeCubemap 0x0C
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2
#define cudaSurfaceTypeCubemapLayered 0xFC
