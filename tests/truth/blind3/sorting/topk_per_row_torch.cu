//: defect list-has-one-place-too-few: array-bounds|out-of-bounds
//- float best[MAX_K];
//+ float best[MAX_K - 1];
//: defect list-begins-with-rubbish: uninitialised-read
//- for (int j = 0; j < k; ++j) best[j] = -INFINITY;
//+ for (int j = 1; j < k; ++j) best[j] = -INFINITY;
#include <torch/extension.h>

#define MAX_K 8

__global__ void topk_kernel(const float* __restrict__ x, float* __restrict__ out, int64_t rows, int64_t width,
                            int k) {
  const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best[MAX_K];
  for (int j = 0; j < k; ++j) best[j] = -INFINITY;
  for (int64_t c = 0; c < width; ++c) {
    const float value = x[row * width + c];
    if (!(value > best[k - 1])) continue;
    int place = k - 1;
    while (place > 0 && best[place - 1] < value) {
      best[place] = best[place - 1];
      --place;
    }
    best[place] = value;
  }
  for (int j = 0; j < k; ++j) out[row * k + j] = best[j];
}

torch::Tensor topk_rows(torch::Tensor x, int64_t k) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.scalar_type() == torch::kFloat);
  TORCH_CHECK(k >= 1 && k <= MAX_K, "k must be between 1 and ", MAX_K);
  x = x.contiguous();
  auto out = torch::empty({x.size(0), k}, x.options());
  if (x.size(0) == 0) return out;
  topk_kernel<<<(x.size(0) + 63) / 64, 64>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(0), x.size(1),
                                             static_cast<int>(k));
  return out;
}
