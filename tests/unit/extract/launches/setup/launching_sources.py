"""Sources whose launches are computed in many ways."""

CUDA = """#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include "blocks.h"
#define THREADS_PER_BLOCK (1 << LOG_THREADS)
#define LOG_THREADS 9
#define UNRELATED 5
template <typename T, int N> __global__ void scale(T* out, int n) { out[n] = N; }
__global__ void other(float* x) {}
namespace ops {
constexpr int kWarp = 32;
static int round_up(int value) { return (value + kWarp - 1) / kWarp * kWarp; }
template <typename T> void pick(T* out, int channels, int rows) {
  if (rows == 0) return;
  int unrelated = rows * 2;
  other<<<unrelated, 1>>>(nullptr);
  {
    int num_kernels = 7;
    other<<<num_kernels, 1>>>(nullptr);
  }
  const int num_kernels = rows * channels;
  int threads = THREADS_PER_BLOCK,
      spare = 0;
  if (channels > 1024) {
    // narrow rows
    threads = round_up(rows);
    unrelated = 3;
    other<<<threads, 1>>>(nullptr);
  } else
    unrelated = 4;
  if (channels == 64) {
    scale<T, 64><<<GET_BLOCKS(num_kernels, threads), threads>>>(out, num_kernels);
  } else {
    switch (channels) {
      case 8:
      case 16:
        scale<T, 16><<<1, threads>>>(out, 1);
        break;
      default: {
        int shared = 4;
        scale<T, 0><<<2, threads, shared>>>(out, 2);
      }
    }
  }
}
template void pick<float>(float*, int, int);
}
void overwritten(float* x, int n) {
  dim3 grid;
  grid = dim3(1);
  scale<float, 1><<<grid, 1>>>(x, 1);
  grid = dim3(n);
  grid.y = 2;
  scale<float, 2><<<grid, 1>>>(x, 2);
}
void loops(float* x, int n) {
  int blocks = 0;
  int size = 0;
  cudaDeviceGetAttribute(&size, cudaDevAttrMaxThreadsPerBlock, 0);
  for (int i = 0; i < n; ++i) {
    blocks += i;
  }
  for (int step = 0; step < n; ++step) scale<float, 3><<<blocks, size>>>(x + step, n);
}
void turns(float* x, int n) {
  int blocks = 0;
  int width = n;
  for (int i = 0, sum = 0; i < n; ++i) {
    int part = i / 2;
    blocks = sum;
    sum += part;
    part &= 1;
  }
  while (width > 1) {
    blocks++;
    width /= 2;
  }
  scale<float, 9><<<blocks, 1>>>(x, n);
}
void dispatched(at::Tensor out) {
  const at::cuda::CUDAGuard guard(out.device());
  auto stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "dispatched", [&] {
    scalar_t* data = out.data_ptr<scalar_t>();
    scale<scalar_t, 4><<<1, 4, 0, stream>>>(data, 4);
  });
}
struct Runner {
  static constexpr int kBlock = 96;
  float* buffer;
  int length;
  void run() { scale<float, 5><<<(length + kBlock - 1) / kBlock, kBlock>>>(buffer, length); }
};
void calls(Runner& runner) { runner.run(); }
#define SWITCH_BOOL(CONDITION, NAME, ...) [&] { \\
  if (CONDITION) { constexpr bool NAME = true; return __VA_ARGS__(); } \\
  else { constexpr bool NAME = false; return __VA_ARGS__(); } }()
void nested(float* x, int n) {
  SWITCH_BOOL(n % 2 == 0, kEven, [&] {
    SWITCH_BOOL(n > 9, kLarge, [&] {
      constexpr int threads = kEven ? 64 : 32;
      auto kernel = &scale<float, 7 + kLarge>;
      dim3 grid(n / threads);
      kernel<<<grid, threads>>>(x, n);
    });
  });
}
void chosen(float* x, int n) {
  int blocks = 1;
  if (n > 3)
#ifdef USE_MANY
    blocks = 64;
#else
    blocks = 32;
#endif
  scale<float, 6><<<blocks, 1>>>(x, n);
}
"""
HEADER = """#pragma once
inline int GET_BLOCKS(const int N, const int num_threads) {
  return (N + num_threads - 1) / num_threads;
}
"""
