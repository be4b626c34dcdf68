//: defect scores-have-room-for-the-threads-only: out-of-bounds
//- const size_t shared = (length + head_dim) * sizeof(float);
//+ const size_t shared = (kThreads + head_dim) * sizeof(float);
//: defect query-is-used-before-it-is-there: race|uninitialised-read
//- __syncthreads();  // the query is in shared memory
//+
#include <torch/extension.h>

constexpr int kThreads = 64;

// One query against its keys: scores in shared memory, then a weighted sum of the values.
__global__ void decode_attention_kernel(const float* __restrict__ query, const float* __restrict__ keys,
                                        const float* __restrict__ values, float* __restrict__ out, int length,
                                        int head_dim, float scale) {
  extern __shared__ float buffer[];
  float* q = buffer;
  float* scores = buffer + head_dim;
  __shared__ float total;
  const int64_t head = blockIdx.x;
  for (int d = threadIdx.x; d < head_dim; d += blockDim.x) q[d] = query[head * head_dim + d] * scale;
  __syncthreads();  // the query is in shared memory
  for (int t = threadIdx.x; t < length; t += blockDim.x) {
    const float* key = keys + (head * length + t) * head_dim;
    float score = 0.f;
    for (int d = 0; d < head_dim; ++d) score += q[d] * key[d];
    scores[t] = score;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float largest = scores[0];
    for (int t = 1; t < length; ++t) largest = fmaxf(largest, scores[t]);
    float sum = 0.f;
    for (int t = 0; t < length; ++t) {
      scores[t] = __expf(scores[t] - largest);
      sum += scores[t];
    }
    total = sum;
  }
  __syncthreads();
  for (int d = threadIdx.x; d < head_dim; d += blockDim.x) {
    float sum = 0.f;
    for (int t = 0; t < length; ++t) sum += scores[t] * values[(head * length + t) * head_dim + d];
    out[head * head_dim + d] = sum / total;
  }
}

torch::Tensor decode_attention(torch::Tensor query, torch::Tensor keys, torch::Tensor values, double scale) {
  TORCH_CHECK(query.dim() == 2, "query must be [heads, head_dim]");
  TORCH_CHECK(keys.dim() == 3 && values.dim() == 3, "keys and values must be [heads, length, head_dim]");
  TORCH_CHECK(keys.sizes() == values.sizes());
  TORCH_CHECK(keys.size(0) == query.size(0) && keys.size(2) == query.size(1));
  TORCH_CHECK(query.is_contiguous() && keys.is_contiguous() && values.is_contiguous());
  TORCH_CHECK(query.scalar_type() == torch::kFloat32 && keys.scalar_type() == torch::kFloat32 &&
              values.scalar_type() == torch::kFloat32);
  const int heads = query.size(0), head_dim = query.size(1), length = keys.size(1);
  TORCH_CHECK(length > 0, "nothing to attend to");
  auto out = torch::empty_like(query);
  if (heads == 0) return out;
  const size_t shared = (length + head_dim) * sizeof(float);
  TORCH_CHECK(shared <= 48 * 1024, "the sequence is too long");
  decode_attention_kernel<<<heads, kThreads, shared>>>(query.data_ptr<float>(), keys.data_ptr<float>(),
                                                       values.data_ptr<float>(), out.data_ptr<float>(), length,
                                                       head_dim, static_cast<float>(scale));
  return out;
}
