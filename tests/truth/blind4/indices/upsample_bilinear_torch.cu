//: defect lower-neighbour-of-the-last-row-is-read: out-of-bounds
//- const int below = min(top + 1, height - 1);
//+ const int below = top + 1;
#include <torch/extension.h>

__global__ void upsample_twice_kernel(const float* in, float* out, int planes, int height, int width) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= (int64_t)planes * height * width * 4) return;
  const int x = i % (2 * width), y = i / (2 * width) % (2 * height);
  const float* plane = in + i / ((int64_t)height * width * 4) * height * width;
  const float fx = x * 0.5f, fy = y * 0.5f;
  const int left = static_cast<int>(fx), top = static_cast<int>(fy);
  const int right = min(left + 1, width - 1);
  const int below = min(top + 1, height - 1);
  const float u = fx - left, v = fy - top;
  out[i] = (1 - v) * ((1 - u) * plane[top * width + left] + u * plane[top * width + right]) +
           v * ((1 - u) * plane[below * width + left] + u * plane[below * width + right]);
}

at::Tensor upsample_twice(at::Tensor in) {
  TORCH_CHECK(in.dim() == 3, "in must be [planes, height, width]");
  TORCH_CHECK(in.scalar_type() == at::kFloat);
  in = in.contiguous();
  at::Tensor out = at::empty({in.size(0), 2 * in.size(1), 2 * in.size(2)}, in.options());
  if (out.numel() == 0) return out;
  upsample_twice_kernel<<<(out.numel() + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), in.size(0),
                                                            in.size(1), in.size(2));
  return out;
}
