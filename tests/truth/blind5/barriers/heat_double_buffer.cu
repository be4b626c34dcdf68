//: defect reads-and-writes-the-same-buffer: race|own-check
//- buffer[1 - now][i + 1] = buffer[now][i + 1]
//+ buffer[now][i + 1] = buffer[now][i + 1]
//- now = 1 - now;
//+ now = 0;
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define ROD 96

// Steps of heat conduction in a rod that fits into a block, in two buffers of shared memory.
__global__ void heatSteps(float *rod, int steps, float alpha) {
  __shared__ float buffer[2][ROD + 2];
  const int i = threadIdx.x;
  int now = 0;
  buffer[0][i + 1] = rod[i];
  if (i < 2) {
    buffer[0][i * (ROD + 1)] = 0.f;
    buffer[1][i * (ROD + 1)] = 0.f;
  }
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    buffer[1 - now][i + 1] = buffer[now][i + 1]
        + alpha * (buffer[now][i] - 2.f * buffer[now][i + 1] + buffer[now][i + 2]);
    now = 1 - now;
    __syncthreads();
  }
  rod[i] = buffer[now][i + 1];
}

int main() {
  const int steps = 25;
  const float alpha = 0.2f;
  std::vector<float> rod(ROD), old(ROD + 2), expected(ROD + 2);
  for (int i = 0; i < ROD; ++i) rod[i] = expected[i + 1] = (i > 30 && i < 60) ? 100.f : 5.f;
  expected[0] = expected[ROD + 1] = 0.f;
  float *device;
  cudaMalloc((void **)&device, ROD * sizeof(float));
  cudaMemcpy(device, rod.data(), ROD * sizeof(float), cudaMemcpyHostToDevice);
  heatSteps<<<1, ROD>>>(device, steps, alpha);
  cudaMemcpy(rod.data(), device, ROD * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device);

  for (int step = 0; step < steps; ++step) {
    old = expected;
    for (int i = 1; i <= ROD; ++i) expected[i] = old[i] + alpha * (old[i - 1] - 2.f * old[i] + old[i + 1]);
  }
  for (int i = 0; i < ROD; ++i) {
    if (std::fabs(expected[i + 1] - rod[i]) > 1e-2f) {
      std::fprintf(stderr, "place %d: %g, not %g\n", i, rod[i], expected[i + 1]);
      return EXIT_FAILURE;
    }
  }
  std::puts("ok");
  return EXIT_SUCCESS;
}
