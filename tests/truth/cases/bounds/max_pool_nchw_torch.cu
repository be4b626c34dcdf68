//: defect window-is-not-cut: out-of-bounds
//- int hend = min(hstart + kernel_size, height);
//+ int hend = hstart + kernel_size;
//: defect counts-one-channel-more: out-of-bounds
//- if (index >= nthreads) return;
//+ if (index > nthreads) return;
//: defect input-of-the-next-image: out-of-bounds
//- const float *plane = input + (n * channels + c) * height * width;
//+ const float *plane = input + ((n + 1) * channels + c) * height * width;
#include <torch/extension.h>

__global__ void max_pool_forward(const int nthreads, const float *input, float *output, const int channels,
                                 const int height, const int width, const int pooled_height, const int pooled_width,
                                 const int kernel_size, const int stride) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= nthreads) return;
  int pw = index % pooled_width;
  int ph = (index / pooled_width) % pooled_height;
  int c = (index / pooled_width / pooled_height) % channels;
  int n = index / pooled_width / pooled_height / channels;
  int hstart = ph * stride;
  int wstart = pw * stride;
  int hend = min(hstart + kernel_size, height);
  int wend = min(wstart + kernel_size, width);
  const float *plane = input + (n * channels + c) * height * width;
  float best = -3.402823466e+38f;
  for (int h = hstart; h < hend; ++h)
    for (int w = wstart; w < wend; ++w) best = fmaxf(best, plane[h * width + w]);
  output[index] = best;
}

torch::Tensor max_pool(torch::Tensor input, int kernel_size, int stride) {
  TORCH_CHECK(input.dim() == 4, "NCHW is expected");
  const int batch = input.size(0), channels = input.size(1);
  const int height = input.size(2), width = input.size(3);
  const int pooled_height = (height - 1) / stride + 1;
  const int pooled_width = (width - 1) / stride + 1;
  auto output = torch::empty({batch, channels, pooled_height, pooled_width}, input.options());
  const int count = output.numel();
  max_pool_forward<<<(count + 255) / 256, 256>>>(count, input.data_ptr<float>(), output.data_ptr<float>(), channels,
                                                 height, width, pooled_height, pooled_width, kernel_size, stride);
  return output;
}
