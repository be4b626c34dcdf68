//: defect right-halo-is-not-loaded: uninitialised-read
//- for (int s = threadIdx.x; s < BLOCK + 2 * R; s += BLOCK) {
//+ for (int s = threadIdx.x; s < BLOCK + R; s += BLOCK) {
#include <torch/extension.h>

#define BLOCK 64
#define R 4

__constant__ float kTaps[2 * R + 1] = {0.02f, 0.06f, 0.12f, 0.18f, 0.24f, 0.18f, 0.12f, 0.06f, 0.02f};

__global__ void smooth9(const float* signal, float* smoothed, int length) {
  __shared__ float window[BLOCK + 2 * R];
  const int first = blockIdx.x * BLOCK - R;
  for (int s = threadIdx.x; s < BLOCK + 2 * R; s += BLOCK) {
    const int g = first + s;
    window[s] = (g >= 0 && g < length) ? signal[g] : 0.f;
  }
  __syncthreads();
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= length) return;
  float sum = 0.f;
#pragma unroll
  for (int t = 0; t <= 2 * R; t++) sum += kTaps[t] * window[threadIdx.x + t];
  smoothed[i] = sum;
}

torch::Tensor smooth(torch::Tensor signal) {
  TORCH_CHECK(signal.dim() == 1, "signal must have one dimension");
  TORCH_CHECK(signal.scalar_type() == at::kFloat && signal.is_contiguous());
  auto smoothed = torch::empty_like(signal);
  const int length = signal.numel();
  if (length > 0) {
    smooth9<<<(length + BLOCK - 1) / BLOCK, BLOCK>>>(signal.data_ptr<float>(), smoothed.data_ptr<float>(), length);
  }
  return smoothed;
}
