//: defect a-beam-without-parent-is-followed: out-of-bounds
//- for (int t = steps - 1; t >= 0 && beam >= 0; --t) {
//+ for (int t = steps - 1; t >= 0; --t) {
#include <torch/extension.h>

// follows each final beam back through its parents; a parent of -1 ends the way
__global__ void trace_kernel(const int* tokens, const int* parents, int* out, int steps, int beams, int pad) {
  const int start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start >= beams) return;
  for (int t = 0; t < steps; ++t) out[t * beams + start] = pad;
  int beam = start;
  for (int t = steps - 1; t >= 0 && beam >= 0; --t) {
    out[t * beams + start] = tokens[t * beams + beam];
    beam = parents[t * beams + beam];
  }
}

torch::Tensor trace_beams(const torch::Tensor& tokens, const torch::Tensor& parents, int64_t pad) {
  TORCH_CHECK(tokens.is_cuda() && parents.is_cuda());
  TORCH_CHECK(tokens.dim() == 2 && tokens.sizes() == parents.sizes());
  TORCH_CHECK(tokens.is_contiguous() && parents.is_contiguous());
  TORCH_CHECK(tokens.scalar_type() == torch::kInt && parents.scalar_type() == torch::kInt);
  const int steps = tokens.size(0), beams = tokens.size(1);
  auto out = torch::empty_like(tokens);
  if (steps == 0 || beams == 0) return out;
  TORCH_CHECK(parents.min().item<int>() >= -1 && parents.max().item<int>() < beams, "parents must be beams, or -1");
  trace_kernel<<<(beams + 31) / 32, 32>>>(tokens.data_ptr<int>(), parents.data_ptr<int>(), out.data_ptr<int>(), steps, beams,
                                          pad);
  return out;
}
