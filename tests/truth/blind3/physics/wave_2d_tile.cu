//: defect right-rim-is-not-loaded: uninitialised-read
//- if (tx == TILE) tile[ty][TILE + 1] = at(now, x + 1, y, nx, ny);
//+
//: defect next-values-replace-those-of-now: race|order-dependent
//- wave_step<<<grid, block>>>(previous, now, next, nx, ny, courant);
//+ wave_step<<<grid, block>>>(previous, now, now, nx, ny, courant);
#include <cuda_runtime.h>

#define TILE 8

__device__ float at(const float* field, int x, int y, int nx, int ny) {
  return x >= 0 && x < nx && y >= 0 && y < ny ? field[y * nx + x] : 0.f;
}

__global__ void wave_step(const float* previous, const float* now, float* next, int nx, int ny, float courant) {
  __shared__ float tile[TILE + 2][TILE + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  tile[ty][tx] = at(now, x, y, nx, ny);
  if (tx == 1) tile[ty][0] = at(now, x - 1, y, nx, ny);
  if (tx == TILE) tile[ty][TILE + 1] = at(now, x + 1, y, nx, ny);
  if (ty == 1) tile[0][tx] = at(now, x, y - 1, nx, ny);
  if (ty == TILE) tile[TILE + 1][tx] = at(now, x, y + 1, nx, ny);
  __syncthreads();
  if (x >= nx || y >= ny) return;
  const float laplacian =
      tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] - 4.f * tile[ty][tx];
  next[y * nx + x] = 2.f * tile[ty][tx] - previous[y * nx + x] + courant * courant * laplacian;
}

void run_wave(const float* host_start, float* host_end, int nx, int ny, int steps, float courant) {
  if (nx <= 0 || ny <= 0) return;
  const size_t bytes = sizeof(float) * nx * ny;
  float *previous, *now, *next;
  cudaMalloc((void**)&previous, bytes);
  cudaMalloc((void**)&now, bytes);
  cudaMalloc((void**)&next, bytes);
  cudaMemcpy(previous, host_start, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(now, host_start, bytes, cudaMemcpyHostToDevice);
  const dim3 block(TILE, TILE);
  const dim3 grid((nx + TILE - 1) / TILE, (ny + TILE - 1) / TILE);
  for (int step = 0; step < steps; ++step) {
    wave_step<<<grid, block>>>(previous, now, next, nx, ny, courant);
    float* oldest = previous;
    previous = now;
    now = next;
    next = oldest;
  }
  cudaMemcpy(host_end, now, bytes, cudaMemcpyDeviceToHost);
  cudaFree(previous);
  cudaFree(now);
  cudaFree(next);
}
