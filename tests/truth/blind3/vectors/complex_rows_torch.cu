//: defect rows-of-odd-width-are-split: misaligned|out-of-bounds
//- TORCH_CHECK(x.size(1) % 2 == 0, "rows must hold pairs");
//+
//: defect result-is-one-float-further: misaligned
//- float2* target = reinterpret_cast<float2*>(out + row * width);
//+ float2* target = reinterpret_cast<float2*>(out + row * width + 1);
#include <torch/extension.h>

__global__ void conjugate_rows_kernel(const float* x, float* out, int64_t width) {
  const int64_t row = blockIdx.x;
  const float2* source = reinterpret_cast<const float2*>(x + row * width);
  float2* target = reinterpret_cast<float2*>(out + row * width);
  for (int64_t k = threadIdx.x; k < (width + 1) / 2; k += blockDim.x) {
    const float2 z = source[k];
    target[k] = make_float2(z.x, -z.y);
  }
}

torch::Tensor conjugate_rows(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.scalar_type() == torch::kFloat32);
  TORCH_CHECK(x.size(1) % 2 == 0, "rows must hold pairs");
  x = x.contiguous();
  auto out = torch::empty_like(x);
  if (x.numel() == 0) return out;
  conjugate_rows_kernel<<<x.size(0), 32>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("conjugate_rows", &conjugate_rows); }
