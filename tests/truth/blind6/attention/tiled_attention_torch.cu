//: defect next-tile-overwrites-keys-in-use: race
//- __syncthreads();  // everybody is done with the tile
//+
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

#include <cmath>

#define TILE 32

// One thread for each query; keys and values come by tiles, the softmax is kept up as they come.
__global__ void attention_kernel(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                                 float* __restrict__ out, int n_queries, int n_keys, int dim, float scale) {
  extern __shared__ float tile[];
  float* keys = tile;
  float* values = tile + TILE * dim;
  const int head = blockIdx.y;
  const int query = blockIdx.x * TILE + threadIdx.x;
  const float* my_q = q + ((size_t)head * n_queries + query) * dim;
  float* my_out = out + ((size_t)head * n_queries + query) * dim;

  float largest = -INFINITY, sum = 0.f;
  if (query < n_queries)
    for (int d = 0; d < dim; ++d) my_out[d] = 0.f;

  for (int begin = 0; begin < n_keys; begin += TILE) {
    const int count = min(TILE, n_keys - begin);
    for (int i = threadIdx.x; i < count * dim; i += TILE) {
      keys[i] = k[((size_t)head * n_keys + begin) * dim + i];
      values[i] = v[((size_t)head * n_keys + begin) * dim + i];
    }
    __syncthreads();
    if (query < n_queries) {
      for (int j = 0; j < count; ++j) {
        float score = 0.f;
        for (int d = 0; d < dim; ++d) score += my_q[d] * keys[j * dim + d];
        score *= scale;
        const float new_largest = fmaxf(largest, score);
        const float shrink = expf(largest - new_largest);
        const float weight = expf(score - new_largest);
        sum = sum * shrink + weight;
        for (int d = 0; d < dim; ++d) my_out[d] = my_out[d] * shrink + weight * values[j * dim + d];
        largest = new_largest;
      }
    }
    __syncthreads();  // everybody is done with the tile
  }
  if (query < n_queries)
    for (int d = 0; d < dim; ++d) my_out[d] /= sum;
}

torch::Tensor attention_forward(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  TORCH_CHECK(q.is_cuda() && k.is_cuda() && v.is_cuda(), "tensors must be on the GPU");
  TORCH_CHECK(q.dim() == 3 && k.dim() == 3, "expected (heads, length, dim)");
  TORCH_CHECK(k.sizes() == v.sizes(), "keys and values differ in shape");
  TORCH_CHECK(q.size(0) == k.size(0) && q.size(2) == k.size(2));
  TORCH_CHECK(q.scalar_type() == torch::kFloat && k.scalar_type() == torch::kFloat && v.scalar_type() == torch::kFloat);
  TORCH_CHECK(k.size(1) > 0, "no keys");
  q = q.contiguous();
  k = k.contiguous();
  v = v.contiguous();
  auto out = torch::empty_like(q);
  const int heads = q.size(0), n_queries = q.size(1), dim = q.size(2), n_keys = k.size(1);
  if (out.numel() == 0) return out;
  const dim3 grid((n_queries + TILE - 1) / TILE, heads);
  const size_t shared = 2 * TILE * dim * sizeof(float);
  attention_kernel<<<grid, TILE * 1, shared, at::cuda::getCurrentCUDAStream()>>>(
      q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), out.data_ptr<float>(), n_queries, n_keys, dim,
      1.0f / std::sqrt((float)dim));
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("attention_forward", &attention_forward); }
