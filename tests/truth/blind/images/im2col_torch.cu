//: defect padding-on-the-left-is-read: out-of-bounds
//- if (h_in >= 0 && h_in < height && w_in >= 0 && w_in < width)
//+ if (h_in < height && w_in < width)
//: defect padding-below-is-read: out-of-bounds
//- if (h_in >= 0 && h_in < height && w_in >= 0 && w_in < width)
//+ if (h_in >= 0 && h_in <= height && w_in >= 0 && w_in < width)
//: defect columns-without-the-kernel-size: out-of-bounds
//- auto columns = at::empty({channels * kKernel * kKernel, out_h * out_w}, image.options());
//+ auto columns = at::empty({channels * kKernel, out_h * out_w}, image.options());
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int kKernel = 3;
constexpr int kPad = 1;

template <typename scalar_t>
__global__ void im2col_kernel(int64_t n, const scalar_t* __restrict__ image, int64_t height, int64_t width,
                              int64_t out_h, int64_t out_w, scalar_t* __restrict__ columns) {
  for (int64_t index = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; index < n;
       index += (int64_t)gridDim.x * blockDim.x) {
    const int64_t w_out = index % out_w;
    const int64_t h_out = (index / out_w) % out_h;
    const int64_t channel = index / (out_w * out_h);
    const scalar_t* plane = image + channel * height * width;
    scalar_t* column = columns + (channel * kKernel * kKernel * out_h + h_out) * out_w + w_out;
    for (int i = 0; i < kKernel; ++i) {
      for (int j = 0; j < kKernel; ++j) {
        const int64_t h_in = h_out - kPad + i;
        const int64_t w_in = w_out - kPad + j;
        scalar_t value = 0;
        if (h_in >= 0 && h_in < height && w_in >= 0 && w_in < width)
          value = plane[h_in * width + w_in];
        *column = value;
        column += out_h * out_w;
      }
    }
  }
}

at::Tensor im2col(const at::Tensor& image_in) {
  TORCH_CHECK(image_in.is_cuda(), "image must be on the GPU");
  TORCH_CHECK(image_in.dim() == 3, "expected C x H x W");
  TORCH_CHECK(image_in.numel() > 0, "empty image");
  auto image = image_in.contiguous();
  const int64_t channels = image.size(0), height = image.size(1), width = image.size(2);
  const int64_t out_h = height + 2 * kPad - kKernel + 1;
  const int64_t out_w = width + 2 * kPad - kKernel + 1;
  auto columns = at::empty({channels * kKernel * kKernel, out_h * out_w}, image.options());
  const int64_t n = channels * out_h * out_w;
  const int blocks = (int)std::min<int64_t>((n + 255) / 256, 4096);
  AT_DISPATCH_FLOATING_TYPES(image.scalar_type(), "im2col", ([&] {
    im2col_kernel<scalar_t><<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        n, image.data_ptr<scalar_t>(), height, width, out_h, out_w, columns.data_ptr<scalar_t>());
  }));
  return columns;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("im2col", &im2col); }
