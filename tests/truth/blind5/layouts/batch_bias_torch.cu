//: defect output-lacks-the-batch: race|order-dependent|overwrite|uninitialised-output|uninitialised-read
//- y[(b * T + t) * H + h] = acc;
//+ y[t * H + h] = acc;
#include <torch/extension.h>

// Causal depthwise convolution over time: y[b, t, h] = sum_k w[h, k] * x[b, t - k, h]
__global__ void causal_conv_kernel(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y,
                                   int B, int T, int H, int K) {
  const int h = blockIdx.x * blockDim.x + threadIdx.x;
  const int t = blockIdx.y;
  const int b = blockIdx.z;
  if (h >= H) return;
  float acc = 0.f;
  for (int k = 0; k < K && k <= t; ++k) acc += w[h * K + k] * x[(b * T + t - k) * H + h];
  y[(b * T + t) * H + h] = acc;
}

at::Tensor causal_conv(at::Tensor x, at::Tensor w) {
  TORCH_CHECK(x.dim() == 3, "x: (B, T, H)");
  TORCH_CHECK(w.dim() == 2 && w.size(0) == x.size(2), "w: (H, K)");
  TORCH_CHECK(x.is_contiguous() && w.is_contiguous());
  TORCH_CHECK(x.scalar_type() == at::kFloat && w.scalar_type() == at::kFloat);
  const int B = x.size(0), T = x.size(1), H = x.size(2), K = w.size(1);
  auto y = at::empty({B, T, H}, x.options());
  if (y.numel() == 0) return y;
  causal_conv_kernel<<<dim3((H + 63) / 64, T, B), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), B,
                                                        T, H, K);
  return y;
}
