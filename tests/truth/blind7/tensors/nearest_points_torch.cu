//: defect any-number-of-neighbours-is-let-through: array-bounds|out-of-bounds
//- TORCH_CHECK(k >= 1 && k <= kMost && k <= reference.size(0), "k must be between 1 and ", kMost);
//+ TORCH_CHECK(k >= 1 && k <= reference.size(0), "k must be at least 1");
#include <torch/extension.h>

constexpr int kMost = 8;

// The k nearest reference points of each query, nearest first, kept sorted by insertion.
__global__ void nearest_kernel(const float* query, const float* reference, int64_t* out, int queries, int references,
                               int k) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queries) return;
  float distances[kMost];
  int places[kMost];
  int count = 0;
  for (int r = 0; r < references; ++r) {
    float distance = 0.f;
    for (int axis = 0; axis < 3; ++axis) {
      const float difference = query[q * 3 + axis] - reference[r * 3 + axis];
      distance += difference * difference;
    }
    if (count == k && !(distance < distances[k - 1])) continue;
    int to = count < k ? count++ : k - 1;
    for (; to > 0 && distance < distances[to - 1]; --to) {
      distances[to] = distances[to - 1];
      places[to] = places[to - 1];
    }
    distances[to] = distance;
    places[to] = r;
  }
  for (int i = 0; i < k; ++i) out[(int64_t)q * k + i] = places[i];
}

torch::Tensor nearest_points(torch::Tensor query, torch::Tensor reference, int64_t k) {
  TORCH_CHECK(query.is_cuda() && reference.is_cuda());
  TORCH_CHECK(query.dim() == 2 && query.size(1) == 3, "query must be N x 3");
  TORCH_CHECK(reference.dim() == 2 && reference.size(1) == 3, "reference must be M x 3");
  TORCH_CHECK(query.dtype() == torch::kFloat32 && reference.dtype() == torch::kFloat32);
  TORCH_CHECK(k >= 1 && k <= kMost && k <= reference.size(0), "k must be between 1 and ", kMost);
  query = query.contiguous();
  reference = reference.contiguous();
  auto out = torch::empty({query.size(0), k}, query.options().dtype(torch::kInt64));
  if (query.size(0) == 0) return out;
  nearest_kernel<<<(query.size(0) + 63) / 64, 64>>>(query.data_ptr<float>(), reference.data_ptr<float>(),
                                                    out.data_ptr<int64_t>(), query.size(0), reference.size(0), k);
  return out;
}
