//: defect scores-of-the-future-are-summed: uninitialised-read
//- for (int key = threadIdx.x; key < visible; key += blockDim.x) total += expf(scores[key] - top);
//+ for (int key = threadIdx.x; key < length; key += blockDim.x) total += expf(scores[key] - top);
//: defect shared-memory-without-the-partials: out-of-bounds
//- const size_t shared_bytes = (length + kThreads) * sizeof(float);
//+ const size_t shared_bytes = length * sizeof(float);
//: defect partials-are-reused-at-once: race
//- const float top = partial[0];
//-   __syncthreads();
//+ const float top = partial[0];
//: defect total-is-reduced-before-it-stands: race
//- partial[threadIdx.x] = total;
//-   __syncthreads();
//+ partial[threadIdx.x] = total;
#include <torch/extension.h>

namespace {
constexpr int kThreads = 128;

__global__ void causal_attention(const float *q, const float *k, const float *v, float *out, int length, int dim) {
  extern __shared__ float shared[];
  float *scores = shared;
  float *partial = shared + length;
  const int query = blockIdx.x;
  const int visible = query + 1;
  const size_t head = (size_t)blockIdx.y * length * dim;
  const float scale = rsqrtf((float)dim);

  float high = -INFINITY;
  for (int key = threadIdx.x; key < visible; key += blockDim.x) {
    float dot = 0.f;
    for (int d = 0; d < dim; ++d) dot += q[head + (size_t)query * dim + d] * k[head + (size_t)key * dim + d];
    scores[key] = dot * scale;
    high = fmaxf(high, scores[key]);
  }
  partial[threadIdx.x] = high;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  const float top = partial[0];
  __syncthreads();

  float total = 0.f;
  for (int key = threadIdx.x; key < visible; key += blockDim.x) total += expf(scores[key] - top);
  partial[threadIdx.x] = total;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }

  for (int d = threadIdx.x; d < dim; d += blockDim.x) {
    float sum = 0.f;
    for (int key = 0; key < visible; ++key) sum += expf(scores[key] - top) * v[head + (size_t)key * dim + d];
    out[head + (size_t)query * dim + d] = sum / partial[0];
  }
}
}  // namespace

torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  TORCH_CHECK(q.is_cuda() && q.dim() == 3 && q.sizes() == k.sizes() && q.sizes() == v.sizes());
  TORCH_CHECK(q.scalar_type() == torch::kFloat32);
  const int heads = q.size(0), length = q.size(1), dim = q.size(2);
  TORCH_CHECK(heads > 0 && heads <= 65535 && length > 0 && length <= 8192 && dim > 0 && dim <= 1024);
  q = q.contiguous();
  k = k.contiguous();
  v = v.contiguous();
  auto out = torch::empty_like(q);
  const size_t shared_bytes = (length + kThreads) * sizeof(float);
  causal_attention<<<dim3(length, heads), kThreads, shared_bytes>>>(
      q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), out.data_ptr<float>(), length, dim);
  return out;
}
