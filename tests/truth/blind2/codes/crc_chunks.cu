//: defect table-is-loaded-by-half-the-threads: uninitialised-read|race
//- for (int i = threadIdx.x; i < 256; i += blockDim.x) table[i] = crc_entry(i);
//+ if (threadIdx.x < 256) table[threadIdx.x] = crc_entry(threadIdx.x);
//: defect table-is-used-before-it-is-whole: race|uninitialised-read
//- __syncthreads();
//+
//: defect last-chunk-is-taken-as-full: out-of-bounds
//- const size_t end = begin + chunk < bytes ? begin + chunk : bytes;
//+ const size_t end = begin + chunk;
#include <cuda_runtime.h>
#include <stdint.h>

__device__ uint32_t crc_entry(uint32_t value) {
  for (int bit = 0; bit < 8; ++bit) value = value & 1 ? (value >> 1) ^ 0xEDB88320u : value >> 1;
  return value;
}

__global__ void crc_chunks_kernel(const uint8_t *data, size_t bytes, size_t chunk, uint32_t *sums, int chunks) {
  __shared__ uint32_t table[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) table[i] = crc_entry(i);
  __syncthreads();
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= chunks) return;
  const size_t begin = c * chunk;
  const size_t end = begin + chunk < bytes ? begin + chunk : bytes;
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = begin; i < end; ++i) crc = table[(crc ^ data[i]) & 0xFF] ^ (crc >> 8);
  sums[c] = ~crc;
}

void crc_of_chunks(const uint8_t *data, size_t bytes, size_t chunk, uint32_t *sums) {
  if (bytes == 0 || chunk == 0) return;
  const int chunks = (bytes + chunk - 1) / chunk;
  uint8_t *device_data;
  uint32_t *device_sums;
  cudaMalloc(&device_data, bytes);
  cudaMalloc(&device_sums, chunks * sizeof(uint32_t));
  cudaMemcpy(device_data, data, bytes, cudaMemcpyHostToDevice);
  crc_chunks_kernel<<<(chunks + 127) / 128, 128>>>(device_data, bytes, chunk, device_sums, chunks);
  cudaMemcpy(sums, device_sums, chunks * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  cudaFree(device_data);
  cudaFree(device_sums);
}
