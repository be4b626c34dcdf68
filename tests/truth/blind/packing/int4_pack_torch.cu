//: defect nibbles-of-a-word-are-joined-without-atomics: race
//- atomicOr(packed + i / 8, nibble << (4 * (i % 8)));
//+ packed[i / 8] |= nibble << (4 * (i % 8));
//: defect nibble-is-shifted-by-the-index: shift
//- atomicOr(packed + i / 8, nibble << (4 * (i % 8)));
//+ atomicOr(packed + i / 8, nibble << (4 * i));
//: defect words-are-rounded-down: out-of-bounds
//- auto packed = torch::zeros({(n + 7) / 8}, values.options().dtype(torch::kInt32));
//+ auto packed = torch::zeros({n / 8}, values.options().dtype(torch::kInt32));
//: defect words-begin-with-rubbish: uninitialised-read
//- auto packed = torch::zeros({(n + 7) / 8}, values.options().dtype(torch::kInt32));
//+ auto packed = torch::empty({(n + 7) / 8}, values.options().dtype(torch::kInt32));
#include <torch/extension.h>

__global__ void pack_int4(const float* __restrict__ values, unsigned* packed, const float inverse_scale,
                          const int64_t n) {
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)blockDim.x * gridDim.x) {
    const float level = fminf(fmaxf(rintf(values[i] * inverse_scale), -8.f), 7.f);
    const unsigned nibble = static_cast<unsigned>(static_cast<int>(level) + 8);
    atomicOr(packed + i / 8, nibble << (4 * (i % 8)));
  }
}

torch::Tensor quantise_int4(torch::Tensor values, double scale) {
  TORCH_CHECK(values.is_cuda() && values.is_contiguous() && values.scalar_type() == torch::kFloat);
  TORCH_CHECK(scale > 0, "scale must be positive");
  const int64_t n = values.numel();
  auto packed = torch::zeros({(n + 7) / 8}, values.options().dtype(torch::kInt32));
  if (n == 0) return packed;
  const int blocks = std::min<int64_t>((n + 255) / 256, 1024);
  pack_int4<<<blocks, 256>>>(values.data_ptr<float>(), reinterpret_cast<unsigned*>(packed.data_ptr<int>()),
                             static_cast<float>(1.0 / scale), n);
  return packed;
}
