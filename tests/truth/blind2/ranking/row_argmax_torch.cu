//: defect tree-reduces-without-a-barrier: race
//-     __syncthreads();
//-   }
//+   }
//: defect half-is-one-step-too-far: array-bounds|out-of-bounds
//- for (int half = kThreads / 2; half > 0; half /= 2) {
//+ for (int half = kThreads; half > 0; half /= 2) {
//: defect idle-threads-hold-rubbish: uninitialised-read
//- float best = -INFINITY;
//+ float best;
#include <torch/extension.h>

#define kThreads 128

__global__ void row_argmax_kernel(const float* scores, int64_t* winners, int cols) {
  __shared__ float values[kThreads];
  __shared__ int places[kThreads];
  const float* row = scores + (int64_t)blockIdx.x * cols;
  float best = -INFINITY;
  int place = 0;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    if (row[c] > best) {
      best = row[c];
      place = c;
    }
  }
  values[threadIdx.x] = best;
  places[threadIdx.x] = place;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = values[threadIdx.x + half];
      const int there = places[threadIdx.x + half];
      if (other > values[threadIdx.x] || (other == values[threadIdx.x] && there < places[threadIdx.x])) {
        values[threadIdx.x] = other;
        places[threadIdx.x] = there;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) winners[blockIdx.x] = places[0];
}

torch::Tensor row_argmax(torch::Tensor scores) {
  TORCH_CHECK(scores.is_cuda() && scores.dim() == 2 && scores.is_contiguous());
  TORCH_CHECK(scores.scalar_type() == torch::kFloat32);
  TORCH_CHECK(scores.size(1) > 0, "no scores");
  auto winners = torch::empty({scores.size(0)}, scores.options().dtype(torch::kInt64));
  if (scores.size(0) > 0) {
    row_argmax_kernel<<<scores.size(0), kThreads>>>(scores.data_ptr<float>(), winners.data_ptr<int64_t>(),
                                                    scores.size(1));
  }
  return winners;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("row_argmax", &row_argmax); }
