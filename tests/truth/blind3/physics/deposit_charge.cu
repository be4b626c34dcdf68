//: defect right-neighbour-of-the-last-cell-does-not-wrap: out-of-bounds
//- const int right = cell + 1 == cells ? 0 : cell + 1;
//+ const int right = cell + 1;
//: defect density-is-not-cleared: uninitialised-read
//- cudaMemset(density, 0, cells * sizeof(float));
//+
#include <cuda_runtime.h>

namespace pic {

// Positions lie in [0, 1); each particle shares its charge among two cells of a ring.
__global__ void deposit(const float* __restrict__ positions, float* density, int particles, int cells, float charge) {
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < particles; p += gridDim.x * blockDim.x) {
    float x = positions[p];
    x -= floorf(x);
    const float place = x * cells;
    int cell = (int)place;
    if (cell < 0 || cell >= cells) cell = cells - 1;
    const float weight = place - cell;
    const int right = cell + 1 == cells ? 0 : cell + 1;
    atomicAdd(&density[cell], charge * (1.0f - weight));
    atomicAdd(&density[right], charge * weight);
  }
}

bool compute_density(const float* host_positions, int particles, float* host_density, int cells, float charge) {
  if (particles <= 0 || cells <= 0) return false;
  float *positions = nullptr, *density = nullptr;
  if (cudaMalloc(&positions, particles * sizeof(float)) != cudaSuccess) return false;
  if (cudaMalloc(&density, cells * sizeof(float)) != cudaSuccess) return false;
  cudaMemcpy(positions, host_positions, particles * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(density, 0, cells * sizeof(float));
  int blocks = (particles + 255) / 256;
  if (blocks > 128) blocks = 128;
  deposit<<<blocks, 256>>>(positions, density, particles, cells, charge);
  cudaMemcpy(host_density, density, cells * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(positions);
  cudaFree(density);
  return cudaGetLastError() == cudaSuccess;
}

}  // namespace pic
