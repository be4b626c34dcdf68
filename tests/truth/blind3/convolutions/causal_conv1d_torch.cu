//: defect inputs-before-the-first-are-read: out-of-bounds
//- if (s >= 0) sum += w[k] * row[s];
//+ sum += w[k] * row[s];
//: defect output-is-written-over-the-input: race|order-dependent
//- auto out = torch::empty_like(x);
//+ auto out = x;
#include <torch/extension.h>

__global__ void causal_conv1d_kernel(const float* x, const float* __restrict__ weight, const float* __restrict__ bias,
                                     float* out, int channels, int length, int taps) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= length) return;
  const int channel = blockIdx.y, batch = blockIdx.z;
  const float* row = x + ((int64_t)batch * channels + channel) * length;
  const float* w = weight + channel * taps;
  float sum = bias == nullptr ? 0.f : bias[channel];
  for (int k = 0; k < taps; ++k) {
    const int s = t + k - taps + 1;
    if (s >= 0) sum += w[k] * row[s];
  }
  out[((int64_t)batch * channels + channel) * length + t] = sum;
}

torch::Tensor causal_conv1d(torch::Tensor x, torch::Tensor weight, c10::optional<torch::Tensor> bias) {
  TORCH_CHECK(x.dim() == 3, "x must be [batch, channels, length]");
  TORCH_CHECK(weight.dim() == 2 && weight.size(0) == x.size(1), "weight must be [channels, taps]");
  TORCH_CHECK(x.is_contiguous() && weight.is_contiguous());
  TORCH_CHECK(x.scalar_type() == torch::kFloat && weight.scalar_type() == torch::kFloat);
  const float* bias_ptr = nullptr;
  if (bias.has_value()) {
    TORCH_CHECK(bias->dim() == 1 && bias->size(0) == x.size(1) && bias->scalar_type() == torch::kFloat);
    TORCH_CHECK(bias->is_contiguous());
    bias_ptr = bias->data_ptr<float>();
  }
  auto out = torch::empty_like(x);
  if (x.numel() == 0) return out;
  const dim3 grid((x.size(2) + 63) / 64, x.size(1), x.size(0));
  causal_conv1d_kernel<<<grid, 64>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias_ptr, out.data_ptr<float>(),
                                     x.size(1), x.size(2), weight.size(1));
  return out;
}
