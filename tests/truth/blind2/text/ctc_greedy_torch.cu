//: defect step-before-the-first-is-looked-at: out-of-bounds
//- if (symbol != blank && (t == 0 || symbol != path[t - 1])) {
//+ if (symbol != blank && symbol != path[t - 1]) {
//: defect rest-of-the-line-is-not-filled: uninitialised-read|uninitialised-output
//- for (int k = count; k < steps; ++k) line[k] = -1;
//+
//: defect lengths-are-not-clamped: out-of-bounds
//- const int length = min(max(lengths[b], 0), steps);
//+ const int length = lengths[b];
#include <torch/extension.h>

__global__ void ctc_greedy_kernel(const int* paths, const int* lengths, int* decoded, int* counts, int batch,
                                  int steps, int blank) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch) return;
  const int* path = paths + b * steps;
  int* line = decoded + b * steps;
  const int length = min(max(lengths[b], 0), steps);
  int count = 0;
  for (int t = 0; t < length; ++t) {
    const int symbol = path[t];
    if (symbol != blank && (t == 0 || symbol != path[t - 1])) {
      line[count++] = symbol;
    }
  }
  for (int k = count; k < steps; ++k) line[k] = -1;
  counts[b] = count;
}

std::tuple<torch::Tensor, torch::Tensor> ctc_greedy(torch::Tensor paths, torch::Tensor lengths, int64_t blank) {
  TORCH_CHECK(paths.dim() == 2, "paths must be [batch, steps]");
  TORCH_CHECK(lengths.dim() == 1 && lengths.size(0) == paths.size(0));
  TORCH_CHECK(paths.dtype() == torch::kInt32 && lengths.dtype() == torch::kInt32);
  TORCH_CHECK(paths.is_contiguous() && lengths.is_contiguous());
  const int batch = paths.size(0);
  const int steps = paths.size(1);
  auto decoded = torch::empty_like(paths);
  auto counts = torch::empty_like(lengths);
  if (batch > 0) {
    ctc_greedy_kernel<<<(batch + 31) / 32, 32>>>(paths.data_ptr<int>(), lengths.data_ptr<int>(),
                                                 decoded.data_ptr<int>(), counts.data_ptr<int>(), batch, steps,
                                                 static_cast<int>(blank));
  }
  return std::make_tuple(decoded, counts);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("ctc_greedy", &ctc_greedy); }
