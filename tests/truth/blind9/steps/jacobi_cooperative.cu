//: defect sweeps-do-not-wait-for-all-blocks: race|order-dependent
//- grid.sync();
//+ __syncthreads();
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void jacobi(float* a, float* b, int n, int sweeps) {
  cg::grid_group grid = cg::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const float* from = sweep % 2 == 0 ? a : b;
    float* to = sweep % 2 == 0 ? b : a;
    if (i > 0 && i < n - 1) to[i] = 0.5f * (from[i - 1] + from[i + 1]);
    grid.sync();
  }
}

int main() {
  int n = 300, sweeps = 6;
  std::vector<float> field(n, 0.f);
  field[0] = 1.f;
  field[n / 2] = 8.f;
  field[n - 1] = 2.f;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(a, field.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, field.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  void* arguments[] = {&a, &b, &n, &sweeps};
  cudaLaunchCooperativeKernel((void*)jacobi, dim3((n + 63) / 64), dim3(64), arguments, 0, nullptr);
  cudaDeviceSynchronize();
  cudaMemcpy(field.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float value : field) sum += value;
  std::printf("sum of the field: %f\n", sum);
  cudaFree(a);
  cudaFree(b);
  return 0;
}
