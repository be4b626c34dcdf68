//: defect empty-segments-have-a-first-row: out-of-bounds
//- if (begin >= end) continue;
//+
//: defect sum-begins-with-rubbish: uninitialised-read
//- float sum = 0.f;
//+ float sum;
#include <torch/extension.h>

// Softmax over the rows of each segment; `indptr` is ascending and ends with the number of rows.
__global__ void segment_softmax_kernel(const float* __restrict__ scores, const int* __restrict__ indptr,
                                       float* __restrict__ out, int segments) {
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < segments; s += gridDim.x * blockDim.x) {
    const int begin = indptr[s];
    const int end = indptr[s + 1];
    if (begin >= end) continue;
    float largest = scores[begin];
    for (int r = begin + 1; r < end; ++r) largest = fmaxf(largest, scores[r]);
    float sum = 0.f;
    for (int r = begin; r < end; ++r) sum += __expf(scores[r] - largest);
    for (int r = begin; r < end; ++r) out[r] = __expf(scores[r] - largest) / sum;
  }
}

torch::Tensor segment_softmax(torch::Tensor scores, torch::Tensor indptr) {
  TORCH_CHECK(scores.is_cuda() && indptr.is_cuda());
  TORCH_CHECK(scores.dim() == 1 && indptr.dim() == 1 && indptr.numel() > 0);
  TORCH_CHECK(scores.dtype() == torch::kFloat32 && indptr.dtype() == torch::kInt32);
  scores = scores.contiguous();
  indptr = indptr.contiguous();
  auto out = torch::zeros_like(scores);
  const int segments = indptr.numel() - 1;
  if (segments == 0) return out;
  const int blocks = std::min(65535, (segments + 127) / 128);
  segment_softmax_kernel<<<blocks, 128>>>(scores.data_ptr<float>(), indptr.data_ptr<int>(), out.data_ptr<float>(),
                                          segments);
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("segment_softmax", &segment_softmax); }
