//: defect gain-may-be-one-number-expanded: out-of-bounds
//- TORCH_CHECK(gain.is_contiguous(), "gain must be contiguous");
//+ TORCH_CHECK(gain.numel() > 0, "gain must hold something");
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

__global__ void gain_kernel(const float* x, const float* gain, float* y, int64_t total, int64_t channels) {
  for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < total;
       i += static_cast<int64_t>(gridDim.x) * blockDim.x)
    y[i] = x[i] * gain[i % channels];
}

at::Tensor apply_gain(const at::Tensor& x, const at::Tensor& gain) {
  TORCH_CHECK(x.is_cuda() && gain.is_cuda(), "CUDA tensors expected");
  TORCH_CHECK(x.dim() == 2 && x.is_contiguous(), "x must be contiguous");
  TORCH_CHECK(gain.dim() == 1 && gain.size(0) == x.size(1), "a gain for each channel");
  TORCH_CHECK(gain.is_contiguous(), "gain must be contiguous");
  TORCH_CHECK(x.scalar_type() == at::kFloat && gain.scalar_type() == at::kFloat, "float expected");
  auto y = at::empty_like(x);
  const int64_t total = x.numel();
  if (total == 0) return y;
  const int64_t blocks = std::min<int64_t>((total + 255) / 256, 1024);
  gain_kernel<<<blocks, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), gain.data_ptr<float>(),
                                                                    y.data_ptr<float>(), total, x.size(1));
  return y;
}
