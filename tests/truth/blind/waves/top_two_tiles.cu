//: defect mask-leaves-lanes-out: excluded-caller|inactive-lane|divergent-warp
//- const float other = __shfl_xor_sync(0xffffffffu, best, delta);
//+ const float other = __shfl_xor_sync(0x00ff00ffu, best, delta);
//: defect stage-of-a-lane-is-not-shared-in-time: race|uninitialised-read
//- second[threadIdx.x] = runner;
//-   __syncthreads();
//+ second[threadIdx.x] = runner;
//: defect row-of-one-float-too-many: misaligned|out-of-bounds
//- const float2* pairs = reinterpret_cast<const float2*>(scores + row * kWidth);
//+ const float2* pairs = reinterpret_cast<const float2*>(scores + row * (kWidth + 1));
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdio>
#include <vector>

constexpr int kWidth = 256;
constexpr int kThreads = 128;

__global__ void top_two(const float* scores, float* tops) {
  __shared__ float first[kThreads];
  __shared__ float second[kThreads];
  const int row = blockIdx.x;
  const float2* pairs = reinterpret_cast<const float2*>(scores + row * kWidth);
  const float2 pair = pairs[threadIdx.x];
  float best = fmaxf(pair.x, pair.y), runner = fminf(pair.x, pair.y);
  for (int delta = 1; delta < 32; delta <<= 1) {
    const float other = __shfl_xor_sync(0xffffffffu, best, delta);
    const float other_runner = __shfl_xor_sync(0xffffffffu, runner, delta);
    runner = fmaxf(fminf(best, other), fmaxf(runner, other_runner));
    best = fmaxf(best, other);
  }
  first[threadIdx.x] = best;
  second[threadIdx.x] = runner;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int lead = 32; lead < kThreads; lead += 32) {
      runner = fmaxf(fminf(best, first[lead]), fmaxf(runner, second[lead]));
      best = fmaxf(best, first[lead]);
    }
    tops[2 * row] = best;
    tops[2 * row + 1] = runner;
  }
}

int main() {
  const int rows = 9;
  std::vector<float> scores(rows * kWidth), tops(2 * rows);
  for (size_t i = 0; i < scores.size(); ++i) scores[i] = float(i * 97 % 1021);
  float *d_scores, *d_tops;
  cudaMalloc(&d_scores, scores.size() * sizeof(float));
  cudaMalloc(&d_tops, tops.size() * sizeof(float));
  cudaMemcpy(d_scores, scores.data(), scores.size() * sizeof(float), cudaMemcpyHostToDevice);
  top_two<<<rows, kThreads>>>(d_scores, d_tops);
  cudaMemcpy(tops.data(), d_tops, tops.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", tops[0], tops[1]);
  cudaFree(d_scores);
  cudaFree(d_tops);
}
