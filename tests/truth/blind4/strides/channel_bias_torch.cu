//: defect channel-counts-on-through-the-batch: out-of-bounds
//- const int64_t channel = i / plane % channels;
//+ const int64_t channel = i / plane;
#include <torch/extension.h>

__global__ void channel_bias_kernel(float* images, const float* bias, int64_t count, int64_t channels, int64_t plane) {
  const int64_t stride = (int64_t)blockDim.x * gridDim.x;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    const int64_t channel = i / plane % channels;
    images[i] += bias[channel];
  }
}

void add_channel_bias(torch::Tensor images, torch::Tensor bias) {
  TORCH_CHECK(images.dim() == 4, "images must be [n, c, h, w]");
  TORCH_CHECK(bias.dim() == 1 && bias.size(0) == images.size(1), "a bias for each channel");
  TORCH_CHECK(images.scalar_type() == torch::kFloat && bias.scalar_type() == torch::kFloat);
  TORCH_CHECK(images.is_contiguous() && bias.is_contiguous());
  const int64_t count = images.numel();
  if (count == 0) return;
  const int blocks = std::min<int64_t>((count + 255) / 256, 1024);
  channel_bias_kernel<<<blocks, 256>>>(images.data_ptr<float>(), bias.data_ptr<float>(), count, images.size(1),
                                       images.size(2) * images.size(3));
}
