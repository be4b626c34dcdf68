//: defect rows-below-the-image-are-read: out-of-bounds
//- if (yy < 0 || yy >= h) continue;
//+ if (yy < 0) continue;
//: defect a-filter-for-each-pair-of-image-and-channel: out-of-bounds
//- const scalar_t* filter = weight + channel * 9;
//+ const scalar_t* filter = weight + plane * 9;
#include <torch/extension.h>

#define CHECK_INPUT(t) TORCH_CHECK((t).is_cuda() && (t).is_contiguous(), #t " must be contiguous and on the GPU")

template <typename scalar_t>
__global__ void depthwise3x3_forward_kernel(const scalar_t* __restrict__ input, const scalar_t* __restrict__ weight,
                                            scalar_t* __restrict__ output, const int channels, const int h,
                                            const int w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int plane = blockIdx.z;
  const int channel = plane % channels;
  if (x >= w || y >= h) return;
  const scalar_t* image = input + (int64_t)plane * h * w;
  const scalar_t* filter = weight + channel * 9;
  scalar_t sum = 0;
  for (int ky = 0; ky < 3; ++ky) {
    const int yy = y + ky - 1;
    if (yy < 0 || yy >= h) continue;
    for (int kx = 0; kx < 3; ++kx) {
      const int xx = x + kx - 1;
      if (xx < 0 || xx >= w) continue;
      sum += image[yy * w + xx] * filter[ky * 3 + kx];
    }
  }
  output[((int64_t)plane * h + y) * w + x] = sum;
}

torch::Tensor depthwise3x3_forward(torch::Tensor input, torch::Tensor weight) {
  CHECK_INPUT(input);
  CHECK_INPUT(weight);
  TORCH_CHECK(input.dim() == 4, "input must be NCHW");
  TORCH_CHECK(weight.dim() == 3 && weight.size(0) == input.size(1) && weight.size(1) == 3 && weight.size(2) == 3,
              "weight must be [C, 3, 3]");
  TORCH_CHECK(input.scalar_type() == weight.scalar_type(), "types differ");
  auto output = torch::empty_like(input);
  if (input.numel() == 0) return output;
  const int n = input.size(0), c = input.size(1), h = input.size(2), w = input.size(3);
  const dim3 threads(16, 16);
  const dim3 blocks((w + 15) / 16, (h + 15) / 16, n * c);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "depthwise3x3_forward", ([&] {
    depthwise3x3_forward_kernel<scalar_t><<<blocks, threads>>>(
        input.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), output.data_ptr<scalar_t>(), c, h, w);
  }));
  return output;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &depthwise3x3_forward, "depthwise 3x3 forward"); }
