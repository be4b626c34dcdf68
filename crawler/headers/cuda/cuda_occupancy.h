// CUDA's occupancy calculator: host code that asks no driver. Rule: CUDA C++ Programming Guide, "Occupancy Calculator" and
// "Compute Capabilities".
#pragma once
#include <kernelset/cuda.cuh>

enum cudaOccError { CUDA_OCC_SUCCESS = 0, CUDA_OCC_ERROR_INVALID_INPUT = 1, CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2 };
enum cudaOccCacheConfig { CACHE_PREFER_NONE, CACHE_PREFER_SHARED, CACHE_PREFER_L1, CACHE_PREFER_EQUAL };
enum cudaOccCarveoutConfig { SHAREDMEM_CARVEOUT_DEFAULT = -1, SHAREDMEM_CARVEOUT_MAX_L1 = 0, SHAREDMEM_CARVEOUT_HALF = 50,
  SHAREDMEM_CARVEOUT_MAX_SHARED = 100 };
enum cudaOccPartitionedGCConfig { PARTITIONED_GC_OFF, PARTITIONED_GC_ON, PARTITIONED_GC_ON_STRICT };
enum cudaOccFuncShmemConfig { FUNC_SHMEM_LIMIT_DEFAULT, FUNC_SHMEM_LIMIT_OPTIN };
enum { OCC_LIMIT_WARPS = 1, OCC_LIMIT_REGISTERS = 2, OCC_LIMIT_SHARED_MEMORY = 4, OCC_LIMIT_BLOCKS = 8 };

struct cudaOccDeviceProp {
  int computeMajor = 0, computeMinor = 0, maxThreadsPerBlock = 0, maxThreadsPerMultiprocessor = 0, regsPerBlock = 0,
      regsPerMultiprocessor = 0, warpSize = 0;
  size_t sharedMemPerBlock = 0, sharedMemPerMultiprocessor = 0;
  int numSms = 0;
  size_t sharedMemPerBlockOptin = 0, reservedSharedMemPerBlock = 0;
  cudaOccDeviceProp() = default;
  template <class Properties>
  cudaOccDeviceProp(const Properties& p)
      : computeMajor(p.major), computeMinor(p.minor), maxThreadsPerBlock(p.maxThreadsPerBlock),
        maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor), regsPerBlock(p.regsPerBlock),
        regsPerMultiprocessor(p.regsPerBlock), warpSize(p.warpSize), sharedMemPerBlock(p.sharedMemPerBlock),
        sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor), numSms(p.multiProcessorCount),
        sharedMemPerBlockOptin(p.sharedMemPerBlockOptin) {}
};
struct cudaOccFuncAttributes {
  int maxThreadsPerBlock = 0, numRegs = 0;
  size_t sharedSizeBytes = 0;
  cudaOccPartitionedGCConfig partitionedGCConfig = PARTITIONED_GC_OFF;
  cudaOccFuncShmemConfig shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  size_t maxDynamicSharedSizeBytes = 0;
  int numBlockBarriers = 1;
  cudaOccFuncAttributes() = default;
  template <class Attributes>
  cudaOccFuncAttributes(const Attributes& a)
      : maxThreadsPerBlock(a.maxThreadsPerBlock), numRegs(a.numRegs), sharedSizeBytes(a.sharedSizeBytes),
        maxDynamicSharedSizeBytes(a.maxDynamicSharedSizeBytes) {}
};
struct cudaOccDeviceState {
  cudaOccCacheConfig cacheConfig = CACHE_PREFER_NONE;
  int carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
};
struct cudaOccResult {
  int activeBlocksPerMultiprocessor;
  unsigned limitingFactors;
  int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks, blockLimitBarriers, allocatedRegistersPerBlock;
  size_t allocatedSharedMemPerBlock;
  cudaOccPartitionedGCConfig partitionedGCConfig;
};

inline int __occDivideRoundUp(int x, int y) { return (x + (y - 1)) / y; }
inline int __occRoundUp(int x, int y) { return y * __occDivideRoundUp(x, y); }
inline int __occMin(int a, int b) { return a < b ? a : b; }

inline cudaOccError cudaOccSMemAllocationGranularity(int* bytes, const cudaOccDeviceProp* device) {
  *bytes = device->computeMajor >= 8 ? 128 : 256;
  return CUDA_OCC_SUCCESS;
}
inline cudaOccError cudaOccRegAllocationGranularity(int* registers, const cudaOccDeviceProp*) {
  *registers = 256;  // of a warp
  return CUDA_OCC_SUCCESS;
}
inline cudaOccError cudaOccRegAllocationMaxPerThread(int* registers, const cudaOccDeviceProp*) {
  *registers = 255;
  return CUDA_OCC_SUCCESS;
}
inline cudaOccError cudaOccMaxBlocksPerMultiprocessor(int* blocks, const cudaOccDeviceProp* device) {
  const int version = 10 * device->computeMajor + device->computeMinor;
  *blocks = version == 75 || version == 86 || version == 87 ? 16 : version == 89 ? 24 : 32;
  return CUDA_OCC_SUCCESS;
}
inline cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult* result, const cudaOccDeviceProp* device,
    const cudaOccFuncAttributes* function, const cudaOccDeviceState* state, int block, size_t dynamic_bytes) {
  if (!result || !device || !function || !state || block <= 0 || device->warpSize <= 0) return CUDA_OCC_ERROR_INVALID_INPUT;
  *result = {};
  const int warps = __occDivideRoundUp(block, device->warpSize);
  int granularity = 0;
  cudaOccRegAllocationGranularity(&granularity, device);
  const int registers = __occRoundUp(function->numRegs * device->warpSize, granularity);  // of a warp
  result->allocatedRegistersPerBlock = warps * registers;
  // the system keeps a part of each block's
  const size_t kept_bytes = device->computeMajor >= 8 ? 1024 : 0;
  const size_t bytes = function->sharedSizeBytes + dynamic_bytes + kept_bytes;
  cudaOccSMemAllocationGranularity(&granularity, device);
  result->allocatedSharedMemPerBlock = (bytes + granularity - 1) / granularity * granularity;

  constexpr int unlimited = 0x7fffffff;
  const int largest = __occMin(device->maxThreadsPerBlock, function->maxThreadsPerBlock);
  result->blockLimitWarps = block > largest ? 0 : device->maxThreadsPerMultiprocessor / device->warpSize / warps;
  cudaOccMaxBlocksPerMultiprocessor(&result->blockLimitBlocks, device);
  result->blockLimitBarriers = unlimited;
  result->blockLimitRegs = unlimited;
  if (registers) {
    // each of the four parts of a multiprocessor has warps and registers of its own
    const bool is_refused = result->allocatedRegistersPerBlock > device->regsPerBlock;
    result->blockLimitRegs = is_refused ? 0 : device->regsPerMultiprocessor / 4 / registers * 4 / warps;
  }
  result->blockLimitSharedMem = unlimited;
  if (result->allocatedSharedMemPerBlock)
    result->blockLimitSharedMem = int(device->sharedMemPerMultiprocessor / result->allocatedSharedMemPerBlock);

  const int least = __occMin(__occMin(result->blockLimitWarps, result->blockLimitBlocks),
                             __occMin(result->blockLimitRegs, result->blockLimitSharedMem));
  result->activeBlocksPerMultiprocessor = least;
  result->limitingFactors = (result->blockLimitWarps == least ? OCC_LIMIT_WARPS : 0) |
                            (result->blockLimitRegs == least ? OCC_LIMIT_REGISTERS : 0) |
                            (result->blockLimitSharedMem == least ? OCC_LIMIT_SHARED_MEMORY : 0) |
                            (result->blockLimitBlocks == least ? OCC_LIMIT_BLOCKS : 0);
  return CUDA_OCC_SUCCESS;
}

// the largest of the blocks by which most threads are active at once
template <class BytesOfBlock>
cudaOccError cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(int* least_grid, int* block, const cudaOccDeviceProp* device,
    const cudaOccFuncAttributes* function, const cudaOccDeviceState* state, BytesOfBlock bytes_of_block) {
  if (!least_grid || !block || !device || !function || !state || device->warpSize <= 0) return CUDA_OCC_ERROR_INVALID_INPUT;
  int most = 0;
  const int largest = __occMin(device->maxThreadsPerBlock, function->maxThreadsPerBlock);
  for (int size = largest / device->warpSize * device->warpSize; size > 0; size -= device->warpSize) {
    cudaOccResult result;
    const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, device, function, state, size, bytes_of_block(size));
    if (error != CUDA_OCC_SUCCESS) return error;
    const int active = size * result.activeBlocksPerMultiprocessor;
    if (active <= most) continue;
    most = active;
    *block = size;
    *least_grid = result.activeBlocksPerMultiprocessor * device->numSms;
  }
  return CUDA_OCC_SUCCESS;
}
inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int* least_grid, int* block, const cudaOccDeviceProp* device,
    const cudaOccFuncAttributes* function, const cudaOccDeviceState* state, size_t dynamic_bytes = 0) {
  return cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(least_grid, block, device, function, state,
                                                           [=](int) { return dynamic_bytes; });
}
inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int* least_grid, int* block, const cudaOccDeviceProp* device,
    const cudaOccFuncAttributes* function, const cudaOccDeviceState* state, size_t (*bytes_of_block)(int), size_t dynamic_bytes) {
  return cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(
      least_grid, block, device, function, state, [=](int size) { return bytes_of_block ? bytes_of_block(size) : dynamic_bytes; });
}
