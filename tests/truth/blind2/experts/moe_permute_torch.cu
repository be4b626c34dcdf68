//: defect expert-is-not-checked: out-of-bounds
//- if (expert < 0 || expert >= experts) return;
//+
//: defect overflowing-tokens-are-kept: out-of-bounds
//- if (slot >= capacity) return;
//+ if (slot > capacity) return;
//: defect slots-are-counted-without-atomics: race|order-dependent
//- slot = atomicAdd(&counts[expert], 1);
//+ slot = counts[expert]++;
#include <torch/extension.h>

// Finds a slot at the token's expert and counts what lies in it.
__global__ void dispatch_tokens_kernel(const int* __restrict__ routes, int* __restrict__ counts,
                                       int* __restrict__ loads, int tokens, int experts, int capacity) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token >= tokens) return;
  const int expert = routes[token];
  if (expert < 0 || expert >= experts) return;
  int slot;
  slot = atomicAdd(&counts[expert], 1);
  if (slot >= capacity) return;
  atomicAdd(&loads[expert * capacity + slot], 1);
}

std::vector<torch::Tensor> dispatch_tokens(torch::Tensor routes, int64_t experts, int64_t capacity) {
  TORCH_CHECK(routes.is_cuda() && routes.dim() == 1, "routes must be a CUDA vector");
  TORCH_CHECK(routes.scalar_type() == torch::kInt, "routes must be int32");
  TORCH_CHECK(routes.is_contiguous());
  TORCH_CHECK(experts > 0 && capacity > 0);
  const int tokens = static_cast<int>(routes.size(0));
  auto counts = torch::zeros({experts}, routes.options());
  auto loads = torch::zeros({experts, capacity}, routes.options());
  if (tokens == 0) return {counts, loads};
  dispatch_tokens_kernel<<<(tokens + 127) / 128, 128>>>(routes.data_ptr<int>(), counts.data_ptr<int>(),
                                                        loads.data_ptr<int>(), tokens, static_cast<int>(experts),
                                                        static_cast<int>(capacity));
  return {counts, loads};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("dispatch_tokens", &dispatch_tokens); }
