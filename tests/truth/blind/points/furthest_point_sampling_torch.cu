//: defect distances-begin-with-rubbish: uninitialised-read
//- auto nearest = torch::full({batch, n}, 1e10f, points.options());
//+ auto nearest = torch::empty({batch, n}, points.options());
//: defect winner-is-read-while-the-next-round-writes: race
//- old = best_index[0];
//-     __syncthreads();
//+ old = best_index[0];
//: defect more-threads-than-places: out-of-bounds|array-bounds
//- __shared__ float best_value[kBlock];
//+ __shared__ float best_value[kBlock / 2];
//: defect distances-begin-one-cloud-later: out-of-bounds
//- nearest += (int64_t)blockIdx.x * n;
//+ nearest += (int64_t)blockIdx.x * n + n;
#include <torch/extension.h>

constexpr int kBlock = 256;

__global__ void furthest_points(int n, int m, const float* __restrict__ points, float* __restrict__ nearest,
                                int* __restrict__ picks) {
  __shared__ float best_value[kBlock];
  __shared__ int best_index[kBlock];
  points += (int64_t)blockIdx.x * n * 3;
  nearest += (int64_t)blockIdx.x * n;
  picks += (int64_t)blockIdx.x * m;

  int old = 0;
  if (threadIdx.x == 0) picks[0] = 0;
  for (int j = 1; j < m; j++) {
    float best = -1.f;
    int best_at = 0;
    const float x = points[old * 3], y = points[old * 3 + 1], z = points[old * 3 + 2];
    for (int k = threadIdx.x; k < n; k += kBlock) {
      const float dx = points[k * 3] - x, dy = points[k * 3 + 1] - y, dz = points[k * 3 + 2] - z;
      const float distance = fminf(dx * dx + dy * dy + dz * dz, nearest[k]);
      nearest[k] = distance;
      if (distance > best) {
        best = distance;
        best_at = k;
      }
    }
    best_value[threadIdx.x] = best;
    best_index[threadIdx.x] = best_at;
    __syncthreads();
    for (int half = kBlock / 2; half > 0; half >>= 1) {
      if (threadIdx.x < half && best_value[threadIdx.x + half] > best_value[threadIdx.x]) {
        best_value[threadIdx.x] = best_value[threadIdx.x + half];
        best_index[threadIdx.x] = best_index[threadIdx.x + half];
      }
      __syncthreads();
    }
    old = best_index[0];
    __syncthreads();
    if (threadIdx.x == 0) picks[j] = old;
  }
}

torch::Tensor sample_furthest(torch::Tensor points, int64_t m) {
  TORCH_CHECK(points.is_cuda() && points.is_contiguous() && points.scalar_type() == torch::kFloat);
  TORCH_CHECK(points.dim() == 3 && points.size(2) == 3 && points.numel() > 0);
  TORCH_CHECK(m > 0 && m <= points.size(1) && points.size(1) <= (1 << 24));
  const int64_t batch = points.size(0), n = points.size(1);
  auto nearest = torch::full({batch, n}, 1e10f, points.options());
  auto picks = torch::zeros({batch, m}, points.options().dtype(torch::kInt));
  furthest_points<<<batch, kBlock>>>(n, m, points.data_ptr<float>(), nearest.data_ptr<float>(),
                                     picks.data_ptr<int>());
  return picks;
}
