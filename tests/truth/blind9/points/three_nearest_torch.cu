//: defect fewer-than-three-points-may-be-known: uninitialised-read|out-of-bounds
//- TORCH_CHECK(known.size(1) >= 3, "three points at least must be known");
//+ TORCH_CHECK(known.size(1) >= 1, "some points must be known");
#include <torch/extension.h>

#include <cmath>

// values at unknown points from the three nearest known ones, weighted by their distances
__global__ void interpolate_kernel(const float* __restrict__ unknown, const float* __restrict__ known,
                                   const float* __restrict__ values, float* __restrict__ out, int n, int m) {
  const int batch = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* p = unknown + (batch * n + i) * 3;
  known += batch * m * 3;
  values += batch * m;
  float nearest[3] = {1e30f, 1e30f, 1e30f};
  int index[3];
  for (int j = 0; j < m; ++j) {
    const float dx = p[0] - known[j * 3], dy = p[1] - known[j * 3 + 1], dz = p[2] - known[j * 3 + 2];
    const float distance = fminf(dx * dx + dy * dy + dz * dz, 1e20f);
    if (distance < nearest[0]) {
      nearest[2] = nearest[1], index[2] = index[1];
      nearest[1] = nearest[0], index[1] = index[0];
      nearest[0] = distance, index[0] = j;
    } else if (distance < nearest[1]) {
      nearest[2] = nearest[1], index[2] = index[1];
      nearest[1] = distance, index[1] = j;
    } else if (distance < nearest[2]) {
      nearest[2] = distance, index[2] = j;
    }
  }
  float total = 0, sum = 0;
  for (int j = 0; j < 3; ++j) {
    const float weight = 1.f / (nearest[j] + 1e-8f);
    total += weight;
    sum += weight * values[index[j]];
  }
  out[batch * n + i] = sum / total;
}

torch::Tensor three_interpolate(const torch::Tensor& unknown, const torch::Tensor& known, const torch::Tensor& values) {
  TORCH_CHECK(unknown.is_cuda() && known.is_cuda() && values.is_cuda());
  TORCH_CHECK(unknown.dim() == 3 && unknown.size(2) == 3 && unknown.is_contiguous());
  TORCH_CHECK(known.dim() == 3 && known.size(2) == 3 && known.is_contiguous());
  TORCH_CHECK(known.size(0) == unknown.size(0) && values.dim() == 2 && values.is_contiguous());
  TORCH_CHECK(values.size(0) == known.size(0) && values.size(1) == known.size(1));
  TORCH_CHECK(known.size(1) >= 3, "three points at least must be known");
  TORCH_CHECK(torch::isfinite(unknown).all().item<bool>() && torch::isfinite(known).all().item<bool>());
  const int batches = unknown.size(0), n = unknown.size(1), m = known.size(1);
  auto out = torch::empty({batches, n}, values.options());
  if (out.numel() == 0) return out;
  interpolate_kernel<<<dim3((n + 127) / 128, batches), 128>>>(unknown.data_ptr<float>(), known.data_ptr<float>(),
                                                            values.data_ptr<float>(), out.data_ptr<float>(), n, m);
  return out;
}
