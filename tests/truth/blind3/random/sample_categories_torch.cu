//: defect search-may-end-behind-the-last-category: out-of-bounds
//- int64_t low = 0, high = categories - 1;
//+ int64_t low = 0, high = categories;
//- counts[row * categories + low] += 1;
//+ counts[row * categories + low + (u > cumulative[row * categories + low])] += 1;
//: defect draws-are-taken-from-the-row-of-categories: out-of-bounds
//- const float u = draws[row * samples + s];
//+ const float u = draws[row * categories + s];
#include <torch/extension.h>

// A thread a row: how often each category was drawn. `cumulative` ascends along its rows.
__global__ void sample_kernel(const float* __restrict__ cumulative, const float* __restrict__ draws,
                              int* __restrict__ counts, int64_t rows, int64_t categories, int64_t samples) {
  const int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int64_t c = 0; c < categories; ++c) counts[row * categories + c] = 0;
  for (int64_t s = 0; s < samples; ++s) {
    const float u = draws[row * samples + s];
    int64_t low = 0, high = categories - 1;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (cumulative[row * categories + middle] < u) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    counts[row * categories + low] += 1;
  }
}

torch::Tensor sample_counts(torch::Tensor cumulative, torch::Tensor draws) {
  TORCH_CHECK(cumulative.dim() == 2 && draws.dim() == 2);
  TORCH_CHECK(cumulative.size(0) == draws.size(0), "a row of draws for each distribution");
  TORCH_CHECK(cumulative.size(1) > 0, "no categories");
  TORCH_CHECK(cumulative.scalar_type() == torch::kFloat && draws.scalar_type() == torch::kFloat);
  auto c = cumulative.contiguous();
  auto d = draws.contiguous();
  auto counts = torch::empty(c.sizes(), c.options().dtype(torch::kInt));
  if (c.size(0) == 0) return counts;
  sample_kernel<<<(c.size(0) + 31) / 32, 32>>>(c.data_ptr<float>(), d.data_ptr<float>(), counts.data_ptr<int>(),
                                               c.size(0), c.size(1), d.size(1));
  return counts;
}
