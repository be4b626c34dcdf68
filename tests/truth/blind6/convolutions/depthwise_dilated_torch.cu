//: defect padding-is-only-on-the-far-side: out-of-bounds
//- if (iy < 0 || iy >= height) continue;
//+ if (iy >= height) continue;
#include <torch/extension.h>

#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

template <typename T>
__global__ void depthwise_conv2d_kernel(const int n, const T* input, const T* weight, const T* bias, T* output,
                                        const int channels, const int height, const int width, const int out_height,
                                        const int out_width, const int kernel, const int stride, const int pad,
                                        const int dilation) {
  CUDA_KERNEL_LOOP(index, n) {
    const int ox = index % out_width;
    const int oy = (index / out_width) % out_height;
    const int c = (index / out_width / out_height) % channels;
    const int b = index / out_width / out_height / channels;
    T sum = bias[c];
    for (int ky = 0; ky < kernel; ++ky) {
      const int iy = oy * stride - pad + ky * dilation;
      if (iy < 0 || iy >= height) continue;
      for (int kx = 0; kx < kernel; ++kx) {
        const int ix = ox * stride - pad + kx * dilation;
        if (ix < 0 || ix >= width) continue;
        sum += input[((b * channels + c) * height + iy) * width + ix] * weight[(c * kernel + ky) * kernel + kx];
      }
    }
    output[index] = sum;
  }
}

at::Tensor depthwise_conv2d(at::Tensor input, at::Tensor weight, at::Tensor bias, int64_t stride, int64_t pad,
                            int64_t dilation) {
  TORCH_CHECK(input.is_cuda() && weight.is_cuda() && bias.is_cuda(), "inputs must be CUDA tensors");
  TORCH_CHECK(input.is_contiguous() && weight.is_contiguous() && bias.is_contiguous(), "inputs must be contiguous");
  TORCH_CHECK(input.dim() == 4 && weight.dim() == 3 && bias.dim() == 1);
  TORCH_CHECK(weight.size(0) == input.size(1) && bias.size(0) == input.size(1), "channels differ");
  TORCH_CHECK(weight.size(1) == weight.size(2), "kernels must be square");
  TORCH_CHECK(input.scalar_type() == weight.scalar_type() && input.scalar_type() == bias.scalar_type());
  TORCH_CHECK(stride > 0 && dilation > 0 && pad >= 0);
  const int kernel = weight.size(1), height = input.size(2), width = input.size(3);
  const int out_height = (height + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  const int out_width = (width + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  TORCH_CHECK(out_height > 0 && out_width > 0, "kernel is larger than the padded input");
  auto output = at::empty({input.size(0), input.size(1), out_height, out_width}, input.options());
  const int n = output.numel();
  if (n == 0) return output;
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "depthwise_conv2d", [&] {
    depthwise_conv2d_kernel<scalar_t><<<std::min((n + 255) / 256, 4096), 256>>>(
        n, input.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(),
        output.data_ptr<scalar_t>(), input.size(1), height, width, out_height, out_width, kernel, stride, pad,
        dilation);
  });
  return output;
}
