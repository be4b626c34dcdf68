//: defect rounding-up-is-not-kept-in-the-image: out-of-bounds
//- const int from_x = min((int)roundf(x * scale_x), in_width - 1);
//+ const int from_x = (int)roundf(x * scale_x);
#include <torch/extension.h>

__global__ void upsample_kernel(const float* in, float* out, int in_height, int in_width, int out_height, int out_width,
                                float scale_y, float scale_x) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x >= out_width) return;
  const int from_y = min((int)roundf(y * scale_y), in_height - 1);
  const int from_x = min((int)roundf(x * scale_x), in_width - 1);
  const float* plane = in + (size_t)blockIdx.z * in_height * in_width;
  out[((size_t)blockIdx.z * out_height + y) * out_width + x] = plane[from_y * in_width + from_x];
}

torch::Tensor upsample(torch::Tensor in, int64_t out_height, int64_t out_width) {
  TORCH_CHECK(in.is_cuda() && in.dim() == 3, "expected planes x height x width");
  TORCH_CHECK(in.scalar_type() == torch::kFloat32, "expected floats");
  TORCH_CHECK(in.numel() > 0 && out_height > 0 && out_width > 0, "nothing to do");
  in = in.contiguous();
  const int in_height = in.size(1), in_width = in.size(2);
  auto out = torch::empty({in.size(0), out_height, out_width}, in.options());
  const dim3 grid((out_width + 63) / 64, out_height, in.size(0));
  upsample_kernel<<<grid, 64>>>(in.data_ptr<float>(), out.data_ptr<float>(), in_height, in_width, out_height, out_width,
                               (float)in_height / out_height, (float)in_width / out_width);
  return out;
}
