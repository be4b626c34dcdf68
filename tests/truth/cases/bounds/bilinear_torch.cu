//: defect right-neighbour-is-not-clamped: out-of-bounds
//- const int x1 = x0 < in_width - 1 ? x0 + 1 : x0;
//+ const int x1 = x0 + 1;
//: defect lower-neighbour-is-not-clamped: out-of-bounds
//- const int y1 = y0 < in_height - 1 ? y0 + 1 : y0;
//+ const int y1 = y0 + 1;
#include <torch/extension.h>

template <typename T>
__global__ void upsample_bilinear(const int n, const T *input, T *output, int in_height, int in_width, int out_height,
                                  int out_width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int w = i % out_width;
    const int h = (i / out_width) % out_height;
    const int plane = i / (out_width * out_height);
    const float fy = out_height > 1 ? float(h) * (in_height - 1) / (out_height - 1) : 0.f;
    const float fx = out_width > 1 ? float(w) * (in_width - 1) / (out_width - 1) : 0.f;
    const int y0 = min(int(fy), in_height - 1), x0 = min(int(fx), in_width - 1);
    const int y1 = y0 < in_height - 1 ? y0 + 1 : y0;
    const int x1 = x0 < in_width - 1 ? x0 + 1 : x0;
    const float dy = fy - y0, dx = fx - x0;
    const T *from = input + plane * in_height * in_width;
    output[i] = T((1 - dy) * ((1 - dx) * from[y0 * in_width + x0] + dx * from[y0 * in_width + x1]) +
                  dy * ((1 - dx) * from[y1 * in_width + x0] + dx * from[y1 * in_width + x1]));
  }
}

at::Tensor upsample(at::Tensor input, int out_height, int out_width) {
  TORCH_CHECK(input.dim() == 4, "expected N, C, H, W");
  auto output = at::zeros({input.size(0), input.size(1), out_height, out_width}, input.options());
  int n = output.numel();
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "upsample", [&] {
    upsample_bilinear<scalar_t><<<(n + 511) / 512, 512>>>(n, input.data_ptr<scalar_t>(), output.data_ptr<scalar_t>(),
                                                         input.size(2), input.size(3), out_height, out_width);
  });
  return output;
}
