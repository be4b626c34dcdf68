//: defect next-discs-are-brought-while-others-still-blend: race
//- for (int k = 0; k < min(kBatch, discs - first); ++k) {
//-       const float dx = batch[k][0] - x, dy = batch[k][1] - y;
//-       if (dx * dx + dy * dy < batch[k][2]) light += batch[k][3];
//-     }
//-     __syncthreads();
//+ for (int k = 0; k < min(kBatch, discs - first); ++k) {
//+       const float dx = batch[k][0] - x, dy = batch[k][1] - y;
//+       if (dx * dx + dy * dy < batch[k][2]) light += batch[k][3];
//+     }
#include <torch/extension.h>

constexpr int kBatch = 64;

// Each block brings the discs batch by batch, and each thread adds up those that cover its pixel.
__global__ void splat_kernel(const float* discs_in, float* image, int discs, int width, int pixels) {
  __shared__ float batch[kBatch][4];
  const int pixel = blockIdx.x * kBatch + threadIdx.x;
  const float x = pixel % width, y = pixel / width;
  float light = 0.f;
  for (int first = 0; first < discs; first += kBatch) {
    if (first + threadIdx.x < discs) {
      for (int part = 0; part < 4; ++part) batch[threadIdx.x][part] = discs_in[(first + threadIdx.x) * 4 + part];
    }
    __syncthreads();
    for (int k = 0; k < min(kBatch, discs - first); ++k) {
      const float dx = batch[k][0] - x, dy = batch[k][1] - y;
      if (dx * dx + dy * dy < batch[k][2]) light += batch[k][3];
    }
    __syncthreads();
  }
  if (pixel < pixels) image[pixel] = light;
}

torch::Tensor splat(torch::Tensor discs, int64_t width, int64_t height) {
  TORCH_CHECK(discs.is_cuda() && discs.dim() == 2 && discs.size(1) == 4, "discs must be N x 4");
  TORCH_CHECK(discs.scalar_type() == torch::kFloat32, "discs must be float");
  TORCH_CHECK(width > 0 && height > 0, "the image must have pixels");
  discs = discs.contiguous();
  auto image = torch::empty({height, width}, discs.options());
  const int pixels = width * height;
  splat_kernel<<<(pixels + kBatch - 1) / kBatch, kBatch>>>(discs.data_ptr<float>(), image.data_ptr<float>(),
                                                          discs.size(0), width, pixels);
  return image;
}
