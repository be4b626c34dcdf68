//: defect height-and-width-change-places: out-of-bounds
//- const int64_t x = (i / r) % w;
//+ const int64_t x = (i / r) % h;
//- const int64_t y = rest / r % h;
//+ const int64_t y = rest / r % w;
//: defect channels-are-not-squared: out-of-bounds
//- TORCH_CHECK(x.size(1) % (r * r) == 0, "channels must be a multiple of r * r");
//+ TORCH_CHECK(x.size(1) % r == 0, "channels must be a multiple of r");
//- const int64_t n = x.size(0), c = x.size(1) / (r * r), h = x.size(2), w = x.size(3);
//+ const int64_t n = x.size(0), c = x.size(1) / r, h = x.size(2), w = x.size(3);
#include <ATen/ATen.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

__global__ void pixel_shuffle(const float* __restrict__ src, float* __restrict__ dst, int64_t c, int64_t h, int64_t w,
                              int64_t r, int64_t total) {
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < total; i += (int64_t)gridDim.x * blockDim.x) {
    const int64_t dx = i % r;
    const int64_t x = (i / r) % w;
    const int64_t rest = i / (r * w);
    const int64_t dy = rest % r;
    const int64_t y = rest / r % h;
    const int64_t plane = rest / r / h;
    const int64_t channel = plane % c, image = plane / c;
    dst[i] = src[(((image * c + channel) * r * r + dy * r + dx) * h + y) * w + x];
  }
}

at::Tensor pixel_shuffle_forward(at::Tensor x, int64_t r) {
  TORCH_CHECK(x.is_cuda() && x.scalar_type() == at::kFloat && x.dim() == 4);
  TORCH_CHECK(r > 0, "the factor must be positive");
  TORCH_CHECK(x.size(1) % (r * r) == 0, "channels must be a multiple of r * r");
  const int64_t n = x.size(0), c = x.size(1) / (r * r), h = x.size(2), w = x.size(3);
  auto in = x.contiguous();
  auto out = at::empty({n, c, h * r, w * r}, x.options());
  const int64_t total = out.numel();
  if (total == 0) return out;
  const int64_t blocks = std::min<int64_t>((total + 511) / 512, 1024);
  pixel_shuffle<<<blocks, 512, 0, c10::cuda::getCurrentCUDAStream()>>>(in.data_ptr<float>(), out.data_ptr<float>(), c,
                                                                       h, w, r, total);
  return out;
}
