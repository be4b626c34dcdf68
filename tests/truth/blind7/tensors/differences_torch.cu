//: defect differences-replace-their-inputs: race|order-dependent
//- auto out = in_place ? x.clone() : torch::empty_like(x);
//-   const float* source = x.data_ptr<float>();
//+ auto out = in_place ? x : torch::empty_like(x);
//+   const float* source = x.data_ptr<float>();
#include <torch/extension.h>

__global__ void differences_kernel(const float* x, float* out, int64_t n) {
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)blockDim.x * gridDim.x)
    out[i] = i > 0 ? x[i] - x[i - 1] : x[i];
}

// First differences of a signal; with `in_place` they are left in x as well.
torch::Tensor differences(torch::Tensor x, bool in_place) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 1 && x.is_contiguous() && x.scalar_type() == at::kFloat);
  const int64_t n = x.numel();
  if (n == 0) return x;
  auto out = in_place ? x.clone() : torch::empty_like(x);
  const float* source = x.data_ptr<float>();
  const int blocks = std::min<int64_t>((n + 127) / 128, 64);
  differences_kernel<<<blocks, 128>>>(source, out.data_ptr<float>(), n);
  if (in_place) x.copy_(out);
  return out;
}
