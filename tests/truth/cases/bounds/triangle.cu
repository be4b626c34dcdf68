//: defect packs-one-too-far: out-of-bounds
//- packed[row * (row + 1) / 2 + col] = full[row * n + col];
//+ packed[(row + 1) * (row + 2) / 2 + col] = full[row * n + col];
//: defect packs-the-upper-half-too: out-of-bounds|race|order-dependent
//- if (row < n && col <= row)
//+ if (row < n && col < n)
#include <cuda_runtime.h>

__global__ void pack_lower(const double *full, double *packed, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col <= row)
    packed[row * (row + 1) / 2 + col] = full[row * n + col];
}

void pack(const double *full, double *packed, int n) {
  double *d_full, *d_packed;
  cudaMalloc(&d_full, n * n * sizeof(double));
  cudaMalloc(&d_packed, n * (n + 1) / 2 * sizeof(double));
  cudaMemcpy(d_full, full, n * n * sizeof(double), cudaMemcpyHostToDevice);
  dim3 threads(16, 16);
  dim3 blocks((n + 15) / 16, (n + 15) / 16);
  pack_lower<<<blocks, threads>>>(d_full, d_packed, n);
  cudaMemcpy(packed, d_packed, n * (n + 1) / 2 * sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(d_full);
  cudaFree(d_packed);
}
