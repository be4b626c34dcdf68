//: defect left-and-upper-border-are-let-through: out-of-bounds
//- if (x >= 0 && x < width && y >= 0 && y < height) {
//+ if (x < width && y < height) {
#include <torch/extension.h>

// out[n, c, y, x] = bilinear sample of in[n, c] at (x + flow[n, 0, y, x], y + flow[n, 1, y, x]), zero outside.
__global__ void backward_warp_kernel(const float* in, const float* flow, float* out, int channels, int height,
                                     int width, int total) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= total) return;
  const int px = index % width, py = (index / width) % height, n = index / (width * height);
  const float* flow_n = flow + n * 2 * height * width;
  float fx = px + flow_n[py * width + px];
  float fy = py + flow_n[(height + py) * width + px];
  fx = fminf(fmaxf(fx, -2.f), width + 1.f);
  fy = fminf(fmaxf(fy, -2.f), height + 1.f);
  const int x0 = (int)floorf(fx), y0 = (int)floorf(fy);
  for (int c = 0; c < channels; ++c) {
    const float* plane = in + (n * channels + c) * height * width;
    float value = 0.f;
    for (int dy = 0; dy < 2; ++dy) {
      for (int dx = 0; dx < 2; ++dx) {
        const int x = x0 + dx, y = y0 + dy;
        if (x >= 0 && x < width && y >= 0 && y < height) {
          const float weight = (1.f - fabsf(fx - x)) * (1.f - fabsf(fy - y));
          value += weight * plane[y * width + x];
        }
      }
    }
    out[((n * channels + c) * height + py) * width + px] = value;
  }
}

at::Tensor backward_warp(const at::Tensor& in, const at::Tensor& flow) {
  AT_ASSERTM(in.is_cuda() && flow.is_cuda(), "inputs must be CUDA tensors");
  AT_ASSERTM(in.is_contiguous() && flow.is_contiguous(), "inputs must be contiguous");
  AT_ASSERTM(in.dim() == 4 && flow.dim() == 4, "inputs must have four axes");
  AT_ASSERTM(flow.size(0) == in.size(0) && flow.size(1) == 2 && flow.size(2) == in.size(2) &&
             flow.size(3) == in.size(3), "flow must be (N, 2, H, W)");
  AT_ASSERTM(in.scalar_type() == at::kFloat && flow.scalar_type() == at::kFloat, "only float is supported");
  auto out = at::empty_like(in);
  const int channels = in.size(1), height = in.size(2), width = in.size(3);
  const int total = in.size(0) * height * width;
  if (total == 0) return out;
  backward_warp_kernel<<<(total + 255) / 256, 256>>>(in.data_ptr<float>(), flow.data_ptr<float>(),
                                                     out.data_ptr<float>(), channels, height, width, total);
  return out;
}
