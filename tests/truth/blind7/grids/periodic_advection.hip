//: defect lower-neighbour-does-not-wrap: out-of-bounds
//- const int west = (x + nx - 1) % nx, south = (y + ny - 1) % ny;
//+ const int west = (x + nx - 1) % nx, south = (y - 1) % ny;
#include "hip/hip_runtime.h"

// Upwind advection on a torus.
__global__ void advect(const double* u, double* out, int nx, int ny, double cx, double cy) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int west = (x + nx - 1) % nx, south = (y + ny - 1) % ny;
  const double here = u[y * nx + x];
  out[y * nx + x] = here - cx * (here - u[y * nx + west]) - cy * (here - u[south * nx + x]);
}

extern "C" int advect_steps(double* field, int nx, int ny, double cx, double cy, int steps) {
  const size_t bytes = sizeof(double) * nx * ny;
  double *now = nullptr, *next = nullptr;
  if (hipMalloc(&now, bytes) != hipSuccess || hipMalloc(&next, bytes) != hipSuccess) return -1;
  if (hipMemcpy(now, field, bytes, hipMemcpyHostToDevice) != hipSuccess) return -2;
  const dim3 threads(32, 4);
  const dim3 blocks((nx + threads.x - 1) / threads.x, (ny + threads.y - 1) / threads.y);
  for (int s = 0; s < steps; ++s) {
    hipLaunchKernelGGL(advect, blocks, threads, 0, 0, now, next, nx, ny, cx, cy);
    double* swapped = now;
    now = next;
    next = swapped;
  }
  const hipError_t status = hipMemcpy(field, now, bytes, hipMemcpyDeviceToHost);
  (void)hipFree(now);
  (void)hipFree(next);
  return status == hipSuccess ? 0 : -3;
}
