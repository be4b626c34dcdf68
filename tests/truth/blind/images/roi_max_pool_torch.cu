//: defect region-reaches-one-too-far: out-of-bounds
//- const int x_end = min(int(x_high), width - 1);
//-     const int y_end = min(int(y_high), height - 1);
//+ const int x_end = min(int(x_high), width);
//+     const int y_end = min(int(y_high), height);
//: defect maximum-begins-with-rubbish: uninitialised-read
//- scalar_t best = 0;
//-     int best_at = -1;
//+ scalar_t best;
//+     int best_at = -1;
//: defect low-side-is-not-clamped: out-of-bounds
//- const float x_low = fminf(fmaxf(roi[0], 0.f), 1.f) * width;
//-     const float y_low = fminf(fmaxf(roi[1], 0.f), 1.f) * height;
//+ const float x_low = fminf(roi[0], 1.f) * width;
//+     const float y_low = fminf(roi[1], 1.f) * height;
#include <ATen/ATen.h>
#include <torch/extension.h>

#include <vector>

#define CHECK_INPUT(x) TORCH_CHECK((x).is_cuda() && (x).is_contiguous(), #x " must be a contiguous CUDA tensor")

template <typename scalar_t>
__global__ void roi_pool_forward(const int total, const scalar_t* features, const float* rois, scalar_t* pooled,
                                 int* argmax, const int channels, const int height, const int width,
                                 const int num_rois, const int bins) {
  const int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += stride) {
    const int bx = i % bins;
    const int by = i / bins % bins;
    const int c = i / bins / bins % channels;
    const int n = i / bins / bins / channels;
    const int batch = n / num_rois;
    const float* roi = rois + n * 4;
    const float x_low = fminf(fmaxf(roi[0], 0.f), 1.f) * width;
    const float y_low = fminf(fmaxf(roi[1], 0.f), 1.f) * height;
    const float x_high = fminf(fmaxf(roi[2], 0.f), 1.f) * width;
    const float y_high = fminf(fmaxf(roi[3], 0.f), 1.f) * height;
    const int x_begin = int(x_low);
    const int y_begin = int(y_low);
    const int x_end = min(int(x_high), width - 1);
    const int y_end = min(int(y_high), height - 1);
    const scalar_t* plane = features + (batch * channels + c) * height * width;
    scalar_t best = 0;
    int best_at = -1;
    for (int y = y_begin + by; y <= y_end; y += bins)
      for (int x = x_begin + bx; x <= x_end; x += bins)
        if (best_at < 0 || plane[y * width + x] > best) {
          best = plane[y * width + x];
          best_at = y * width + x;
        }
    pooled[i] = best;
    argmax[i] = best_at;
  }
}

std::vector<at::Tensor> roi_pool(at::Tensor features, at::Tensor rois, int bins) {
  CHECK_INPUT(features);
  CHECK_INPUT(rois);
  TORCH_CHECK(features.dim() == 4 && rois.dim() == 3 && rois.size(2) == 4);
  TORCH_CHECK(rois.size(0) == features.size(0) && rois.scalar_type() == at::kFloat);
  TORCH_CHECK(bins >= 1 && bins <= 64);
  const auto batch = features.size(0), channels = features.size(1);
  const auto num_rois = rois.size(1);
  auto pooled = at::empty({batch * num_rois, channels, bins, bins}, features.options());
  auto argmax = at::empty({batch * num_rois, channels, bins, bins}, features.options().dtype(at::kInt));
  TORCH_CHECK(pooled.numel() < (1 << 30) && features.numel() < (1 << 30), "too large");
  const int total = pooled.numel();
  if (total == 0) return {pooled, argmax};
  AT_DISPATCH_FLOATING_TYPES(features.scalar_type(), "roi_pool", [&] {
    roi_pool_forward<scalar_t><<<std::min((total + 511) / 512, 4096), 512>>>(
        total, features.data_ptr<scalar_t>(), rois.data_ptr<float>(), pooled.data_ptr<scalar_t>(),
        argmax.data_ptr<int>(), channels, features.size(2), features.size(3), num_rois, bins);
  });
  return {pooled, argmax};
}
