//: defect in-place: race|order-dependent
//- jacobi<<<grid, block>>>(d_u, d_v, nx, ny);
//+ jacobi<<<grid, block>>>(d_u, d_u, nx, ny);
//: defect writes-what-others-read: race|order-dependent
//- v[at] = 0.25f * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx]);
//+ ((float *)u)[at] = 0.25f * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx]);
//: defect touches-the-border: out-of-bounds
//- if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
//+ if (x >= nx || y >= ny) return;
#include <cuda_runtime.h>
#include <utility>

__global__ void jacobi(const float *u, float *v, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  int at = y * nx + x;
  v[at] = 0.25f * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx]);
}

void relax(float *host, int nx, int ny) {
  float *d_u, *d_v;
  size_t bytes = nx * ny * sizeof(float);
  cudaMalloc(&d_u, bytes);
  cudaMalloc(&d_v, bytes);
  cudaMemcpy(d_u, host, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_v, host, bytes, cudaMemcpyHostToDevice);
  dim3 block(16, 8);
  dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  jacobi<<<grid, block>>>(d_u, d_v, nx, ny);
  cudaMemcpy(host, d_v, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_u);
  cudaFree(d_v);
}
