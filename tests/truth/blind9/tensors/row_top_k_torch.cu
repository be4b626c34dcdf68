//: defect rows-may-hold-fewer-than-k: uninitialised-output|uninitialised-read
//- TORCH_CHECK(k > 0 && k <= kMost && k <= scores.size(1), "k must fit the rows");
//+ TORCH_CHECK(k > 0 && k <= kMost, "k must fit the rows");
#include <torch/extension.h>

constexpr int kMost = 8;

// A thread a row keeps the best so far in order.
__global__ void top_k_kernel(const float* scores, float* best_scores, int* best_places, int rows, int width, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best[kMost];
  int places[kMost];
  int count = 0;
  for (int c = 0; c < width; ++c) {
    const float score = scores[row * width + c];
    int at = count;
    while (at > 0 && best[at - 1] < score) --at;
    if (at >= k) continue;
    const int last = count < k ? count : k - 1;
    for (int j = last; j > at; --j) {
      best[j] = best[j - 1];
      places[j] = places[j - 1];
    }
    best[at] = score;
    places[at] = c;
    if (count < k) ++count;
  }
  for (int j = 0; j < count; ++j) {
    best_scores[row * k + j] = best[j];
    best_places[row * k + j] = places[j];
  }
}

std::tuple<torch::Tensor, torch::Tensor> row_top_k(const torch::Tensor& scores, int64_t k) {
  TORCH_CHECK(scores.is_cuda() && scores.dim() == 2 && scores.is_contiguous());
  TORCH_CHECK(scores.scalar_type() == torch::kFloat);
  TORCH_CHECK(k > 0 && k <= kMost && k <= scores.size(1), "k must fit the rows");
  const int rows = scores.size(0);
  auto best = torch::empty({rows, k}, scores.options());
  auto places = torch::empty({rows, k}, scores.options().dtype(torch::kInt));
  if (rows > 0)
    top_k_kernel<<<(rows + 63) / 64, 64>>>(scores.data_ptr<float>(), best.data_ptr<float>(), places.data_ptr<int>(), rows,
                                           scores.size(1), k);
  return {best, places};
}
