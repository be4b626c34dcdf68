//: defect axes-y-and-z-are-swapped: out-of-bounds
//- const dim3 blocks((hw + 127) / 128, channels, batch);
//+ const dim3 blocks((hw + 127) / 128, batch, channels);
#include <torch/extension.h>

// out[n, c, :] = x[n, c, :] * scale[n, c] + shift[c]
__global__ void film_kernel(const float* x, const float* scale, const float* shift, float* out, int channels, int hw) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  const int c = blockIdx.y;
  const int n = blockIdx.z;
  if (p >= hw) return;
  const int plane = n * channels + c;
  out[plane * hw + p] = x[plane * hw + p] * scale[plane] + shift[c];
}

torch::Tensor film(torch::Tensor x, torch::Tensor scale, torch::Tensor shift) {
  TORCH_CHECK(x.dim() == 4, "x must be NCHW");
  const int batch = x.size(0), channels = x.size(1), hw = x.size(2) * x.size(3);
  TORCH_CHECK(scale.dim() == 2 && scale.size(0) == batch && scale.size(1) == channels, "scale must be (N, C)");
  TORCH_CHECK(shift.dim() == 1 && shift.size(0) == channels, "shift must be (C)");
  x = x.contiguous();
  scale = scale.contiguous();
  shift = shift.contiguous();
  auto out = torch::empty_like(x);
  const dim3 blocks((hw + 127) / 128, channels, batch);
  film_kernel<<<blocks, 128>>>(x.data_ptr<float>(), scale.data_ptr<float>(), shift.data_ptr<float>(),
                               out.data_ptr<float>(), channels, hw);
  return out;
}
