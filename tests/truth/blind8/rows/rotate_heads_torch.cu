//: defect a-head-of-odd-length-keeps-its-last-number: uninitialised-read|out-of-bounds
//- TORCH_CHECK(x.size(2) % 2 == 0, "heads must hold pairs");
//+
#include <torch/extension.h>

// rotates the first half of each head against the second, by an angle for each position
__global__ void rotate_kernel(const float* x, const float* cosines, const float* sines, float* out, int heads, int half,
                              int length, int64_t total) {
  const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= total) return;
  const int pair = at % half;
  const int64_t head = at / half, position = head / heads;
  const float c = cosines[position * half + pair], s = sines[position * half + pair];
  const float a = x[head * length + pair], b = x[head * length + half + pair];
  out[head * length + pair] = a * c - b * s;
  out[head * length + half + pair] = b * c + a * s;
}

torch::Tensor rotate_heads(torch::Tensor x, torch::Tensor cosines, torch::Tensor sines) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 3 && x.scalar_type() == torch::kFloat32, "x must be tokens x heads x length");
  TORCH_CHECK(x.size(2) % 2 == 0, "heads must hold pairs");
  const int64_t tokens = x.size(0), heads = x.size(1), half = x.size(2) / 2;
  TORCH_CHECK(cosines.dim() == 2 && cosines.size(0) == tokens && cosines.size(1) == half);
  TORCH_CHECK(sines.sizes() == cosines.sizes());
  TORCH_CHECK(cosines.scalar_type() == torch::kFloat32 && sines.scalar_type() == torch::kFloat32);
  x = x.contiguous();
  cosines = cosines.contiguous();
  sines = sines.contiguous();
  auto out = torch::empty_like(x);
  const int64_t total = tokens * heads * half;
  if (total == 0) return out;
  rotate_kernel<<<(total + 127) / 128, 128>>>(x.data_ptr<float>(), cosines.data_ptr<float>(), sines.data_ptr<float>(),
                                             out.data_ptr<float>(), heads, half, x.size(2), total);
  return out;
}
