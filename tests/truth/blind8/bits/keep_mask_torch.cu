//: defect bits-of-one-byte-are-set-by-several: race
//- const int64_t byte = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
//-   if (byte * 8 >= n) return;
//-   uint8_t bits = 0;
//-   for (int bit = 0; bit < 8 && byte * 8 + bit < n; ++bit) bits |= (keep[byte * 8 + bit] > threshold) << bit;
//-   packed[byte] = bits;
//+ const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
//+   if (i >= n) return;
//+   if (keep[i] > threshold) packed[i / 8] |= 1 << i % 8;
#include <torch/extension.h>

__global__ void pack_mask_kernel(const float* keep, uint8_t* packed, float threshold, int64_t n) {
  const int64_t byte = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (byte * 8 >= n) return;
  uint8_t bits = 0;
  for (int bit = 0; bit < 8 && byte * 8 + bit < n; ++bit) bits |= (keep[byte * 8 + bit] > threshold) << bit;
  packed[byte] = bits;
}

torch::Tensor pack_mask(torch::Tensor keep, double threshold) {
  TORCH_CHECK(keep.is_cuda() && keep.is_floating_point(), "keep must be real numbers on the device");
  keep = keep.to(torch::kFloat32).contiguous();
  const int64_t n = keep.numel();
  auto packed = torch::zeros({(n + 7) / 8}, keep.options().dtype(torch::kUInt8));
  if (n == 0) return packed;
  pack_mask_kernel<<<(n + 127) / 128, 128>>>(keep.data_ptr<float>(), packed.data_ptr<uint8_t>(), threshold, n);
  return packed;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("pack_mask", &pack_mask); }
