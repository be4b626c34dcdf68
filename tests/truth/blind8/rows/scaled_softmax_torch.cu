//: defect sums-replace-a-maximum-that-is-still-read: race
//- const float most = shared[0];
//-   __syncthreads();
//+ const float most = shared[0];
#include <torch/extension.h>

#define THREADS 64

__global__ void scaled_softmax_kernel(const float* scores, float* weights, int columns, float scale) {
  __shared__ float shared[THREADS];
  const float* row = scores + (size_t)blockIdx.x * columns;
  float* out = weights + (size_t)blockIdx.x * columns;
  float own = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += THREADS) own = fmaxf(own, scale * row[c]);
  shared[threadIdx.x] = own;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  const float most = shared[0];
  __syncthreads();
  own = 0.f;
  for (int c = threadIdx.x; c < columns; c += THREADS) own += expf(scale * row[c] - most);
  shared[threadIdx.x] = own;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < columns; c += THREADS) out[c] = expf(scale * row[c] - most) / shared[0];
}

torch::Tensor scaled_softmax(torch::Tensor scores, double scale) {
  TORCH_CHECK(scores.is_cuda() && scores.dim() == 2 && scores.scalar_type() == torch::kFloat);
  TORCH_CHECK(scores.size(1) > 0, "rows must not be empty");
  scores = scores.contiguous();
  auto weights = torch::empty_like(scores);
  if (scores.size(0) == 0) return weights;
  scaled_softmax_kernel<<<scores.size(0), THREADS>>>(scores.data_ptr<float>(), weights.data_ptr<float>(),
                                                    scores.size(1), scale);
  return weights;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scaled_softmax", &scaled_softmax); }
