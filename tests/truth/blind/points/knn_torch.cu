//: defect farthest-goes-behind-the-end: array-bounds|out-of-bounds
//- int place = K - 1;
//+ int place = K;
//: defect distances-begin-with-rubbish: uninitialised-read
//- best_distance[k] = FLT_MAX;
//-     best_index[k] = -1;
//+ best_index[k] = -1;
//: defect queries-are-counted-as-points: out-of-bounds
//- if (query >= num_queries) return;
//+ if (query >= num_points) return;
#include <torch/extension.h>
#include <cfloat>

template <int K>
__global__ void knn_kernel(const float* __restrict__ queries, const float* __restrict__ points,
                           int* __restrict__ indices, const int num_queries, const int num_points, const int dim) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= num_queries) return;
  float best_distance[K];
  int best_index[K];
  for (int k = 0; k < K; ++k) {
    best_distance[k] = FLT_MAX;
    best_index[k] = -1;
  }
  for (int p = 0; p < num_points; ++p) {
    float distance = 0.f;
    for (int d = 0; d < dim; ++d) {
      const float difference = queries[(int64_t)query * dim + d] - points[(int64_t)p * dim + d];
      distance += difference * difference;
    }
    if (!(distance < best_distance[K - 1])) continue;
    int place = K - 1;
    while (place > 0 && best_distance[place - 1] > distance) {
      best_distance[place] = best_distance[place - 1];
      best_index[place] = best_index[place - 1];
      --place;
    }
    best_distance[place] = distance;
    best_index[place] = p;
  }
  for (int k = 0; k < K; ++k) indices[(int64_t)query * K + k] = best_index[k];
}

torch::Tensor knn8(torch::Tensor queries, torch::Tensor points) {
  TORCH_CHECK(queries.is_cuda() && points.is_cuda());
  TORCH_CHECK(queries.dim() == 2 && points.dim() == 2 && queries.size(1) == points.size(1));
  TORCH_CHECK(queries.size(0) < (1 << 30) && points.size(0) < (1 << 30) && points.size(1) < (1 << 20));
  queries = queries.to(torch::kFloat).contiguous();
  points = points.to(torch::kFloat).contiguous();
  constexpr int K = 8;
  auto indices = torch::empty({queries.size(0), K}, queries.options().dtype(torch::kInt32));
  if (queries.size(0) == 0) return indices;
  const int threads = 64;
  knn_kernel<K><<<(queries.size(0) + threads - 1) / threads, threads>>>(
      queries.data_ptr<float>(), points.data_ptr<float>(), indices.data_ptr<int>(), queries.size(0), points.size(0),
      points.size(1));
  return indices;
}
