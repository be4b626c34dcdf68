//: defect views-may-begin-anywhere: misaligned
//- n % 4 == 0 && reinterpret_cast<uintptr_t>(x.data_ptr<float>()) % 16 == 0
//+ n % 4 == 0
#include <torch/extension.h>

__global__ void clamp_fours(const float* __restrict__ x, float* __restrict__ out, int64_t fours, float low, float high) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= fours) return;
  float4 v = reinterpret_cast<const float4*>(x)[i];
  v.x = fminf(fmaxf(v.x, low), high);
  v.y = fminf(fmaxf(v.y, low), high);
  v.z = fminf(fmaxf(v.z, low), high);
  v.w = fminf(fmaxf(v.w, low), high);
  reinterpret_cast<float4*>(out)[i] = v;
}

__global__ void clamp_ones(const float* __restrict__ x, float* __restrict__ out, int64_t n, float low, float high) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fminf(fmaxf(x[i], low), high);
}

at::Tensor clamp(const at::Tensor& x, double low, double high) {
  TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
  TORCH_CHECK(x.is_contiguous(), "x must be contiguous");
  TORCH_CHECK(x.scalar_type() == at::kFloat, "x must be float");
  auto out = at::empty_like(x);
  const int64_t n = x.numel();
  if (n == 0) return out;
  if (n % 4 == 0 && reinterpret_cast<uintptr_t>(x.data_ptr<float>()) % 16 == 0)
    clamp_fours<<<(n / 4 + 127) / 128, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), n / 4, low, high);
  else
    clamp_ones<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), n, low, high);
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("clamp", &clamp); }
