//: defect third-gate-lies-one-gate-too-far: out-of-bounds
//- const scalar_t candidate = tanh(gi[2 * hidden_size + j] + reset * gh[2 * hidden_size + j]);
//+ const scalar_t candidate = tanh(gi[3 * hidden_size + j] + reset * gh[3 * hidden_size + j]);
//: defect guard-counts-all-gates: out-of-bounds
//- if (j >= hidden_size) return;
//+ if (j >= 3 * hidden_size) return;
//: defect state-is-updated-in-place-by-a-neighbour: race
//- const scalar_t previous = state[row * hidden_size + j];
//+ const scalar_t previous = state[row * hidden_size + (j + 1) % hidden_size];
#include <torch/extension.h>

#include <ATen/cuda/CUDAContext.h>

template <typename scalar_t>
__device__ __forceinline__ scalar_t sigmoid(scalar_t z) {
  return scalar_t(1) / (scalar_t(1) + exp(-z));
}

template <typename scalar_t>
__global__ void gru_cell_kernel(const scalar_t* __restrict__ input_gates, const scalar_t* __restrict__ hidden_gates,
                                scalar_t* state, int hidden_size) {
  const int row = blockIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= hidden_size) return;
  const scalar_t* gi = input_gates + row * 3 * hidden_size;
  const scalar_t* gh = hidden_gates + row * 3 * hidden_size;
  const scalar_t reset = sigmoid(gi[j] + gh[j]);
  const scalar_t update = sigmoid(gi[hidden_size + j] + gh[hidden_size + j]);
  const scalar_t candidate = tanh(gi[2 * hidden_size + j] + reset * gh[2 * hidden_size + j]);
  const scalar_t previous = state[row * hidden_size + j];
  state[row * hidden_size + j] = candidate + update * (previous - candidate);
}

void gru_cell(torch::Tensor input_gates, torch::Tensor hidden_gates, torch::Tensor state) {
  TORCH_CHECK(state.dim() == 2 && input_gates.dim() == 2 && hidden_gates.dim() == 2);
  const auto batch = state.size(0);
  const auto hidden_size = state.size(1);
  TORCH_CHECK(input_gates.size(0) == batch && input_gates.size(1) == 3 * hidden_size, "input gates do not fit");
  TORCH_CHECK(hidden_gates.size(0) == batch && hidden_gates.size(1) == 3 * hidden_size, "hidden gates do not fit");
  TORCH_CHECK(input_gates.scalar_type() == state.scalar_type() && hidden_gates.scalar_type() == state.scalar_type());
  TORCH_CHECK(state.is_contiguous() && input_gates.is_contiguous() && hidden_gates.is_contiguous());
  const int threads = 128;
  const dim3 blocks((hidden_size + threads - 1) / threads, batch);
  AT_DISPATCH_FLOATING_TYPES(state.scalar_type(), "gru_cell", [&] {
    gru_cell_kernel<scalar_t><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        input_gates.data_ptr<scalar_t>(), hidden_gates.data_ptr<scalar_t>(), state.data_ptr<scalar_t>(), hidden_size);
  });
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("gru_cell", &gru_cell); }
