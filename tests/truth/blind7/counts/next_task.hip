//: defect task-is-overwritten-before-all-have-read-it: race|divergent-barrier|deadlock
//- const float factor = factors[task];
//-     __syncthreads();
//+ const float factor = factors[task];
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

// Blocks that stay: each takes the next task until none is left. A task is a run of values to be scaled.
__global__ void scale_runs(const int* offsets, const float* factors, float* values, int tasks, int* next) {
  __shared__ int task;
  if (threadIdx.x == 0) task = atomicAdd(next, 1);
  __syncthreads();
  while (task < tasks) {
    const int begin = offsets[task], end = offsets[task + 1];
    const float factor = factors[task];
    __syncthreads();
    if (threadIdx.x == 0) task = atomicAdd(next, 1);
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x) values[i] *= factor;
    __syncthreads();
  }
}

int main() {
  const int tasks = 20;
  std::vector<int> offsets(tasks + 1, 0);
  for (int t = 0; t < tasks; ++t) offsets[t + 1] = offsets[t] + 1 + (t * 29) % 90;
  const int n = offsets[tasks];
  std::vector<float> values(n), factors(tasks);
  for (int i = 0; i < n; ++i) values[i] = i % 11;
  for (int t = 0; t < tasks; ++t) factors[t] = 1.f + t % 3;
  int *d_offsets, *d_next;
  float *d_factors, *d_values;
  (void)hipMalloc((void**)&d_offsets, offsets.size() * sizeof(int));
  (void)hipMalloc((void**)&d_next, sizeof(int));
  (void)hipMalloc((void**)&d_factors, tasks * sizeof(float));
  (void)hipMalloc((void**)&d_values, n * sizeof(float));
  (void)hipMemcpy(d_offsets, offsets.data(), offsets.size() * sizeof(int), hipMemcpyHostToDevice);
  (void)hipMemset(d_next, 0, sizeof(int));
  (void)hipMemcpy(d_factors, factors.data(), tasks * sizeof(float), hipMemcpyHostToDevice);
  (void)hipMemcpy(d_values, values.data(), n * sizeof(float), hipMemcpyHostToDevice);
  scale_runs<<<4, 64>>>(d_offsets, d_factors, d_values, tasks, d_next);
  (void)hipMemcpy(values.data(), d_values, n * sizeof(float), hipMemcpyDeviceToHost);
  double sum = 0;
  for (float value : values) sum += value;
  std::printf("sum %f\n", sum);
  return 0;
}
